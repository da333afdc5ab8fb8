/** Upkeep by a Chainlink CRE workflow: contracts/keepers/CreReceiver.sol behind Chainlink's own KeystoneForwarder. */
import { after, before, beforeEach, describe, it } from "node:test";
import { creReceiverAbi } from "@ngpu/protocol/generated/abi/creReceiver";
import { expect } from "chai";
import {
  concat,
  encodeAbiParameters,
  hexToSignature,
  keccak256,
  numberToHex,
  parseAbi,
  parseAbiParameters,
  toHex,
  zeroAddress,
  zeroHash,
  type Address,
  type Hex,
} from "viem";
import { sign } from "viem/accounts";
import { eventsOf, type ContractRef } from "./support/chain.ts";
import { challengeNode, createFaultWorld, nextEpochStart, type FaultWorld } from "./support/faults.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import { hashOf } from "./support/tasks.ts";
import { keyOf } from "./support/world.ts";

const forwarderAbi = parseAbi([
  "function setConfig(uint32 donId, uint32 configVersion, uint8 f, address[] signers)",
  "function report(address receiver, bytes rawReport, bytes reportContext, bytes[] signatures)",
  "event ReportProcessed(address indexed receiver, bytes32 indexed workflowExecutionId, bytes2 indexed reportId, bool result)",
]);
const upkeep = parseAbiParameters("bytes32[] challengeIds, (bytes32 taskId, uint32 nodeId)[] missed");
const workflowId = hashOf("workflow");
const workflowOwner = keyOf("workflow owner").address;
/** Four oracles, of which f + 1 = 2 sign; the keys are those of `keyOf`. */
const oracleLabels = ["oracle 0", "oracle 1", "oracle 2", "oracle 3"] as const;
const oracleKeys = oracleLabels.map((label) => keccak256(toHex(label)));

describe("CreReceiver", () => {
  let world: FaultWorld;
  let forwarder: ContractRef<typeof forwarderAbi>;
  let receiver: ContractRef<typeof creReceiverAbi>;

  before(async () => {
    world = await createFaultWorld();
    forwarder = await world.deploy("CreForwarder", forwarderAbi, []);
    const signers = oracleLabels.map((label) => keyOf(label).address);
    await world.send(world.actors.deployer, forwarder, "setConfig", [1, 1, 1, signers]);
    receiver = await aReceiver({});
    await world.remember();
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  function aReceiver({
    by = forwarder.address,
    owner = workflowOwner,
    id = workflowId,
    target = world.availability.address,
  }: Partial<Record<"by" | "owner" | "target", Address>> & { id?: Hex }) {
    return world.deploy("CreReceiver", creReceiverAbi, [by, owner, id, target]);
  }

  const metadataOf = ({ id = workflowId, owner = workflowOwner as Address } = {}) =>
    concat([id, "0x6e6770752d75706b6565", owner, "0x0001"]);

  /** What a DON signs: version, execution id, time, DON, configuration, metadata, report. */
  async function deliver(report: Hex, { id = workflowId, owner = workflowOwner as Address, execution = "run" } = {}) {
    const head = concat(["0x01", hashOf(execution), numberToHex(0, { size: 4 }), "0x00000001", "0x00000001"]);
    const raw = concat([head, metadataOf({ id, owner }), report]);
    const context = concat([zeroHash, zeroHash, zeroHash]);
    const hash = keccak256(concat([keccak256(raw), context]));
    const signatures = await Promise.all(
      oracleKeys.slice(0, 2).map(async (privateKey) => {
        const { r, s, yParity } = hexToSignature(await sign({ hash, privateKey, to: "hex" }));
        return concat([r, s, numberToHex(yParity ?? 0, { size: 1 })]);
      }),
    );
    const args = [receiver.address, raw, context, signatures] as const;
    return world.send(world.actors.stranger, forwarder, "report", args);
  }

  async function aSilentNode() {
    const { challengeId, closableAt } = await challengeNode(world, world.nodes.alpha, { at: await nextEpochStart(world) });
    await world.increaseTo(closableAt);
    return encodeAbiParameters(upkeep, [[challengeId], []]);
  }

  const strikes = async () => {
    const call = { ...world.availability, functionName: "standingOf", args: [world.nodes.alpha.nodeId] } as const;
    return (await world.publicClient.readContract(call)).strikes;
  };

  it("does the upkeep that a workflow's signed report names", async () => {
    const receipt = await deliver(await aSilentNode());
    expect(eventsOf(receipt, forwarder, "ReportProcessed")[0]?.result).to.equal(true);
    expect(eventsOf(receipt, receiver, "ReportPerformed")[0]).to.deep.include({ workflowId, reportId: "0x0001" });
    expect(await strikes()).to.equal(1);
  });

  it("changes nothing by a report of another workflow or owner, or one that is late or malformed", async () => {
    const report = await aSilentNode();
    const tries = [
      { id: hashOf("other workflow"), execution: "a" },
      { owner: keyOf("other owner").address, execution: "b" },
    ];
    for (const options of tries) {
      const receipt = await deliver(report, options);
      expect(eventsOf(receipt, forwarder, "ReportProcessed")[0]?.result).to.equal(false);
    }
    const malformed = await deliver("0x1234", { execution: "c" });
    expect(eventsOf(malformed, forwarder, "ReportProcessed")[0]?.result).to.equal(false);
    expect(await strikes()).to.equal(0);
    await deliver(report, { execution: "d" });
    const late = await deliver(report, { execution: "e" });
    expect(eventsOf(late, forwarder, "ReportProcessed")[0]?.result, "passed over").to.equal(true);
    expect(await strikes()).to.equal(1);
  });

  it("listens to its forwarder alone, and to metadata of the right length", async () => {
    const { stranger } = world.actors;
    const direct = world.send(stranger, receiver, "onReport", [metadataOf(), "0x"]);
    expect(await revertOf(direct)).to.deep.equal({ name: "CreReceiverNotForwarder", args: [stranger] });
    const own = await aReceiver({ by: stranger });
    const short: Hex = `0x${metadataOf().slice(2, -2)}`;
    for (const metadata of ["0x", short, concat([metadataOf(), "0x00"])] as const) {
      const act = world.send(stranger, own, "onReport", [metadata, "0x"]);
      expect(await codeOf(act)).to.equal("CreReceiverMetadataInvalid");
    }
    const foreign = world.send(stranger, own, "onReport", [metadataOf({ id: zeroHash }), "0x"]);
    expect(await codeOf(foreign)).to.equal("CreReceiverForeignWorkflow");
  });

  it("says by ERC-165 that it receives reports, and cannot be deployed incomplete", async () => {
    const supports = (interfaceId: Hex) =>
      world.publicClient.readContract({ ...receiver, functionName: "supportsInterface", args: [interfaceId] });
    expect(await supports("0x805f2132"), "IReceiver").to.equal(true);
    expect(await supports("0x01ffc9a7"), "IERC165").to.equal(true);
    expect(await supports("0xffffffff")).to.equal(false);
    for (const change of [{ by: zeroAddress }, { owner: zeroAddress }, { id: zeroHash }, { target: zeroAddress }]) {
      expect(await codeOf(aReceiver(change))).to.equal("CreReceiverInvalid");
    }
  });
});
