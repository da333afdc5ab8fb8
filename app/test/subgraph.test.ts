/** Questions to an index that reorganises, fails, leaves keys out or has more rows than one page holds. */
import { createServer, type Server } from "node:http";
import { after, before, describe, it } from "node:test";
import { NgpuError } from "@ngpu/protocol/errors";
import { expect } from "chai";
import { pageAll } from "../lib/subgraph/pageAll.ts";
import { querySubgraph } from "../lib/subgraph/querySubgraph.ts";

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
