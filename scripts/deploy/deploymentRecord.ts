/**
 * What is kept of a deployment on a public chain, in <recordFolder>/<chainId>.json: `npm run generate` makes it known
 * to every part of NGPU. The hash names the parameters, so that anyone can see whether a configuration is this one.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { canonicalJson } from "@ngpu/protocol/canonicalJson";
import { getAddress, keccak256, toHex, type Address, type Hex } from "viem";
import { paths } from "../stack/paths.ts";
import type { Subject } from "./checklist/subject.ts";
import type { Configuration } from "./configuration/configuration.ts";
import type { Addresses } from "./deployModule.ts";
import { moduleParameters } from "./moduleParameters.ts";

export interface DeploymentRecord {
  readonly chainId: number;
  readonly chainName: string;
  /** The first block with a transaction of it. */
  readonly block: number;
  readonly deployer: Address;
  readonly configurationHash: Hex;
  /** Of the sources that were compiled. */
  readonly gitCommit: string;
  readonly hasLocalChanges: boolean;
  readonly addresses: Addresses;
  readonly external: {
    readonly paymentToken: Address;
    readonly stakeToken: Address;
    readonly priceFeed: Address;
    readonly sequencerFeed: Address | null;
    readonly vrfCoordinator: Address;
  };
}

/** Of what is deployed, whatever the RPC, the key or the folders are. */
export function configurationHash(configuration: Configuration): Hex {
  const parameters = Object.entries(moduleParameters(configuration)).map(([name, value]) => [name, String(value)]);
  const { chainId } = configuration;
  return keccak256(toHex(canonicalJson({ chainId, parameters: Object.fromEntries(parameters) })));
}

export function recordFile({ recordFolder, chainId }: { recordFolder: string; chainId: number }): string {
  return join(recordFolder, `${chainId}.json`);
}

export function readDeploymentRecord(file: string): DeploymentRecord {
  return JSON.parse(readFileSync(file, "utf8")) as DeploymentRecord;
}

export function recordOf({ configuration, addresses, receipts }: Subject): DeploymentRecord {
  const { chainId, chainName, external } = configuration;
  const { priceFeedDecimals: _, ...contracts } = external;
  const [first] = receipts;
  if (first === undefined) throw new Error("a deployment without a transaction");
  return {
    chainId,
    chainName,
    block: receipts.reduce((least, { blockNumber }) => Math.min(least, Number(blockNumber)), Number(first.blockNumber)),
    deployer: getAddress(first.from),
    configurationHash: configurationHash(configuration),
    gitCommit: git("rev-parse", "HEAD") || "unknown",
    hasLocalChanges: git("status", "--porcelain") !== "",
    addresses,
    external: contracts,
  };
}

export function writeDeploymentRecord(file: string, record: DeploymentRecord): void {
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, `${JSON.stringify(record, null, 2)}\n`);
}

function git(...args: string[]): string {
  const { stdout } = spawnSync("git", args, { cwd: paths.root, encoding: "utf8" });
  return (stdout ?? "").trim();
}
