/**
 * Writes contracts/facts.json: size of every deployed contract in bytes and the storage layout of each, as compiled.
 * `--check` says what differs from the committed file instead: a changed layout or a grown contract is seen in review,
 * never by accident. A contract beyond EIP-170's limit fails either way.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { paths } from "../stack/paths.ts";
import { startBuilds } from "../stack/prepare.ts";
import { createProgress } from "../stack/progress.ts";

interface StorageType {
  readonly label: string;
  readonly numberOfBytes: string;
  readonly members?: readonly StorageEntry[];
  readonly value?: string;
}

interface StorageEntry {
  readonly label: string;
  readonly offset: number;
  readonly slot: string;
  readonly type: string;
}

interface Artifact {
  readonly contractName: string;
  readonly sourceName: string;
  /** Its name in the compiler's input. */
  readonly inputSourceName: string;
  readonly deployedBytecode: string;
  readonly buildInfoId: string;
}

interface BuildOutput {
  readonly output: {
    readonly contracts: Record<
      string,
      Record<string, { storageLayout: { storage: StorageEntry[]; types: Record<string, StorageType> | null } }>
    >;
  };
}

interface Facts {
  sizeBytes: number;
  storage: string[];
}

/** EIP-170. */
const SIZE_LIMIT_BYTES = 24_576;
/** What is left of a library whose functions are all internal. */
const EMPTY_LIBRARY_BYTES = 100;
const file = join(paths.root, "contracts/facts.json");
/** Not deployed anywhere but in tests. */
const ignored = /^contracts\/(mocks|test|proofs|interfaces)\//;

await startBuilds({ dapp: false, subgraph: false, everyContract: true, progress: createProgress() }).contracts;
const facts = readFacts();
const text = `${JSON.stringify(facts, null, 2)}\n`;
const tooLarge = Object.entries(facts).filter(([, { sizeBytes }]) => sizeBytes > SIZE_LIMIT_BYTES);
for (const [name, { sizeBytes }] of tooLarge) {
  process.stderr.write(`${name} has ${sizeBytes} bytes; a chain takes ${SIZE_LIMIT_BYTES}.\n`);
}
if (!process.argv.includes("--check")) writeFileSync(file, text);
else if (readFileSync(file, "utf8") !== text) tellDifferences(JSON.parse(readFileSync(file, "utf8")) as typeof facts);
if (tooLarge.length > 0) process.exitCode = 1;

function readFacts(): Record<string, Facts> {
  const builds = new Map<string, BuildOutput>();
  const buildOf = (id: string): BuildOutput => {
    const known = builds.get(id) ?? read<BuildOutput>(`artifacts/build-info/${id}.output.json`);
    builds.set(id, known);
    return known;
  };
  const found = globSync("artifacts/contracts/**/*.json", { cwd: paths.root }).flatMap((path): [string, Facts][] => {
    const { contractName, sourceName, inputSourceName, deployedBytecode, buildInfoId } = read<Artifact>(path);
    const sizeBytes = (deployedBytecode.length - 2) / 2;
    if (ignored.test(sourceName) || sizeBytes <= EMPTY_LIBRARY_BYTES) return [];
    // Former compilations leave their output behind; an artifact names the one that it is of.
    const compiled = buildOf(buildInfoId).output.contracts[inputSourceName]?.[contractName];
    if (compiled === undefined) throw new Error(`${contractName} is not in its own build`);
    const { storage, types } = compiled.storageLayout;
    return [[contractName, { sizeBytes, storage: storage.flatMap((entry) => lines(entry, types ?? {})) }]];
  });
  return Object.fromEntries(found.sort(([a], [b]) => a.localeCompare(b)));
}

function read<T>(path: string): T {
  return JSON.parse(readFileSync(join(paths.root, path), "utf8")) as T;
}

/** `slot+offset type name`, and below it the members of the structs that it holds. */
function lines({ label, offset, slot, type }: StorageEntry, types: Record<string, StorageType>): string[] {
  const known = types[type];
  const members = structOf(type, types)?.members ?? [];
  return [
    `${slot}+${offset} ${known?.label ?? type} ${label}`,
    ...members.map((member) => `  ${member.slot}+${member.offset} ${types[member.type]?.label ?? member.type} ${member.label}`),
  ];
}

function structOf(type: string, types: Record<string, StorageType>): StorageType | undefined {
  const known = types[type];
  if (known === undefined || known.members !== undefined) return known;
  return known.value === undefined ? undefined : structOf(known.value, types);
}

function tellDifferences(committed: Record<string, Facts>): void {
  for (const name of new Set([...Object.keys(committed), ...Object.keys(facts)])) {
    const [before, now] = [JSON.stringify(committed[name]), JSON.stringify(facts[name])];
    if (before !== now) process.stderr.write(`${name}: committed ${before ?? "nothing"}, compiled ${now ?? "nothing"}\n`);
  }
  process.stderr.write("Run `npm run generate` and review contracts/facts.json.\n");
  process.exitCode = 1;
}
