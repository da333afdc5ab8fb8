/**
 * Two real agents as processes at a real gateway, with a keeper and a chain; the tasks go to the pair that the test
 * names, and their payers follow them as a client does.
 */
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { followTask, type TaskEvent } from "@ngpu/client/followTask";
import { measureInput } from "@ngpu/client/measureInput";
import type { TaskSecrets } from "@ngpu/client/taskSecrets";
import type { Keeper } from "@ngpu/keeper/keeper/keeper";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { taskIdOf } from "@ngpu/protocol/ids";
import { encodePayload } from "@ngpu/protocol/sealed/payload";
import { seal } from "@ngpu/protocol/sealed/seal";
import { taskStatus } from "@ngpu/protocol/taskStatus";
import type { FrameOf } from "@ngpu/protocol/wire";
import { workCumsOf } from "@ngpu/protocol/work";
import { toHex, type Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { sampleInput, textModel } from "../../../scripts/stack/sampleTask.ts";
import { startTestChain } from "../../harness/chain.ts";
import { registerNode, type TestNode } from "../../harness/nodes.ts";
import { connectPeer } from "../../harness/peer.ts";
import { startServiceProcess, type ServiceProcess } from "../../harness/serviceProcess.ts";
import { startTestGateway, startTestKeeper } from "../../harness/services.ts";
import { stateOf } from "../../harness/taskOf.ts";
import { assignTask, postTask } from "../../harness/tasks.ts";
import { until } from "../../harness/until.ts";

export interface DrainWorld {
  /** Primary and backup of every task. */
  pair: [AgentProcess, AgentProcess];
  /** Starts the keeper, which finds what is assigned. */
  startKeeper(): void;
  /** Posts a task of so many pages, assigns it to the pair and follows it. */
  task(pages: number): Promise<FollowedTask>;
  /** What keepers were told; a receipt that is told again until its task is over counts once. */
  receipts(of: Hex): FrameOf<"receipt">[];
  slotsAnnounced(nodeId: number): Promise<number | undefined>;
  close(): Promise<void>;
}

export interface AgentProcess {
  nodeId: number;
  process: ServiceProcess;
  start(env?: Record<string, string>): Promise<void>;
  journaled(): number;
}

export interface FollowedTask {
  taskId: Hex;
  events: TaskEvent[];
  /** Resolves when both nodes hold the input, by the chain's word, and the primary has begun to report. */
  accepted(): Promise<void>;
  /** Resolves when the payer has the result and the chain the bill. */
  paid(): Promise<{ nodeId: number }>;
}

const random = (length: number): Uint8Array => new Uint8Array(randomBytes(length));
const executesWithinMs = 60_000;

export async function createDrainWorld(): Promise<DrainWorld> {
  const chain = await startTestChain();
  const gateway = await startTestGateway(chain);
  const { chainId, deployment } = chain;
  const context = { chainId, verifyingContract: deployment.taskEscrow };
  const folder = mkdtempSync(join(tmpdir(), "ngpu-test-drain-"));
  const ending = new AbortController();
  let keeper: Keeper | undefined;
  const account = chain.account(1);
  const spy = await connectPeer({ gatewayUrl: gateway.url, who: { role: "keeper" }, signer: account, context });

  async function agentOf(name: string): Promise<AgentProcess> {
    const key = generatePrivateKey();
    const node: TestNode = await registerNode(chain, { operator: privateKeyToAccount(key) });
    const dataDir = join(folder, name);
    const start = (env: Record<string, string> = {}): Promise<ServiceProcess> =>
      startServiceProcess({
        bin: "node-agent/bin/agent.ts",
        env: {
          NGPU_RPC_URL: chain.rpcUrl,
          NGPU_GATEWAY_URL: gateway.url,
          NGPU_OPERATOR_KEY: key,
          NGPU_DATA_DIR: dataDir,
          ...env,
        },
      });
    const agent: AgentProcess = {
      nodeId: node.nodeId,
      process: await start(),
      async start(env) {
        agent.process = await start(env);
      },
      journaled: () => readdirSync(join(dataDir, "receipts")).length,
    };
    return agent;
  }
  const pair = [await agentOf("primary"), await agentOf("backup")] as [AgentProcess, AgentProcess];

  const billOf = async (taskId: Hex): Promise<{ nodeId: number } | undefined> => {
    const escrow = { address: deployment.taskEscrow, abi: taskEscrowAbi } as const;
    const bills = await chain.client.getContractEvents({
      ...escrow,
      eventName: "TaskSettled",
      args: { taskId },
      fromBlock: 0n,
      strict: true,
    });
    if (bills.length > 1) throw new Error("billed twice");
    return bills[0]?.args;
  };

  async function post(pages: number): Promise<{ secrets: TaskSecrets; sealedInput: Uint8Array }> {
    const { modelId, manifest } = textModel();
    const { parts, declared } = sampleInput({ images: pages });
    const { dimensions } = measureInput({ manifest, parts, declared });
    const clientNonce = toHex(random(32));
    const payer = chain.account(2).address;
    const taskId = taskIdOf({ chainId, escrow: deployment.taskEscrow, payer, clientNonce });
    const taskKey = random(32);
    const clientPrivateKey = generatePrivateKey();
    const body = encodePayload({ parameters: dimensions, parts });
    const { sealed, commitment } = seal({ taskKey, context: { kind: "input", taskId }, body, random });
    const { inputCiphertext } = await postTask(chain, {
      modelId,
      clientNonce,
      inputCommitment: commitment,
      sealedInput: sealed,
      clientKey: privateKeyToAccount(clientPrivateKey),
      workCums: workCumsOf({ manifest, dimensions }),
    });
    const secrets = { taskId, modelId, taskKey: toHex(taskKey), clientPrivateKey, inputCiphertext };
    return { secrets, sealedInput: sealed };
  }

  return {
    pair,
    startKeeper: () => void (keeper = startTestKeeper(chain, [gateway.url])),
    async task(pages) {
      const { secrets, sealedInput } = await post(pages);
      const { taskId } = secrets;
      await assignTask(chain, { taskId, nodeIds: [pair[0].nodeId, pair[1].nodeId] });
      const events: TaskEvent[] = [];
      const where = { gatewayUrl: gateway.url, chain: chain.client, chainId };
      const onEvent = (event: TaskEvent): void => void events.push(event);
      const place = { ...deployment, deploymentBlock: BigInt(deployment.deploymentBlock) };
      void followTask({ ...where, deployment: place, secrets, sealedInput, onEvent, signal: ending.signal, random });
      return {
        taskId,
        events,
        async accepted() {
          await until("both nodes hold the input", async () => (await stateOf(chain, taskId)).acceptedMask === 3, 20_000);
          await until("it is under way", () => events.some(({ kind }) => kind === "progress"), 20_000);
        },
        async paid() {
          await until("the result is there", () => events.some(({ kind }) => kind === "result"), executesWithinMs);
          await until("it is settled", async () => (await stateOf(chain, taskId)).status === taskStatus.settled);
          return until("the bill is there", () => billOf(taskId));
        },
      };
    },
    receipts(of) {
      const told = new Map<Hex, FrameOf<"receipt">>();
      for (const frame of spy.frames) {
        if (frame.t === "receipt" && frame.receipt.message.taskId === of) told.set(frame.receipt.signature, frame);
      }
      return [...told.values()];
    },
    async slotsAnnounced(nodeId) {
      const { nodes } = (await (await fetch(`${gateway.url}/v1/roster`)).json()) as {
        nodes: { nodeId: number; slots: number }[];
      };
      return nodes.find((node) => node.nodeId === nodeId)?.slots;
    },
    async close() {
      ending.abort();
      for (const { process } of pair) process.signal("SIGKILL");
      await Promise.all(pair.map(({ process }) => process.ended));
      await keeper?.stop();
      await gateway.close();
      await chain.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
