/**
 * Brings the journal of a deployment that was killed to a state from which Ignition goes on. A process can end between
 * any two lines, and Ignition stops at three such ends: a last line that is cut off, a step that was begun and asked
 * for nothing yet, and a transaction whose sending was announced but whose hash was never written down. That one is
 * looked up on the chain, so that it counts as ours and is not sent a second time.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { trackTransaction } from "@nomicfoundation/ignition-core";
import type { Address, Hex, PublicClient } from "viem";
import { StackError } from "../stack/stackError.ts";

interface Message {
  readonly type: string;
  readonly futureId?: string;
  readonly networkInteractionId?: number;
  readonly nonce?: number;
}

export interface MendRequest {
  readonly chain: PublicClient;
  /** Ignition's folder of the deployment. */
  readonly journal: string;
  readonly deployer: Address;
  readonly confirmations: number;
  readonly pollMs: number;
}

/** As long as a chain may take to bring in what waits and to confirm it. */
const settleTimeoutMs = 10 * 60_000;

export async function mendJournal(request: MendRequest): Promise<void> {
  const file = join(request.journal, "journal.jsonl");
  if (!existsSync(file)) return;
  const before = readFileSync(file, "utf8");
  const messages = withoutBeginnings(parse(before));
  const text = `\n${messages.map((message) => JSON.stringify(message)).join("\n")}`;
  if (text !== before) {
    writeFileSync(`${file}.mended`, text);
    renameSync(`${file}.mended`, file);
  }
  await untilConfirmed(request);
  for (const nonce of announced(messages)) await findSent(request, nonce);
}

/** Every message that was written to its end. */
function parse(text: string): Message[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.flatMap((line, index) => {
    try {
      return [JSON.parse(line) as Message];
    } catch (cause) {
      if (index === lines.length - 1) return [];
      throw new StackError(`Line ${index + 1} of the journal cannot be read: ${String(cause)}`);
    }
  });
}

/** Leaves out steps of which nothing but the beginning is known: they are begun again. */
function withoutBeginnings(messages: readonly Message[]): Message[] {
  const last = new Map(messages.map((message) => [message.futureId, message]));
  return messages.filter(
    (message) =>
      last.get(message.futureId) !== message ||
      !/^(DEPLOYMENT|CALL|SEND_DATA)_EXECUTION_STATE_INITIALIZE$/.test(message.type),
  );
}

/** Nonces of transactions that may have been sent without their hash having been written. */
function announced(messages: readonly Message[]): number[] {
  const open = new Map<string, number>();
  for (const { type, futureId, networkInteractionId, nonce } of messages) {
    const key = `${String(futureId)}/${String(networkInteractionId)}`;
    if (type === "TRANSACTION_PREPARE_SEND" && nonce !== undefined) open.set(key, nonce);
    else open.delete(key);
  }
  return [...open.values()];
}

/** Nothing of the deployer waits, and its newest transaction has the confirmations that Ignition asks for. */
async function untilConfirmed({ chain, deployer, confirmations, pollMs }: MendRequest): Promise<void> {
  const deadlineMs = performance.now() + settleTimeoutMs;
  const count = (blockTag: "latest" | "pending") => chain.getTransactionCount({ address: deployer, blockTag });
  while ((await count("pending")) > (await count("latest"))) await wait(deadlineMs, pollMs);
  const block = await chain.getBlockNumber();
  while ((await chain.getBlockNumber()) < block + BigInt(confirmations - 1)) await wait(deadlineMs, pollMs);
}

async function wait(deadlineMs: number, pollMs: number): Promise<void> {
  if (performance.now() > deadlineMs) throw new StackError("Transactions sent before are not confirmed; try later.");
  await sleep(pollMs);
}

/** Looks a mined transaction up by its nonce and tells the journal its hash; one that was never sent is sent again. */
async function findSent({ chain, journal, deployer, confirmations }: MendRequest, nonce: number): Promise<void> {
  if ((await chain.getTransactionCount({ address: deployer })) <= nonce) return;
  const hash = await transactionOf({ chain, deployer, nonce });
  if (hash === undefined) {
    throw new StackError(
      `Transaction ${nonce} of ${deployer} was sent, and the RPC does not say which it is. Look its hash up in a ` +
        "block explorer and run `hardhat ignition track-tx <hash> <deployment>`, or use an RPC with the chain's history.",
    );
  }
  await trackTransaction(journal, hash, { request: chain.request }, confirmations);
}

/** By halving: the first block after which the account has sent more than `nonce` transactions. */
async function transactionOf(query: {
  readonly chain: PublicClient;
  readonly deployer: Address;
  readonly nonce: number;
}): Promise<Hex | undefined> {
  const { chain, deployer: address, nonce } = query;
  let [low, high] = [0n, await chain.getBlockNumber()];
  try {
    while (low < high) {
      const middle = (low + high) / 2n;
      if ((await chain.getTransactionCount({ address, blockNumber: middle })) > nonce) high = middle;
      else low = middle + 1n;
    }
    const { transactions } = await chain.getBlock({ blockNumber: low, includeTransactions: true });
    return transactions.find((sent) => sent.nonce === nonce && sent.from.toLowerCase() === address.toLowerCase())?.hash;
  } catch {
    // RPCs without history refuse to count at old blocks.
    return undefined;
  }
}
