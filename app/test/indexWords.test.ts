/** What is said of an index that has not read yet what the chain has decided. */
import { describe, it } from "node:test";
import { expect } from "chai";
import { indexWait, indexWordsOfTask, indexWordsOfTransaction } from "../lib/indexWords.ts";

describe("the index", () => {
  it("is waited for 20 s; then success stands with the words that it is still indexing", () => {
    expect(indexWait({ indexed: false, waitedS: 20 })).to.equal("waiting");
    expect(indexWait({ indexed: false, waitedS: 21 })).to.equal("late");
    expect(indexWait({ indexed: true, waitedS: 500 })).to.equal("done");
    expect(indexWordsOfTask.late).to.match(/^Still indexing\. The task is over all the same/);
    expect(indexWordsOfTransaction.late).to.contain("still indexing; it counts");
  });
});
