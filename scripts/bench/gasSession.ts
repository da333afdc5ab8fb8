/**
 * Gas a bill on the full path of the session rail: one transaction that settles P payers' sessions with N bills each,
 * by one node or by as many nodes as payers, on the contracts as they are deployed; heads, fee locks, events, the
 * nodes' credits and the treasury's included. Warm: every lane, credit and lock has been written before.
 */
import { createRandom } from "../../test/contracts/support/random.ts";
import { createParties, type Parties } from "../../test/contracts/support/parties.ts";
import { bookOf, exec, type LaneBook } from "../../test/contracts/support/sessions.ts";
import { hashOf } from "../../test/contracts/support/tasks.ts";
import { keyOf, NGPU_WEI, USD6, type NodeKeys } from "../../test/contracts/support/world.ts";
import { sampleOf, type Sample } from "./gasSample.ts";

const shapes = [
  { name: "bill_1x1000", payers: 1, bills: 1_000, nodes: 1 },
  { name: "bill_50x100", payers: 50, bills: 100, nodes: 1 },
  { name: "bill_50x20", payers: 50, bills: 20, nodes: 1 },
  { name: "bill_50x100_50nodes", payers: 50, bills: 100, nodes: 50 },
  { name: "bill_50x20_50nodes", payers: 50, bills: 20, nodes: 50 },
] as const;

/** Every path `runs` times: gas and floor divided by the number of bills. */
export async function sessionPaths(runs: number): Promise<Map<string, Sample[]>> {
  const world = await createParties();
  const random = createRandom(1);
  const samples = new Map<string, Sample[]>();
  try {
    const nodes = await manyNodes(world, 50);
    for (const { name, payers, bills, nodes: many } of shapes) {
      let books = await lanes(world, name, payers, nodes.slice(0, many));
      for (let run = 0; run <= runs; run++) {
        const signed = await Promise.all(
          books.map((book) =>
            world.bill(book, [exec(...Array.from({ length: bills }, () => 1 + random.below(5_000)))]),
          ),
        );
        books = signed.map(({ book }) => book);
        const receipt = await world.settle(signed.map(({ settlement }) => settlement));
        // The first run only warms up.
        if (run === 0) continue;
        const { gas, floor } = await sampleOf(world, receipt);
        const count = payers * bills;
        const sample = { gas: Math.round(gas / count), floor: Math.round(floor / count) };
        samples.set(name, [...(samples.get(name) ?? []), sample]);
      }
    }
  } finally {
    await world.close();
  }
  return samples;
}

async function manyNodes(world: Parties, count: number): Promise<NodeKeys[]> {
  const nodes: NodeKeys[] = [];
  for (let index = 0; index < count; index++) {
    const node = await world.registerNode(`bench ${index}`, 0);
    await world.send(world.actors.owner, world.stakeVault, "stake", [node.nodeId, 1_000n * NGPU_WEI]);
    nodes.push(node);
  }
  return nodes;
}

/** One session and lane a payer; the nodes take turns. */
async function lanes(world: Parties, name: string, payers: number, nodes: readonly NodeKeys[]) {
  const books: LaneBook[] = [];
  for (let index = 0; index < payers; index++) {
    const payer = keyOf(`${name} payer ${index}`);
    await world.connection.networkHelpers.setBalance(payer.address, 10n ** 18n);
    await world.send(world.actors.deployer, world.usd, "transfer", [payer.address, 1_000n * USD6]);
    await world.send(payer, world.usd, "approve", [world.paymentVault.address, 1_000n * USD6]);
    const expiresAt = (await world.now()) + 30 * 24 * 3_600;
    const change = { clientNonce: hashOf(`${name} ${index}`), spendCapUsd6: 1_000n * USD6, expiresAt };
    const sessionId = await world.open(change, payer);
    const node = nodes[index % nodes.length];
    if (node === undefined) throw new RangeError("a lane needs a node");
    await world.assign(sessionId, node, { allotmentUsd6: 1_000n * USD6, from: world.actors.keeper });
    books.push(bookOf(sessionId, node));
  }
  return books;
}
