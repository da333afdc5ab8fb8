/**
 * A whole task beside its direct link: the client library, a real chain and gateway, and an agent's desk, whose runner
 * alone is in memory.
 */
import { followTask, type FollowOptions, type TaskEvent } from "@ngpu/client/followTask";
import { createAgentChain } from "@ngpu/node-agent/agent/chain";
import { openJournal } from "@ngpu/node-agent/agent/journal";
import { createTaskDesk, type TaskDesk } from "@ngpu/node-agent/agent/taskDesk";
import { raceBlobs } from "@ngpu/node-agent/direct/raceBlobs";
import type { RunnerPool } from "@ngpu/node-agent/pool/runnerPool";
import type { OpenBlobs } from "@ngpu/protocol/blobExchange/blobs";
import { createHttpBlobs } from "@ngpu/protocol/blobExchange/httpBlobs";
import { catalogue } from "@ngpu/protocol/catalogue";
import { encodePayload } from "@ngpu/protocol/sealed/payload";
import { seal } from "@ngpu/protocol/sealed/seal";
import { createNodeMeeter } from "@ngpu/protocol/service/harq/direct/meetNode";
import { taskIdOf } from "@ngpu/protocol/ids";
import { systemClock } from "@ngpu/protocol/service/clock";
import { workCumsOf } from "@ngpu/protocol/work";
import { expect } from "chai";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { toHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { connectPeer } from "../../harness/peer.ts";
import { testLog } from "../../harness/services.ts";
import { assignTask, postTask, type TestTask } from "../../harness/tasks.ts";
import { until } from "../../harness/until.ts";
import { photo } from "../../node-agent/support/images.ts";
import type { MeetingNode } from "./support/meetingNode.ts";
import { startMeetingWorld, type MeetingWorld } from "./support/meetingWorld.ts";

const random = (length: number): Uint8Array => new Uint8Array(randomBytes(length));
const { modelId, manifest } = catalogue.find((entry) => entry.manifest.adapter === "face.v1")!;

describe("a task with a direct link", () => {
  let world: MeetingWorld;
  let node: MeetingNode;
  let desk: TaskDesk;
  const folder = mkdtempSync(join(tmpdir(), "ngpu-direct-"));
  /** Resolved, a runner ends what it executes. */
  let executed = Promise.withResolvers<void>();

  before(async () => {
    world = await startMeetingWorld();
    node = await world.aNode();
    const { gateway, context, chain } = world;
    const { nodeId, operator: signer, shelf, link, secret } = node;
    desk = createTaskDesk({
      ...{ nodeId, context, signer, secret, random, link, clock: systemClock, log: testLog },
      manifests: new Map([[modelId, manifest]]),
      chain: createAgentChain({ client: chain.client, deployment: chain.deployment }),
      blobs: raceBlobs({
        gateway: createHttpBlobs({ gatewayUrl: gateway.url, context, signer, nowMs: Date.now }),
        ...{ shelf, clock: systemClock },
      }),
      pool: aPool(() => executed.promise),
      journal: openJournal({ dataDir: folder, log: testLog }),
    });
    node.serve(desk);
  });
  after(async () => {
    await desk.close();
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("takes the input from the client before the gateway has it, and gives the output before the gateway does", async () => {
    executed = Promise.withResolvers();
    const stored = Promise.withResolvers<void>();
    const never = new Promise<never>(() => undefined);
    const followed = await follow((gateway) => {
      const blobs = createHttpBlobs(gateway);
      return { ...blobs, put: (blob) => stored.promise.then(() => blobs.put(blob)), get: () => never };
    });
    await until("the node has the input", () => followed.kinds().includes("accepted"));
    expect(followed.kinds()).to.include("direct input").and.not.to.include("uploaded");
    stored.resolve();
    await until("the gateway has it as well", () => followed.kinds().includes("uploaded"));
    executed.resolve();
    await followed.ended;
    expect(followed.kinds()).to.include.members(["direct output", "result"]);
    await until("the link is gone", () => node.desk.counts().links === 0);
  });

  it("ends as without one when the link is lost before the output is asked for", async () => {
    executed = Promise.withResolvers();
    const followed = await follow(createHttpBlobs);
    await until("a hole is open and the node executes", () =>
      ["direct open", "accepted", "progress"].every((kind) => followed.kinds().includes(kind)),
    );
    await node.desk.close();
    executed.resolve();
    await followed.ended;
    expect(followed.kinds()).to.include("result").and.not.to.include("direct output");
    expect(followed.kinds().filter((kind) => kind === "problem")).to.deep.equal([]);
  });

  it("ends as without one when the node cannot be met any more", async () => {
    executed = Promise.withResolvers();
    executed.resolve();
    const followed = await follow(createHttpBlobs);
    await followed.ended;
    expect(followed.kinds()).to.include("result").and.not.to.include.members(["direct open"]);
    expect(followed.kinds().filter((kind) => kind === "problem")).to.deep.equal([]);
  });

  /** Posts, assigns and dispatches a task, and follows it. */
  async function follow(openBlobs: OpenBlobs) {
    const { chain, context, gateway } = world;
    const clientNonce = generatePrivateKey();
    const payer = chain.account(2).address;
    const taskId = taskIdOf({ chainId: chain.chainId, escrow: context.verifyingContract, payer, clientNonce });
    const taskKey = random(32);
    const clientPrivateKey = generatePrivateKey();
    const dimensions = { images: 1 };
    const body = encodePayload({
      parameters: dimensions,
      parts: [{ name: "0", mediaType: "image/jpeg", bytes: photo(1) }],
    });
    const sealed = seal({ taskKey, context: { kind: "input", taskId }, body, random });
    const task = await postTask(chain, {
      ...{ clientNonce, modelId, sealedInput: sealed.sealed, inputCommitment: sealed.commitment, backups: 0 },
      ...{ clientKey: privateKeyToAccount(clientPrivateKey), workCums: workCumsOf({ manifest, dimensions }) },
    });
    const events: TaskEvent[] = [];
    const ending = new AbortController();
    const options: FollowOptions = {
      ...{ gatewayUrl: gateway.url, chain: chain.client, chainId: chain.chainId, random },
      deployment: { ...chain.deployment, deploymentBlock: BigInt(chain.deployment.deploymentBlock) },
      secrets: { taskId, modelId, taskKey: toHex(taskKey), clientPrivateKey, inputCiphertext: task.inputCiphertext },
      ...{ sealedInput: sealed.sealed, openBlobs, meetNode: createNodeMeeter(), signal: ending.signal },
      onEvent: (event) => void events.push(event),
    };
    const ended = followTask(options);
    await dispatch(task);
    return {
      ended,
      kinds: () => events.map((event) => (event.kind === "direct" ? `direct ${event.state}` : event.kind)),
    };
  }

  async function dispatch({ taskId }: TestTask): Promise<void> {
    const { nodeId } = node;
    await assignTask(world.chain, { taskId, nodeIds: [nodeId] });
    const { context, gateway, chain } = world;
    const who = { role: "keeper" } as const;
    const keeper = await connectPeer({ gatewayUrl: gateway.url, who, signer: chain.account(1), context });
    keeper.send({ t: "dispatch", nodeId, taskId, assignment: 1, attempt: 0, role: "primary" });
    await keeper.next("accept", ({ accept }) => accept.message.taskId === taskId).finally(() => keeper.close());
  }
});

/** One slot that is always free; what it executes ends when it is told to. */
function aPool(executed: () => Promise<void>): RunnerPool {
  return {
    ...{ loaded: [modelId], refused: [], slots: 1, freeSlots: () => 1, callOff: () => undefined },
    take: async () => ({
      index: 0,
      async execute({ onProgress }) {
        onProgress?.(100);
        await executed();
        return { result: new TextEncoder().encode("{}"), startMs: Date.now(), durationMs: 10 };
      },
      release: () => undefined,
    }),
    close: () => Promise.resolve(),
  };
}

