/**
 * Direct links of this node (docs/PROTOCOL.md §13): says to the gateway with which key it can be met, answers clients of
 * the tasks it serves and nobody else, and serves them their blobs. What a stranger can make it do is bounded before
 * anything is computed: it looks a task up, counts, checks one signature, and only then shakes hands.
 */
import { fromBase64, toBase64 } from "@ngpu/protocol/base64";
import { codeOf, NgpuError } from "@ngpu/protocol/errors";
import type { DirectLink } from "@ngpu/protocol/harq/direct/directLink";
import { requireBlobAccess } from "@ngpu/protocol/blobAccess";
import type { Clock } from "@ngpu/protocol/service/clock";
import { acceptMeeting } from "@ngpu/protocol/service/harq/direct/acceptMeeting";
import {
  openDirectSocket,
  resolveObserver,
  type DirectSocket,
  type Observation,
  type OpenUdp,
} from "@ngpu/protocol/service/harq/direct/directSocket";
import { nodePrimitives } from "@ngpu/protocol/service/harq/nodePrimitives";
import { createLoop } from "@ngpu/protocol/service/loop";
import type { Log } from "@ngpu/protocol/service/log";
import { signMessage, type Signed, type SigningContext, type TypedDataSigner } from "@ngpu/protocol/signed";
import type { Frame, FrameOf } from "@ngpu/protocol/wire";
import { bytesToHex, keccak256, type Hex } from "viem";
import { answerBlobs, type MetTask } from "./answerBlobs.ts";
import type { BlobShelf } from "./blobShelf.ts";

export interface DirectDesk {
  /** The gateway has welcomed this node, or its key expires soon. */
  announce(): Promise<void>;
  meeting(frame: FrameOf<"meeting">): Promise<void>;
  counts(): { links: number; open: number };
  close(): Promise<void>;
}

const keyValidS = 24 * 3_600;
const mostLinks = 16;
const mostLinksOfTask = 2;
const mostMeetingsOfTask = 8;
const mostTasks = 1_024;
const meetingsPerS = 10;
/** A deadline is at most an hour away; then there is a minute for the output. */
const longestMs = 3_660_000;
/** Of messages that are not handled yet, of all links. */
const mostHeldBytes = 256 * 1024 * 1024;
const tendEveryMs = 500;

