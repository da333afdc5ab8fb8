/** The command that verifies every source of a deployment, for a person to run; nothing here asks the explorer. */
import type { Configuration } from "./configuration/configuration.ts";

export function verifyCommand(configuration: Configuration, file: string): string {
  const { chainId, explorer } = configuration;
  if (explorer === null) return "No explorer is configured, so there are no sources to verify.";
  const { kind, url, apiKeyEnvironmentVariable } = explorer;
  const key = apiKeyEnvironmentVariable === undefined ? "" : `, with its key in ${apiKeyEnvironmentVariable}`;
  const hardhat = "npx hardhat --config scripts/deploy/verifyConfig.ts --network target";
  return (
    `To verify the sources at ${url} (${kind}${key}):\n` +
    `  NGPU_DEPLOY_CONFIG=${file} ${hardhat} ignition verify chain-${chainId}`
  );
}
