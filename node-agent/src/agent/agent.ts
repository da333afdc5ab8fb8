/**
 * The agent of one machine: starts the runners, waits until its operator key is registered, and then serves tasks
 * over its link to the gateway. Its parts are started in that order and stopped in reverse.
 */
import type { Deployment } from "@ngpu/protocol/deployment";
import { codeOf, NgpuError } from "@ngpu/protocol/errors";
import type { Clock } from "@ngpu/protocol/service/clock";
import { createLoop } from "@ngpu/protocol/service/loop";
import type { Log } from "@ngpu/protocol/service/log";
import type { Telemetry } from "@ngpu/protocol/service/telemetry";
import type { FrameOf } from "@ngpu/protocol/wire";
import type { Address, PublicClient } from "viem";
import { privateKeyToAccount, type PrivateKeyAccount } from "viem/accounts";
import { installedModels } from "../localTask.ts";
import { probeConfinement } from "../pool/confinement.ts";
import { createBlobs } from "./blobs.ts";
import { createAgentChain, type AgentChain } from "./chain.ts";
import { connectGateway } from "./gatewayLink.ts";
import { openJournal, type Journal } from "./journal.ts";
import { measurePowerCu } from "./measurePower.ts";
import { registrationCode } from "./registration.ts";
import type { AgentSettings } from "./settings.ts";
import { startPool, type StartedPool } from "./startPool.ts";
import { createTaskDesk } from "./taskDesk.ts";
import { createSessionDesk } from "../session/sessionDesk.ts";
import { bindingValidS, loadTransportSecret, signBinding } from "./transportKey.ts";

export interface Agent {
  operator: Address;
  /** Null until the owner has registered the operator. */
  nodeId: number | null;
  /** The registration code; null when it is not needed any more. */
  registration: string | null;
  /** Why it cannot serve now; empty when it can. */
  notReady(): string[];
  close(): Promise<void>;
}

interface Parts {
  settings: AgentSettings;
  deployment: Deployment;
  client: PublicClient;
  signer: PrivateKeyAccount;
  chain: AgentChain;
  clock: Clock;
  log: Log;
  random: (length: number) => Uint8Array;
}

/** The part that exists only once the node is registered. */
interface Serving {
  isUp(): boolean;
  executing(): number;
  stop(): Promise<void>;
}

const agentVersion = "0.1.0";
const registrationPollMs = 500;

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
  const parts: Parts = { ...options, signer, chain };
  const secret = loadTransportSecret({ dataDir: settings.dataDir, random: options.random });
  const journal = openJournal({ dataDir: settings.dataDir, log });
  const nodeId = await chain.nodeOfOperator(signer.address);
  const registration = nodeId === 0 ? await askForRegistration(parts) : null;

  const confinement = probeConfinement();
  log.info({ active: confinement.active }, "runners are confined");
  for (const gap of confinement.missing) log.warn({ gap }, "a protection is missing on this machine");
  const started = await startPool({
    ...settings,
    models: installedModels(settings.modelFolders),
    confinement,
    clock,
    log,
  });

  const measuring = measure(parts, started);

  const stopping = new AbortController();
  let serving: Serving | undefined;
  const registered = nodeId === 0 ? waitUntilRegistered(parts, stopping.signal) : Promise.resolve(nodeId);
  const begun = registered.then(async (id) => {
    const benchmarkCu = await measuring;
    if (id === undefined || stopping.signal.aborted) return;
    serving = await serve({ ...parts, nodeId: id, secret, started, journal, benchmarkCu });
  });

  const { telemetry } = options;
  const { pool } = started;
  telemetry?.gauge({ name: "link_up", help: "1 while a gateway is connected.", read: () => (serving?.isUp() ? 1 : 0) });
  telemetry?.gauge({ name: "slots", help: "Tasks that can execute at once.", read: () => pool.slots });
  telemetry?.gauge({ name: "free_slots", help: "Slots with a ready runner and no task.", read: () => pool.freeSlots() });
  telemetry?.gauge({ name: "executing", help: "Tasks in hand.", read: () => serving?.executing() ?? 0 });
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
    async close() {
      stopping.abort();
      // Whoever still measures or waits ends with the runners; whoever serves is stopped before them.
      if (serving === undefined) await pool.close();
      await begun;
      await serving?.stop();
      await pool.close();
    },
  };
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
    { code: "NODE_NOT_REGISTERED", operator: signer.address, owner, registration: code },
    "register this node with the code",
  );
  return code;
}

async function waitUntilRegistered(
  { chain, signer, clock, log }: Parts,
  signal: AbortSignal,
): Promise<number | undefined> {
  while (!signal.aborted) {
    await clock.sleep(registrationPollMs, signal);
    try {
      const nodeId = await chain.nodeOfOperator(signer.address);
      if (nodeId === 0) continue;
      log.info({ nodeId, operator: signer.address }, "registered");
      return nodeId;
    } catch (error) {
      log.warn({ code: codeOf(error) }, "cannot see whether this node is registered");
    }
  }
  return undefined;
}

async function serve(
  options: Parts & { nodeId: number; secret: Uint8Array; started: StartedPool; journal: Journal; benchmarkCu: number },
): Promise<Serving> {
  const { settings, deployment, signer, nodeId, secret, started, benchmarkCu, clock, log, random } = options;
  const { pool, provider } = started;
  const context = { chainId: settings.chainId, verifyingContract: deployment.taskEscrow };
  const served = installedModels(settings.modelFolders).filter(({ modelId }) => pool.loaded.includes(modelId));
  const manifests = new Map(served.map(({ modelId, manifest }) => [modelId, manifest]));

  const desk = createTaskDesk({
    ...options,
    context,
    pool,
    manifests,
    blobs: createBlobs({ gatewayUrl: settings.gatewayUrl, context, signer, clock }),
    send: (frame) => link.send(frame),
  });
  const sessions = createSessionDesk({
    ...options,
    dataDir: settings.dataDir,
    context,
    voucherContext: { ...context, verifyingContract: deployment.sessionSettlement },
    pool,
    manifests,
    send: (frame) => link.send(frame),
  });
  const announcement = async (): Promise<FrameOf<"announce">> => ({
    t: "announce",
    models: served.map(({ modelId }) => modelId),
    slots: pool.slots,
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
    load: () => loadOf({ freeSlots: pool.freeSlots(), slots: pool.slots, executing: desk.executing() }),
    onWelcome() {
      desk.connected();
      sessions.connected();
    },
    onFrame(frame) {
      if (sessions.take(frame)) return;
      if (frame.t === "dispatch") desk.dispatch(frame);
      else if (frame.t === "wrap") desk.wrap(frame.wrap);
      else if (frame.t === "settled") desk.settled(frame.taskId);
      else throw new NgpuError("WIRE_MALFORMED", { path: `${frame.t} from a gateway` });
    },
    random: () => (random(1)[0] ?? 0) / 255,
  });
  const renewal = createLoop({
    name: "binding",
    everyMs: (bindingValidS * 1_000) / 2,
    clock,
    log,
    pass: async () => link.announce(),
  });
  return {
    isUp: () => link.isUp(),
    executing: () => desk.executing(),
    async stop() {
      await renewal.stop();
      await Promise.all([desk.close(), sessions.close()]);
      await link.close();
    },
  };
}

async function measure({ settings, log }: Parts, { pool }: StartedPool): Promise<number> {
  const models = installedModels(settings.modelFolders).filter(({ modelId }) => pool.loaded.includes(modelId));
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
