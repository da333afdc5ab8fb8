/** Deploys NGPU to a local chain and says where everything is. On a fresh chain the addresses are always the same. */
import type hre from "hardhat";
import type { Address } from "viem";
import NgpuLocal from "./modules/NgpuLocal.ts";

export type LocalConnection = Awaited<ReturnType<(typeof hre)["network"]["create"]>>;
export type LocalContract = keyof (typeof NgpuLocal)["results"];
export type LocalAddresses = Record<LocalContract, Address>;

export async function deployLocal(connection: LocalConnection): Promise<LocalAddresses> {
  const deployed = await connection.ignition.deploy(NgpuLocal);
  const entries: [string, { readonly address: Address }][] = Object.entries(deployed);
  return Object.fromEntries(entries.map(([name, { address }]) => [name, address])) as LocalAddresses;
}
