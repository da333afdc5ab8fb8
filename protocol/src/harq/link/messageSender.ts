/** A link as something that sends a message or says why not. */
import { NgpuError } from "../../errors.ts";
import type { SendMessage } from "../../blobExchange/asker.ts";
import type { HarqLink } from "./harqLink.ts";

/** Resolves when the peer has the message whole; rejects with GATEWAY_UNREACHABLE, or with the reason of its signal. */
export function messageSender(link: Pick<HarqLink, "send">): SendMessage {
  return async (bytes, { priority, signal }) => {
    const outcome = await link.send(bytes, { priority, signal });
    if (outcome === "cancelled") signal.throwIfAborted();
    if (outcome !== "good") throw new NgpuError("GATEWAY_UNREACHABLE", { outcome });
  };
}
