/**
 * The 16 bytes in front of every sealed body, which are its associated data:
 * `u8 0x40 | phase 0x20 | version << 3 | type · u64 connection id · u48 packet number · u8 path id`.
 */
import { createByteReader } from "./byteReader.ts";
import { createByteWriter } from "./byteWriter.ts";
import { malformed } from "./malformed.ts";

export const headerBytes = 16;
export const wireVersion = 1;

export const datagramTypes = ["data", "probe", "probeReply", "retry", "close"] as const;
export type DatagramType = (typeof datagramTypes)[number];

export interface DatagramHeader {
  readonly type: DatagramType;
  readonly keyPhase: 0 | 1;
  readonly connectionId: bigint;
  readonly packetNumber: number;
  readonly path: number;
}

export function encodeHeader(header: DatagramHeader): Uint8Array {
  const writer = createByteWriter(new Uint8Array(headerBytes));
  writer.u8(0x40 | (header.keyPhase << 5) | (wireVersion << 3) | datagramTypes.indexOf(header.type));
  writer.u32(Number(header.connectionId >> 32n));
  writer.u32(Number(header.connectionId & 0xffff_ffffn));
  writer.u48(header.packetNumber);
  writer.u8(header.path);
  return writer.written();
}

export function decodeHeader(datagram: Uint8Array): DatagramHeader {
  const reader = createByteReader(datagram);
  const first = reader.u8();
  if ((first & 0xc0) !== 0x40) throw malformed("fixed bits");
  if (((first >> 3) & 3) !== wireVersion) throw malformed("version");
  const type = datagramTypes[first & 7];
  if (type === undefined) throw malformed("type");
  return {
    type,
    keyPhase: (first & 0x20) === 0 ? 0 : 1,
    connectionId: (BigInt(reader.u32()) << 32n) | BigInt(reader.u32()),
    packetNumber: reader.u48(),
    path: reader.u8(),
  };
}
