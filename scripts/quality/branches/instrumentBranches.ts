/**
 * A source with a probe at every decision: `if (c)` becomes `if (_branch(n, c))` and `c ? a : b` likewise. The probe
 * tells the local chain's console which way it went, whatever the transaction does afterwards; a revert cannot hide it.
 */
import type { AstNode } from "../compileSolidity.ts";

export interface Decision {
  readonly id: number;
  readonly source: string;
  readonly line: number;
}

export interface Instrumented {
  readonly text: string;
  readonly decisions: readonly Decision[];
}

interface Insertion {
  readonly at: number;
  readonly text: string;
}

/** Beside each source, because a free function is only seen where it stands. */
const probe = `
function _branch(uint256 id, bool taken) pure returns (bool) {
    function(uint256, bool) view seen = _tellBranch;
    function(uint256, bool) pure silent;
    assembly ("memory-safe") {
        silent := seen
    }
    silent(id, taken);
    return taken;
}

function _tellBranch(uint256 id, bool taken) view {
    bytes memory message = abi.encodeWithSignature("log(string,uint256,bool)", "branch %s %s", id, taken);
    address console = 0x000000000000000000636F6e736F6c652e6c6f67;
    assembly ("memory-safe") {
        pop(staticcall(gas(), console, add(message, 32), mload(message), 0, 0))
    }
}
`;

export function instrumentBranches(source: string, text: string, ast: AstNode, firstId: number): Instrumented {
  const bytes = Buffer.from(text, "utf8");
  const decisions: Decision[] = [];
  const insertions: Insertion[] = [];
  visit(ast, (node) => {
    if (node.nodeType !== "IfStatement" && node.nodeType !== "Conditional") return;
    const [start = 0, length = 0] = (node.condition as AstNode).src.split(":").map(Number);
    const id = firstId + decisions.length;
    decisions.push({ id, source, line: bytes.subarray(0, start).toString("utf8").split("\n").length });
    insertions.push({ at: start, text: `_branch(${id}, ` }, { at: start + length, text: ")" });
  });
  if (decisions.length === 0) return { text, decisions };
  return { text: insert(bytes, insertions) + probe, decisions };
}

function insert(bytes: Buffer, insertions: Insertion[]): string {
  const parts: Buffer[] = [];
  let from = 0;
  for (const { at, text } of insertions.sort((a, b) => a.at - b.at)) {
    parts.push(bytes.subarray(from, at), Buffer.from(text));
    from = at;
  }
  return Buffer.concat([...parts, bytes.subarray(from)]).toString("utf8");
}

function visit(node: AstNode, act: (node: AstNode) => void): void {
  if (node.nodeType === "InlineAssembly") return;
  act(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (typeof child === "object" && child !== null && "nodeType" in child) visit(child as AstNode, act);
    }
  }
}
