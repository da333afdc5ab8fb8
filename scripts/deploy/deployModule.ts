/**
 * Deploys the Ignition module `Ngpu` through a JSON-RPC with a key of its own. Its journal is below `journalFolder`:
 * the same call again goes on where an earlier one ended, whatever ended it.
 */
import { join } from "node:path";
import { chainOf } from "@ngpu/protocol/service/chain";
import { listTransactions } from "@nomicfoundation/ignition-core";
import type { ArtifactManager } from "hardhat/types/artifacts";
import { createHardhatRuntimeEnvironment } from "hardhat/hre";
import type { NetworkUserConfig } from "hardhat/types/config";
import { createPublicClient, http, type Address, type Hex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import hardhatConfig from "../../hardhat.config.ts";
import { ngpuModule } from "../../ignition/modules/Ngpu.ts";
import { paths } from "../stack/paths.ts";
import { StackError } from "../stack/stackError.ts";
import type { Configuration } from "./configuration/configuration.ts";
import { mendJournal } from "./mendJournal.ts";
import { moduleParameters } from "./moduleParameters.ts";

export type Contract = keyof ReturnType<typeof ngpuModule>["results"];
export type Addresses = Readonly<Record<Contract, Address>>;

export interface SentTransaction {
  readonly hash: Hex;
  /** The contract that it created, or the function that it called. */
  readonly name: string;
  readonly address: Address | undefined;
}

export interface Deployed {
  readonly addresses: Addresses;
  /** Every transaction of the journal, those of earlier calls included, in the order in which they were sent. */
  readonly transactions: readonly SentTransaction[];
  /** Of the contracts as they were deployed. */
  readonly artifacts: ArtifactManager;
}

export interface DeployRequest {
  readonly configuration: Configuration;
  readonly rpcUrl: string;
  readonly privateKey: Hex;
  readonly journalFolder: string;
  readonly confirmations: number;
  readonly pollMs: number;
}

/** Fees are not bumped, so no transaction is ever replaced by another one: each has one hash. */
const neverMs = 30 * 24 * 3_600_000;

/** Where Ignition keeps the journal of a chain. */
export function journalOf({ journalFolder, chainId }: { journalFolder: string; chainId: number }): string {
  return join(journalFolder, "deployments", `chain-${chainId}`);
}

export async function deployModule(request: DeployRequest): Promise<Deployed> {
  const { configuration, rpcUrl, privateKey, journalFolder, confirmations, pollMs } = request;
  const { chainId } = configuration;
  const target: NetworkUserConfig = {
    type: "http",
    chainType: "generic",
    chainId,
    url: rpcUrl,
    accounts: [privateKey],
  };
  const hre = await createHardhatRuntimeEnvironment(
    {
      ...hardhatConfig,
      paths: { ...hardhatConfig.paths, ignition: journalFolder },
      networks: { ...hardhatConfig.networks, target },
      ignition: { requiredConfirmations: confirmations, blockPollingInterval: pollMs, timeBeforeBumpingFees: neverMs },
    },
    {},
    paths.root,
  );
  const chain = createPublicClient({ chain: chainOf(chainId, rpcUrl), transport: http(rpcUrl), cacheTime: 0 });
  const journal = journalOf({ journalFolder, chainId });
  await mendJournal({ chain, journal, deployer: privateKeyToAddress(privateKey), confirmations, pollMs });
  const connection = await hre.network.create("target");
  try {
    const parameters = { Ngpu: moduleParameters(configuration) };
    const module = ngpuModule({ hasAuditor: configuration.roles.auditor !== undefined });
    const results = await connection.ignition.deploy(module, { parameters }).catch((cause: unknown) => {
      if (!(cause instanceof Error) || cause.name !== "HardhatError") throw cause;
      throw new StackError(`${cause.message}\nThe journal is in ${journal}; the same command goes on from there.`);
    });
    const contracts: [string, { readonly address: Address }][] = Object.entries(results);
    const listed = await listTransactions(journal, { loadArtifact: (name) => hre.artifacts.readArtifact(name) });
    return {
      addresses: Object.fromEntries(contracts.map(([name, { address }]) => [name, address])) as Addresses,
      transactions: listed.map(({ txHash, name, to, address }) => ({
        hash: txHash as Hex,
        name: name ?? to ?? "",
        address: address as Address | undefined,
      })),
      artifacts: hre.artifacts,
    };
  } finally {
    await connection.close();
  }
}
