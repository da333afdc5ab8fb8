/**
 * Tells receipts to the gateway, and knows which of them have surely reached it: those after which it answered a ping
 * on the same connection. From there they go to the keepers; if they are lost after all, the journal still has them.
 */
import type { Clock } from "@ngpu/protocol/service/clock";
import type { Hex } from "viem";
import type { GatewayLink } from "./gatewayLink.ts";
import type { JournalEntry } from "./journal.ts";

export interface Delivery {
  tell(entry: JournalEntry): void;
  /** The chain needs this receipt no more. */
  forget(entry: JournalEntry): void;
  /**
   * Resolves when the gateway has all that was told, telling it again over every new connection; at once while no
   * connection stands. That loses nothing: a receipt is on disk before it is told, keeps its bytes and its key, and is
   * told again after the next start until the chain shows that its task is over. Until then the keeper sees this node
   * gone and lets the backup execute, which it would do however long this process waited.
   */
  complete(signal: AbortSignal): Promise<void>;
}

const pollMs = 50;

export function createDelivery(options: {
  link: Pick<GatewayLink, "send" | "connection" | "answers">;
  clock: Clock;
}): Delivery {
  const { link, clock } = options;
  const pending = new Map<Hex, { entry: JournalEntry; connection: number }>();

  const tell = (entry: JournalEntry): void => {
    const { receipt, detail } = entry;
    pending.set(receipt.signature, { entry, connection: link.connection() });
    link.send({ t: "receipt", receipt, detail });
  };

  return {
    tell,
    forget: ({ receipt }) => void pending.delete(receipt.signature),
    async complete(signal) {
      while (pending.size > 0 && !signal.aborted) {
        const connection = link.connection();
        if (connection === 0) return;
        for (const told of [...pending.values()]) if (told.connection !== connection) tell(told.entry);
        const asked = [...pending.keys()];
        if (await link.answers()) for (const signature of asked) pending.delete(signature);
        if (pending.size > 0) await clock.sleep(pollMs, signal);
      }
    },
  };
}
