/** What a checklist is about: a deployment that has been done, and the chain to ask about it. */
import type { PublicClient, TransactionReceipt } from "viem";
import type { Configuration } from "../configuration/configuration.ts";
import type { Addresses, Deployed } from "../deployModule.ts";

export interface Subject {
  readonly chain: PublicClient;
  readonly configuration: Configuration;
  readonly addresses: Addresses;
  readonly transactions: Deployed["transactions"];
  /** Of every transaction, in their order. */
  readonly receipts: readonly TransactionReceipt[];
}

export async function subjectOf(request: {
  readonly chain: PublicClient;
  readonly configuration: Configuration;
  readonly deployed: Deployed;
}): Promise<Subject> {
  const { chain, configuration, deployed } = request;
  const { addresses, transactions } = deployed;
  const receipts: TransactionReceipt[] = [];
  // One after another: public RPCs count requests a second.
  for (const { hash } of transactions) receipts.push(await chain.getTransactionReceipt({ hash }));
  return { chain, configuration, addresses, transactions, receipts };
}
