/**
 * A line whose ways to the chain and to the gateway a test can disturb, with what every bad day ends in: where the
 * money is, that no receipt waits any more, and that chain and subgraph agree.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { Hex, PublicClient } from "viem";
import { localAccounts } from "../../../scripts/stack/accounts.ts";
import { localClient } from "../../../scripts/stack/chain.ts";
import { freePorts } from "../../../scripts/stack/ports.ts";
import { untilOnline } from "../../../scripts/stack/untilOnline.ts";
import type { StackNode } from "../../../scripts/stack/stack.ts";
import { startCuttableLinks, type CuttableLinks } from "./cuttableLinks.ts";
import { booksOfChain, booksOfSubgraph } from "./indexed.ts";
import { creditOf, readLedger, reservedOf, settlementOf, wealthOf } from "./ledger.ts";
import { startLine, type Line } from "./startLine.ts";
import { startTroubledRpc, type TroubledRpc } from "./troubledRpc.ts";
import { until } from "./until.ts";

/** Who has what, in USD6. */
export interface Money {
  payer: bigint;
  /** Credit of all nodes' owners. */
  nodes: bigint;
}

export interface BadLine extends Line {
  /** Asks the chain directly, whatever trouble the services have with it. */
  chain: PublicClient;
  rpc: TroubledRpc;
  links: CuttableLinks;
  nodeOf(nodeId: number): StackNode;
  /** Names of the journaled receipts of a node. */
  journalOf(node: StackNode): string[];
  /** Signature of the only receipt in the node's journal; undefined while there is none. */
  journaled(node: StackNode): Hex | undefined;
  allOnline(): Promise<void>;
  money(): Promise<Money>;
  /** The tasks were settled once each, the payer has paid the sum and the nodes have it; nothing else has moved. */
  expectPaidOnce(before: Money, taskIds: readonly Hex[]): Promise<void>;
  /** Nobody has gained or lost anything, and nothing is locked. */
  expectAllBack(before: Money): Promise<void>;
  /** Bills and tasks of the subgraph become the chain's, no more and no fewer. */
  expectIndexAgrees(): Promise<void>;
}

const endWithinMs = 60_000;
const indexWithinMs = 30_000;
const payer = localAccounts.payer.account.address;

export async function startBadLine(): Promise<BadLine> {
  const ports = await freePorts();
  const rpc = await startTroubledRpc(`http://127.0.0.1:${ports.chain}`);
  const links = await startCuttableLinks(ports.gateway);
  const closeLines = async (): Promise<void> => void (await Promise.all([rpc.close(), links.close()]));
  const line = await startLine({
    agents: 3,
    dapp: true,
    ports,
    detours: { rpc: rpc.url, gateway: links.url },
  }).catch(async (error: unknown) => {
    await closeLines();
    throw error;
  });
  const { stack, dataDir } = line;
  const chain = localClient(stack.urls.rpc);

  const journalFolder = (node: StackNode): string => join(dataDir, node.name, "receipts");
  const journalOf = (node: StackNode): string[] =>
    readdirSync(journalFolder(node)).filter((name) => name.endsWith(".json"));
  const money = async (): Promise<Money> => {
    const credits = await Promise.all(stack.nodes.map(({ owner }) => creditOf(chain, owner.account.address)));
    return { payer: await wealthOf(chain, payer), nodes: credits.reduce((sum, credit) => sum + credit, 0n) };
  };
  const expectNothingLocked = async (): Promise<void> => {
    expect(await reservedOf(chain, payer)).to.equal(0n);
    const { heldUsd6, owedUsd6 } = await readLedger(chain);
    expect(owedUsd6).to.equal(heldUsd6);
  };
  const untilJournalsEmpty = async (): Promise<void> => {
    await until("no node holds a receipt any more", endWithinMs, () =>
      stack.nodes.every((node) => journalOf(node).length === 0) ? true : undefined,
    );
  };

  return {
    ...line,
    chain,
    rpc,
    links,
    journalOf,
    money,
    nodeOf(nodeId) {
      const node = stack.nodes.find((candidate) => candidate.nodeId === nodeId);
      if (!node) throw new Error(`no agent serves node ${nodeId}`);
      return node;
    },
    journaled(node) {
      const [name, second] = journalOf(node);
      if (second !== undefined) throw new Error(`${node.name} holds more than one receipt`);
      if (name === undefined) return undefined;
      const text = readFileSync(join(journalFolder(node), name), "utf8");
      return (JSON.parse(text) as { receipt: { signature: Hex } }).receipt.signature;
    },
    allOnline: () =>
      untilOnline({ gatewayUrl: stack.urls.gateway, nodeIds: stack.nodes.flatMap(({ nodeId }) => nodeId ?? []) }),
    async expectPaidOnce(before, taskIds) {
      let paid = 0n;
      for (const taskId of taskIds) {
        const { args } = await until(`${taskId} is settled`, endWithinMs, () => settlementOf(chain, taskId));
        expect(args.amountUsd6 > 0n).to.equal(true);
        paid += args.amountUsd6 + args.standbyUsd6;
      }
      // Whoever would pay a second time does it for a receipt, so first none may be left.
      await untilJournalsEmpty();
      for (const taskId of taskIds) await settlementOf(chain, taskId);
      expect(await money()).to.deep.equal({ payer: before.payer - paid, nodes: before.nodes + paid });
      await expectNothingLocked();
    },
    async expectAllBack(before) {
      expect(await money()).to.deep.equal(before);
      await expectNothingLocked();
    },
    async expectIndexAgrees() {
      const url = stack.urls.subgraph ?? "";
      const agree = async (): Promise<true | undefined> => {
        const [chains, subgraphs] = await Promise.all([booksOfChain(chain), booksOfSubgraph(url)]);
        return JSON.stringify(chains) === JSON.stringify(subgraphs) ? true : undefined;
      };
      const ask = () => agree().catch(() => undefined);
      // When they do not become the same, the comparison shows where they differ.
      await until("chain and subgraph agree", indexWithinMs, ask).catch(() => undefined);
      expect(await booksOfSubgraph(url)).to.deep.equal(await booksOfChain(chain));
    },
    async stop() {
      await line.stop();
      await closeLines();
    },
  };
}
