/** Who may speak in a session, as the chain says it: the keys whose vouchers count, and the nodes that hold a lane. */
import type { Deployment } from "@ngpu/protocol/deployment";
import { sessionSettlementAbi } from "@ngpu/protocol/generated/abi/sessionSettlement";
import type { Clock } from "@ngpu/protocol/service/clock";
import { laneState, sessionState } from "@ngpu/protocol/session/sessionStates";
import { zeroAddress, type Address, type Hex, type PublicClient } from "viem";
import { withPatience } from "../chain/withPatience.ts";

export interface SessionAuthority {
  /** The newest key first; empty when there is no such session, or it is finished. */
  signersOf(sessionId: Hex): Promise<readonly Address[]>;
  hasLane(place: { sessionId: Hex; nodeId: number }): Promise<boolean>;
  /** The chain is another one. */
  forget(): void;
}

/** A lane once held is remembered; that there is none may change with the next block. */
const rememberMs = 60_000;
const rememberNoneMs = 500;
const mostRemembered = 20_000;
const patienceMs = 2_000;

export function createSessionAuthority(options: {
  chain: PublicClient;
  deployment: Deployment;
  clock: Clock;
}): SessionAuthority {
  const { chain, deployment, clock } = options;
  const settlement = { address: deployment.sessionSettlement, abi: sessionSettlementAbi } as const;
  const lanes = new Map<string, { has: boolean; untilMs: number }>();
  const answered = <T>(reading: Promise<T>): Promise<T> => withPatience(reading, { clock, ms: patienceMs });

  return {
    async signersOf(sessionId) {
      const { terms, formerSigner } = await answered(
        chain.readContract({ ...settlement, functionName: "session", args: [sessionId] }),
      );
      if (terms.state !== sessionState.open) return [];
      return [terms.signer, ...(formerSigner === zeroAddress ? [] : [formerSigner])];
    },
    async hasLane({ sessionId, nodeId }) {
      const key = `${sessionId}-${nodeId}`;
      const remembered = lanes.get(key);
      if (remembered !== undefined && remembered.untilMs > clock.monotonicMs()) return remembered.has;
      const { state } = await answered(
        chain.readContract({ ...settlement, functionName: "lane", args: [sessionId, nodeId] }),
      );
      const has = state !== laneState.none;
      if (lanes.size >= mostRemembered) lanes.clear();
      lanes.set(key, { has, untilMs: clock.monotonicMs() + (has ? rememberMs : rememberNoneMs) });
      return has;
    },
    forget: () => lanes.clear(),
  };
}
