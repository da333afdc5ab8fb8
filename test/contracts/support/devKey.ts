/**
 * Private keys of Hardhat's development mnemonic, for the accounts that must sign off chain what they also send on
 * chain.
 */
import { toHex, type Hex } from "viem";
import { mnemonicToAccount } from "viem/accounts";

const MNEMONIC = "test test test test test test test test test test test junk";

export function devKey(index: number): Hex {
  const { privateKey } = mnemonicToAccount(MNEMONIC, { addressIndex: index }).getHdKey();
  if (privateKey === null) throw new Error("the development mnemonic gives private keys");
  return toHex(privateKey);
}