export function createDirectDesk(options: {
  gatewayUrl: string;
  nodeId: number;
  signer: TypedDataSigner;
  context: SigningContext;
  /** The task that this node serves now under that id. */
  taskOf: (taskId: Hex) => MetTask | undefined;
  shelf: BlobShelf;
  send: (frame: Frame) => void;
  clock: Clock;
  log: Log;
  openUdp?: OpenUdp | undefined;
}): DirectDesk {
  const { gatewayUrl, nodeId, signer, context, taskOf, shelf, send, clock, log, openUdp } = options;
  const staticKey = nodePrimitives.generate();
  /** The eldest first. */
  const links = new Map<DirectLink, { readonly taskId: Hex; readonly untilMs: number }>();
  const meetings = new Map<Hex, number>();
  let identity: Signed<"transportKey"> | undefined;
  let socket: Promise<DirectSocket> | undefined;
  let allowed = meetingsPerS;
  let countedMs = clock.monotonicMs();
  let opening = 0;
  let isClosed = false;

  async function announce(): Promise<void> {
    const validUntil = BigInt(Math.floor(clock.nowMs() / 1_000) + keyValidS);
    const message = { operator: signer.address, transportKey: bytesToHex(staticKey.publicKey), validUntil };
    identity = await signMessage({ kind: "transportKey", message, context, signer });
    send({ t: "reachable", key: identity });
  }

  /** Throws NODE_BUSY; counts the meeting where it does not. */
  function requirePlace(taskId: Hex): void {
    const nowMs = clock.monotonicMs();
    allowed = Math.min(meetingsPerS, allowed + ((nowMs - countedMs) * meetingsPerS) / 1_000);
    countedMs = nowMs;
    const ofTask = meetings.get(taskId) ?? 0;
    if (links.size + opening >= mostLinks) makeRoom();
    if (links.size + opening >= mostLinks || ofTask >= mostMeetingsOfTask || allowed < 1) {
      throw new NgpuError("NODE_BUSY", { links: links.size, ofTask });
    }
    allowed -= 1;
    meetings.delete(taskId);
    meetings.set(taskId, ofTask + 1);
    const [eldest] = meetings.keys();
    if (meetings.size > mostTasks && eldest !== undefined) meetings.delete(eldest);
  }

  /** Whose task is over has had its output, or has it from the gateway. */
  function makeRoom(): void {
    const over = [...links].find(([, { taskId }]) => taskOf(taskId) === undefined)?.[0];
    if (over === undefined) return;
    links.delete(over);
    over.close();
  }

  async function seen(observer: string): Promise<{ socket: DirectSocket; seen: Observation } | undefined> {
    const at = await resolveObserver(observer, gatewayUrl);
    if (at === undefined || isClosed) return undefined;
    try {
      // One for all links of this process: they tell their datagrams apart by connection ids.
      socket ??= openDirectSocket({ clock, openUdp });
      const open = await socket;
      const observation = await open.observe(at);
      return observation && { socket: open, seen: observation };
    } catch (error) {
      log.warn({ err: error }, "no UDP for direct links: they stay on the relay");
      socket = undefined;
      return undefined;
    }
  }

  async function meet({ access, hello: text, ticket, observer }: FrameOf<"meeting">): Promise<void> {
    const { taskId, blobHash: meeting } = access.message;
    const task = taskOf(taskId);
    if (task === undefined || identity === undefined || isClosed) throw new NgpuError("TASK_UNKNOWN", { taskId });
    requirePlace(taskId);
    opening += 1;
    try {
      const hello = fromBase64(text);
      if (keccak256(hello) !== meeting) throw new NgpuError("AUTH_FORBIDDEN", { part: "hello" });
      const { clientKey: client } = task;
      const may = { access, action: "meet", taskId, hash: meeting, signer: client, context, nowMs: clock.nowMs() } as const;
      await requireBlobAccess(may);
      const udp = await seen(observer);
      const shaken = { gatewayUrl, hello, ticket, staticKey, identity, context, nowMs: clock.nowMs() };
      const { reply, open } = await acceptMeeting({ ...shaken, ...(udp === undefined ? {} : { udp }) });
      if (isClosed) return;
      send({ t: "met", taskId, nodeId, meeting, ticket, reply: toBase64(reply) });
      const asked = { requests: 0, inputs: 0 };
      const link = open(async (opened, { bytes }) => {
        if (bytes === undefined) return opened.close();
        await answerBlobs(bytes, { task, asked, shelf, context, clock, send: opened.send }).catch((error: unknown) => {
          log.debug({ code: codeOf(error), taskId }, "a request was not answered");
          if (["WIRE_MALFORMED", "NODE_BUSY"].includes(codeOf(error))) opened.close();
        });
      });
      keep(link, taskId);
    } finally {
      opening -= 1;
    }
  }

  function keep(link: DirectLink, taskId: Hex): void {
    links.set(link, { taskId, untilMs: clock.monotonicMs() + longestMs });
    const ofTask = [...links].filter(([, other]) => other.taskId === taskId);
    if (ofTask.length > mostLinksOfTask) ofTask[0]?.[0].close();
    void link.opened.then((isOpen) => log.debug({ taskId, isOpen }, "direct link"));
    void link.closed.then(() => links.delete(link));
  }

  const tending = createLoop({
    name: "direct links",
    everyMs: tendEveryMs,
    clock,
    log,
    async pass() {
      for (const [link, { untilMs }] of links) if (clock.monotonicMs() > untilMs) link.close();
      const held = [...links.keys()].map((link) => ({ link, bytes: link.heldBytes() })).toSorted((a, b) => b.bytes - a.bytes);
      let total = held.reduce((sum, { bytes }) => sum + bytes, 0);
      for (const { link, bytes } of held) {
        if (total <= mostHeldBytes) return;
        total -= bytes;
        log.warn({ bytes }, "a direct link holds too much");
        link.close();
      }
    },
  });

  return {
    announce,
    async meeting(frame) {
      const { taskId, blobHash: meeting } = frame.access.message;
      try {
        await meet(frame);
      } catch (error) {
        const code = codeOf(error);
        if (code === "INTERNAL") log.error({ err: error, taskId }, "meeting failed");
        else log.debug({ code, taskId }, "meeting refused");
        send({ t: "notMet", taskId, nodeId, meeting, ticket: frame.ticket, code });
      }
    },
    counts: () => ({ links: links.size, open: [...links.keys()].filter((link) => link.isOpen()).length }),
    async close() {
      isClosed = true;
      await tending.stop();
      const open = [...links.keys()];
      for (const link of open) link.close();
      await Promise.all(open.map((link) => link.closed));
      await (await socket?.catch(() => undefined))?.close();
    },
  };
}
