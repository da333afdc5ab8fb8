/** Blobs for a program in Node: over coded links, raced over UDP, and over HTTP where no link gets through. */
import { randomBytes } from "node:crypto";
import { createCodedBlobs, type CodedBlobs } from "../../src/blobExchange/codedBlobs.ts";
import { createHttpBlobs } from "../../src/blobExchange/httpBlobs.ts";
import type { SigningContext } from "../../src/signed.ts";
import { systemClock, type Clock } from "../clock.ts";
import { createGatewayDialer } from "./dialGateway.ts";

export function createNodeBlobs(options: {
  context: SigningContext;
  clock?: Clock;
  /** False where only TCP is to be used. */
  usesUdp?: boolean;
}): CodedBlobs {
  const { context, clock = systemClock, usesUdp = true } = options;
  const random = (length: number): Uint8Array => new Uint8Array(randomBytes(length));
  return createCodedBlobs({
    openLink: createGatewayDialer({ context, clock, random, usesUdp }),
    fallback: createHttpBlobs,
    monotonicMs: () => clock.monotonicMs(),
  });
}
