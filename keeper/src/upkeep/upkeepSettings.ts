/** What a keeper is told about upkeep, from the environment: each concern can be turned off on its own. */
import { readInteger, readSwitch, type Environment } from "@ngpu/protocol/service/settings";
import type { UpkeepSettings } from "./upkeep.ts";

/** Sixty cents at 0.04 gwei and 3,000 dollars for the chain's coin. */
const defaultGasPerHour = 5_000_000;
const defaultSilentS = 600;
/** A hundred of the smallest bonds; those of silent nodes come back. */
const defaultWeiPerDay = 10n ** 16n;

export function readUpkeepSettings(env: Environment): UpkeepSettings {
  return {
    epochs: {
      phases: readSwitch(env, "NGPU_KEEP_EPOCHS", true),
      weights: readSwitch(env, "NGPU_KEEP_WEIGHTS", true),
      rate: readSwitch(env, "NGPU_KEEP_RATE", true),
    },
    faults: {
      relay: readSwitch(env, "NGPU_KEEP_RELAY", true),
      close: readSwitch(env, "NGPU_KEEP_CLOSE", true),
      slashes: readSwitch(env, "NGPU_KEEP_SLASHES", true),
      missed: readSwitch(env, "NGPU_KEEP_MISSED", true),
      credits: readSwitch(env, "NGPU_KEEP_CREDITS", true),
      challenge: readSwitch(env, "NGPU_CHALLENGE_SILENT", false) ? readChallenge(env) : undefined,
    },
    gasPerHour: BigInt(
      readInteger(env, "NGPU_KEEP_GAS_PER_HOUR", { fallback: defaultGasPerHour, minimum: 0, maximum: 10 ** 12 }),
    ),
  };
}

function readChallenge(env: Environment): NonNullable<UpkeepSettings["faults"]["challenge"]> {
  const bounds = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
  return {
    silentForS: readInteger(env, "NGPU_CHALLENGE_SILENT_S", { ...bounds, fallback: defaultSilentS, minimum: 10 }),
    mostWeiPerDay:
      10n ** 9n *
      BigInt(readInteger(env, "NGPU_CHALLENGE_GWEI_PER_DAY", { ...bounds, fallback: Number(defaultWeiPerDay / 10n ** 9n) })),
  };
}
