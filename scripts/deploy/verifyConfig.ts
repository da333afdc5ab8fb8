/**
 * Hardhat's settings for verifying the sources of a deployment at the block explorer that its configuration names:
 * `NGPU_DEPLOY_CONFIG=<file> hardhat --config scripts/deploy/verifyConfig.ts --network target ignition verify <id>`.
 * Needs no key of an account.
 */
import { readFileSync } from "node:fs";
import { readText } from "@ngpu/protocol/service/settings";
import { configVariable, defineConfig } from "hardhat/config";
import type { ChainDescriptorUserConfig, VerificationProvidersUserConfig } from "hardhat/types/config";
import hardhatConfig from "../../hardhat.config.ts";
import type { Configuration } from "./configuration/configuration.ts";
import { readConfiguration } from "./configuration/readConfiguration.ts";
import { absolutePaths } from "./configuration/absolutePaths.ts";

const file = readText(process.env, "NGPU_DEPLOY_CONFIG");
const { chainId, chainName, rpcUrl, journalFolder, explorer } = absolutePaths(
  readConfiguration(readFileSync(file, "utf8")),
);

export default defineConfig({
  ...hardhatConfig,
  paths: { ...hardhatConfig.paths, ignition: journalFolder },
  networks: { ...hardhatConfig.networks, target: { type: "http", chainType: "generic", chainId, url: rpcUrl } },
  chainDescriptors: { [chainId]: descriptor(explorer) },
  verify: verification(explorer),
});

function descriptor(known: Configuration["explorer"]): ChainDescriptorUserConfig {
  if (known === null) return { name: chainName };
  const { kind, url, apiUrl } = known;
  const site = { name: chainName, url, apiUrl };
  return { name: chainName, blockExplorers: kind === "etherscan" ? { etherscan: site } : { blockscout: site } };
}

function verification(known: Configuration["explorer"]): VerificationProvidersUserConfig {
  const variable = known?.apiKeyEnvironmentVariable;
  const key = variable === undefined ? {} : { apiKey: configVariable(variable) };
  const isEtherscan = known?.kind === "etherscan";
  return {
    blockscout: { enabled: known?.kind === "blockscout", ...(isEtherscan ? {} : key) },
    etherscan: isEtherscan && variable !== undefined ? { apiKey: configVariable(variable) } : { enabled: false },
    sourcify: { enabled: false },
  };
}
