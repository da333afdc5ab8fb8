/** The text of protocol/src/generated/deployments.ts: where the contracts are, by chain. */
import type { Address } from "viem";

export interface ChainDeployment {
  readonly chainId: number;
  readonly addresses: Readonly<Record<string, Address>>;
  /** The first block with a contract of it. */
  readonly deploymentBlock: number;
}

export function deploymentsText(header: string, chains: readonly ChainDeployment[]): string {
  const twice = chains.find(({ chainId }, index) => chains.findIndex((other) => other.chainId === chainId) !== index);
  if (twice !== undefined) throw new Error(`chain ${twice.chainId} is recorded twice`);
  const entries = [...chains].sort((a, b) => a.chainId - b.chainId).flatMap(entryOf);
  return [header, "export const deployments = {", ...entries, "} as const;", ""].join("\n");
}

function entryOf({ chainId, addresses, deploymentBlock }: ChainDeployment): string[] {
  const lines = Object.entries(addresses)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, address]) => `    ${name}: "${address}",`);
  const about = "    /** No event of these contracts is in an earlier block. */";
  return [`  ${chainId}: {`, ...lines, about, `    deploymentBlock: ${deploymentBlock},`, "  },"];
}
