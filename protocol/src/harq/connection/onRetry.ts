/**
 * What a RETRY does: the challenge of its path goes out again, with the token in front. It is not sealed, so it is
 * believed only about a packet that this end did send, and at most ten times a second: a forged one costs a challenge.
 */
import type { Retry } from "../security/retry.ts";
import type { Connection } from "./connectionState.ts";
import { beginChallenge } from "./validation.ts";

const everyUs = 100_000;
/** Packets of a path that may still be answered. */
const rememberedNumbers = 16_384;

/** False when it was not meant for anything that was sent from here lately. */
export function onRetry(connection: Connection, retry: Retry, nowUs: number): boolean {
  const path = connection.paths.get(retry.path);
  const isOurs =
    path !== undefined &&
    path.kind === "datagram" &&
    retry.connectionId === connection.protection.connectionId &&
    retry.packetNumber < path.nextNumber &&
    retry.packetNumber >= path.nextNumber - rememberedNumbers;
  if (!isOurs || nowUs < path.tokenUs + everyUs) return false;
  path.token = retry.token;
  path.tokenUs = nowUs;
  path.size.startOver(nowUs);
  if (path.challenge === undefined) beginChallenge(connection, path, nowUs);
  else path.challenge.nextUs = nowUs;
  return true;
}
