/**
 * What is wrong with a deployment before anything is sent: each problem has a code to branch on, the path of the field
 * it is about, what was found and what is allowed. All that are found are told at once.
 */
import { StackError } from "../stack/stackError.ts";

export type ProblemCode =
  | "CONFIG_UNREADABLE"
  | "FIELD_MISSING"
  | "FIELD_UNKNOWN"
  | "FIELD_TYPE"
  | "FIELD_RANGE"
  | "FIELD_ADDRESS"
  | "WINDOW_MISFIT"
  | "AMOUNT_MISFIT"
  | "SEQUENCER_FEED_MISSING"
  | "ROLES_ONE_ACCOUNT"
  | "ROLE_UNSAFE"
  | "KEY_MISSING"
  | "KEY_MALFORMED"
  | "KEY_UNSAFE"
  | "CHAIN_UNREACHABLE"
  | "CHAIN_WRONG"
  | "CODE_MISSING"
  | "TOKEN_DECIMALS"
  | "TOKEN_NO_PERMIT"
  | "TOKEN_NO_BURN"
  | "FEED_DECIMALS"
  | "FEED_STALE"
  | "FEED_OUT_OF_BOUNDS"
  | "SEQUENCER_DOWN"
  | "SUBSCRIPTION_UNKNOWN"
  | "BALANCE_SHORT"
  | "DEPLOYMENT_EXISTS"
  | "CHECKLIST_FAILED";

export interface Problem {
  readonly code: ProblemCode;
  /** Of the field, such as `stake.thawPeriodSeconds`; empty where it is about the whole. */
  readonly path: string;
  readonly found: string;
  readonly allowed: string;
}

export class DeployError extends StackError {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const lines = problems.map(({ code, path, found, allowed }) => {
      const where = path === "" ? "" : ` ${path}`;
      return `  ${code}${where}: found ${found}; ${allowed}`;
    });
    const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
    super(`Nothing was sent: ${count}.\n${lines.join("\n")}`);
    this.problems = problems;
  }
}
