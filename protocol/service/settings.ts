/** Settings from the environment: each has a name, a meaning and a default; a bad value is refused by name before anything starts. */
import { isAddress, isHex, type Address, type Hex } from "viem";
import { NgpuError } from "../src/errors.ts";

export type Environment = Record<string, string | undefined>;

export function readText(env: Environment, name: string, fallback?: string): string {
  const value = env[name] ?? fallback;
  if (value === undefined || value === "") throw invalid(name, "is not set");
  return value;
}

export function readInteger(env: Environment, name: string, options: { fallback: number; minimum: number; maximum: number }): number {
  const raw = env[name];
  if (raw === undefined || raw === "") return options.fallback;
  const value = Number(raw);
  if (!Number.isSafeInteger(value) || value < options.minimum || value > options.maximum) {
    throw invalid(name, `must be a whole number from ${options.minimum} to ${options.maximum}`);
  }
  return value;
}

/** Seconds for which a service that was asked to stop goes on with what it has begun; 0: not at all. */
export function readDrainS(env: Environment, fallback: number): number {
  return readInteger(env, "NGPU_DRAIN_S", { fallback, minimum: 0, maximum: 3_600 });
}

export function readPort(env: Environment, name: string, fallback: number): number {
  return readInteger(env, name, { fallback, minimum: 0, maximum: 65_535 });
}

/** 1 is on, 0 is off. */
export function readSwitch(env: Environment, name: string, fallback: boolean): boolean {
  return readInteger(env, name, { fallback: Number(fallback), minimum: 0, maximum: 1 }) === 1;
}

export function readUrl(env: Environment, name: string, fallback?: string): string {
  const value = readText(env, name, fallback);
  if (!URL.canParse(value)) throw invalid(name, "is not a URL");
  return value;
}

export function readAddress(env: Environment, name: string, fallback?: Address): Address {
  const value = readText(env, name, fallback);
  if (!isAddress(value)) throw invalid(name, "is not an address");
  return value;
}

/** A private key from NAME, or from the file that NAME_FILE points at. Its value is never logged. */
export function readPrivateKey(
  env: Environment,
  name: string,
  options: { chainId: number; readFile: (path: string) => string },
): Hex {
  const file = env[`${name}_FILE`];
  const text = (file === undefined ? readText(env, name) : options.readFile(file)).trim();
  // openssl and its like write hex without the prefix.
  const value = text.startsWith("0x") ? text : `0x${text}`;
  if (!isHex(value) || value.length !== 66) throw invalid(name, "is not a 32-byte private key in hex");
  if (options.chainId !== 31_337 && knownDevelopmentKeys.has(value.toLowerCase())) throw new NgpuError("KEY_UNSAFE", { setting: name });
  return value;
}

// The first ten accounts of the mnemonic that every development chain ships; anyone can spend from them.
const knownDevelopmentKeys = new Set([
  "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
  "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
  "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a",
  "0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6",
  "0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a",
  "0x8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba",
  "0x92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e",
  "0x4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356",
  "0xdbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97",
  "0x2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6",
]);

function invalid(name: string, reason: string): NgpuError {
  return new NgpuError("SETTING_INVALID", { setting: name, reason });
}
