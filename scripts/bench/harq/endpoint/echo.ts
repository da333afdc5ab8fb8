/** Plain datagrams, by which a network is checked to be what it was asked to be. */
import { createSocket, type Socket } from "node:dgram";
import type { EndpointCalls } from "./endpointCalls.ts";
import { monotonicUs } from "./monotonicUs.ts";

const port = 9_001;
const echoedBytes = 64;
const bufferBytes = 4 * 1024 * 1024;
const everyMs = 20;

export function createEcho(): Pick<EndpointCalls, "echoListen" | "echoCounted" | "echoTimes" | "echoFlood"> {
  let counted = 0;
  return {
    echoListen({ host }) {
      const socket = createSocket("udp4");
      socket.bind(port, host, () => socket.setRecvBufferSize(bufferBytes));
      socket.on("message", (bytes, from) => {
        if (bytes.length === echoedBytes) socket.send(bytes, from.port, from.address);
        else counted += 1;
      });
    },
    echoCounted: () => counted,
    async echoTimes({ host, count }) {
      const socket = createSocket("udp4");
      const times: number[] = [];
      for (let index = 0; index < count; index++) {
        const time = await roundTrip(socket, { host, index });
        if (time !== undefined) times.push(time);
        await later(everyMs);
      }
      socket.close();
      return times;
    },
    async echoFlood({ host, count, bytes, bytesPerSecond }) {
      const socket = createSocket("udp4");
      const payload = new Uint8Array(bytes);
      const beganUs = monotonicUs();
      for (let sent = 0; sent < count; ) {
        const due = Math.min(count, Math.ceil(((monotonicUs() - beganUs) * bytesPerSecond) / 1e6 / bytes));
        for (; sent < due; sent++) socket.send(payload, port, host);
        await later(1);
      }
      await new Promise<void>((resolve) => socket.send(payload.subarray(1), port, host, () => resolve()));
      socket.close();
    },
  };
}

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function roundTrip(socket: Socket, { host, index }: { host: string; index: number }): Promise<number | undefined> {
  const bytes = Buffer.alloc(echoedBytes);
  bytes.writeUInt32BE(index);
  return new Promise((resolve) => {
    const done = (time: number | undefined): void => {
      socket.off("message", take);
      clearTimeout(late);
      resolve(time);
    };
    const late = setTimeout(() => done(undefined), 2_000);
    const take = (back: Buffer): void => {
      if (back.readUInt32BE(0) === index) done(monotonicUs() - sentUs);
    };
    socket.on("message", take);
    const sentUs = monotonicUs();
    socket.send(bytes, port, host);
  });
}
