/** Blobs for a program in Node: over coded links, raced over UDP, and over HTTP where no link gets through. */
import { createCodedBlobs, type CodedBlobs, type OpenMessageLink } from "../../src/blobExchange/codedBlobs.ts";
import { createHttpBlobs } from "../../src/blobExchange/httpBlobs.ts";
import { createGatewayDialer, type DialOptions } from "../../src/harq/link/dialGateway.ts";
import type { SigningContext } from "../../src/signed.ts";
import { systemClock, type Clock } from "../clock.ts";
import { nodeLinkPorts } from "./nodeLinkPorts.ts";
import { nodePrimitives } from "./nodePrimitives.ts";
import { openUdpSocket } from "./udpSocket.ts";

export interface NodeBlobsOptions {
  context: SigningContext;
  clock?: Clock;
  /** False where only TCP is to be used. */
  usesUdp?: boolean;
}

export function createNodeBlobs(options: NodeBlobsOptions): CodedBlobs {
  const { clock = systemClock } = options;
  const openLink = createNodeDialer(options);
  return createCodedBlobs({ openLink, fallback: createHttpBlobs, monotonicMs: () => clock.monotonicMs() });
}

export function createNodeDialer({ context, clock = systemClock, usesUdp = true }: NodeBlobsOptions): OpenMessageLink {
  const nowMs = (): number => clock.nowMs();
  const plain: DialOptions = { context, primitives: nodePrimitives, ports: () => nodeLinkPorts(), nowMs };
  return createGatewayDialer(usesUdp ? { ...plain, openUdp } : plain);
}

const openUdp: DialOptions["openUdp"] = async ({ candidate, connectionId }) => {
  try {
    const socket = await openUdpSocket({ host: candidate.address.includes(":") ? "::" : "0.0.0.0" });
    return { path: socket.createPath({ connectionId, remote: candidate }), close: () => socket.close() };
  } catch {
    // No socket of this machine reaches such an address; the WebSocket does.
    return undefined;
  }
};
