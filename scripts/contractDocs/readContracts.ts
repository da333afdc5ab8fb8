/** What the compiler says about every deployed contract: its members and their NatSpec. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compileSolidity, type AstNode } from "../quality/compileSolidity.ts";
import { parseNatSpec, type NatSpec } from "./natSpec.ts";

export interface Member {
  readonly kind: "state" | "fixed" | "act" | "view" | "event" | "error";
  /** As in Solidity, without modifiers. */
  readonly signature: string;
  readonly doc: NatSpec;
}

export interface ContractDoc {
  readonly name: string;
  readonly file: string;
  readonly purpose: readonly string[];
  readonly members: readonly Member[];
}

/** The parts of solc's syntax tree that are read. */
interface Node extends AstNode {
  readonly id: number;
  readonly name: string;
  readonly nodes?: readonly Node[];
  readonly documentation?: { readonly text: string };
  readonly abstract?: boolean;
  readonly contractKind?: string;
  readonly linearizedBaseContracts?: readonly number[];
  readonly visibility?: string;
  readonly stateMutability?: string;
  readonly kind?: string;
  readonly constant?: boolean;
  readonly mutability?: string;
  readonly functionSelector?: string;
  readonly parameters?: { readonly parameters: readonly Node[] };
  readonly typeDescriptions?: { readonly typeString: string };
}

const deployed = /^contracts\/(?!mocks\/|interfaces\/|libraries\/|types\/|local\/|proofs\/|test\/)/;

export function readContracts(root: string): ContractDoc[] {
  const files = globSync("contracts/**/*.sol", { cwd: root })
    .filter((file) => !/^contracts\/(mocks|proofs|test)\//.test(file))
    .sort();
  const { sources, errors } = compileSolidity({
    sources: files,
    overrides: new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")])),
    outputSelection: { "*": { "": ["ast"] } },
    // Chainlink's interfaces name the version of the package that they were written for.
    settings: { remappings: ["@openzeppelin/contracts@5.0.2/=@openzeppelin/contracts/"] },
  });
  const [error] = errors?.filter(({ severity }) => severity === "error") ?? [];
  if (error !== undefined) throw new Error(error.formattedMessage);

  const byId = new Map<number, { file: string; node: Node }>();
  for (const [file, { ast }] of Object.entries(sources)) {
    for (const node of (ast as Node).nodes ?? []) {
      if (node.nodeType === "ContractDefinition") byId.set(node.id, { file, node });
    }
  }
  return [...byId.values()]
    .filter(({ file, node }) => deployed.test(file) && node.contractKind === "contract" && node.abstract !== true)
    .map(({ file, node }) => documentOf(file, node, byId))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function documentOf(
  file: string,
  contract: Node,
  byId: ReadonlyMap<number, { file: string; node: Node }>,
): ContractDoc {
  const bases = (contract.linearizedBaseContracts ?? [])
    .flatMap((id) => byId.get(id) ?? [])
    .filter((base) => base.file.startsWith("contracts/"))
    .map((base) => base.node);
  const purpose = bases
    .filter((base) => base === contract || base.contractKind === "interface")
    .map((base) => parseNatSpec(base.documentation?.text).purpose)
    .filter((text) => text !== "");
  const nodes = bases.flatMap((base) => base.nodes ?? []);
  const members = new Map<string, Member>();
  for (const node of nodes) {
    const kind = kindOf(node);
    if (kind === undefined) continue;
    // The most derived declaration comes first and counts; a public variable stands for the function of its name.
    const key = node.functionSelector ?? `${kind} ${signatureOf(node)}`;
    if (!members.has(key)) members.set(key, { kind, ...described(node, nodes) });
  }
  return {
    name: contract.name,
    file,
    purpose,
    members: [...members.values()],
  };
}

function kindOf(node: Node): Member["kind"] | undefined {
  switch (node.nodeType) {
    case "EventDefinition":
      return "event";
    case "ErrorDefinition":
      return "error";
    case "VariableDeclaration":
      if (node.constant !== true && node.mutability !== "immutable") return "state";
      return node.visibility === "public" ? "fixed" : undefined;
    case "FunctionDefinition": {
      if (node.kind !== "function" || !["external", "public"].includes(node.visibility ?? "")) return undefined;
      return ["view", "pure"].includes(node.stateMutability ?? "") ? "view" : "act";
    }
    default:
      return undefined;
  }
}

function signatureOf(node: Node): string {
  if (node.nodeType === "VariableDeclaration") return `${typeOf(node)} ${node.name}`;
  const parameters = node.parameters?.parameters ?? [];
  return `${node.name}(${parameters.map((parameter) => `${typeOf(parameter)} ${parameter.name}`.trim()).join(", ")})`;
}

function typeOf(node: Node): string {
  return (node.typeDescriptions?.typeString ?? "").replace(/\b(struct|enum|contract) (\w+\.)?/g, "");
}

/** Its own words and names, or those of the declaration it inherits them from. */
function described(node: Node, nodes: readonly Node[]): Pick<Member, "signature" | "doc"> {
  const own = parseNatSpec(node.documentation?.text);
  const source = own.inherits === undefined ? undefined : nodes.find((other) => isSource(other, node));
  if (source === undefined) return { signature: signatureOf(node), doc: own };
  const inherited = parseNatSpec(source.documentation?.text);
  return {
    signature: signatureOf(node.nodeType === "FunctionDefinition" ? source : node),
    doc: { ...inherited, purpose: [inherited.purpose, own.purpose].filter((text) => text !== "").join(" ") },
  };
}

function isSource(other: Node, node: Node): boolean {
  return (
    other !== node &&
    other.documentation !== undefined &&
    other.functionSelector === node.functionSelector &&
    parseNatSpec(other.documentation.text).inherits === undefined
  );
}
