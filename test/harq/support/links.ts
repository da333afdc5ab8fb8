/** Two links of one process with random keys, and what their tests wait for: everything with a deadline. */
import { createHash, randomBytes } from "node:crypto";
import { createProtection, type DirectionKeys, type Protection } from "@ngpu/protocol/harq/connection/protection";
import { createChachaSealer } from "@ngpu/protocol/service/harq/chachaSealer";
import { createHarqLink, type HarqLink, type LinkOptions } from "@ngpu/protocol/harq/link/harqLink";
import type { LinkPath } from "@ngpu/protocol/harq/link/linkPath";
import { nodeLinkPorts } from "@ngpu/protocol/service/harq/nodeLinkPorts";
import type { Random } from "./random.ts";

export interface LinkIds {
  /** What datagrams to the side carry. */
  readonly near: bigint;
  readonly far: bigint;
}

export interface Protections extends LinkIds {
  protectionOf(side: "near" | "far"): Protection;
}

export function createProtections(): Protections {
  const direction = (): { connectionId: bigint; key: Uint8Array; salt: Uint8Array } => ({
    connectionId: randomBytes(8).readBigUInt64BE(),
    key: new Uint8Array(randomBytes(32)),
    salt: new Uint8Array(randomBytes(12)),
  });
  const toFar = direction();
  const toNear = direction();
  const keys = ({ connectionId, key, salt }: ReturnType<typeof direction>): DirectionKeys => ({
    connectionId,
    salt,
    sealer: createChachaSealer(key),
  });
  return {
    near: toNear.connectionId,
    far: toFar.connectionId,
    protectionOf: (side) =>
      createProtection(
        side === "near" ? { send: keys(toFar), receive: keys(toNear) } : { send: keys(toNear), receive: keys(toFar) },
      ),
  };
}

export interface LinkPair {
  readonly near: HarqLink;
  readonly far: HarqLink;
  readonly ids: LinkIds;
  readonly protections: Protections;
}

export function createLinkPair(options: Partial<LinkOptions> = {}): LinkPair {
  const protections = createProtections();
  const linkOf = (side: "near" | "far"): HarqLink =>
    createHarqLink({ ...nodeLinkPorts(), protection: protections.protectionOf(side), ...options });
  return { near: linkOf("near"), far: linkOf("far"), ids: protections, protections };
}

/** Loses a share of what is sent on a path, from a seed, until it is told to be over. */
export function dropping(path: LinkPath, random: Random, loss: number, isOver = (): boolean => false): LinkPath {
  return { ...path, send: (bytes) => void ((!isOver() && random.chance(loss)) || path.send(bytes)) };
}

export interface Arrival {
  readonly length: number;
  readonly sha256: string;
}

/** Keeps length and hash of every message that a link hands over, whole or in pieces. */
export function collect(link: Pick<HarqLink, "onMessage" | "onPiece">): Arrival[] {
  const arrivals: Arrival[] = [];
  const hashes = new Map<number, ReturnType<typeof createHash>>();
  link.onPiece((piece) => {
    const hash = hashes.get(piece.message) ?? createHash("sha256");
    hashes.set(piece.message, hash);
    if (piece.type === "piece") hash.update(piece.bytes);
  });
  link.onMessage(({ id, length, bytes }) => {
    const hash = hashes.get(id) ?? createHash("sha256");
    if (bytes !== undefined) hash.update(bytes);
    arrivals.push({ length, sha256: hash.digest("hex") });
  });
  return arrivals;
}

export function arrivalOf(bytes: Uint8Array): Arrival {
  return { length: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
}

/** Rejects when the condition does not come to hold in time. */
export async function until(isReached: () => boolean, what: string, deadlineMs = 30_000): Promise<void> {
  const endMs = performance.now() + deadlineMs;
  while (!isReached()) {
    if (performance.now() > endMs) throw new Error(`never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
