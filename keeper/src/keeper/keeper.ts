/**
 * The control plane: observe → plan → act, over and over, on a timer and on hints. It has no database; the chain, the
 * gateways' replays and the nodes' journals are the truth, so it may be stopped at any point, and several may run.
 */
import type { Deployment } from "@ngpu/protocol/deployment";
import { codeOf } from "@ngpu/protocol/errors";
import { createChainIdentity } from "@ngpu/protocol/service/chainIdentity";
import { explainFailure } from "@ngpu/protocol/service/explainFailure";
import type { Clock } from "@ngpu/protocol/service/clock";
import { chainOf } from "@ngpu/protocol/service/chain";
import type { Log } from "@ngpu/protocol/service/log";
import { createLoop } from "@ngpu/protocol/service/loop";
import type { Telemetry } from "@ngpu/protocol/service/telemetry";
import type { Frame } from "@ngpu/protocol/wire";
import { createWalletClient, http, type LocalAccount, type PublicClient } from "viem";
import { startAuditor, type AuditorOptions } from "../audits/auditor.ts";
import { createAuthority } from "../chain/authority.ts";
import { createTaskFollower } from "../chain/taskFollower.ts";
import { createDemandDesk } from "../demands/demandDesk.ts";
import { planSessions, type SessionTiming } from "../session/planSessions.ts";
import { createClaimShelf } from "../session/claimShelf.ts";
import { createSessionReader, type SessionFacts } from "../session/sessionSnapshot.ts";
import { createVoucherShelf } from "../session/voucherShelf.ts";
import { startUpkeep, type UpkeepSettings } from "../upkeep/upkeep.ts";
import type { Dispatch } from "./action.ts";
import { correctMisfits } from "./correctMisfits.ts";
import { createGatewayLink, type GatewayLink } from "./gatewayLink.ts";
import { createGatewayView } from "./gatewayView.ts";
import { plan } from "./plan.ts";
import { readSnapshot, type Snapshot } from "./snapshot.ts";
import type { Timing } from "./timing.ts";
import { createTransactionLane, type LaneTiming } from "./transactionLane.ts";

export interface Keeper {
  /** Plans again soon. */
  trigger(): void;
  /** Why it cannot do its work now; empty when it can. */
  notReady(): string[];
  /** What its operator should know although it can. */
  notices(): string[];
  /** Begins no more acts, and resolves when the transaction in flight has ended. */
  drain(): Promise<void>;
  isDraining(): boolean;
  stop(): Promise<void>;
}

export interface KeeperOptions {
  chainId: number;
  rpcUrl: string;
  chain: PublicClient;
  deployment: Deployment;
  account: LocalAccount;
  /** Public URLs without a trailing slash. */
  gatewayUrls: string[];
  clock: Clock;
  log: Log;
  random01: () => number;
  everyMs?: number;
  timing?: Timing;
  sessionTiming?: SessionTiming;
  laneTiming?: Partial<LaneTiming>;
  /** What it does for the network as a whole; nothing without it. */
  upkeep?: UpkeepSettings;
  /** How it audits nodes; it does not without. */
  audits?: AuditorOptions;
  telemetry?: Telemetry;
}

/** Hints come with every frame; so much time lies between two passes of a loop at least. */
const spacingMs = 10;
const mostUnverified = 1_000;
const answerEveryMs = 1_000;
/** Upkeep is looked at once in so many passes. */
const upkeepEveries = 4;

