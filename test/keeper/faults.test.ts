/** What a keeper does for liveness, planned by table. */
import type { OpenChallenge } from "@ngpu/keeper/faults/challengeFollower";
import type { FaultFacts } from "@ngpu/keeper/faults/faultSnapshot";
import { closingGas, finishGas, planFaults, refundWei, toAsk, type FaultWork } from "@ngpu/keeper/faults/planFaults";
import type { ShelvedReply } from "@ngpu/keeper/faults/replyShelf";
import { createSilenceWatch } from "@ngpu/keeper/faults/silenceWatch";
import { readUpkeepSettings } from "@ngpu/keeper/upkeep/upkeepSettings";
import { expect } from "chai";
import { describe, it } from "node:test";
import { encodeAbiParameters, keccak256, parseAbiParameters, zeroAddress, zeroHash } from "viem";
import { chainTimeS, nowMs, online } from "./world.ts";

const challengeId = keccak256("0xc1");
const gwei = 10n ** 9n;
const all: FaultWork = {
  ...{ relay: true, close: true, slashes: true, missed: true, credits: true },
  challenge: { silentForS: 600, mostWeiPerDay: 100n },
};

function aChallenge(change: Partial<OpenChallenge> = {}): OpenChallenge {
  return { challengeId, nodeId: 7, challengedBlock: 500n, replyByS: chainTimeS + 20, bondWei: 10n ** 18n, ...change };
}

function facts(change: Partial<FaultFacts> = {}): FaultFacts {
  return {
    ...{ account: zeroAddress, chainTimeS, blockNumber: 510n, baseFeeWei: 10n * gwei, gasPriceWei: 11n * gwei },
    ...{ challenges: [], upkeepData: undefined, credits: { availability: 0n, disputes: 0n, bonds: 0n, stake: 0n } },
    ...{ payableSlashes: [], silent: [], bondWei: 10n, postedTodayWei: 0n },
    ...change,
  };
}

function aReply(change: { nodeId?: number; blockNumber?: bigint } = {}): ShelvedReply {
  const { nodeId = 7, blockNumber = 505n } = change;
  return { reply: { message: { challengeId, nodeId, blockHash: zeroHash }, signature: "0x01" }, blockNumber };
}

function planned(change: Partial<FaultFacts>, options: { work?: Partial<FaultWork>; reply?: ShelvedReply; gasLeft?: bigint } = {}) {
  const { work = {}, reply, gasLeft = 10n ** 9n } = options;
  return planFaults({ facts: facts(change), work: { ...all, ...work }, replyOf: () => reply, gasLeft });
}
const kinds = (...request: Parameters<typeof planned>): string[] => planned(...request).map(({ kind }) => kind);

