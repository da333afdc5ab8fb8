/** KeeperBonds: what each keeper has at stake. */
import { BigInt } from "@graphprotocol/graph-ts";
import { KeeperBonded, KeeperExitBegun, KeeperSlashed, KeeperWithdrawn } from "../generated/KeeperBonds/KeeperBonds";
import { Keeper, KeeperId } from "../generated/schema";
import { ZERO } from "./numbers";

export function handleKeeperBonded(event: KeeperBonded): void {
  const stored = Keeper.load(event.params.account);
  const keeper = stored == null ? new Keeper(event.params.account) : stored;
  if (stored == null) {
    keeper.keeperId = event.params.keeperId;
    keeper.exitingWei = ZERO;
    keeper.slashedWei = ZERO;
    const id = new KeeperId(event.params.keeperId.toString());
    id.keeper = keeper.id;
    id.save();
  }
  keeper.bondWei = event.params.bondWei;
  keeper.save();
}

export function handleKeeperExitBegun(event: KeeperExitBegun): void {
  const keeper = keeperOf(event.params.keeperId);
  if (keeper == null) return;
  keeper.exitingWei = event.params.exitingWei;
  keeper.unlockAt = event.params.unlockAt;
  keeper.save();
}

export function handleKeeperWithdrawn(event: KeeperWithdrawn): void {
  const keeper = keeperOf(event.params.keeperId);
  if (keeper == null) return;
  keeper.bondWei = event.params.bondWei;
  keeper.exitingWei = ZERO;
  keeper.unlockAt = null;
  keeper.save();
}

/** What stays is taken first, as in the contract. */
export function handleKeeperSlashed(event: KeeperSlashed): void {
  const keeper = keeperOf(event.params.keeperId);
  if (keeper == null) return;
  keeper.bondWei = event.params.bondWei;
  if (keeper.exitingWei.gt(keeper.bondWei)) keeper.exitingWei = keeper.bondWei;
  keeper.slashedWei = keeper.slashedWei.plus(event.params.slashedWei);
  keeper.save();
}

function keeperOf(keeperId: BigInt): Keeper | null {
  const id = KeeperId.load(keeperId.toString());
  return id == null ? null : Keeper.load(id.keeper);
}