export function startKeeper(options: KeeperOptions): Keeper {
  const { chainId, rpcUrl, chain, deployment, account, gatewayUrls, clock, log, random01 } = options;
  const context = { chainId, verifyingContract: deployment.taskEscrow };
  const identity = createChainIdentity({ chain, clock, log });
  const follower = createTaskFollower({ chain, deployment, identity, onReset: dropOldChain });
  const authority = createAuthority({ chain, deployment, clock });
  const view = createGatewayView({ context, authority, clock, log });
  const sessionReader = createSessionReader({ chain, deployment });
  const shelf = createVoucherShelf({
    context: { chainId, verifyingContract: deployment.sessionSettlement },
    nowMs: () => clock.monotonicMs(),
  });
  const claims = createClaimShelf({ nowMs: () => clock.monotonicMs() });
  const demandDesk = createDemandDesk({ chain, deployment, account, gatewayUrls, context, clock });
  let sessions: SessionFacts[] = [];
  /**
   * Acts on sessions that were mined, and how many of them the last reading was begun after: nothing is planned from
   * an older one, because the contract lets some acts be done twice.
   */
  let sessionActs = 0;
  let sessionActsRead = 0;
  let snapshot: Snapshot | undefined;
  let isChainDown = false;
  let isDraining = false;
  const unverified: { url: string; frame: Frame }[] = [];

  const { telemetry } = options;
  const actions = telemetry?.counter({
    name: "actions_total",
    help: "Transactions by what they were for and how they ended.",
    labels: ["kind", "outcome"],
  });
  const takeovers = telemetry?.counter({ name: "takeovers_total", help: "Backups dispatched in a primary's place." });
  const passes = telemetry?.histogram({
    name: "pass_seconds",
    help: "Duration of a pass.",
    labels: ["loop"],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
  });
  const openTasks = (): number => snapshot?.tasks.length ?? 0;
  telemetry?.gauge({ name: "open_tasks", help: "Open tasks of the last snapshot.", read: openTasks });
  const openDemands = (): number => snapshot?.demands.length ?? 0;
  telemetry?.gauge({ name: "open_demands", help: "Outputs that payers demand.", read: openDemands });
  telemetry?.gauge({ name: "nodes_online", help: "Nodes that gateways list.", read: () => view.read().nodes.size });
  telemetry?.gauge({ name: "head_block", help: "Last snapshot.", read: () => Number(snapshot?.blockNumber ?? 0n) });
  telemetry?.gauge({ name: "chain_up", help: "1 while the chain answers.", read: () => (isChainDown ? 0 : 1) });

  const lane = createTransactionLane({
    chain,
    wallet: createWalletClient({ account, chain: chainOf(chainId, rpcUrl), transport: http(rpcUrl) }),
    escrow: deployment.taskEscrow,
    settlement: deployment.sessionSettlement,
    clock,
    log,
    onOutcome: (action, outcome) => {
      actions?.inc({ kind: action.kind, outcome });
      if (action.kind === "settle" && outcome === "done") tellSettled(action.taskId);
      observing.trigger();
    },
    onSessionOutcome: (action, outcome) => {
      if (outcome === "done") sessionActs += 1;
      actions?.inc({ kind: action.kind, outcome });
      observing.trigger();
    },
    deployment,
    onUpkeepOutcome: (action, outcome) => {
      actions?.inc({ kind: action.kind, outcome });
      upkeep?.ended(action, outcome);
      auditor?.ended(action, outcome);
    },
    ...(options.laneTiming === undefined ? {} : { timing: options.laneTiming }),
  });

  const links: GatewayLink[] = gatewayUrls.map((url) =>
    createGatewayLink({
      url,
      context,
      signer: account,
      clock,
      log,
      random01,
      onFrame: (frame) => receive(url, frame),
      onConnected: () => view.connected(url),
      onDisconnected: () => {
        view.disconnected(url);
        acting.trigger();
      },
    }),
  );

  const everyMs = options.everyMs ?? 250;
  // Loops of their own, so that a take-over never waits for a chain or a gateway that answers slowly.
  const observing = createLoop({ name: "observe", everyMs, clock, log, pass: observe });
  const acting = createLoop({ name: "act", everyMs, clock, log, pass: act });
  const answering = createLoop({ name: "answer demands", everyMs: answerEveryMs, clock, log, pass: answer });
  const upkeep =
    options.upkeep === undefined
      ? undefined
      : startUpkeep({
          ...{ chain, deployment, follower, authority, context, clock, log, everyMs: upkeepEveries * everyMs },
          ...{ settings: options.upkeep, account: account.address, readView: () => view.read() },
          send: (frame) => links.forEach((link) => link.send(frame)),
          submit: (action) => !isChainDown && lane.submit(action),
          ...(telemetry === undefined ? {} : { telemetry }),
        });

  const auditor =
    options.audits === undefined
      ? undefined
      : startAuditor({
          ...options.audits,
          submit: (action) => !isChainDown && lane.submit(action),
          traffic: follower.works,
        });

  /** What waits in the lane is refused by the new chain's contract; what is in flight there, nobody mines. */
  function dropOldChain(): void {
    snapshot = undefined;
    sessions = [];
    sessionReader.forget();
    unverified.length = 0;
    authority.forget();
    view.forget();
    demandDesk.forget();
    upkeep?.forget();
  }

  async function act(signal: AbortSignal): Promise<void> {
    if (snapshot === undefined) return;
    const finished = passes?.startTimer({ loop: "act" });
    const { timing } = options;
    const drills = auditor === undefined ? {} : { drills: auditor.drills() };
    const request = { snapshot, view: view.read(), nowMs: clock.monotonicMs(), ...drills };
    for (const action of plan(timing === undefined ? request : { ...request, timing })) {
      if (action.kind === "dispatch") dispatch(action);
      else if (!isChainDown) lane.submit(action);
    }
    if (!isChainDown && sessionActs === sessionActsRead) {
      for (const action of planSessions(sessionWorld(snapshot))) lane.submit(action);
    }
    finished?.();
    await clock.sleep(spacingMs, signal);
  }

  /** Demands last for minutes, so one that is missed now is answered by a later pass. */
  async function answer(signal: AbortSignal): Promise<void> {
    if (snapshot === undefined || isChainDown) return;
    const finished = passes?.startTimer({ loop: "answer" });
    try {
      for (const action of await demandDesk.answer(snapshot, signal)) lane.submit(action);
    } catch (error) {
      log.debug({ code: codeOf(error) }, "cannot see whether demands can be answered; looking again");
    }
    finished?.();
  }

  function sessionWorld({ nodes: facts, chainTimeS }: Snapshot): Parameters<typeof planSessions>[0] {
    const { nodes, connectedSinceMs } = view.read();
    const nowMs = clock.monotonicMs();
    const { sessionTiming: timing } = options;
    return {
      ...{ sessions, nodes, facts, vouchers: shelf, claims, chainTimeS, nowMs },
      watchingSinceMs: connectedSinceMs ?? nowMs,
      ...(timing === undefined ? {} : { timing }),
    };
  }

  /**
   * A signer that cannot be looked up while the chain is silent is looked up later: its message may be the only copy.
   */
  async function receive(url: string, frame: Frame): Promise<void> {
    try {
      if (frame.t === "claim") return void claims.take(frame);
      if (frame.t === "livenessReply") return void (await upkeep?.take(frame));
      if (frame.t === "voucher") return void (await shelf.take(frame));
      if (!(await view.receive(url, frame))) return;
      acting.trigger();
      if (frame.t === "roster" && frame.nodes.some(({ nodeId }) => !snapshot?.nodes.has(nodeId))) observing.trigger();
    } catch (error) {
      if (codeOf(error) !== "CHAIN_UNREACHABLE") throw error;
      unverified.push({ url, frame });
      if (unverified.length > mostUnverified) unverified.shift();
    }
  }

  /** Takes a new snapshot when there is a new block or node; the last one serves while the chain does not answer. */
  async function observe(signal: AbortSignal): Promise<void> {
    const finished = passes?.startTimer({ loop: "observe" });
    try {
      const actsBefore = sessionActs;
      const head = await follower.poll();
      const nodeIds = [...view.read().nodes.keys()];
      const known = snapshot;
      const isSame = known?.blockHash === head.hash && nodeIds.every((nodeId) => known.nodes.has(nodeId));
      if (!isSame || actsBefore > sessionActsRead) {
        const read = await readSnapshot({ chain, deployment, follower, head, nodeIds });
        sessions = await sessionReader.read(head);
        shelf.keepOnly(sessions);
        claims.keepOnly(sessions);
        snapshot = read;
        sessionActsRead = actsBefore;
        await correctMisfits({ follower, misfits: [...read.misfits, ...(upkeep?.misfits() ?? [])], log });
      }
      view.keepOnly(new Set(snapshot?.tasks.map(({ taskId }) => taskId)));
      if (isChainDown) log.info("the chain answers again");
      isChainDown = false;
      for (const { url, frame } of unverified.splice(0)) await receive(url, frame);
      if (!isSame) acting.trigger();
      if (!isSame && openDemands() > 0) answering.trigger();
    } catch (error) {
      if (!isChainDown && !signal.aborted) {
        const why = explainFailure(error) ?? { err: error };
        log.warn({ ...why }, "the chain does not answer; only dispatches go on");
      }
      isChainDown = true;
    }
    finished?.();
    await clock.sleep(spacingMs, signal);
  }

  function dispatch(action: Dispatch): void {
    const { kind: _kind, ...fields } = action;
    const reached = links.filter((link) => link.send({ t: "dispatch", ...fields }));
    if (reached.length === 0) return;
    view.dispatched(fields);
    if (fields.role === "primary") auditor?.asked(action);
    const isDrill = fields.attempt === 1 && auditor?.drills().has(fields.taskId) === true;
    const isTakeover = fields.role === "primary" && fields.attempt > 0 && !isDrill;
    if (isTakeover) takeovers?.inc();
    if (isTakeover) log.warn({ ...fields }, "take-over");
    else log.debug({ ...fields }, "dispatched");
  }

  function tellSettled(taskId: Snapshot["tasks"][number]["taskId"]): void {
    const task = snapshot?.tasks.find((open) => open.taskId === taskId);
    for (const { nodeId } of task?.standing.seats ?? []) {
      for (const link of links) link.send({ t: "settled", nodeId, taskId });
    }
  }

  return {
    trigger: () => observing.trigger(),
    notReady: () => [
      ...(isChainDown || snapshot === undefined ? ["the chain does not answer"] : []),
      ...(view.read().connectedSinceMs === undefined ? ["no gateway is connected"] : []),
    ],
    notices: () => identity.notices(),
    isDraining: () => isDraining,
    async drain() {
      isDraining = true;
      await Promise.all([observing.stop(), acting.stop(), answering.stop(), upkeep?.stop(), auditor?.stop(), lane.drain()]);
    },
    async stop() {
      await Promise.all([observing.stop(), acting.stop(), answering.stop(), upkeep?.stop(), auditor?.stop()]);
      await Promise.all([lane.stop(), ...links.map((link) => link.stop())]);
    },
  };
}
