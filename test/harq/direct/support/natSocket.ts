/**
 * A UDP socket behind a router, on loopback and without any rights: what it sends leaves from sockets of the router,
 * and only who was sent to before gets back in. A router that `keeps` ports shows one socket to everybody, one that
 * `scatters` them shows every destination another.
 */
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import type { OpenUdp } from "@ngpu/protocol/service/harq/direct/directSocket";
import { createUdpPath, type UdpAddress, type UdpPath } from "@ngpu/protocol/service/harq/udpPath";

/** After `mostDatagrams`, of both directions, nothing passes any more. */
export function behindRouter(kind: "keeps" | "scatters", mostDatagrams = Infinity): OpenUdp {
  return async ({ onUnknown }) => {
    const doors = new Map<string, Promise<{ door: Socket; known: Set<string> }>>();
    const paths = new Map<bigint, UdpPath>();
    const counts = { received: 0, sent: 0, unknown: 0, dropped: 0, errors: 0, queued: 0 };
    let isClosed = false;
    const isCut = (): boolean => counts.received + counts.sent >= mostDatagrams;
    const nameOf = ({ address, port }: UdpAddress): string => `${address}:${port}`;

    const openDoor = async () => {
      const door = createSocket("udp4");
      const known = new Set<string>();
      door.on("error", () => (counts.errors += 1));
      door.on("message", (bytes, from) => {
        if (isCut() || !known.has(nameOf(from))) return;
        counts.received += 1;
        const path = bytes.length < 32 ? undefined : paths.get(bytes.readBigUInt64BE(1));
        if (path !== undefined) return path.receive(bytes, from);
        counts.unknown += 1;
        onUnknown?.(bytes, from);
      });
      door.bind(0, "127.0.0.1");
      await once(door, "listening");
      return { door, known };
    };
    const send = (bytes: Uint8Array, to: UdpAddress): void => {
      if (isClosed || isCut()) return;
      const name = kind === "keeps" ? "" : nameOf(to);
      const opening = doors.get(name) ?? openDoor();
      doors.set(name, opening);
      void opening.then(({ door, known }) => {
        known.add(nameOf(to));
        counts.sent += 1;
        if (!isClosed) door.send(bytes, to.port, to.address);
      });
    };

    return {
      address: { address: "10.0.0.2", port: 40_000 },
      send,
      createPath({ connectionId, remote }) {
        const path = createUdpPath({ remote, send, room: () => 64, stopped: () => void paths.delete(connectionId) });
        paths.set(connectionId, path);
        return path;
      },
      counts: () => counts,
      async close() {
        isClosed = true;
        for (const path of [...paths.values()]) path.down();
        for (const { door } of await Promise.all(doors.values())) door.close();
      },
    };
  };
}
