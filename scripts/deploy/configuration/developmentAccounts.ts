/** The accounts of the mnemonic that every development chain ships: anyone can act and spend with them. */
import { mnemonicToAccount } from "viem/accounts";
import { isAddressEqual, type Address } from "viem";

export const localChainId = 31_337;

const mnemonic = "test test test test test test test test test test test junk";
/** As many as development chains fund. */
const funded = 20;
let known: readonly Address[] | undefined;

export function isDevelopmentAccount(account: Address): boolean {
  known ??= Array.from({ length: funded }, (_, addressIndex) => mnemonicToAccount(mnemonic, { addressIndex }).address);
  return known.some((address) => isAddressEqual(address, account));
}
