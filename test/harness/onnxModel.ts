/**
 * Writes small ONNX models by hand, so that tests can make graphs that no exporter would: protobuf wire format, just
 * the fields needed. Grammar: message = (tag varint ‖ value)*, tag = field << 3 | type, type 0 varint, 2
 * length-delimited.
 */
export type Message = Uint8Array;

export const dataType = { float: 1, int32: 6, int64: 7, bool: 9 } as const;

export function varintField(field: number, value: number | bigint): Message {
  return join(varint(BigInt(field << 3)), varint(BigInt.asUintN(64, BigInt(value))));
}

export function bytesField(field: number, value: Uint8Array | string): Message {
  const bytes = typeof value === "string" ? new TextEncoder().encode(value) : value;
  return join(varint(BigInt((field << 3) | 2)), varint(BigInt(bytes.length)), bytes);
}

export function tensor(options: { name: string; type: number; dims: readonly number[]; raw: Uint8Array }): Message {
  const { name, type, dims, raw } = options;
  return join(...dims.map((dim) => varintField(1, dim)), varintField(2, type), bytesField(8, name), bytesField(9, raw));
}

/** A tensor whose values lie in another file. */
export function externalTensor(options: {
  name: string;
  dims: readonly number[];
  location: string;
  length: number;
}): Message {
  const { name, dims, location, length } = options;
  const entry = (key: string, value: string): Message => bytesField(13, join(bytesField(1, key), bytesField(2, value)));
  return join(
    ...dims.map((dim) => varintField(1, dim)),
    varintField(2, dataType.float),
    bytesField(8, name),
    entry("location", location),
    entry("length", String(length)),
    varintField(14, 1),
  );
}

export function valueInfo(name: string, type: number, dims: readonly number[]): Message {
  const shape = join(...dims.map((dim) => bytesField(1, varintField(1, dim))));
  return join(bytesField(1, name), bytesField(2, bytesField(1, join(varintField(1, type), bytesField(2, shape)))));
}

export function integerAttribute(name: string, value: number): Message {
  return join(bytesField(1, name), varintField(3, value), varintField(20, 2));
}

export function integersAttribute(name: string, values: readonly number[]): Message {
  return join(bytesField(1, name), ...values.map((value) => varintField(8, value)), varintField(20, 7));
}

export function graphAttribute(name: string, graph: Message): Message {
  return join(bytesField(1, name), bytesField(6, graph), varintField(20, 5));
}

export function tensorAttribute(name: string, value: Message): Message {
  return join(bytesField(1, name), bytesField(5, value), varintField(20, 4));
}

export function node(
  type: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: readonly Message[] = [],
): Message {
  return join(
    ...inputs.map((name) => bytesField(1, name)),
    ...outputs.map((name) => bytesField(2, name)),
    bytesField(3, `${type}:${outputs.join()}`),
    bytesField(4, type),
    ...attributes.map((attribute) => bytesField(5, attribute)),
  );
}

export function graph(parts: {
  nodes?: readonly Message[];
  initializers?: readonly Message[];
  inputs?: readonly Message[];
  outputs?: readonly Message[];
}): Message {
  const { nodes = [], initializers = [], inputs = [], outputs = [] } = parts;
  return join(
    ...nodes.map((message) => bytesField(1, message)),
    bytesField(2, "g"),
    ...initializers.map((message) => bytesField(5, message)),
    ...inputs.map((message) => bytesField(11, message)),
    ...outputs.map((message) => bytesField(12, message)),
  );
}

export function model(graphMessage: Message): Message {
  const opset = join(bytesField(1, ""), varintField(2, 17));
  return join(varintField(1, 8), bytesField(7, graphMessage), bytesField(8, opset));
}

export function join(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts));
}

function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    const low = Number(rest & 0x7fn);
    if (rest < 0x80n) return Uint8Array.of(...bytes, low);
    bytes.push(low | 0x80);
  }
}
