/**
 * The words of contractErrors.ts with the figures of one revert in them. Exact: no amount is rounded. Whoever shows
 * times in a reader's own zone brings `time`.
 */
import { formatUnits } from "viem";
import { contractErrorCost, contractErrors, isContractErrorName } from "./contractErrors.ts";
import { taskStatus } from "./taskStatus.ts";

export interface ContractErrorWords {
  meaning: string;
  cost: string;
  remedy: string;
}

const kinds: Record<string, (value: unknown) => string> = {
  account: String,
  number: String,
  node: (value) => `node-${String(value)}`,
  usd: (value) => `${formatUnits(BigInt(String(value)), 6)} USD`,
  ngpu: (value) => `${formatUnits(BigInt(String(value)), 18)} NGPU`,
  time: (value) => utc(Number(value)),
  status: statusWord,
};

/** undefined for an error that no contract of ours declares. */
export function explainContractError(error: {
  name: string;
  /** By the names of the ABI. */
  args: Readonly<Record<string, unknown>>;
  /** Chain time in seconds as text. */
  time?: (seconds: bigint) => string;
}): ContractErrorWords | undefined {
  const { name, args, time } = error;
  if (!isContractErrorName(name)) return undefined;
  const fill = (text: string): string =>
    text.replace(/\{(\w+):(\w+)\}/g, (_, figure: string, kind: string) => {
      const value = args[figure];
      if (value === undefined) return figure;
      if (kind === "time" && time !== undefined) return time(BigInt(String(value)));
      return kinds[kind]?.(value) ?? String(value);
    });
  const { meaning, remedy } = contractErrors[name];
  return { meaning: fill(meaning), cost: contractErrorCost, remedy: fill(remedy) };
}

/** 2026-11-30 12:01:07 UTC; what no date can hold stays a number. */
function utc(seconds: number): string {
  const date = new Date(seconds * 1_000);
  return Number.isNaN(date.getTime()) ? String(seconds) : `${date.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

function statusWord(value: unknown): string {
  const found = Object.entries(taskStatus).find(([, status]) => status === Number(value));
  return found === undefined || found[0] === "none" ? "unknown" : found[0];
}
