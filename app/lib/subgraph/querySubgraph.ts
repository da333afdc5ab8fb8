/**
 * One GraphQL question to the subgraph. A reorganisation during the question is asked again at once; an index that has
 * stopped is an error with its own code. What is absent in the answer reads as absent: callers take `undefined` for
 * every key.
 */
import { isRecord } from "@ngpu/protocol/isRecord";
import { NgpuError } from "@ngpu/protocol/errors";

export interface SubgraphRequest {
  url: string;
  query: string;
  variables?: Record<string, string | number | boolean | null | string[] | { hash: string }>;
  signal?: AbortSignal;
}

const reorganisation = "reorganized while executing the query";
/** A block that a list is read at was undone between two pages. */
const blockUndone = "no block with that hash found";
const mostAttempts = 4;

export async function querySubgraph<T extends object>(request: SubgraphRequest): Promise<Partial<T>> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask<T>(request);
    } catch (error) {
      const again = error instanceof NgpuError && error.code === "SUBGRAPH_REORGANISED" && attempt < mostAttempts;
      if (!again) throw error;
    }
  }
}

async function ask<T extends object>({ url, query, variables = {}, signal }: SubgraphRequest): Promise<Partial<T>> {
  const answer = await post(url, JSON.stringify({ query, variables }), signal);
  const messages = messagesOf(answer.errors);
  if (messages.length === 0 && isRecord(answer.data)) return answer.data as Partial<T>;
  // graph-node names the cases by text alone; there is no code in its answers.
  if (messages.some((message) => message.includes(reorganisation) || message.includes(blockUndone)))
    throw new NgpuError("SUBGRAPH_REORGANISED");
  if (messages.includes("indexing_error")) throw new NgpuError("SUBGRAPH_FAILED");
  throw new NgpuError("SUBGRAPH_REFUSED", {}, { cause: messages.join("; ") });
}

async function post(url: string, body: string, signal?: AbortSignal): Promise<Record<string, unknown>> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
      signal: signal ?? null,
    });
    const answer: unknown = await response.json();
    if (isRecord(answer)) return answer;
  } catch (cause) {
    throw new NgpuError("SUBGRAPH_UNREACHABLE", {}, { cause });
  }
  throw new NgpuError("SUBGRAPH_UNREACHABLE");
}

function messagesOf(errors: unknown): string[] {
  if (!Array.isArray(errors)) return [];
  return errors.map((error: unknown) => (isRecord(error) && typeof error.message === "string" ? error.message : ""));
}
