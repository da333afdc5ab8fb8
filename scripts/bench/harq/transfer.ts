/** How long one message takes from the call that sends it to the other end's last byte, over one path of its own. */
import { mostStripes } from "@ngpu/protocol/harq/codedLink";
import { randomBytes } from "node:crypto";
import { describePath } from "./conditions.ts";
import type { Congestion, LinkSecrets, SentMessage } from "./endpoint/endpointCalls.ts";
import { openPair, type Pair, type PairConditions } from "./openPair.ts";

/** `stripes`: ours over `mostStripes` WebSockets under CUBIC, without UDP; `striping`: of which one is open at first. */
export type Carrier = "harq" | "stripes" | "striping" | Congestion;

export interface Transfer {
  /** Of each message, one after the other on one connection; the limit where one was cut, and none after it. */
  readonly seconds: readonly number[];
  readonly isCut: boolean;
  /** What the sender put on the network, of the payload of UDP or of WebSockets alone. Ours only. */
  readonly sentBytes: number;
}

/** The connection is open before the clock runs: a round trip is known, and nothing of rate or loss. */
export async function transfer(options: {
  readonly carrier: Carrier;
  readonly conditions: PairConditions;
  /** Sizes of the messages; all after the first are warm. */
  readonly bytes: readonly number[];
  readonly limitS: number;
  /** Told when the connection is open, before the first message. */
  readonly onOpen?: () => void;
  /** Ends it before its time: it rejects. */
  readonly signal?: AbortSignal;
}): Promise<Transfer> {
  const { carrier, conditions, bytes, limitS, onOpen, signal } = options;
  const isOurs = carrier !== "cubic" && carrier !== "bbr";
  signal?.throwIfAborted();
  const pair = await openPair(conditions);
  const cut = (): void => void pair.close();
  signal?.addEventListener("abort", cut);
  try {
    await open(pair, carrier);
    onOpen?.();
    const seconds: number[] = [];
    for (const size of bytes) {
      const sent: SentMessage = await (isOurs ? pair.near.harqSend : pair.near.webSocketSend)({ bytes: size });
      const arrival = await pair.far.nextArrival({ withinMs: limitS * 1_000 });
      if (arrival === undefined) return { seconds: [...seconds, limitS], isCut: true, sentBytes: 0 };
      if (arrival.sha256 !== sent.sha256) throw new Error(`other bytes came out: ${carrier}, ${describePath(conditions)}`);
      seconds.push((arrival.atUs - sent.startUs) / 1e6);
    }
    const sentBytes = isOurs ? (await pair.near.harqMetrics()).sentBytes : 0;
    return { seconds, isCut: false, sentBytes };
  } finally {
    signal?.removeEventListener("abort", cut);
    await pair.close();
  }
}

/** `port`: of ours, where two share a path. */
export async function open(
  pair: Pick<Pair, "near" | "far" | "host" | "conditions">,
  carrier: Carrier,
  port = 9_004,
): Promise<void> {
  const { near, far, host, conditions } = pair;
  if (carrier === "harq") {
    const secrets = createSecrets();
    await far.harqListen({ host, port, secrets });
    await near.harqOpen({ host, port, secrets, rttUs: 2 * conditions.delayUs });
    return;
  }
  if (carrier === "stripes" || carrier === "striping") {
    const count = carrier === "stripes" ? mostStripes : undefined;
    const secrets = createSecrets();
    await far.harqListenStripes({ host, secrets });
    const target = { host, secrets, rttUs: 2 * conditions.delayUs, congestion: "cubic", count } as const;
    return near.harqOpenStripes(target);
  }
  await far.webSocketListen({ host });
  await near.webSocketOpen({ host, congestion: carrier });
}

export function createSecrets(): LinkSecrets {
  const direction = (): LinkSecrets["toFar"] => ({
    connectionId: randomBytes(8).readBigUInt64BE(),
    key: new Uint8Array(randomBytes(32)),
    salt: new Uint8Array(randomBytes(12)),
  });
  return { toFar: direction(), toNear: direction() };
}
