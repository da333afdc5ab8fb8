/**
 * Who is who on the local chain: the accounts of the mnemonic that every development chain ships. Anyone can spend
 * from them, so they hold test money on chain 31337 and nothing else.
 */
import { toHex, type Hex } from "viem";
import { mnemonicToAccount, type HDAccount } from "viem/accounts";

const mnemonic = "test test test test test test test test test test test junk";

const indexOf = {
  /** Deploys, owns the price feed, holds the policy role. */
  deployer: 0,
  keeper: 1,
  /** Owners of the first three nodes: 2, 3, 4. */
  firstOwner: 2,
  /** Ada, who builds an AI app and pays. */
  payer: 5,
  /** Nils, who owns a gaming PC and has not registered it yet. */
  newcomer: 6,
  /** Pays for the keeper's canaries. */
  auditPayer: 7,
} as const;

export const mostAgents = indexOf.payer - indexOf.firstOwner;

export interface LocalAccount {
  /** As development tools number it: "account #5". */
  index: number;
  account: HDAccount;
  privateKey: Hex;
}

export const localAccounts = {
  deployer: at(indexOf.deployer),
  keeper: at(indexOf.keeper),
  payer: at(indexOf.payer),
  newcomer: at(indexOf.newcomer),
  auditPayer: at(indexOf.auditPayer),
  owners: Array.from({ length: mostAgents }, (_, position) => at(indexOf.firstOwner + position)),
} as const;

function at(index: number): LocalAccount {
  const account = mnemonicToAccount(mnemonic, { addressIndex: index });
  const privateKey = account.getHdKey().privateKey;
  if (!privateKey) throw new Error(`account #${index} has no private key`);
  return { index, account, privateKey: toHex(privateKey) };
}
