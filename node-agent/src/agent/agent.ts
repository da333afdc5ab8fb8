/**
 * The agent of one machine: starts the runners, waits until its operator key is registered, and then serves tasks
 * over its link to the gateway. Its parts are started in that order and stopped in reverse. When the chain begins anew,
 * it drops what it serves and waits until it is registered there.
 */
import { createFrameCarrier } from "@ngpu/protocol/blobExchange/frameCarrier";
import type { Deployment } from "@ngpu/protocol/deployment";
import { codeOf, NgpuError } from "@ngpu/protocol/errors";
import { createNodeBlobs } from "@ngpu/protocol/service/harq/nodeBlobs";
import { createChainIdentity, type ChainIdentity } from "@ngpu/protocol/service/chainIdentity";
import { explainFailure } from "@ngpu/protocol/service/explainFailure";
import type { Clock } from "@ngpu/protocol/service/clock";
import { createLoop } from "@ngpu/protocol/service/loop";
import type { Log } from "@ngpu/protocol/service/log";
import type { Telemetry } from "@ngpu/protocol/service/telemetry";
import type { FrameOf } from "@ngpu/protocol/wire";
import { join } from "node:path";
import type { Address, PublicClient } from "viem";
import { privateKeyToAccount, type PrivateKeyAccount } from "viem/accounts";
import { findModels } from "../localTask.ts";
import { probeConfinement } from "../pool/confinement.ts";
import { createAgentChain, type AgentChain } from "./chain.ts";
import { fetchModels } from "./fetchModels.ts";
import { connectGateway } from "./gatewayLink.ts";
import { openJournal, type Journal } from "./journal.ts";
import { createLivenessDesk } from "./livenessDesk.ts";
import { measurePowerCu } from "./measurePower.ts";
import { registrationCode } from "./registration.ts";
import type { AgentSettings } from "./settings.ts";
import { startPool, type StartedPool } from "./startPool.ts";
import { createTaskDesk } from "./taskDesk.ts";
import { createBlobShelf } from "../direct/blobShelf.ts";
import { createDirectDesk } from "../direct/directDesk.ts";
import { raceBlobs } from "../direct/raceBlobs.ts";
import { createSessionDesk } from "../session/sessionDesk.ts";
import { bindingValidS, loadTransportSecret, signBinding } from "./transportKey.ts";

export interface Agent {
  operator: Address;
  /** As it was at the start. Null until the owner has registered the operator. */
  nodeId: number | null;
  /** The registration code; null when it is not needed any more. */
  registration: string | null;
  /** Why it cannot serve now; empty when it can. */
  notReady(): string[];
  /** What its operator should know although it can. */
  notices(): string[];
  /** Takes nothing new; resolves when all that has begun has ended and the gateway has its receipts. */
  drain(signal: AbortSignal): Promise<void>;
  isDraining(): boolean;
  close(): Promise<void>;
}

interface Parts {
  settings: AgentSettings;
  deployment: Deployment;
  client: PublicClient;
  signer: PrivateKeyAccount;
  chain: AgentChain;
  identity: ChainIdentity;
  clock: Clock;
  log: Log;
  random: (length: number) => Uint8Array;
}

