/**
 * Settings of the agent (docs/OPERATIONS.md), read once from the environment and refused by name when they are wrong.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { NgpuError } from "@ngpu/protocol/errors";
import {
  readAddress,
  readDrainS,
  readInteger,
  readPrivateKey,
  readSwitch,
  readText,
  readUrl,
  type Environment,
} from "@ngpu/protocol/service/settings";
import type { Address, Hex } from "viem";
import { executionProviders, type ExecutionProvider } from "../pool/executionProvider.ts";

export interface AgentSettings {
  chainId: number;
  rpcUrl: string;
  /** Without a trailing slash; its hash is the audience of a login. */
  gatewayUrl: string;
  /** Whether inputs and outputs may go over UDP. */
  usesUdp: boolean;
  /** Whether clients of its tasks may be linked to it straight, which takes UDP. */
  usesDirect: boolean;
  dataDir: string;
  operatorKey: Hex;
  /** Whom the operator consents to serve; needed only until the node is registered. */
  owner: Address | undefined;
  /** Hardware class that the registration code asks for. */
  classId: number;
  slots: number;
  provider: ExecutionProvider;
  fallsBackToCpu: boolean;
  modelFolders: string[];
  /** Whether files of models that are not here are fetched from the gateway. */
  fetchesModels: boolean;
  drainS: number;
}

/**
 * Most executions end within it, and it is the patience that container managers have by default. What takes longer is
 * taken over by the backup, as after a crash.
 */
const defaultDrainS = 30;

export function readAgentSettings(env: Environment): AgentSettings {
  const chainId = readInteger(env, "NGPU_CHAIN_ID", { fallback: 31_337, minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
  const provider = readText(env, "NGPU_EXECUTION_PROVIDER", "cpu");
  if (!isProvider(provider)) {
    throw new NgpuError("SETTING_INVALID", {
      setting: "NGPU_EXECUTION_PROVIDER",
      reason: `must be one of ${executionProviders.join(", ")}`,
    });
  }
  const fallback = env.NGPU_EXECUTION_PROVIDER_FALLBACK ?? "";
  if (fallback !== "" && fallback !== "cpu") {
    throw new NgpuError("SETTING_INVALID", { setting: "NGPU_EXECUTION_PROVIDER_FALLBACK", reason: "can only be cpu" });
  }
  const usesUdp = readSwitch(env, "NGPU_UDP", true);
  return {
    chainId,
    rpcUrl: readUrl(env, "NGPU_RPC_URL", "http://127.0.0.1:8545"),
    gatewayUrl: readUrl(env, "NGPU_GATEWAY_URL", "http://127.0.0.1:8600").replace(/\/+$/, ""),
    usesUdp,
    usesDirect: usesUdp && readSwitch(env, "NGPU_DIRECT", true),
    dataDir: resolve(readText(env, "NGPU_DATA_DIR", "data/agent")),
    operatorKey: readPrivateKey(env, "NGPU_OPERATOR_KEY", { chainId, readFile: readKeyFile }),
    owner: env.NGPU_OWNER ? readAddress(env, "NGPU_OWNER") : undefined,
    classId: readInteger(env, "NGPU_NODE_CLASS", { fallback: 0, minimum: 0, maximum: 255 }),
    slots: readInteger(env, "NGPU_SLOTS", { fallback: 1, minimum: 1, maximum: 64 }),
    provider,
    fallsBackToCpu: fallback === "cpu",
    modelFolders: env.NGPU_MODEL_DIR ? [resolve(env.NGPU_MODEL_DIR)] : [],
    fetchesModels: readSwitch(env, "NGPU_FETCH_MODELS", true),
    drainS: readDrainS(env, defaultDrainS),
  };
}

function isProvider(name: string): name is ExecutionProvider {
  return (executionProviders as readonly string[]).includes(name);
}

function readKeyFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new NgpuError(
      "SETTING_INVALID",
      { setting: "NGPU_OPERATOR_KEY_FILE", reason: "cannot be read", path },
      { cause },
    );
  }
}
