/** The payer's window on chain time, when earned money is payable, and the calls of a demand with their words. */
import { createServer, type Server } from "node:http";
import { after, before, describe, it } from "node:test";
import type { TimelineRow } from "@ngpu/client/chainTimeline";
import type { TaskSecrets } from "@ngpu/client/taskSecrets";
import { codeOf } from "@ngpu/protocol/errors";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { unassigned } from "@ngpu/protocol/taskDigest";
import { expect } from "chai";
import { encodeFunctionData, keccak256, toBytes } from "viem";
import { generatePrivateKey } from "viem/accounts";
import { closeDemandCall, demandCall } from "../lib/demandCall.ts";
import { maturesBy, whyNoPayout } from "../lib/maturity.ts";
import { windowState } from "../lib/payerWindow.ts";
import { wordsOfRows } from "../lib/wordsOfRows.ts";
import { hash } from "./support/rows.ts";

const taskId = hash(1);
const address = (digit: string) => `0x${digit.repeat(40)}` as const;
const sealedOutput = toBytes("sealed output");

function aRow(stage: TimelineRow["stage"], timestamp: number, args: Record<string, unknown> = {}): TimelineRow {
  const place = { blockNumber: 1n, blockHash: hash(2), txHash: hash(3), logIndex: 0 };
  return { stage, ...place, timestamp: BigInt(timestamp), args: { taskId, ...args } };
}

const posted = aRow("posted", 100, {
  ...{ payer: address("a"), postedAt: 100, deadline: 400, backups: 2, workCums: 1_000n, priceUsd6PerGcums: 9n },
  ...{ stakeWeiPerUsd6: 1n, modelId: hash(4), inputCommitment: hash(5) },
});
const assigned = aRow("assigned", 101, {
  ...{ assigner: address("b"), assignment: 1 },
  seats: [1, 2, 5].map((nodeId) => ({ nodeId, powerCu: 1_000 })),
});
const settled = aRow("settled", 110, {
  ...{ nodeId: 1, payout: address("c"), assignment: 1, attempt: 0, slot: 0, powerCu: 1_000, durationMs: 10 },
  ...{ startMs: 7n, amountUsd6: 1_000n, outputCommitment: hash(6), outputCiphertext: keccak256(sealedOutput) },
});
const demanded = aRow("demanded", 120, { amountUsd6: 1_000n, bondUsd6: 250n, answerableUntil: 180 });

describe("the payer's window", () => {
  const stateAt = (nowS: number, ...more: TimelineRow[]) =>
    windowState({ rows: [posted, assigned, settled, ...more], payerWindowS: 60, nowS: BigInt(nowS) });

  it("is open from the settlement on, to the second in which the contract closes it", () => {
    expect(windowState({ rows: [posted, assigned], payerWindowS: 60, nowS: 105n })).to.equal(undefined);
    expect(stateAt(110)).to.deep.equal({ kind: "open", untilS: 170, leftS: 60 });
    expect(stateAt(169)).to.deep.equal({ kind: "open", untilS: 170, leftS: 1 });
    expect(stateAt(170)).to.deep.equal({ kind: "over", untilS: 170 });
  });

  it("gives way to a demand, which anyone may close once its time has passed", () => {
    const money = { amountUsd6: 1_000n, bondUsd6: 250n };
    const open = { kind: "demanded", untilS: 180, ...money } as const;
    expect(stateAt(121, demanded)).to.deep.equal({ ...open, leftS: 59, attested: 0 });
    expect(stateAt(200, demanded, aRow("attested", 130))).to.deep.equal({ ...open, leftS: 0, attested: 1 });
    const answered = [demanded, aRow("attested", 130), aRow("attested", 131)];
    expect(stateAt(132, ...answered, aRow("delivered", 131))).to.deep.equal({
      kind: "delivered",
      attested: 2,
      ...money,
    });
    expect(stateAt(200, demanded, aRow("forfeited", 190))).to.deep.equal({ kind: "forfeited", ...money });
  });
});

