/**
 * Which nodes are connected, what they announced and how they are doing. Everything here is forgotten when a node's
 * link ends.
 */
import { NgpuError } from "@ngpu/protocol/errors";
import { gatewayLimits } from "@ngpu/protocol/limits";
import type { Clock } from "@ngpu/protocol/service/clock";
import type { FrameOf, RosterEntry } from "@ngpu/protocol/wire";
import type { Address } from "viem";
import type { Link } from "./link.ts";

export interface Roster {
  /** Returns the link that was replaced, if any. */
  join(node: { nodeId: number; operator: Address; link: Link }): Link | undefined;
  /** False when the link was replaced before. */
  leave(nodeId: number, link: Link): boolean;
  linkOf(nodeId: number): Link | undefined;
  announce(nodeId: number, announce: FrameOf<"announce">): void;
  /** True when the number of free slots changed. */
  heartbeat(nodeId: number, heartbeat: FrameOf<"heartbeat">): boolean;
  bindingOf(nodeId: number): RosterEntry["binding"] | undefined;
  entries(): RosterEntry[];
  size(): number;
}

interface NodeState {
  link: Link;
  operator: Address;
  announce?: FrameOf<"announce">;
  freeSlots: number;
  heartbeatSeq: bigint;
  heardMs: number;
}

export function createRoster(options: { clock: Clock }): Roster {
  const { clock } = options;
  const nodes = new Map<number, NodeState>();

  return {
    join({ nodeId, operator, link }) {
      const replaced = nodes.get(nodeId)?.link;
      nodes.set(nodeId, { link, operator, freeSlots: 0, heartbeatSeq: -1n, heardMs: clock.monotonicMs() });
      return replaced;
    },
    leave(nodeId, link) {
      if (nodes.get(nodeId)?.link !== link) return false;
      return nodes.delete(nodeId);
    },
    linkOf: (nodeId) => nodes.get(nodeId)?.link,
    announce(nodeId, announce) {
      const node = nodes.get(nodeId);
      if (node === undefined) return;
      checkBinding(announce.binding.message, clock.nowMs());
      const known = node.announce;
      const binding =
        known !== undefined && isNewer(known.binding, announce.binding) ? known.binding : announce.binding;
      if (known === undefined) node.freeSlots = announce.slots;
      node.freeSlots = Math.min(node.freeSlots, announce.slots);
      node.announce = { ...announce, binding };
      node.heardMs = clock.monotonicMs();
    },
    heartbeat(nodeId, { heartbeat }) {
      const node = nodes.get(nodeId);
      const { seq, freeSlots } = heartbeat.message;
      if (node === undefined || seq <= node.heartbeatSeq) return false;
      node.heartbeatSeq = seq;
      node.heardMs = clock.monotonicMs();
      const before = node.freeSlots;
      node.freeSlots = Math.min(freeSlots, node.announce?.slots ?? freeSlots);
      return node.freeSlots !== before;
    },
    bindingOf: (nodeId) => nodes.get(nodeId)?.announce?.binding,
    entries() {
      const nowMs = clock.monotonicMs();
      return [...nodes].flatMap(([nodeId, { announce, operator, freeSlots, heardMs }]) => {
        if (announce === undefined) return [];
        const { models, slots, executionProvider, agentVersion, benchmarkCu, binding } = announce;
        const silentMs = Math.round(nowMs - heardMs);
        return [
          {
            nodeId,
            operator,
            models,
            slots,
            freeSlots,
            executionProvider,
            agentVersion,
            benchmarkCu,
            binding,
            silentMs,
          },
        ];
      });
    },
    size: () => nodes.size,
  };
}

function checkBinding(binding: RosterEntry["binding"]["message"], nowMs: number): void {
  const nowS = BigInt(Math.floor(nowMs / 1_000));
  const skewS = BigInt(gatewayLimits.clockSkewS);
  const longestS = BigInt(gatewayLimits.transportBindingExpiryS);
  const valid =
    binding.notBefore <= nowS + skewS &&
    binding.expiry >= nowS - skewS &&
    binding.expiry <= binding.notBefore + longestS + skewS;
  if (!valid) throw new NgpuError("AUTH_EXPIRED", { part: "binding" });
}

function isNewer(a: RosterEntry["binding"], b: RosterEntry["binding"]): boolean {
  return a.message.notBefore > b.message.notBefore;
}