describe("plan of liveness", () => {
  it("does nothing while nobody is challenged, silent or owed", () => {
    expect(kinds({})).to.deep.equal([]);
    expect(kinds({ challenges: [aChallenge()] }), "no answer yet").to.deep.equal([]);
  });

  it("relays an answer that the contract would take: in time, of the node, over a block that it still knows", () => {
    const challenges = [aChallenge()];
    expect(planned({ challenges }, { reply: aReply() })).to.deep.equal([{ kind: "answerLiveness", ...aReply() }]);
    expect(kinds({ challenges }, { reply: aReply({ nodeId: 8 }) })).to.deep.equal([]);
    expect(kinds({ challenges }, { reply: aReply({ blockNumber: 499n }) }), "older than the challenge").to.deep.equal([]);
    expect(kinds({ challenges, blockNumber: 505n }, { reply: aReply() }), "the newest block").to.deep.equal([]);
    expect(kinds({ challenges, blockNumber: 705n }, { reply: aReply() }), "almost forgotten").to.deep.equal([]);
    expect(kinds({ challenges: [aChallenge({ replyByS: chainTimeS - 1 })] }, { reply: aReply() })).to.deep.equal([]);
    expect(kinds({ challenges }, { reply: aReply(), work: { relay: false } })).to.deep.equal([]);
  });

  it("relays only where the refund covers the gas: not for a small bond, nor at a tip far above what is paid", () => {
    const costWei = 120_000n * 11n * gwei;
    expect(refundWei(facts(), 10n ** 18n), "half more than the gas").to.equal((costWei * 3n) / 2n);
    const relayed = (change: Partial<FaultFacts>): string[] => kinds(change, { reply: aReply() });
    expect(relayed({ challenges: [aChallenge({ bondWei: costWei })] })).to.deep.equal(["answerLiveness"]);
    expect(relayed({ challenges: [aChallenge({ bondWei: costWei - 1n })] })).to.deep.equal([]);
    expect(relayed({ challenges: [aChallenge()], gasPriceWei: 18n * gwei })).to.deep.equal(["answerLiveness"]);
    expect(relayed({ challenges: [aChallenge()], gasPriceWei: 18n * gwei + 1n })).to.deep.equal([]);
  });

  it("asks nodes whose answer is missing or has grown old, while it would count", () => {
    const asks = (challenge: OpenChallenge, reply?: ShelvedReply, blockNumber = 510n): number =>
      toAsk({ facts: facts({ challenges: [challenge], blockNumber }), work: all, replyOf: () => reply }).length;
    expect(asks(aChallenge())).to.equal(1);
    expect(asks(aChallenge(), aReply())).to.equal(0);
    expect(asks(aChallenge(), aReply(), 705n)).to.equal(1);
    expect(asks(aChallenge({ replyByS: chainTimeS - 1 }))).to.equal(0);
  });

  it("closes what nobody answered within its budget of gas, and takes out credit that is worth its own gas", () => {
    const upkeepData = encodeAbiParameters(parseAbiParameters("bytes32[], (bytes32, uint32)[]"), [[challengeId, zeroHash], []]);
    expect(planned({ upkeepData })).to.deep.equal([{ kind: "performUpkeep", performData: upkeepData }]);
    expect(closingGas({ upkeepData })).to.equal(560_000n);
    expect(kinds({ upkeepData }, { gasLeft: 559_999n })).to.deep.equal([]);
    expect(kinds({ upkeepData }, { work: { close: false } })).to.deep.equal([]);
    const worthWei = 2n * 45_000n * 11n * gwei;
    const credits = { availability: worthWei, disputes: worthWei - 1n, bonds: 1n, stake: 1n };
    expect(planned({ credits })).to.deep.equal([
      { kind: "payBondCredit", ledger: "availability", account: zeroAddress },
      { kind: "withdrawCredit", account: zeroAddress },
      { kind: "payStakeCredit", account: zeroAddress },
    ]);
    expect(kinds({ credits }, { work: { credits: false } })).to.deep.equal([]);
  });

  it("finishes slashes that are past their appeal, the oldest first, with the gas that closing leaves", () => {
    const payableSlashes = [3n, 5n, 8n];
    const finishes = payableSlashes.map((slashId) => ({ kind: "finishSlash", slashId }));
    expect(planned({ payableSlashes })).to.deep.equal(finishes);
    expect(planned({ payableSlashes }, { gasLeft: 3n * finishGas - 1n })).to.deep.equal(finishes.slice(0, 2));
    const upkeepData = encodeAbiParameters(parseAbiParameters("bytes32[], (bytes32, uint32)[]"), [[challengeId, zeroHash], []]);
    const gasLeft = closingGas({ upkeepData }) + finishGas;
    expect(kinds({ payableSlashes, upkeepData }, { gasLeft })).to.deep.equal(["performUpkeep", "finishSlash"]);
    expect(planned({ payableSlashes, upkeepData }, { gasLeft, work: { close: false } })).to.deep.equal(finishes);
    expect(kinds({ payableSlashes }, { work: { slashes: false } })).to.deep.equal([]);
  });

  it("challenges silent nodes within its bonds of a day, and nobody unless it is told to", () => {
    expect(planned({ silent: [1, 2, 3], postedTodayWei: 80n })).to.deep.equal([
      { kind: "challengeLiveness", nodeId: 1, bondWei: 10n },
      { kind: "challengeLiveness", nodeId: 2, bondWei: 10n },
    ]);
    expect(kinds({ silent: [1] }, { work: { challenge: undefined } })).to.deep.equal([]);
    expect(readUpkeepSettings({}).faults).to.deep.equal({ ...all, challenge: undefined });
    expect(readUpkeepSettings({ NGPU_CHALLENGE_SILENT: "1" }).faults.challenge).to.deep.equal({
      silentForS: 600,
      mostWeiPerDay: 10n ** 16n,
    });
  });

  it("counts a node as silent from when it was last seen, and nobody while a gateway is away or lists no node", () => {
    let atMs = nowMs;
    const watch = createSilenceWatch({ nowMs: () => atMs });
    const silent = () => watch.silent({ nodeCount: 3, forMs: 1_000 });
    const see = (ids: number[], connectedSinceMs: number | undefined = nowMs): void =>
      watch.look({ connectedSinceMs, nodes: new Map(ids.map((id) => [id, online(id, { heardMs: atMs })])) });
    see([1, 2]);
    atMs += 999;
    expect(silent()).to.deep.equal([]);
    see([1]);
    atMs += 1;
    expect(silent()).to.deep.equal([2, 3]);
    see([]);
    expect(silent(), "nobody is listed").to.deep.equal([]);
    watch.look({ connectedSinceMs: undefined, nodes: new Map() });
    expect(silent(), "no gateway").to.deep.equal([]);
    see([1], atMs);
    atMs += 999;
    expect(silent(), "the watch begins anew").to.deep.equal([]);
  });
});
