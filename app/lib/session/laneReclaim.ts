/** When what a lane did not spend can be freed, as in contracts/libraries/SessionMachine.sol. */
import { laneState } from "@ngpu/protocol/session/sessionStates";

export interface LaneTimes {
  state: number;
  /** Chain time in seconds at which a releasing lane may be reclaimed. */
  releasedAt: number;
  /** The contract's FloorState. */
  floor: number;
  burnableAt: number;
}

/** FloorState.Claimed. */
const claimed = 1;

export function reclaimableAt(lane: LaneTimes, session: { settleUntil: bigint; settleWindowS: bigint }): bigint {
  const { settleUntil, settleWindowS } = session;
  const released = lane.state === laneState.releasing ? BigInt(lane.releasedAt) : settleUntil;
  const from = released < settleUntil ? released : settleUntil;
  const lapses = lane.floor === claimed ? BigInt(lane.burnableAt) + settleWindowS : 0n;
  return lapses > from ? lapses : from;
}

/** Whether there is anything to reclaim, whatever the time. */
export function holdsAllotment({ state }: Pick<LaneTimes, "state">): boolean {
  return state === laneState.active || state === laneState.releasing;
}
