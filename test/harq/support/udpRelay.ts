/** A UDP relay as a home router is one: what comes from inside leaves from a port that it may change at any time. */
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import type { UdpAddress } from "@ngpu/protocol/service/harq/udpPath";

export interface UdpRelay {
  /** Where those inside send to. */
  readonly inside: UdpAddress;
  /** From now on what leaves does so from another port, and what comes to the old one is lost. */
  rebind(): Promise<void>;
  close(): void;
}

export async function createUdpRelay(target: UdpAddress): Promise<UdpRelay> {
  const inside = await bound();
  let client: UdpAddress | undefined;
  const toInside = (bytes: Buffer): void => {
    if (client !== undefined) inside.send(bytes, client.port, client.address);
  };
  const openOutside = async (): Promise<Socket> => (await bound()).on("message", toInside);
  let outside = await openOutside();
  inside.on("message", (bytes, from) => {
    client = from;
    outside.send(bytes, target.port, target.address);
  });
  return {
    inside: inside.address(),
    async rebind() {
      const before = outside;
      outside = await openOutside();
      before.close();
    },
    close() {
      inside.close();
      outside.close();
    },
  };
}

async function bound(): Promise<Socket> {
  const socket = createSocket("udp4");
  socket.bind({ address: "127.0.0.1", port: 0 });
  await once(socket, "listening");
  return socket;
}
