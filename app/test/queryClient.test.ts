/** The query cache takes bigints, which JSON does not, in keys and in answers. */
import { describe, it } from "node:test";
import { expect } from "chai";
import { createQueryClient } from "../lib/queryClient.ts";

describe("the query cache", () => {
  it("never hands a bigint of a key or an answer to JSON", async () => {
    const queries = createQueryClient();
    const ask = (block: bigint) =>
      queries.fetchQuery({ queryKey: ["balance", { block }], queryFn: async () => ({ heldWei: 2n ** 80n, block }) });
    expect(await ask(7n)).to.deep.equal({ heldWei: 2n ** 80n, block: 7n });
    expect(await ask(8n)).to.deep.equal({ heldWei: 2n ** 80n, block: 8n });
    expect(queries.getQueryData(["balance", { block: 7n }])).to.deep.equal({ heldWei: 2n ** 80n, block: 7n });
    queries.clear();
  });
});
