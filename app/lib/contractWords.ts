/**
 * The words of the contracts' errors, fetched when they may be needed: most visits never meet one. Whoever makes a
 * call that can be reverted loads them first; explainError() then finds them here.
 */
import type { explainContractError } from "@ngpu/protocol/explainContractError";

let explain: typeof explainContractError | undefined;

export async function loadContractWords(): Promise<void> {
  explain ??= (await import("@ngpu/protocol/explainContractError")).explainContractError;
}

/** undefined while they are not here, and for an error that no contract of ours declares. */
export function contractWords(error: Parameters<typeof explainContractError>[0]) {
  return explain?.(error);
}
