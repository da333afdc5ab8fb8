/** What a keeper is told about upkeep, from the environment: each concern can be turned off on its own. */
import { readInteger, type Environment } from "@ngpu/protocol/service/settings";
import type { UpkeepSettings } from "./upkeep.ts";

/** Three dollars and a half at 0.04 gwei and 3,000 dollars for the chain's coin are 30 million gas; this is a sixth. */
const defaultGasPerHour = 5_000_000;

export function readUpkeepSettings(env: Environment): UpkeepSettings {
  return {
    epochs: {
      phases: readSwitch(env, "NGPU_KEEP_EPOCHS", true),
      weights: readSwitch(env, "NGPU_KEEP_WEIGHTS", true),
      rate: readSwitch(env, "NGPU_KEEP_RATE", true),
    },
    epochGasPerHour: BigInt(
      readInteger(env, "NGPU_EPOCH_GAS_PER_HOUR", { fallback: defaultGasPerHour, minimum: 0, maximum: 10 ** 12 }),
    ),
  };
}

function readSwitch(env: Environment, name: string, fallback: boolean): boolean {
  return readInteger(env, name, { fallback: Number(fallback), minimum: 0, maximum: 1 }) === 1;
}
