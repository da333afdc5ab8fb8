/**
 * Deploys the Ignition module `Ngpu` through a JSON-RPC with a key of its own. Its journal is below `journalFolder`:
 * the same call again goes on where an earlier one ended, whatever ended it.
 */
import { join } from "node:path";
import { HardhatError } from "@nomicfoundation/hardhat-errors";
import { listTransactions } from "@nomicfoundation/ignition-core";
import { createHardhatRuntimeEnvironment } from "hardhat/hre";
import type { NetworkUserConfig } from "hardhat/types/config";
import type { Address, Hex } from "viem";
import hardhatConfig from "../../hardhat.config.ts";
import ngpu from "../../ignition/modules/Ngpu.ts";
import { paths } from "../stack/paths.ts";
import { StackError } from "../stack/stackError.ts";
import type { Configuration } from "./configuration/configuration.ts";
import { moduleParameters } from "./moduleParameters.ts";

export type Contract = keyof (typeof ngpu)["results"];
export type Addresses = Readonly<Record<Contract, Address>>;

export interface Deployed {
  readonly addresses: Addresses;
  /** Every transaction of the journal, those of earlier calls included, in the order in which they were sent. */
  readonly transactions: readonly { readonly hash: Hex; readonly name: string; readonly address: Address | undefined }[];
}

export interface DeployRequest {
  readonly configuration: Configuration;
  readonly rpcUrl: string;
  readonly privateKey: Hex;
  readonly journalFolder: string;
  readonly confirmations: number;
  readonly pollMs: number;
}

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
      ignition: { requiredConfirmations: confirmations, blockPollingInterval: pollMs },
    },
    {},
    paths.root,
  );
  const connection = await hre.network.create("target");
  try {
    const parameters = { Ngpu: moduleParameters(configuration) };
    const results = await connection.ignition.deploy(ngpu, { parameters }).catch((cause: unknown) => {
      if (!HardhatError.isHardhatError(cause)) throw cause;
      const journal = journalOf({ journalFolder, chainId });
      throw new StackError(`${cause.message}\nThe journal is in ${journal}; the same command goes on from there.`);
    });
    const contracts: [string, { readonly address: Address }][] = Object.entries(results);
    const resolver = {
      loadArtifact: (name: string) => hre.artifacts.readArtifact(name),
    } as unknown as Parameters<typeof listTransactions>[1];
    const listed = await listTransactions(journalOf({ journalFolder, chainId }), resolver);
    return {
      addresses: Object.fromEntries(contracts.map(([name, { address }]) => [name, address])) as Addresses,
      transactions: listed.map(({ txHash, name, to, address }) => ({
        hash: txHash as Hex,
        name: name ?? to ?? "",
        address: address as Address | undefined,
      })),
    };
  } finally {
    await connection.close();
  }
}
