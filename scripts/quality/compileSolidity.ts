/**
 * Compiles sources of this repository in this process, with the settings that deployments use; any source may be
 * replaced by other text. The one place outside Hardhat that talks to solc.
 */
import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { paths } from "../stack/paths.ts";

const require = createRequire(import.meta.url);

interface Solc {
  compile(input: string, callbacks: { import: (path: string) => ImportAnswer; smtSolver?: unknown }): string;
}

type ImportAnswer = { contents: string } | { error: string };

export interface CompileRequest {
  /** Text that stands in for a source, by its path from the root. */
  readonly overrides?: ReadonlyMap<string, string>;
  /** Sources to read; everything they import comes along. */
  readonly sources: readonly string[];
  /** As in solc's standard JSON. */
  readonly outputSelection: Record<string, Record<string, readonly string[]>>;
  readonly settings?: Record<string, unknown>;
  readonly smtSolver?: unknown;
}

export interface CompileResult {
  readonly errors?: readonly { severity: string; formattedMessage: string; errorCode?: string; message: string }[];
  readonly sources: Record<string, { ast: AstNode }>;
  readonly contracts?: Record<string, Record<string, CompiledContract>>;
}

export interface AstNode {
  readonly nodeType: string;
  /** `start:length:file` in bytes of UTF-8. */
  readonly src: string;
  readonly [field: string]: unknown;
}

export interface CompiledContract {
  readonly abi: readonly unknown[];
  readonly evm: {
    readonly bytecode: { object: string; linkReferences: object };
    readonly deployedBytecode: { object: string; linkReferences: object; immutableReferences: object };
  };
  readonly storageLayout?: unknown;
}

/** What hardhat.config.ts compiles with. */
export const deploymentSettings = { optimizer: { enabled: true, runs: 1000 }, viaIR: true } as const;

export function allContracts(): string[] {
  return globSync("contracts/**/*.sol", { cwd: paths.root }).sort();
}

export function compileSolidity(request: CompileRequest): CompileResult {
  const { overrides = new Map<string, string>(), sources, outputSelection } = request;
  const solc = require("solc") as Solc;
  const textOf = (path: string): string => overrides.get(path) ?? readFileSync(fileOf(path), "utf8");
  const input = {
    language: "Solidity",
    sources: Object.fromEntries(sources.map((path) => [path, { content: textOf(path) }])),
    settings: { ...deploymentSettings, ...request.settings, outputSelection },
  };
  const callbacks = {
    import: (path: string): ImportAnswer => {
      try {
        return { contents: textOf(path) };
      } catch (error) {
        return { error: error instanceof Error ? error.message : String(error) };
      }
    },
    ...(request.smtSolver === undefined ? {} : { smtSolver: request.smtSolver }),
  };
  return JSON.parse(solc.compile(JSON.stringify(input), callbacks)) as CompileResult;
}

function fileOf(path: string): string {
  return path.startsWith("@") ? join(paths.root, "node_modules", path) : join(paths.root, path);
}
