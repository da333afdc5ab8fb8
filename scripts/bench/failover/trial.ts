/** What one trial found, and what every kind of trial is given. */
import type { PublicClient } from "viem";
import { localAccounts } from "../../stack/accounts.ts";
import type { Stack } from "../../stack/stack.ts";

export interface Trial {
  /** From the fault until the task goes on at the client; undefined when it never did. */
  addedMs: number | undefined;
  /** From the fault to the opened result at the client; undefined when there was none. */
  resultMs: number | undefined;
  /** No result, or no bill of the node that delivered it. */
  lost: boolean;
  /** Anything but one bill has moved money, or the contract would pay another node too. */
  paidTwice: boolean;
}

export interface TrialOptions {
  /** Pictures in the task. */
  images: number;
  /** From the first progress of the primary to the fault. */
  delayMs: number;
  stack: Stack;
  chain: PublicClient;
  signal: AbortSignal;
}

export const payer = localAccounts.payer.account;
export const trialTimeoutMs = 120_000;
