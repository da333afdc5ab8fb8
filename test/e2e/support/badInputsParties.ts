/** What payers, strangers and a patient onlooker do on a line that is given bad things, in one word each. */
import type { TestContext } from "node:test";
import { runTask, type TaskOutcome } from "@ngpu/client/runTask";
import { localUsdAbi } from "@ngpu/protocol/generated/abi/localUsd";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import type { Part } from "@ngpu/protocol/sealed/payload";
import { taskStatus } from "@ngpu/protocol/taskStatus";
import { expect } from "chai";
import {
  createTestClient,
  createWalletClient,
  encodeFunctionData,
  http,
  type Account,
  type EncodeFunctionDataParameters,
  type Hex,
  type LocalAccount,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { hardhat } from "viem/chains";
import { localAccounts } from "../../../scripts/stack/accounts.ts";
import { localDeployment } from "../../../scripts/stack/sampleTask.ts";
import { taskOf as readTaskOf } from "../../harness/taskOf.ts";
import type { BadInputsLine, Purse, RegisteredNode } from "./badInputsLine.ts";
import { pictureOf } from "./badInputsPictures.ts";
import { refusalOfSent } from "./badInputsRefusal.ts";
import { faceModel, postRaw, type Model, type RawPost, type RawTask } from "./badInputsTask.ts";
import { settlementOf } from "./ledger.ts";
import { until } from "./until.ts";

export type Parties = ReturnType<typeof createParties>;

const deployment = localDeployment();
const escrow = { address: deployment.taskEscrow, abi: taskEscrowAbi } as const;
const token = { address: deployment.localUsd, abi: localUsdAbi } as const;
const payer = localAccounts.payer.account;
const withinMs = 45_000;
/** So many that a bill never rounds down to nothing. */
const pages = 8;
/** White kills the runner of the sleeper model. */
export const whitePages = pagesOf({ grey: 255 });
export const darkPages = pagesOf({ grey: 30 });

export function createParties(line: BadInputsLine) {
  const { chain, stack } = line;
  const { rpc, gateway } = stack.urls;
  const stateOf = (taskId: Hex) => chain.readContract({ ...escrow, functionName: "stateOf", args: [taskId] });
  const taskOf = (taskId: Hex) => readTaskOf({ client: chain, deployment }, taskId);

  return {
    stateOf,

    /** Its words, as they are in events and bound by the chain's digest. */
    taskOf,

    post: (what: Partial<Pick<RawPost, "model" | "parts" | "withinS">>): Promise<RawTask> =>
      postRaw({ chain, urls: stack.urls, payer, model: faceModel(), parts: whitePages, withinS: 120, ...what }),

    assigned: (taskId: Hex, assignment = 1) =>
      until(`assignment ${assignment}`, withinMs, async () => {
        const task = await taskOf(taskId);
        return task.state.assignment >= assignment ? task : undefined;
      }),

    ended: (taskId: Hex): Promise<number> =>
      until("the end of the task", withinMs, async () => {
        const { status } = await stateOf(taskId);
        return status >= taskStatus.settled ? status : undefined;
      }),

    /** What a task is billed in the end while its client does its part. */
    async paidFor(task: RawTask): Promise<bigint> {
      const following = new AbortController();
      const followed = task.follow({ signal: following.signal });
      try {
        const { args } = await until("the bill", withinMs, () => settlementOf(chain, task.taskId));
        await followed;
        return args.amountUsd6;
      } finally {
        following.abort();
      }
    },

    expectPaid(test: TestContext, before: Purse, paidUsd6: bigint): Promise<void> {
      expect(paidUsd6 > 0n).to.equal(true);
      return line.expectMoney(test, before, { available: -paidUsd6, nodes: paidUsd6 });
    },

    /** The whole job as an app does it, with the client that checks what it is given. */
    run: (account: LocalAccount, model: Model = faceModel(), parts: Part[] = whitePages): Promise<TaskOutcome> =>
      runTask({
        chain,
        wallet: createWalletClient({ account, chain: hardhat, transport: http(rpc), cacheTime: 0 }),
        deployment,
        gatewayUrl: gateway,
        ...model,
        parts,
        backups: 0,
        random: (length) => crypto.getRandomValues(new Uint8Array(length)),
      }),

    /** Somebody new, whose money comes from the payer's wallet. */
    async somebody(has: { usd6: bigint; wei: bigint }): Promise<LocalAccount> {
      const account = privateKeyToAccount(generatePrivateKey());
      const client = createTestClient({ mode: "hardhat", chain: hardhat, transport: http(rpc) });
      await client.setBalance({ address: account.address, value: has.wei });
      await line.write({ account: payer, ...token, functionName: "transfer", args: [account.address, has.usd6] });
      return account;
    },

    /** Name of the error with which the escrow refuses the call, also when it is sent all the same. */
    refusalOf: (account: Account, call: EncodeFunctionDataParameters<typeof taskEscrowAbi>): Promise<string> =>
      refusalOfSent({ chain, rpcUrl: rpc, account, to: escrow.address, data: encodeFunctionData(call) }),

    nodeOf(nodeId: number): RegisteredNode {
      const node = [line.plain, line.careless].find((candidate) => candidate.nodeId === nodeId);
      if (node === undefined) throw new Error(`nobody serves node ${nodeId}`);
      return node;
    },

    /** Models that nodes which are online serve. */
    async modelsServed(): Promise<Hex[]> {
      const response = await fetch(`${gateway}/v1/roster`);
      const { nodes } = (await response.json()) as { nodes: { models: Hex[] }[] };
      return nodes.flatMap(({ models }) => models);
    },

    /** Operators by the number of the node, as the gateway lists who is online. */
    async operatorsListed(): Promise<Record<number, string>> {
      const response = await fetch(`${gateway}/v1/roster`);
      const { nodes } = (await response.json()) as { nodes: { nodeId: number; operator: string }[] };
      return Object.fromEntries(nodes.map(({ nodeId, operator }) => [nodeId, operator]));
    },

    nowS: async (): Promise<number> => Number((await chain.getBlock()).timestamp),

    async untilBlocksPass(blocks: bigint): Promise<void> {
      const seen = await chain.getBlockNumber();
      await until(`${blocks} more blocks`, withinMs, async () =>
        (await chain.getBlockNumber()) >= seen + blocks ? true : undefined,
      );
    },
  };
}

function pagesOf({ grey }: { grey: number }): Part[] {
  return Array.from({ length: pages }, () => pictureOf({ sidePx: 512, grey }));
}
