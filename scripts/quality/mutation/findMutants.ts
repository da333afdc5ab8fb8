/**
 * Every mutant of one source: one small change each, found in solc's own syntax tree so that no comment, string or
 * type is ever touched. The operators are the usual ones: relation, arithmetic, logic, condition, assignment,
 * literal, deleted statement.
 */
import type { AstNode } from "../compileSolidity.ts";

export interface Mutant {
  /** `path:line operator n`, the same in every run as long as the line stays. */
  readonly id: string;
  readonly source: string;
  readonly line: number;
  readonly operator: string;
  readonly before: string;
  readonly after: string;
  /** Byte offsets in the source. */
  readonly start: number;
  readonly length: number;
}

type Change = Pick<Mutant, "operator" | "after" | "start" | "length">;

const swaps: Readonly<Record<string, readonly string[]>> = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "==": ["!="],
  "!=": ["=="],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
  "&&": ["||"],
  "||": ["&&"],
  "&": ["|"],
  "|": ["&"],
  "<<": [">>"],
  ">>": ["<<"],
};

export function findMutants(source: string, text: string, ast: AstNode): Mutant[] {
  const bytes = Buffer.from(text, "utf8");
  const changes: Change[] = [];
  walk(ast, (node, parent) => changes.push(...changesOf(node, parent, bytes)));
  const counts = new Map<string, number>();
  return changes
    .sort((a, b) => a.start - b.start)
    .map((change) => {
      const line = lineOf(bytes, change.start);
      const key = `${source}:${line} ${change.operator}`;
      const n = (counts.get(key) ?? 0) + 1;
      counts.set(key, n);
      const before = slice(bytes, change.start, change.length);
      return { ...change, id: `${key} ${n}`, source, line, before };
    });
}

export function applyMutant(text: string, { start, length, after }: Mutant): string {
  const bytes = Buffer.from(text, "utf8");
  return Buffer.concat([bytes.subarray(0, start), Buffer.from(after), bytes.subarray(start + length)]).toString("utf8");
}

function changesOf(node: AstNode, parent: AstNode | undefined, bytes: Buffer): Change[] {
  switch (node.nodeType) {
    case "BinaryOperation":
      return swapOperator(node, bytes);
    case "Assignment":
      return swapAssignment(node, bytes);
    case "IfStatement":
      return fixCondition(node.condition as AstNode);
    case "ExpressionStatement":
    case "EmitStatement":
      return [deletion(node, bytes)];
    case "RevertStatement":
      return parent?.nodeType === "IfStatement" ? [] : [deletion(node, bytes)];
    case "Literal":
      return changeLiteral(node, bytes);
    default:
      return [];
  }
}

function swapOperator(node: AstNode, bytes: Buffer): Change[] {
  const operator = node.operator as string;
  const left = rangeOf(node.leftExpression as AstNode);
  const right = rangeOf(node.rightExpression as AstNode);
  const from = left.start + left.length;
  const at = bytes.indexOf(operator, from);
  if (at < 0 || at >= right.start) return [];
  return (swaps[operator] ?? []).map((after) => ({ operator: kindOf(operator), after, start: at, length: operator.length }));
}

function kindOf(operator: string): string {
  if (operator === "&&" || operator === "||") return "logic";
  return ["<", "<=", ">", ">=", "==", "!="].includes(operator) ? "relation" : "arithmetic";
}

function swapAssignment(node: AstNode, bytes: Buffer): Change[] {
  const operator = node.operator as string;
  const after = { "+=": "-=", "-=": "+=", "|=": "&=", "&=": "|=" }[operator];
  if (after === undefined) return [];
  const left = rangeOf(node.leftHandSide as AstNode);
  const start = bytes.indexOf(operator, left.start + left.length);
  return [{ operator: "assignment", after, start, length: operator.length }];
}

/** A condition that always and one that never holds. */
function fixCondition(condition: AstNode): Change[] {
  return ["true", "false"].map((after) => ({ operator: "condition", after, ...rangeOf(condition) }));
}

/** The whole statement with its semicolon becomes an empty block. */
function deletion(node: AstNode, bytes: Buffer): Change {
  const { start, length } = rangeOf(node);
  const end = bytes[start + length] === 0x3b ? length + 1 : length;
  return { operator: "deletion", after: "{}", start, length: end };
}

function changeLiteral(node: AstNode, bytes: Buffer): Change[] {
  const { start, length } = rangeOf(node);
  if (node.kind === "bool") {
    return [{ operator: "literal", after: node.value === "true" ? "false" : "true", start, length }];
  }
  const text = slice(bytes, start, length);
  if (node.kind !== "number" || !/^\d+$/.test(text)) return [];
  return [{ operator: "literal", after: String(BigInt(text) + 1n), start, length }];
}

/** Calls `visit` for every statement and expression inside a function's body. */
function walk(root: AstNode, visit: (node: AstNode, parent: AstNode | undefined) => void): void {
  const step = (node: AstNode, parent: AstNode | undefined, inBody: boolean): void => {
    if (node.nodeType === "InlineAssembly") return;
    if (inBody) visit(node, parent);
    for (const [field, value] of Object.entries(node)) {
      const entersBody = inBody || (field === "body" && isFunction(node));
      for (const child of Array.isArray(value) ? value : [value]) {
        if (isNode(child)) step(child, node, entersBody);
      }
    }
  };
  step(root, undefined, false);
}

function isFunction(node: AstNode): boolean {
  return node.nodeType === "FunctionDefinition" || node.nodeType === "ModifierDefinition";
}

function isNode(value: unknown): value is AstNode {
  return typeof value === "object" && value !== null && "nodeType" in value && "src" in value;
}

function rangeOf(node: AstNode): { start: number; length: number } {
  const [start = 0, length = 0] = node.src.split(":").map(Number);
  return { start, length };
}

function slice(bytes: Buffer, start: number, length: number): string {
  return bytes.subarray(start, start + length).toString("utf8");
}

function lineOf(bytes: Buffer, offset: number): number {
  let line = 1;
  for (let at = 0; at < offset; at++) if (bytes[at] === 0x0a) line++;
  return line;
}