/** The part that exists only once the node is registered. */
interface Serving {
  isUp(): boolean;
  executing(): number;
  directLinks(): number;
  drain(signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

const agentVersion = "0.1.0";
const registrationPollMs = 500;
/** Beside every loss of the gateway, which drops its peers when the chain begins anew. */
const identityEveryMs = 15_000;

export async function startAgent(options: {
  settings: AgentSettings;
  deployment: Deployment;
  client: PublicClient;
  clock: Clock;
  log: Log;
  random: (length: number) => Uint8Array;
  telemetry?: Telemetry;
}): Promise<Agent> {
  const { settings, deployment, client, clock, log } = options;
  const signer = privateKeyToAccount(settings.operatorKey);
  const chain = createAgentChain({ client, deployment });
  const identity = createChainIdentity({ chain: client, clock, log });
  const parts: Parts = { ...options, signer, chain, identity };
  const secret = loadTransportSecret({ dataDir: settings.dataDir, random: options.random });
  const journal = openJournal({ dataDir: settings.dataDir, log });
  await identity.hasChanged();
  const nodeId = await chain.nodeOfOperator(signer.address);
  const registration = nodeId === 0 ? await askForRegistration(parts) : null;

  const confinement = probeConfinement();
  log.info({ active: confinement.active }, "runners are confined");
  for (const gap of confinement.missing) log.warn({ gap }, "a protection is missing on this machine");
  const fetchedFolder = join(settings.dataDir, "models");
  if (nodeId !== 0 && settings.fetchesModels) await fetchMissing(parts, fetchedFolder);
  const found = findModels([...settings.modelFolders, fetchedFolder]);
  const started = await startPool({ ...settings, ...found, confinement, clock, log });
  const measuring = measure(parts, started);

  const stopping = new AbortController();
  let isDraining = false;
  let serving: Serving | undefined;
  const { telemetry } = options;
  const { pool } = started;

  /** Serves under the node's id, and under another one after the chain has begun anew. */
  const live = async (): Promise<void> => {
    const isRegistered = nodeId !== 0;
    let id = isRegistered ? nodeId : await waitUntilRegistered(parts, { signal: stopping.signal, isAsked: true });
    const benchmarkCu = await measuring;
    while (id !== undefined && !stopping.signal.aborted && !isDraining) {
      const isReset = Promise.withResolvers<void>();
      const onReset = (): void => isReset.resolve();
      serving = await serve({ ...parts, nodeId: id, secret, started, journal, benchmarkCu, onReset });
      stopping.signal.addEventListener("abort", onReset, { once: true });
      await isReset.promise;
      stopping.signal.removeEventListener("abort", onReset);
      if (stopping.signal.aborted) return;
      const former = serving;
      serving = undefined;
      await former.stop();
      pool.callOff();
      id = await waitUntilRegistered(parts, { signal: stopping.signal, isAsked: false });
    }
  };
  const living = live();

  telemetry?.gauge({ name: "link_up", help: "1 while a gateway is connected.", read: () => (serving?.isUp() ? 1 : 0) });
  telemetry?.gauge({ name: "slots", help: "Tasks that can execute at once.", read: () => pool.slots });
  telemetry?.gauge({ name: "free_slots", help: "Slots with a ready runner and no task.", read: () => pool.freeSlots() });
  telemetry?.gauge({ name: "executing", help: "Tasks in hand.", read: () => serving?.executing() ?? 0 });
  telemetry?.gauge({
    name: "direct_links",
    help: "Clients that are linked straight to this node.",
    read: () => serving?.directLinks() ?? 0,
  });
  telemetry?.gauge({ name: "journal_receipts", help: "Receipts not settled yet.", read: () => journal.entries().length });

  return {
    operator: signer.address,
    nodeId: nodeId === 0 ? null : nodeId,
    registration,
    notReady: () => [
      ...(serving === undefined ? ["the node is not registered yet"] : []),
      ...(serving?.isUp() === false ? ["no gateway is connected"] : []),
      ...(journal.hasRoom() ? [] : ["the disk is full"]),
    ],
    notices: () => [
      ...identity.notices(),
      ...started.refused.map(({ modelId, code, reason }) => `model ${modelId} is not served, ${code}: ${reason}`),
    ],
    isDraining: () => isDraining,
    async drain(signal) {
      isDraining = true;
      await serving?.drain(signal);
    },
    async close() {
      stopping.abort();
      // Whoever still measures or waits ends with the runners; whoever serves is stopped before them.
      if (serving === undefined) await pool.close();
      await living;
      await serving?.stop();
      await pool.close();
    },
  };
}

/** Only a registered node is given files: one that is new serves what it has, and fetches the rest at its next start. */
async function fetchMissing({ settings, deployment, signer, clock, log }: Parts, folder: string): Promise<void> {
  const context = { chainId: settings.chainId, verifyingContract: deployment.taskEscrow };
  const blobs = createNodeBlobs({ context, clock, usesUdp: settings.usesUdp });
  try {
    await fetchModels({
      blobs: blobs.open({ gatewayUrl: settings.gatewayUrl, context, signer, nowMs: () => clock.nowMs() }),
      ...{ folder, folders: settings.modelFolders, clock, log, signal: new AbortController().signal },
    });
  } finally {
    blobs.close();
  }
}

/** Throws SETTING_INVALID when nobody says whom this operator is to serve. */
async function askForRegistration({ settings, deployment, signer, chain, log }: Parts): Promise<string> {
  const { owner, chainId, classId } = settings;
  if (owner === undefined) {
    throw new NgpuError("SETTING_INVALID", { setting: "NGPU_OWNER", reason: "is needed until the node is registered" });
  }
  const registry = deployment.nodeRegistry;
  const code = await registrationCode({ chainId, registry, owner, classId, nowS: await chain.timeS(), signer });
  log.warn(
    { ...explainFailure(new NgpuError("NODE_NOT_REGISTERED")), operator: signer.address, owner, registration: code },
    "register this node with the code",
  );
  return code;
}

/** `isAsked`: its owner has been given the code already. */
async function waitUntilRegistered(
  parts: Parts,
  { signal, isAsked }: { signal: AbortSignal; isAsked: boolean },
): Promise<number | undefined> {
  const { chain, identity, signer, clock, log } = parts;
  let mustAsk = !isAsked;
  while (!signal.aborted) {
    await clock.sleep(registrationPollMs, signal);
    try {
      const nodeId = await chain.nodeOfOperator(signer.address);
      if (nodeId !== 0) {
        // Whatever chain it is now, this is the node's id there.
        await identity.hasChanged();
        log.info({ nodeId, operator: signer.address }, "registered");
        return nodeId;
      }
      if (!mustAsk) continue;
      mustAsk = false;
      await askForRegistration(parts);
    } catch (error) {
      log.warn(
        { ...(explainFailure(error) ?? { code: codeOf(error) }) },
        "cannot see whether this node is registered; looking again",
      );
    }
  }
  return undefined;
}

async function serve(
  options: Parts & {
    nodeId: number;
    secret: Uint8Array;
    started: StartedPool;
    journal: Journal;
    benchmarkCu: number;
    /** Another chain answers: nothing that this node serves, its id included, means anything there. */
    onReset: () => void;
  },
): Promise<Serving> {
  const { settings, deployment, identity, signer, nodeId, secret, started, benchmarkCu, clock, log, random } = options;
  const { pool, provider, models: served } = started;
  const context = { chainId: settings.chainId, verifyingContract: deployment.taskEscrow };
  const watch = createLoop({
    name: "chain identity",
    everyMs: identityEveryMs,
    clock,
    log,
    pass: async () => {
      try {
        if (await identity.hasChanged()) options.onReset();
      } catch (error) {
        log.debug({ code: codeOf(error) }, "cannot see which chain it is; looking again");
      }
    },
  });
  const manifests = new Map(served.map(({ modelId, manifest }) => [modelId, manifest]));

  const blobs = createNodeBlobs({ context, clock, usesUdp: settings.usesUdp });
  const shelf = createBlobShelf({ clock });
  const gatewayBlobs = blobs.open({ gatewayUrl: settings.gatewayUrl, context, signer, nowMs: () => clock.nowMs() });
  const desk = createTaskDesk({
    ...options,
    context,
    pool,
    manifests,
    blobs: raceBlobs({ gateway: gatewayBlobs, shelf, clock }),
    link: {
      send: (frame) => link.send(frame),
      connection: () => link.connection(),
      answers: () => link.answers(),
    },
  });
  let isDraining = false;
  const carrier = createFrameCarrier({
    gatewayUrl: settings.gatewayUrl,
    open: blobs.carry,
    onFrame: (frame) => void sessions.take(frame),
    monotonicMs: () => clock.monotonicMs(),
  });
  const sessions = createSessionDesk({
    ...options,
    dataDir: settings.dataDir,
    context,
    voucherContext: { ...context, verifyingContract: deployment.sessionSettlement },
    pool,
    manifests,
    blobs: gatewayBlobs,
    // What a drain waits for goes where it can be asked whether it has arrived.
    send: (frame) => (isDraining ? link.send(frame) : carrier.send(frame, (unsent) => link.send(unsent))),
    link: { connection: () => link.connection(), answers: () => link.answers() },
  });
  const direct = settings.usesDirect
    ? createDirectDesk({
        ...{ gatewayUrl: settings.gatewayUrl, nodeId, signer, context, shelf, clock, log },
        taskOf: (taskId) => desk.taskOf(taskId),
        send: (frame) => link.send(frame),
      })
    : undefined;
  const liveness = createLivenessDesk({ ...options, context, send: (frame) => link.send(frame) });
  const announcement = async (): Promise<FrameOf<"announce">> => ({
    t: "announce",
    models: served.map(({ modelId }) => modelId),
    // None: it ends what it executes and takes nothing new.
    slots: isDraining ? 0 : pool.slots,
    executionProvider: provider,
    agentVersion,
    benchmarkCu,
    binding: await signBinding({ nodeId, secret, nowMs: clock.nowMs(), context, signer }),
  });
  const link = connectGateway({
    ...options,
    gatewayUrl: settings.gatewayUrl,
    context,
    announcement,
    load: () =>
      loadOf({ freeSlots: isDraining ? 0 : pool.freeSlots(), slots: pool.slots, executing: desk.executing() }),
    onWelcome() {
      desk.connected();
      sessions.connected();
      void direct?.announce();
    },
    onFrame(frame) {
      if (frame.t === "carrier") return carrier.begin(frame.token);
      if (sessions.take(frame)) return;
      if (frame.t === "dispatch") desk.dispatch(frame);
      else if (frame.t === "wrap") desk.wrap(frame.wrap);
      else if (frame.t === "settled") desk.settled(frame.taskId);
      else if (frame.t === "livenessAsk") void liveness.ask(frame);
      else if (frame.t === "meeting") void direct?.meeting(frame);
      else throw new NgpuError("WIRE_MALFORMED", { path: `${frame.t} from a gateway` });
    },
    onLost() {
      carrier.end();
      watch.trigger();
    },
    random: () => (random(1)[0] ?? 0) / 255,
  });
  const renewal = createLoop({
    name: "binding",
    everyMs: (bindingValidS * 1_000) / 2,
    clock,
    log,
    pass: async () => {
      link.announce();
      await direct?.announce();
    },
  });
  return {
    isUp: () => link.isUp(),
    executing: () => desk.executing(),
    directLinks: () => direct?.counts().open ?? 0,
    async drain(signal) {
      isDraining = true;
      link.announce();
      await Promise.all([desk.drain(signal), sessions.drain(signal)]);
    },
    async stop() {
      await Promise.all([watch.stop(), renewal.stop()]);
      await Promise.all([desk.close(), sessions.close(), direct?.close()]);
      blobs.close();
      await link.close();
    },
  };
}

async function measure({ log }: Parts, { pool, models }: StartedPool): Promise<number> {
  const model = models.find(({ manifest }) => manifest.adapter === "face.v1");
  if (model === undefined) return 0;
  try {
    return await measurePowerCu({ pool, modelId: model.modelId });
  } catch (error) {
    log.warn({ err: error }, "the benchmark failed; none is shown");
    return 0;
  }
}

function loadOf({ freeSlots, slots, executing }: { freeSlots: number; slots: number; executing: number }) {
  return { freeSlots: Math.max(0, Math.min(freeSlots, slots - executing)), queued: Math.max(0, executing - slots) };
}
