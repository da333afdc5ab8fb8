/**
 * A line to a chain's JSON-RPC that can be put out of order: it ends every connection, takes questions and never
 * answers them, answers late, or says that the chain is where it was some blocks ago.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { localClient } from "../../../scripts/stack/chain.ts";

/** `torn`: every other answer is of the old head, as behind a load balancer of which one server hangs back. */
export type Trouble = "refuses" | "hangs" | "slow" | "behind" | "torn";

export interface TroubledRpc {
  readonly url: string;
  begin(trouble: Trouble): Promise<void>;
  /** Ends the trouble after so long from now; what hung in it is never answered. Resolves with the questions it met. */
  endAfter(ms: number): Promise<number>;
  close(): Promise<void>;
}

interface Call {
  id: unknown;
  method: string;
  params?: unknown[];
}

interface Answer {
  id: unknown;
  result?: unknown;
}

const lateMs = 5_000;
const blocksBehind = 20n;

export async function startTroubledRpc(targetUrl: string): Promise<TroubledRpc> {
  let trouble: Trouble | undefined;
  let oldHead = "0x0";
  let met = 0;

  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request);
    const standing = trouble;
    if (standing !== undefined) met += 1;
    if (standing === "hangs") return;
    if (standing === "refuses") return void response.destroy();
    if (standing === "slow") await sleep(lateMs);
    const lies = standing === "behind" || (standing === "torn" && met % 2 === 0);
    const text = lies ? await askBehind(body) : await ask(body);
    response.writeHead(200, { "content-type": "application/json" }).end(text);
  }

  async function ask(body: string): Promise<string> {
    const headers = { "content-type": "application/json" };
    return (await fetch(targetUrl, { method: "POST", headers, body })).text();
  }

  async function askBehind(body: string): Promise<string> {
    const asked = JSON.parse(body) as Call | Call[];
    const calls = [asked].flat();
    const answers = [JSON.parse(await ask(JSON.stringify(mapped(asked, behind)))) as Answer | Answer[]].flat();
    const changed = answers.map((one) => {
      const isHead = calls.find(({ id }) => id === one.id)?.method === "eth_blockNumber";
      return isHead ? { ...one, result: oldHead } : one;
    });
    return JSON.stringify(Array.isArray(asked) ? changed : changed[0]);
  }

  function behind(call: Call): Call {
    if (call.method !== "eth_getBlockByNumber" || call.params?.[0] !== "latest") return call;
    return { ...call, params: [oldHead, ...call.params.slice(1)] };
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async begin(next) {
      const head = await localClient(targetUrl).getBlockNumber();
      oldHead = `0x${(head - blocksBehind).toString(16)}`;
      met = 0;
      trouble = next;
      if (next === "refuses") server.closeAllConnections();
    },
    async endAfter(ms) {
      await sleep(ms);
      trouble = undefined;
      return met;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function mapped<T>(value: T | T[], change: (one: T) => T): T | T[] {
  return Array.isArray(value) ? value.map(change) : change(value);
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
