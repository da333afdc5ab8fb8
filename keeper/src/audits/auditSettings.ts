/**
 * What an auditor is told, from the environment. A keeper audits where it may and has the means: the audit role, a set
 * of canaries and a payer of their own; NGPU_AUDITS=0 turns that off.
 */
import type { Deployment } from "@ngpu/protocol/deployment";
import { NgpuError } from "@ngpu/protocol/errors";
import { chainOf } from "@ngpu/protocol/service/chain";
import type { Clock } from "@ngpu/protocol/service/clock";
import type { Log } from "@ngpu/protocol/service/log";
import { readInteger, readPrivateKey, readText, type Environment } from "@ngpu/protocol/service/settings";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createWalletClient, http, isHex, toHex, type Hex, type PublicClient } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { openAuditLog } from "./auditLog.ts";
import type { AuditorOptions } from "./auditor.ts";
import { hasCanaries, readCanaries, type Canary } from "./canarySet.ts";
import { createPostCanary } from "./postCanary.ts";

/**
 * Undefined where audits are turned off, no canaries are given, or `mayAudit` says that the keeper's account lacks the
 * role: a canary whose verdict nobody may record is money for nothing. Throws before anything is paid for when the
 * canaries, the key or a bound is wrong, and as `mayAudit` does.
 */
export async function readAuditSettings(options: {
  env: Environment;
  mayAudit: () => Promise<boolean>;
  chain: PublicClient;
  chainId: number;
  rpcUrl: string;
  deployment: Deployment;
  gatewayUrl: string;
  readFile: (path: string) => string;
  random: (length: number) => Uint8Array;
  clock: Clock;
  log: Log;
}): Promise<AuditorOptions | undefined> {
  const { env, mayAudit, chain, chainId, rpcUrl, deployment, gatewayUrl, readFile, random, clock, log } = options;
  if (readInteger(env, "NGPU_AUDITS", { fallback: 1, minimum: 0, maximum: 1 }) === 0) return undefined;
  const isAsked = (env.NGPU_AUDITS ?? "") !== "";
  if (!isAsked && (env.NGPU_AUDIT_FOLDER ?? "") === "") return undefined;
  if (!(await mayAudit())) {
    log.warn("this account has no audit role: it posts no canaries until it is granted and the keeper started anew");
    return undefined;
  }
  const most = { minimum: 1, maximum: 1_000_000_000 };
  const canaries = canariesOf(readText(env, "NGPU_AUDIT_FOLDER"));
  const account = privateKeyToAccount(readPrivateKey(env, "NGPU_AUDIT_PAYER_KEY", { chainId, readFile }));
  const wallet = createWalletClient({ account, chain: chainOf(chainId, rpcUrl), transport: http(rpcUrl) });
  const folder = join(readText(env, "NGPU_DATA_DIR"), "audits");
  const evidenceFolder = join(folder, "evidence");
  mkdirSync(evidenceFolder, { recursive: true, mode: 0o700 });
  return {
    ...{ chain, chainId, deployment, canaries, clock, log },
    rules: {
      perDay: readInteger(env, "NGPU_AUDITS_PER_DAY", { ...most, fallback: 24, maximum: 1_000 }),
      budgetUsd6: BigInt(readInteger(env, "NGPU_AUDIT_USD6_PER_DAY", { ...most, fallback: 50_000_000 })),
      mostUses: readInteger(env, "NGPU_AUDIT_USES", { ...most, fallback: 3 }),
      drillPercent: readInteger(env, "NGPU_AUDIT_DRILL_PERCENT", { minimum: 0, maximum: 100, fallback: 50 }),
    },
    seed: readSeed(join(folder, "seed"), random),
    memory: await openAuditLog(join(folder, "canaries.log")),
    post: createPostCanary({ chain, wallet, deployment, gatewayUrl, random }),
    publish: ({ cause, text }) => writeFile(join(evidenceFolder, `${cause}.json`), text),
  };
}

/** A set that is not there yet is still being made, and read once it is; one that is there and wrong throws here. */
function canariesOf(folder: string): () => readonly Canary[] {
  let known: readonly Canary[] | undefined;
  const read = (): readonly Canary[] => {
    if (known === undefined && hasCanaries(folder)) known = readCanaries(folder);
    return known ?? [];
  };
  read();
  return read;
}

/** Made at the first start, and kept, so that a restart plans the same day. */
function readSeed(path: string, random: (length: number) => Uint8Array): Hex {
  if (!existsSync(path)) writeFileSync(path, toHex(random(32)), { mode: 0o600 });
  const seed = readFileSync(path, "utf8").trim();
  if (!isHex(seed)) throw new NgpuError("SETTING_INVALID", { setting: path, reason: "is no seed" });
  return seed;
}