describe("earned money", () => {
  it("is payable when the period after that of the newest settlement is over", () => {
    expect(maturesBy({ maturitySeconds: 60, nowS: 130n, creditedAtS: 119n })).to.equal(180);
    expect(maturesBy({ maturitySeconds: 60, nowS: 179n, creditedAtS: 119n })).to.equal(180);
    expect(maturesBy({ maturitySeconds: 60, nowS: 130n, creditedAtS: 121n })).to.equal(240);
  });

  it("is never said to be payable already while some of it is not, whatever the index has missed", () => {
    expect(maturesBy({ maturitySeconds: 60, nowS: 250n, creditedAtS: 119n })).to.equal(300);
    expect(maturesBy({ maturitySeconds: 60, nowS: 250n })).to.equal(360);
  });

  it("is paid out as soon as one unit of it is mature", () => {
    expect(whyNoPayout({ creditUsd6: 0n, immatureUsd6: 0n })).to.be.a("string");
    expect(whyNoPayout({ creditUsd6: 5n, immatureUsd6: 5n })).to.be.a("string");
    expect(whyNoPayout({ creditUsd6: 6n, immatureUsd6: 5n })).to.equal(undefined);
  });
});

describe("words of a task", () => {
  it("grow with the task: terms from its post, seats once it is assigned, a settlement once it is settled", () => {
    expect(wordsOfRows([])).to.equal(undefined);
    expect(wordsOfRows([posted])).to.deep.include({ standing: unassigned, settlement: undefined });
    expect(wordsOfRows([posted, assigned])?.standing.seats.map(({ nodeId }) => nodeId)).to.deep.equal([1, 2, 5]);
    const { payout, amountUsd6, outputCiphertext } = settled.args;
    expect(wordsOfRows([posted, assigned, settled])?.settlement).to.include({
      nodeId: 1,
      payout,
      amountUsd6,
      outputCiphertext,
    });
  });

  it("are the newest assignment's after a second one", () => {
    const second = aRow("assigned", 140, { assigner: address("d"), assignment: 2, seats: [{ nodeId: 9, powerCu: 2 }] });
    expect(wordsOfRows([posted, assigned, second])?.standing).to.deep.equal({
      assigner: address("d"),
      seats: [{ nodeId: 9, powerCu: 2 }],
    });
  });
});

describe("a demand for an output", () => {
  let server: Server;
  let gatewayUrl: string;
  let held = false;
  let asked = 0;

  before(async () => {
    server = createServer((request, response) => {
      asked += 1;
      response.writeHead(held ? 200 : 404, { "content-type": "application/octet-stream" });
      response.end(held ? sealedOutput : JSON.stringify({ code: "BLOB_UNKNOWN" }));
      request.resume();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const bound = server.address();
    gatewayUrl = typeof bound === "object" && bound !== null ? `http://127.0.0.1:${bound.port}` : "";
  });
  after(() => server.close());

  const requestOf = (secrets: Partial<TaskSecrets> | undefined, rows = [posted, assigned, settled]) => ({
    ...{ gatewayUrl, chainId: 31_337, taskEscrow: address("e"), taskId, rows, nowMs: Date.now() },
    secrets: secrets as TaskSecrets | undefined,
  });
  const ours = { taskId, clientPrivateKey: generatePrivateKey() };

  it("brings the terms and the settlement, once the gateway has said that it does not hold the output", async () => {
    held = false;
    const before = asked;
    const call = await demandCall(requestOf(ours));
    expect(asked).to.equal(before + 1);
    const words = wordsOfRows([posted, assigned, settled]);
    expect(call.functionName).to.equal("demandOutput");
    expect(call.args).to.deep.equal([taskId, words?.terms, words?.settlement]);
    // It fits the contract's ABI.
    expect(encodeFunctionData({ ...call, abi: taskEscrowAbi, functionName: "demandOutput" } as never)).to.match(/^0x/);
  });

  it("is not made for an output that the gateway holds, so no bond is lost by mistake", async () => {
    held = true;
    expect(await codeThrown(() => demandCall(requestOf(ours)))).to.equal("OUTPUT_HELD");
  });

  it("asks no gateway on a device without the task's keys, and none for a task without a bill", async () => {
    const before = asked;
    expect((await demandCall(requestOf(undefined))).functionName).to.equal("demandOutput");
    expect(await codeThrown(() => demandCall(requestOf(ours, [posted, assigned])))).to.equal("DEMAND_NOT_POSSIBLE");
    expect(asked).to.equal(before);
  });

  it("is closed by anyone with the same words", () => {
    const call = closeDemandCall({ taskEscrow: address("e"), taskId, rows: [posted, assigned, settled, demanded] });
    const words = wordsOfRows([posted, assigned, settled]);
    expect([call.functionName, ...call.args]).to.deep.equal(["closeDemand", taskId, words?.terms, words?.settlement]);
  });
});

async function codeThrown(act: () => Promise<unknown>): Promise<string> {
  return act().then(
    () => "no error",
    (error: unknown) => codeOf(error),
  );
}
