/** A protection without keys for simulations: a checksum in the tag's place finds changed bytes as a key would. */
import type { Protection } from "@ngpu/protocol/harq/connection/protection";
import { tagBytes } from "@ngpu/protocol/harq/security/sealer";
import { encodeHeader, headerBytes } from "@ngpu/protocol/harq/wire/datagramHeader";

export function createPlainProtection(connectionId: bigint): Protection {
  return {
    seal({ body, ...fields }) {
      const datagram = new Uint8Array(headerBytes + body.length + tagBytes);
      datagram.set(encodeHeader({ ...fields, keyPhase: 0, connectionId }));
      datagram.set(body, headerBytes);
      new DataView(datagram.buffer).setUint32(headerBytes + body.length, checksum(datagram.subarray(0, -tagBytes)));
      return datagram;
    },
    open(header, datagram) {
      if (header.connectionId !== connectionId || datagram.length < headerBytes + tagBytes) return undefined;
      const body = datagram.subarray(headerBytes, -tagBytes);
      const tag = new DataView(datagram.buffer, datagram.byteOffset + datagram.length - tagBytes, tagBytes);
      const isTrue =
        tag.getUint32(0) === checksum(datagram.subarray(0, -tagBytes)) && datagram.subarray(-12).every((byte) => byte === 0);
      return isTrue ? body : undefined;
    },
  };
}

function checksum(bytes: Uint8Array): number {
  let sum = 0x811c_9dc5;
  for (let at = 0; at < bytes.length; at += 1) sum = Math.imul(sum ^ bytes[at]!, 0x0100_0193);
  return sum >>> 0;
}
