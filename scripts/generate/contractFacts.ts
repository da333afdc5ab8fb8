/**
 * Writes contracts/facts.json: size of every deployed contract in bytes and the storage layout of each, as compiled.
 * `--check` says what differs from the committed file instead: a changed layout or a grown contract is seen in review,
 * never by accident. A contract beyond EIP-170's limit fails either way.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
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

interface BuildOutput {
  readonly output: {
    readonly contracts: Record<
      string,
      Record<
        string,
        {
          evm: { deployedBytecode: { object: string } };
          storageLayout: { storage: StorageEntry[]; types: Record<string, StorageType> | null };
        }
      >
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

await startBuilds({ dapp: false, subgraph: false, progress: createProgress() }).contracts;
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
  const folder = join(paths.root, "artifacts/build-info");
  const found = new Map<string, Facts>();
  for (const name of readdirSync(folder).filter((entry) => entry.endsWith(".output.json"))) {
    const { output } = JSON.parse(readFileSync(join(folder, name), "utf8")) as BuildOutput;
    for (const [source, contracts] of Object.entries(output.contracts)) {
      const path = source.replace(/^project\//, "");
      if (!path.startsWith("contracts/") || ignored.test(path)) continue;
      for (const [contract, { evm, storageLayout }] of Object.entries(contracts)) {
        const sizeBytes = evm.deployedBytecode.object.length / 2;
        const { storage, types } = storageLayout;
        if (sizeBytes > EMPTY_LIBRARY_BYTES) found.set(contract, { sizeBytes, storage: storage.flatMap((entry) => lines(entry, types ?? {})) });
      }
    }
  }
  return Object.fromEntries([...found].sort(([a], [b]) => a.localeCompare(b)));
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
