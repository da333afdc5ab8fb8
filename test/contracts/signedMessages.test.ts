/** Every message of docs/PROTOCOL.md §3: contracts/libraries/SignedMessages.sol hashes what viem signs. */
import { after, before, describe, it } from "node:test";
import { typedData, type MessageKind } from "@ngpu/protocol/typedData";
import { expect } from "chai";
import hre from "hardhat";
import { hashTypedData, type Abi, type Hex, type TypedDataDefinition } from "viem";
import { createChain, type Chain, type ContractRef } from "./support/chain.ts";
import { createRandom, seedFor, type Random } from "./support/random.ts";
import { CHAIN_ID } from "./support/world.ts";

type Value = bigint | number | Hex;
type Message = Record<string, Value>;
interface Field {
  readonly name: string;
  readonly type: string;
}

const kinds = Object.keys(typedData) as MessageKind[];

function fieldsOf(kind: MessageKind): readonly Field[] {
  const { primaryType, types } = typedData[kind];
  return (types as Record<string, readonly Field[]>)[primaryType] ?? [];
}

function aValue(random: Random, type: string): Value {
  if (type === "bytes32") return random.bytes(32);
  if (type === "address") return random.address();
  if (type === "bytes") return random.bytes(random.below(120));
  const bits = Number(type.slice("uint".length));
  const value = random.uint(bits);
  return bits > 48 ? value : Number(value);
}

function aMessage(random: Random, kind: MessageKind): Message {
  return Object.fromEntries(fieldsOf(kind).map(({ name, type }) => [name, aValue(random, type)]));
}

describe("SignedMessages", () => {
  let chain: Chain;
  let harness: ContractRef;

  before(async () => {
    chain = await createChain();
    const { abi } = await hre.artifacts.readArtifact("SignedMessagesHarness");
    harness = await chain.deploy("SignedMessagesHarness", abi as Abi, []);
  });
  after(() => chain.close());

  function digestOf(kind: MessageKind, message: Message): Hex {
    const { primaryType, types } = typedData[kind];
    const domain = { name: "NGPU", version: "1", chainId: CHAIN_ID, verifyingContract: harness.address };
    return hashTypedData({ domain, primaryType, types, message } as unknown as TypedDataDefinition);
  }

  const onChain = (kind: MessageKind, message: Message) =>
    chain.publicClient.readContract({ ...harness, functionName: kind, args: [message] });

  for (const kind of kinds) {
    it(`hashes ${kind} as viem does, for any values`, async () => {
      const random = createRandom(seedFor(`typed data ${kind}`));
      for (let i = 0; i < 25; i++) {
        const message = aMessage(random, kind);
        expect(await onChain(kind, message), Object.entries(message).join(" ")).to.equal(digestOf(kind, message));
      }
    });

    it(`binds every field of ${kind}`, async () => {
      const random = createRandom(seedFor(`fields of ${kind}`));
      const message = aMessage(random, kind);
      const digest = await onChain(kind, message);
      for (const { name, type } of fieldsOf(kind)) {
        let changed = aValue(random, type);
        while (changed === message[name]) changed = aValue(random, type);
        expect(await onChain(kind, { ...message, [name]: changed }), name).to.not.equal(digest);
      }
    });
  }

  it("covers exactly the messages that the protocol page lists", async () => {
    const functions = harness.abi.filter((entry) => entry.type === "function").map(({ name }) => name);
    expect(functions.filter((name) => name !== "eip712Domain").sort()).to.deep.equal([...kinds].sort());
  });
});
