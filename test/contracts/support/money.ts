/** Where the money is: every test on money compares such a picture before and after. */
import type { Address } from "viem";
import type { World } from "./world.ts";

export interface Money {
  walletUsd6: bigint;
  availableUsd6: bigint;
  reservedUsd6: bigint;
  creditUsd6: bigint;
}

export async function moneyOf(world: World, account: Address): Promise<Money> {
  const { publicClient, usd, paymentVault } = world;
  const walletUsd6 = await publicClient.readContract({ ...usd, functionName: "balanceOf", args: [account] });
  const held = await publicClient.readContract({ ...paymentVault, functionName: "accountOf", args: [account] });
  const { availableUsd6, reservedUsd6, creditUsd6 } = held;
  return { walletUsd6, availableUsd6, reservedUsd6, creditUsd6 };
}

/** What changed from `before` to `after`, field by field; fields that did not change are left out. */
export function moved(before: Money, after: Money): Partial<Money> {
  const fields = ["walletUsd6", "availableUsd6", "reservedUsd6", "creditUsd6"] as const;
  const changes: Partial<Money> = {};
  for (const field of fields) if (before[field] !== after[field]) changes[field] = after[field] - before[field];
  return changes;
}

/** Tokens that the vault holds. */
export function vaultBalance({ publicClient, usd, paymentVault }: World): Promise<bigint> {
  return publicClient.readContract({ ...usd, functionName: "balanceOf", args: [paymentVault.address] });
}
