/**
 * Hardhat 3: compiles with the npm package `solc` (no download), serves the local chain and runs the contract tests.
 */
import { createRequire } from "node:module";
import hardhatIgnitionViem from "@nomicfoundation/hardhat-ignition-viem";
import hardhatNetworkHelpers from "@nomicfoundation/hardhat-network-helpers";
import hardhatNodeTestRunner from "@nomicfoundation/hardhat-node-test-runner";
import hardhatViem from "@nomicfoundation/hardhat-viem";
import { defineConfig } from "hardhat/config";

const require = createRequire(import.meta.url);

const compiler = {
  version: "0.8.37",
  path: require.resolve("solc/soljson.js"),
  // One compilation for tests, benchmarks and deployment: the bytes that were measured are the bytes that are deployed.
  isolated: false,
  settings: { optimizer: { enabled: true, runs: 1000 }, viaIR: true },
};

export default defineConfig({
  plugins: [hardhatViem, hardhatIgnitionViem, hardhatNodeTestRunner, hardhatNetworkHelpers],
  paths: { sources: "./contracts", tests: { nodejs: "./test/contracts", solidity: "./test/solidity" } },
  solidity: {
    profiles: { default: compiler, production: compiler },
    npmFilesToBuild: ["@openzeppelin/contracts/access/manager/AccessManager.sol"],
  },
  // Every invariant is a campaign of runs × depth calls. `--test-profile nightly` makes a thousand calls of each one.
  test: {
    solidity: {
      profiles: {
        default: { fuzz: { runs: 1_000 }, invariant: { runs: 32, depth: 128, failOnRevert: true } },
        nightly: { fuzz: { runs: 20_000 }, invariant: { runs: 1_200, depth: 128, failOnRevert: true } },
      },
    },
  },
  networks: {
    default: { type: "edr-simulated", chainType: "l1", chainId: 31337 },
    // Served by `hardhat node --hostname 127.0.0.1 --port N`: one block a second, so that block time moves while
    // nobody sends.
    node: { type: "edr-simulated", chainType: "l1", chainId: 31337, mining: { auto: true, interval: 1000 } },
    localhost: { type: "http", chainType: "l1", url: process.env.NGPU_RPC_URL ?? "http://127.0.0.1:8545" },
  },
  ignition: { requiredConfirmations: 1, blockPollingInterval: 100 },
});
