/** Questions to an index that reorganises, fails, leaves keys out or has far more rows than one page holds. */
import { createServer, type Server } from "node:http";
import { after, before, describe, it } from "node:test";
import { NgpuError } from "@ngpu/protocol/errors";
import { expect } from "chai";
import { parseCsv } from "../../test/e2e/support/csv.ts";
import { billingCsv } from "../features/billing/billingCsv.ts";
import { billingLines, billingTotals } from "../features/billing/billingRows.ts";
import { parseAmount } from "../lib/parseAmount.ts";
import { pageAll } from "../lib/subgraph/pageAll.ts";
import { querySubgraph } from "../lib/subgraph/querySubgraph.ts";
import type { TaskRow } from "../lib/subgraph/model.ts";
import { aSettledTask } from "./support/rows.ts";

const decodeError = "Failed to decode `block.hash` value";

type Answer = (variables: Record<string, unknown>) => unknown;

describe("the subgraph's answers", () => {
  let server: Server;
  let url: string;
  let asked = 0;
  let answer: Answer = () => ({ data: {} });

  before(async () => {
    server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => (body += chunk));
      request.on("end", () => {
        asked++;
        const { variables } = JSON.parse(body) as { variables: Record<string, unknown> };
        response.setHeader("content-type", "application/json").end(JSON.stringify(answer(variables)));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    url = typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}` : "";
  });
  after(() => server.close());

  it("are asked again when the chain was reorganised meanwhile", async () => {
    const reorganised = { errors: [{ message: "the chain was reorganized while executing the query" }] };
    const first = asked;
    answer = () => (asked - first < 3 ? reorganised : { data: { ok: 1 } });
    expect(await querySubgraph({ url, query: "{ ok }" })).to.deep.equal({ ok: 1 });
    expect(asked - first).to.equal(3);
  });

  it("give up after a few reorganisations in a row, with their own code", async () => {
    answer = () => ({ errors: [{ message: "the chain was reorganized while executing the query" }] });
    expect(await codeOf(() => querySubgraph({ url, query: "{ ok }" }))).to.equal("SUBGRAPH_REORGANISED");
  });

  it("tell a stopped index, a wrong question and no answer apart", async () => {
    answer = () => ({ data: { _meta: null }, errors: [{ message: "indexing_error" }] });
    expect(await codeOf(() => querySubgraph({ url, query: "{ ok }" }))).to.equal("SUBGRAPH_FAILED");
    answer = () => ({ errors: [{ message: "Type `Query` has no field `nope`" }] });
    expect(await codeOf(() => querySubgraph({ url, query: "{ nope }" }))).to.equal("SUBGRAPH_REFUSED");
    expect(await codeOf(() => querySubgraph({ url: "http://127.0.0.1:9", query: "{ ok }" }))).to.equal(
      "SUBGRAPH_UNREACHABLE",
    );
  });

  it("are read page by page along the ids, each row once", async () => {
    const rows = Array.from({ length: 2_500 }, (_, index) => ({ id: `0x${index.toString(16).padStart(8, "0")}` }));
    answer = ({ after: cursor, first }) => ({
      data: { tasks: rows.filter(({ id }) => id > String(cursor)).slice(0, Number(first)) },
    });
    const found = await pageAll({ url, query: "…", list: "tasks" });
    expect(found).to.deep.equal(rows);
  });

  it("lose none of 6,500 tasks on the way to the list and the file, though many have the same time", async () => {
    const rows = Array.from({ length: 6_500 }, (_, index) =>
      aSettledTask({ index: index + 1, timestamp: 1_000 + Math.floor(index / 1_300) }),
    );
    const cursors: unknown[] = [];
    // As graph-node answers: never more than 1,000 rows, and no way to skip them.
    answer = ({ after: cursor, first, skip }) => {
      cursors.push(cursor);
      if (Number(first) > 1_000 || skip !== undefined) return { errors: [{ message: "The `first` argument…" }] };
      const page = rows.filter(({ id }) => id > String(cursor)).slice(0, Number(first));
      return { data: { tasks: page, _meta: { block: { hash: `0x${"b".repeat(64)}` } } } };
    };
    const found = await pageAll<TaskRow>({ url, query: "…", list: "tasks" });
    expect(cursors.length).to.equal(7);
    const lines = billingLines({ tasks: found, fromS: 0n });
    const csv = parseCsv(billingCsv(lines));
    expect(new Set(csv.map(({ task }) => task)).size).to.equal(6_500);
    const totalUsd6 = rows.reduce((sum, { bill }) => sum + BigInt(bill?.amountUsd6 ?? 0), 0n);
    expect(billingTotals(lines).amountUsd6).to.equal(totalUsd6);
    expect(csv.reduce((sum, { amount_usd = "" }) => sum + (parseAmount(amount_usd, 6) ?? 0n), 0n)).to.equal(totalUsd6);
  });

  it("are all of one block, and begun anew when that block is undone between two pages", async () => {
    const blocks = [`0x${"a".repeat(64)}`, `0x${"b".repeat(64)}`];
    const rows = Array.from({ length: 1_500 }, (_, index) => ({ id: `0x${index.toString(16).padStart(8, "0")}` }));
    const pinned: unknown[] = [];
    let undone = false;
    answer = ({ after: cursor, first, block }) => {
      pinned.push(block);
      const hash = (block as { hash: string } | null)?.hash;
      if (hash === blocks[0]) undone = true;
      if (hash === blocks[0]) return { errors: [{ message: `${decodeError}: \`no block with that hash found\`` }] };
      const standing = blocks[undone ? 1 : 0];
      const page = rows.filter(({ id }) => id > String(cursor)).slice(0, Number(first));
      return { data: { tasks: page, _meta: { block: { hash: standing } } } };
    };
    expect(await pageAll({ url, query: "…", list: "tasks" })).to.deep.equal(rows);
    expect(pinned.slice(-2)).to.deep.equal([null, { hash: blocks[1] }]);
    expect(pinned[1]).to.deep.equal({ hash: blocks[0] });
  });

  it("read as an empty list when the key is absent", async () => {
    answer = () => ({ data: {} });
    expect(await pageAll({ url, query: "…", list: "tasks" })).to.deep.equal([]);
  });
});

async function codeOf(act: () => Promise<unknown>): Promise<string> {
  try {
    await act();
  } catch (error) {
    return error instanceof NgpuError ? error.code : String(error);
  }
  return "no error";
}
