/**
 * Deploys NGPU to the local chain at NGPU_RPC_URL, in a process of its own so that nothing else has to load Hardhat.
 * Ignition's journal goes to NGPU_DATA_DIR: a journal that outlived its chain would make Ignition believe that
 * everything is there.
 */
import { join } from "node:path";
import { deployments } from "@ngpu/protocol/generated/deployments";
import { readText } from "@ngpu/protocol/service/settings";
import { createHardhatRuntimeEnvironment } from "hardhat/hre";
import config from "../../hardhat.config.ts";
import ngpuLocal from "../../ignition/modules/NgpuLocal.ts";
import { paths } from "./paths.ts";

const dataDir = readText(process.env, "NGPU_DATA_DIR");
const hre = await createHardhatRuntimeEnvironment(
  { ...config, paths: { ...config.paths, ignition: dataDir } },
  {},
  paths.root,
);

const expected: Record<string, string | number> = deployments[31337];
const connection = await hre.network.create("localhost");
try {
  const deployed = await connection.ignition.deploy(ngpuLocal);
  const moved = Object.entries<{ address: string }>(deployed)
    .filter(([name, { address }]) => expected[name] !== address)
    .map(([name, { address }]) => `${name} is at ${address}, not at ${String(expected[name])}`);
  if (moved.length > 0) throw new Error(`run \`npm run generate\`: ${moved.join("; ")}`);
  console.log(`${Object.keys(deployed).length} contracts deployed; journal in ${join(dataDir, "deployments")}`);
} finally {
  await connection.close();
}
