/**
 * What a keeper does about outputs that payers demand, as a pure function. Per open demand, the first that fits:
 *   its time has passed                                               → close: bill and bond go back to the payer
 *   this keeper is bonded, a gateway holds it, and it has not said so → attest
 */
import { isAddressEqual, type Address, type Hex } from "viem";
import type { ChainAction } from "../keeper/classifyRevert.ts";
import type { OpenDemand } from "../keeper/snapshot.ts";

export function planDemands(world: {
  demands: readonly OpenDemand[];
  chainTimeS: number;
  account: Address;
  isBonded: boolean;
  /** Tasks whose demanded output a gateway of this keeper holds. */
  held: ReadonlySet<Hex>;
}): ChainAction[] {
  const { demands, chainTimeS, account, isBonded, held } = world;
  return demands.flatMap((demand): ChainAction[] => {
    const { taskId, terms, settlement } = demand;
    if (chainTimeS >= demand.answerableUntilS) return [{ kind: "closeDemand", taskId, terms, settlement }];
    const mayAttest = isBonded && held.has(taskId) && !hasAttested(demand, account);
    return mayAttest ? [{ kind: "attest", taskId, terms, settlement }] : [];
  });
}

/** True when nothing is left for this keeper to find out before the demand's time is over. */
export function hasAttested({ attestedBy }: OpenDemand, account: Address): boolean {
  return attestedBy.some((keeper) => isAddressEqual(keeper, account));
}
