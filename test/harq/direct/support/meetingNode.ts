/** A node as clients meet it: the agent's own link to a gateway and its own desk for direct links. */
import { connectGateway, type GatewayLink } from "@ngpu/node-agent/agent/gatewayLink";
import type { TaskDesk } from "@ngpu/node-agent/agent/taskDesk";
import { signBinding } from "@ngpu/node-agent/agent/transportKey";
import type { MetTask } from "@ngpu/node-agent/direct/answerBlobs";
import { createBlobShelf, type BlobShelf } from "@ngpu/node-agent/direct/blobShelf";
import { createDirectDesk, type DirectDesk } from "@ngpu/node-agent/direct/directDesk";
import { systemClock } from "@ngpu/protocol/service/clock";
import type { OpenUdp } from "@ngpu/protocol/service/harq/direct/directSocket";
import type { SigningContext, TypedDataSigner } from "@ngpu/protocol/signed";
import { randomBytes } from "node:crypto";
import type { Hex } from "viem";
import { testLog } from "../../../harness/services.ts";

export interface MeetingNode {
  nodeId: number;
  operator: TypedDataSigner;
  desk: DirectDesk;
  shelf: BlobShelf;
  /** Of its TransportBinding. */
  secret: Uint8Array;
  link: Pick<GatewayLink, "send" | "connection" | "answers">;
  /** From now on it serves this as well. */
  serves(task: MetTask): void;
  /** From now on not any more. */
  isThrough(task: { taskId: Hex }): void;
  /** From now on it serves what is dispatched to it. */
  serve(desk: TaskDesk): void;
  close(): Promise<void>;
}

/** Resolves when the gateway knows with which key it is met. */
export async function startMeetingNode(options: {
  gatewayUrl: string;
  context: SigningContext;
  nodeId: number;
  operator: TypedDataSigner;
  openUdp?: OpenUdp | undefined;
}): Promise<MeetingNode> {
  const { gatewayUrl, context, nodeId, operator, openUdp } = options;
  const shelf = createBlobShelf({ clock: systemClock });
  const parts = { gatewayUrl, nodeId, signer: operator, context, clock: systemClock, log: testLog };
  const served: MetTask[] = [];
  let tasks: TaskDesk | undefined;
  const desk = createDirectDesk({
    ...parts,
    ...{ shelf, openUdp },
    taskOf: (taskId) => tasks?.taskOf(taskId) ?? served.find((task) => task.taskId === taskId),
    send: (frame) => link.send(frame),
  });
  const welcomed = Promise.withResolvers<void>();
  const secret = new Uint8Array(randomBytes(32));
  const link = connectGateway({
    ...parts,
    announcement: async () => ({
      ...{ t: "announce", models: [], slots: 1, executionProvider: "cpu", agentVersion: "test", benchmarkCu: 0 },
      binding: await signBinding({ nodeId, secret, nowMs: Date.now(), context, signer: operator }),
    }),
    load: () => ({ freeSlots: 1, queued: 0 }),
    onWelcome: () => void desk.announce().then(welcomed.resolve),
    onFrame(frame) {
      if (frame.t === "meeting") void desk.meeting(frame);
      else if (frame.t === "dispatch") tasks?.dispatch(frame);
      else if (frame.t === "wrap") tasks?.wrap(frame.wrap);
    },
    onLost: () => undefined,
    random: () => 0.5,
  });
  await welcomed.promise;
  return {
    ...{ nodeId, operator, desk, shelf, secret, link },
    serves: (task) => void served.push(task),
    isThrough: ({ taskId }) => void served.splice(served.findIndex((task) => task.taskId === taskId), 1),
    serve: (desk) => void (tasks = desk),
    async close() {
      await desk.close();
      await link.close();
    },
  };
}
