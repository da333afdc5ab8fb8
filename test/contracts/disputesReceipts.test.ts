/** Faults that two signatures prove: contracts/ReceiptFaults.sol. No judge, no bond, each fault punished once. */
import { after, before, beforeEach, describe, it } from "node:test";
import { receiptStatus, type Receipt } from "@ngpu/protocol/typedData";
import { receiptHashOf } from "@ngpu/protocol/taskWords";
import { expect } from "chai";
import { encodeAbiParameters, keccak256, parseAbiParameters, zeroAddress, zeroHash, type Address, type Hex } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import { eventsOf } from "./support/chain.ts";
import { createFaultWorld, stakeOf, type FaultWorld } from "./support/faults.ts";
import { highS } from "./support/highS.ts";
import { createRandom, seedFor } from "./support/random.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import { anAssignedTask, aReceipt, hashOf, settleTask, signReceipt } from "./support/tasks.ts";
import { harmOf, noHarm } from "./support/taskWords.ts";
import { keyOf, NGPU_WEI, type NodeKeys } from "./support/world.ts";

type Kind = "proveConflict" | "proveOverlap";
const START = 1_800_000_000_000n;

describe("Receipt faults", () => {
  let world: FaultWorld;
  let alpha: NodeKeys;
  let stranger: Address;
  const salt = hashOf("claim");

  before(async () => {
    world = await createFaultWorld();
    ({ alpha } = world.nodes);
    ({ stranger } = world.actors);
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  const receiptOf = (label: string, change: Partial<Receipt> = {}, node = alpha) =>
    aReceipt(hashOf(label), node, change);

  async function prove(
    kind: Kind,
    a: Receipt,
    b: Receipt,
    { signerA = alpha.operator, signerB = alpha.operator, from = stranger, by = salt }: {
      signerA?: PrivateKeyAccount;
      signerB?: PrivateKeyAccount;
      from?: Address;
      by?: Hex;
    } = {},
  ) {
    const [first, second] = [await signReceipt(world, a, signerA), await signReceipt(world, b, signerB)];
    const later = kind === "proveOverlap" && b.startMs >= a.startMs ? b.taskId : a.taskId;
    const args = [first.message, first.signature, second.message, second.signature, by, await harmOf(world, later)] as const;
    return world.send(from, world.disputes, kind, args);
  }

  async function commitTo(a: Receipt, b: Receipt, claimant: Address): Promise<void> {
    const [low, high] = [receiptHashOf(a), receiptHashOf(b)].sort() as [Hex, Hex];
    const evidence = keccak256(encodeAbiParameters(parseAbiParameters("bytes32, bytes32"), [low, high]));
    const words = parseAbiParameters("address claimant, bytes32 evidence, bytes32 salt");
    const commitment = keccak256(encodeAbiParameters(words, [claimant, evidence, salt]));
    await world.send(claimant, world.disputes, "commitEvidence", [commitment]);
  }

  const provedBy = (receipt: Awaited<ReturnType<typeof prove>>) =>
    eventsOf(receipt, world.disputes, "FaultProved")[0];
  const held = (slashId: bigint) =>
    world.publicClient.readContract({ ...world.vault, functionName: "held", args: [slashId] });

  describe("behaviour", () => {
    it("slashes a node that signed two results under one conflict key, and compensates the payer", async () => {
      const { taskId } = await anAssignedTask(world);
      await settleTask(world, taskId, alpha);
      const a = aReceipt(taskId, alpha);
      const b = { ...a, outputCommitment: hashOf("another output") };
      await commitTo(a, b, stranger);
      const proved = provedBy(await prove("proveConflict", a, b));
      expect(proved).to.deep.include({ nodeId: alpha.nodeId, kind: 0, claimant: stranger, slashedWei: 100n * NGPU_WEI });
      expect(proved).to.deep.include({ receiptA: receiptHashOf(a), receiptB: receiptHashOf(b) });
      expect(await held(0n)).to.deep.include({
        compensated: world.actors.payer,
        compensationWei: 137n * 2_000_000_000_000n,
        challenger: stranger,
        challengerWei: 10n * NGPU_WEI,
      });
    });

    it("counts any difference as a conflict, a success and a failure too, and a retired key's signature", async () => {
      const operator = keyOf("rotated in");
      const rotation = [alpha.nodeId, operator.address, 2n ** 40n, await world.bind(alpha.owner, operator)] as const;
      await world.send(alpha.owner, world.registry, "rotateOperator", rotation);
      const a = receiptOf("one");
      const b = { ...a, status: receiptStatus.modelFailed };
      const proved = provedBy(await prove("proveConflict", a, b, { signerB: operator }));
      expect(proved).to.deep.include({ slashedWei: 100n * NGPU_WEI, claimant: zeroAddress });
    });

    it("slashes a node that bills the same millisecond of a slot twice", async () => {
      const a = receiptOf("one", { startMs: START, durationMs: 1_000 });
      const b = receiptOf("two", { startMs: START + 999n, durationMs: 1 });
      const proved = provedBy(await prove("proveOverlap", a, b));
      expect(proved).to.deep.include({ kind: 1, slashedWei: 50n * NGPU_WEI });
      expect(await stakeOf(world, alpha)).to.equal(950n * NGPU_WEI);
    });

    it("pays the challenger's part only to whoever committed to the evidence in an earlier block", async () => {
      const a = receiptOf("one");
      const b = { ...a, durationMs: 999 };
      const thief = world.actors.otherPayer;
      await commitTo(a, b, stranger);
      const stolen = provedBy(await prove("proveConflict", a, b, { from: thief }));
      expect(stolen?.claimant).to.equal(zeroAddress);
      expect((await held(0n)).challengerWei).to.equal(0n);
      await world.restore();
      await commitTo(a, b, stranger);
      const other = provedBy(await prove("proveConflict", b, a, { by: hashOf("other salt") }));
      expect(other?.claimant, "another salt").to.equal(zeroAddress);
      await world.restore();
      await commitTo(a, b, stranger);
      expect(await codeOf(commitTo(a, b, stranger))).to.equal("EvidenceCommittedBefore");
      expect(provedBy(await prove("proveConflict", b, a))?.claimant, "in either order").to.equal(stranger);
    });
  });

  describe("harm", () => {
    it("that is not shown, or not this task's, compensates nobody: that part of the slash burns", async () => {
      const { taskId } = await anAssignedTask(world);
      await settleTask(world, taskId, alpha);
      const other = await anAssignedTask(world, { clientNonce: hashOf("other") });
      await settleTask(world, other.taskId, world.nodes.beta);
      const a = aReceipt(taskId, alpha);
      const [first, second] = await Promise.all(
        [a, { ...a, durationMs: 1 }].map((receipt) => signReceipt(world, receipt, alpha.operator)),
      );
      if (first === undefined || second === undefined) throw new RangeError("two receipts");
      for (const harm of [noHarm, await harmOf(world, other.taskId)]) {
        const snapshot = await world.connection.networkHelpers.takeSnapshot();
        const pair = [first.message, first.signature, second.message, second.signature] as const;
        await world.send(stranger, world.disputes, "proveConflict", [...pair, salt, harm]);
        expect(await held(0n)).to.deep.include({ slashedWei: 100n * NGPU_WEI, compensationWei: 0n });
        await snapshot.restore();
      }
    });
  });

  describe("error", () => {
    it("finds no conflict in one receipt sent twice, in other keys or other nodes", async () => {
      const a = receiptOf("one");
      const others = [
        a,
        { ...a, attempt: 1 },
        { ...a, assignment: 2 },
        { ...a, taskId: hashOf("two") },
      ];
      for (const b of others) {
        expect(await revertOf(prove("proveConflict", a, b))).to.deep.equal({
          name: "ReceiptsNoFault",
          args: [receiptHashOf(a), receiptHashOf(b)],
        });
      }
      const { beta } = world.nodes;
      const foreign = prove("proveConflict", a, { ...a, nodeId: beta.nodeId }, { signerB: beta.operator });
      expect(await codeOf(foreign)).to.equal("ReceiptsNoFault");
    });

    it("finds no overlap in touching intervals, other slots or nodes, failures, empty ones, or one key", async () => {
      const a = receiptOf("one", { startMs: START, durationMs: 1_000 });
      const inside = { startMs: START + 10n, durationMs: 10 };
      const { beta } = world.nodes;
      const others = [
        receiptOf("two", { startMs: START + 1_000n, durationMs: 5 }),
        receiptOf("two", { startMs: START - 5n, durationMs: 5 }),
        receiptOf("two", { ...inside, slot: 1 }),
        receiptOf("two", { ...inside, status: receiptStatus.timedOut }),
        receiptOf("two", { ...inside, durationMs: 0 }),
        { ...a, ...inside },
      ];
      for (const b of others) {
        expect(await codeOf(prove("proveOverlap", a, b))).to.equal("ReceiptsNoFault");
        expect(await codeOf(prove("proveOverlap", b, a))).to.equal("ReceiptsNoFault");
      }
      const foreign = prove("proveOverlap", a, receiptOf("two", inside, beta), { signerB: beta.operator });
      expect(await codeOf(foreign)).to.equal("ReceiptsNoFault");
    });

    it("believes only keys of the node that the receipt names, in their canonical form", async () => {
      const a = receiptOf("one");
      const b = { ...a, durationMs: 1 };
      for (const signerB of [world.nodes.beta.operator, keyOf("nobody")]) {
        expect(await codeOf(prove("proveConflict", a, b, { signerB }))).to.equal("ReceiptSignerInvalid");
      }
      const unowned = { ...a, nodeId: 0 };
      const nobody = { signerA: keyOf("nobody"), signerB: keyOf("nobody") };
      const ofNobody = prove("proveConflict", unowned, { ...b, nodeId: 0 }, nobody);
      expect(await codeOf(ofNobody)).to.equal("ReceiptSignerInvalid");
      const [first, second] = [await signReceipt(world, a, alpha.operator), await signReceipt(world, b, alpha.operator)];
      const args = [first.message, first.signature, second.message, highS(second.signature), salt, noHarm] as const;
      const act = world.send(stranger, world.disputes, "proveConflict", args);
      expect(await codeOf(act)).to.equal("ReceiptSignerInvalid");
    });
  });

  describe("bug classes", () => {
    it("6, 28: one fault is slashed once, however it is shown; a second, different one is slashed too", async () => {
      const a = receiptOf("one");
      const b = { ...a, durationMs: 1 };
      await prove("proveConflict", a, b);
      expect(await codeOf(prove("proveConflict", b, a)), "reversed").to.equal("ReceiptFaultKnown");
      expect(await codeOf(prove("proveConflict", a, { ...a, durationMs: 2 })), "a third").to.equal("ReceiptFaultKnown");
      const c = receiptOf("two", { startMs: START + 10_000n });
      const proved = provedBy(await prove("proveConflict", c, { ...c, durationMs: 1 }));
      expect(proved?.slashedWei, "of the day's snapshot").to.equal(100n * NGPU_WEI);
      expect(provedBy(await prove("proveOverlap", a, receiptOf("three")))?.slashedWei).to.equal(50n * NGPU_WEI);
    });

    it("28: of receipts that all overlap each one is punished, each once", async () => {
      const [a, b, c] = [receiptOf("one"), receiptOf("two"), receiptOf("three")];
      await prove("proveOverlap", a, b);
      expect(await codeOf(prove("proveOverlap", b, a))).to.equal("ReceiptFaultKnown");
      await prove("proveOverlap", a, c);
      expect(await codeOf(prove("proveOverlap", b, c)), "both were punished").to.equal("ReceiptFaultKnown");
    });

    it("6: all faults of a day together take thirty percent of its first stake", async () => {
      const slashed: bigint[] = [];
      for (let i = 0; i < 3; i += 1) {
        const a = receiptOf(`task ${i}`, { startMs: START + BigInt(i) * 10_000n });
        slashed.push(provedBy(await prove("proveConflict", a, { ...a, durationMs: 1 }))?.slashedWei ?? 0n);
      }
      expect(slashed).to.deep.equal([100n * NGPU_WEI, 100n * NGPU_WEI, 100n * NGPU_WEI]);
      const a = receiptOf("one more");
      const b = { ...a, durationMs: 1 };
      expect(await codeOf(prove("proveConflict", a, b))).to.equal("ReceiptFaultUnpunished");
      await world.increase(86_400);
      expect(provedBy(await prove("proveConflict", a, b))?.slashedWei, "tomorrow").to.equal(70n * NGPU_WEI);
    });

    it("2, 3: an empty bucket uses no evidence up", async () => {
      const { deployer } = world.actors;
      const a = receiptOf("one");
      const b = { ...a, durationMs: 1 };
      await world.send(deployer, world.vault, "setBucket", [0n]);
      expect(await codeOf(prove("proveConflict", a, b))).to.equal("ReceiptFaultUnpunished");
      await world.send(deployer, world.vault, "setBucket", [3n]);
      expect(provedBy(await prove("proveConflict", a, b))?.slashedWei).to.equal(3n);
    });

    it("22: intervals at the edges of their types neither overflow nor wrap", async () => {
      const largest = 2n ** 64n - 1n;
      const a = receiptOf("one", { startMs: largest, durationMs: 2 ** 32 - 1 });
      const b = receiptOf("two", { startMs: largest - 1n, durationMs: 2 });
      const c = receiptOf("three", { startMs: 0n, durationMs: 2 ** 32 - 1 });
      expect(await codeOf(prove("proveOverlap", a, c))).to.equal("ReceiptsNoFault");
      expect(provedBy(await prove("proveOverlap", a, b))?.kind).to.equal(1);
    });

    it("property: says overlap exactly when the two intervals share a millisecond", async () => {
      const random = createRandom(seedFor("overlap"));
      for (let i = 0; i < 60; i += 1) {
        const [startA, startB] = [random.below(30), random.below(30)];
        const [lengthA, lengthB] = [random.below(12), random.below(12)];
        const a = receiptOf(`a ${i}`, { startMs: BigInt(startA), durationMs: lengthA });
        const b = receiptOf(`b ${i}`, { startMs: BigInt(startB), durationMs: lengthB });
        let shared = false;
        for (let ms = startA; ms < startA + lengthA; ms += 1) shared ||= ms >= startB && ms < startB + lengthB;
        await world.setStake(alpha.nodeId, 1_000n);
        const outcome = await prove("proveOverlap", a, b).then(
          () => true,
          async (error: unknown) => {
            const code = await codeOf(Promise.reject(error));
            expect(["ReceiptsNoFault", "ReceiptFaultUnpunished"]).to.include(code);
            return code === "ReceiptFaultUnpunished";
          },
        );
        expect(outcome, `[${startA},+${lengthA}) and [${startB},+${lengthB})`).to.equal(shared);
      }
    });
  });

  it("records a commitment under whoever makes it", async () => {
    const receipt = await world.send(stranger, world.disputes, "commitEvidence", [zeroHash]);
    expect(eventsOf(receipt, world.disputes, "EvidenceCommitted")).to.deep.equal([
      { commitment: zeroHash, claimant: stranger },
    ]);
  });
});
