/**
 * What a deployment module gives to the constructors: every number by `Contract.argument` or, inside a struct,
 * `Contract.argument.field`; node classes as `class.<id>.<field>`; module parameters as `parameter.<name>`. Found by
 * building the Ignition module itself, so a default counts as it will be deployed.
 */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The parts of Ignition's futures and runtime values that are read here. */
interface Future {
  readonly type: string;
  readonly contractName?: string;
  readonly functionName?: string;
  readonly constructorArgs?: readonly unknown[];
  readonly args?: readonly unknown[];
}

export async function deployedValues(root: string, moduleName: string): Promise<Map<string, bigint>> {
  const file = join(root, "ignition/modules", `${moduleName}.ts`);
  const values = new Map<string, bigint>();
  if (!existsSync(file)) return values;
  const loaded = (await import(pathToFileURL(file).href)) as { default: { futures: Iterable<Future> } };
  for (const { contractName, constructorArgs, functionName, args } of loaded.default.futures) {
    if (contractName !== undefined && constructorArgs !== undefined) {
      const names = constructorNames(root, contractName);
      constructorArgs.forEach((value, index) => collect(values, `${contractName}.${names[index] ?? index}`, value));
    }
    if (functionName === "setNodeClass" && args !== undefined) collect(values, `class.${Number(args[0])}`, args[2]);
  }
  return values;
}

function collect(values: Map<string, bigint>, name: string, value: unknown): void {
  if (typeof value === "bigint" || typeof value === "number") values.set(name, BigInt(value));
  else if (typeof value === "boolean") values.set(name, value ? 1n : 0n);
  else if (typeof value === "string" && /^0x[0-9a-f]+$/i.test(value)) values.set(name, BigInt(value));
  else if (isParameter(value)) {
    // A parameter without a default must be given, so it is not zero.
    const given = value.defaultValue ?? 1n;
    collect(values, name, given);
    collect(values, `parameter.${value.name}`, given);
  } else if (isFuture(value)) values.set(name, 1n);
  else if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    for (const [field, inner] of Object.entries(value)) collect(values, `${name}.${field}`, inner);
  }
}

function isParameter(value: unknown): value is { name: string; defaultValue?: unknown } {
  return typeof value === "object" && value !== null && (value as { type?: unknown }).type === "MODULE_PARAMETER";
}

/** Another contract of the deployment: its address is not zero. */
function isFuture(value: unknown): boolean {
  return typeof value === "object" && value !== null && "dependencies" in value && "module" in value;
}

/** Names of a constructor's parameters, from the source, as Ignition knows arguments by place only. */
function constructorNames(root: string, contract: string): string[] {
  const [file] = globSync(`contracts/**/${contract}.sol`, { cwd: root });
  if (file === undefined) return [];
  const [, list = ""] = /constructor\(([^)]*)\)/.exec(readFileSync(join(root, file), "utf8")) ?? [];
  return list.split(",").map((parameter) => parameter.trim().split(/\s+/).at(-1) ?? "");
}
