/**
 * Refuses model files that must not reach the runtime: external-data references (a graph loaded from bytes may name
 * any file in the process's folder and return it as a tensor), runtime-specific formats, and what is no ONNX at all.
 * It walks every place of the protobuf that can hold a tensor, sub-graphs and functions included.
 */
import { NgpuError } from "@ngpu/protocol/errors";

type MessageName = keyof typeof messages;

/** Field number → nested message, for every path that leads to a tensor. */
const messages = {
  model: { 7: "graph", 20: "training", 25: "function" },
  training: { 1: "graph", 2: "graph" },
  function: { 7: "node", 11: "attribute" },
  graph: { 1: "node", 5: "tensor", 15: "sparseTensor" },
  node: { 5: "attribute" },
  attribute: { 5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparseTensor", 23: "sparseTensor" },
  sparseTensor: { 1: "tensor", 2: "tensor" },
  tensor: {},
} as const satisfies Record<string, Record<number, string>>;

const tensorExternalData = 13;
const tensorDataLocation = 14;
const modelGraph = 7;
const maxDepth = 96;

/** Throws MODEL_HOSTILE, or MODEL_MISMATCH when the file is no ONNX model. */
export function guardGraph(bytes: Uint8Array): void {
  refuseOtherFiles(bytes);
  let hasGraph = false;
  walk({ bytes, message: "model", depth: 0, onField: (field) => (hasGraph ||= field === modelGraph) });
  if (!hasGraph) throw new NgpuError("MODEL_MISMATCH", { reason: "holds no graph" });
}

function refuseOtherFiles(bytes: Uint8Array): void {
  const start = Buffer.from(bytes.subarray(0, 64)).toString("latin1");
  if (bytes.length === 0) throw new NgpuError("MODEL_MISMATCH", { reason: "is empty" });
  if (start.startsWith("version https://git-lfs"))
    throw new NgpuError("MODEL_MISMATCH", { reason: "is a git-lfs pointer, not the model" });
  if (/^\s*<(!doctype|html|\?xml)/i.test(start))
    throw new NgpuError("MODEL_MISMATCH", { reason: "is a web page, not the model" });
  if (start.slice(4, 8) === "ORTM") throw new NgpuError("MODEL_HOSTILE", { reason: "is in the runtime's own format" });
}

function walk(request: {
  bytes: Uint8Array;
  message: MessageName;
  depth: number;
  onField?: (field: number) => void;
}): void {
  const { bytes, message, depth, onField } = request;
  if (depth > maxDepth) throw new NgpuError("MODEL_HOSTILE", { reason: "is nested too deeply" });
  const reader = createReader(bytes);
  while (!reader.atEnd()) {
    const { field, content } = reader.next();
    onField?.(field);
    const isExternal =
      message === "tensor" && (field === tensorExternalData || (field === tensorDataLocation && content !== 0n));
    if (isExternal) throw new NgpuError("MODEL_HOSTILE", { reason: "refers to external data" });
    const nested = (messages[message] as Record<number, MessageName>)[field];
    if (nested !== undefined && content instanceof Uint8Array)
      walk({ bytes: content, message: nested, depth: depth + 1 });
  }
}

/**
 * Protobuf wire format: tag varint (field << 3 | type), then varint (0), 8 bytes (1), length-delimited (2) or 4 bytes
 * (5).
 */
function createReader(bytes: Uint8Array) {
  let offset = 0;

  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[offset++];
      if (byte === undefined) break;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new NgpuError("MODEL_MISMATCH", { reason: "is not a protobuf" });
  };

  const take = (length: bigint): Uint8Array => {
    if (length > BigInt(bytes.length - offset)) throw new NgpuError("MODEL_MISMATCH", { reason: "is cut short" });
    offset += Number(length);
    return bytes.subarray(offset - Number(length), offset);
  };

  const content = (wireType: number): bigint | Uint8Array => {
    if (wireType === 0) return varint();
    if (wireType === 1) return take(8n);
    if (wireType === 2) return take(varint());
    if (wireType === 5) return take(4n);
    throw new NgpuError("MODEL_MISMATCH", { reason: "is not a protobuf" });
  };

  return {
    atEnd: () => offset >= bytes.length,
    next(): { field: number; content: bigint | Uint8Array } {
      const tag = varint();
      return { field: Number(tag >> 3n), content: content(Number(tag & 7n)) };
    },
  };
}
