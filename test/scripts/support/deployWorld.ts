/**
 * What a deployment by configuration is tried against: a configuration in a folder of its own, the command as a person
 * runs it, and a chain on loopback that has the chain id and the external contracts of that configuration.
 */
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEther, type Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from "viem/accounts";
import { readConfiguration } from "../../../scripts/deploy/configuration/readConfiguration.ts";
import type { Configuration } from "../../../scripts/deploy/configuration/configuration.ts";
import { startLocalChain, type LocalChain } from "../../../scripts/deploy/dryRun/localChain.ts";
import { plantStandIns } from "../../../scripts/deploy/dryRun/standIns.ts";
import { until } from "../../harness/until.ts";

/** Of the development mnemonic's first account, which everybody knows. */
export const developmentKey = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

const root = join(import.meta.dirname, "../../..");
const program = join(root, "scripts/targets/deploy.ts");
const exampleFile = join(root, "ignition/parameters/publicTestnet.example.json");

/** Sections of a configuration as JSON, to be changed. */
export type Draft = Record<string, unknown> & Record<"external" | "roles", Record<string, unknown>>;

export async function draftOf(change: (draft: Draft) => void = () => undefined): Promise<string> {
  const draft = JSON.parse(await readFile(exampleFile, "utf8")) as Draft;
  change(draft);
  return JSON.stringify(draft);
}

export interface Outcome {
  readonly code: number | null;
  readonly said: string;
  readonly printed: string;
}

export interface DeployWorld {
  readonly configuration: Configuration;
  readonly deployer: PrivateKeyAccount;
  /** Runs the command; it is ended with SIGKILL as soon as `killWhen` holds. */
  run(args: readonly string[], options?: { key?: Hex; killWhen?: () => Promise<boolean> }): Promise<Outcome>;
  close(): Promise<void>;
}

export async function createDeployWorld(): Promise<DeployWorld> {
  const folder = await mkdtemp(join(tmpdir(), "ngpu-deploy-test-"));
  const file = join(folder, "configuration.json");
  const text = await draftOf((draft) => {
    Object.assign(draft, {
      confirmations: 1,
      pollIntervalMs: 20,
      journalFolder: join(folder, "journal"),
      recordFolder: join(folder, "deployments"),
      // Nobody listens there.
      rpcUrl: "http://127.0.0.1:9",
    });
  });
  await writeFile(file, text);
  const key = generatePrivateKey();

  return {
    configuration: readConfiguration(text),
    deployer: privateKeyToAccount(key),
    async run(args, options = {}) {
      const env = { ...process.env, NGPU_DEPLOYER_KEY: options.key ?? key };
      const child = spawn(process.execPath, [program, "--config", file, ...args], { cwd: root, env });
      let [said, printed] = ["", ""];
      child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
      child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
      let closed = false;
      const end = new Promise<number | null>((resolve) =>
        child.once("close", (code) => {
          closed = true;
          resolve(code);
        }),
      );
      const { killWhen } = options;
      if (killWhen !== undefined) {
        try {
          await until("the moment to kill it", async () => closed || (await killWhen()), 180_000);
        } finally {
          child.kill("SIGKILL");
        }
      }
      return { code: await end, said, printed };
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

/** A deployment's world and the chain that its configuration expects, with coins for its deployer. */
export interface DeployScene {
  readonly world: DeployWorld;
  readonly chain: LocalChain;
  /** Transactions that the deployer has sent. */
  sent(): Promise<number>;
  close(): Promise<void>;
}

export async function createDeployScene(): Promise<DeployScene> {
  const world = await createDeployWorld();
  const chain = await startLocalChain({ chainId: world.configuration.chainId });
  const { address } = world.deployer;
  await plantStandIns(chain, world.configuration);
  await chain.control.setBalance({ address, value: parseEther("10") });
  return {
    world,
    chain,
    sent: () => chain.client.getTransactionCount({ address }),
    async close() {
      await chain.close();
      await world.close();
    },
  };
}
