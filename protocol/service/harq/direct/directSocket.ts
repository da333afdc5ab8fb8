/** A UDP socket for direct links, and from where the gateway hears it. */
import { randomBytes } from "node:crypto";
import { lookup } from "node:dns/promises";
import { decodeAnswer, encodeQuestion, observationNonceBytes } from "../../../src/harq/direct/observation.ts";
import type { Clock } from "../../clock.ts";
import type { UdpAddress } from "../udpPath.ts";
import { openUdpSocket, type UdpSocket, type UdpSocketOptions } from "../udpSocket.ts";

/** How it is seen, and how long the question took. */
export interface Observation extends UdpAddress {
  readonly roundTripMs: number;
}

export interface DirectSocket {
  readonly udp: UdpSocket;
  /** Undefined where no answer came within a second. */
  observe(observer: UdpAddress): Promise<Observation | undefined>;
  close(): Promise<void>;
}

export type OpenUdp = (options: UdpSocketOptions) => Promise<UdpSocket>;

const askAgainMs = [250, 250, 500];

/** Rejects where no socket can be opened. `openUdp` is another network than this machine's. */
export async function openDirectSocket({
  clock,
  openUdp = openUdpSocket,
}: {
  clock: Pick<Clock, "monotonicMs" | "sleep">;
  openUdp?: OpenUdp | undefined;
}): Promise<DirectSocket> {
  const asked = new Map<string, (seen: UdpAddress) => void>();
  const keyOf = (nonce: Uint8Array, { address, port }: UdpAddress): string =>
    `${Buffer.from(nonce).toString("hex")} ${address} ${port}`;
  const udp = await openUdp({
    host: "0.0.0.0",
    onUnknown(bytes, from) {
      const answer = decodeAnswer(bytes);
      if (answer !== undefined) asked.get(keyOf(answer.nonce, from))?.({ address: answer.address, port: answer.port });
    },
  });
  return {
    udp,
    async observe(observer) {
      const nonce = new Uint8Array(randomBytes(observationNonceBytes));
      const key = keyOf(nonce, observer);
      const done = new AbortController();
      let seen: Observation | undefined;
      let askedMs = clock.monotonicMs();
      asked.set(key, (at) => {
        seen ??= { ...at, roundTripMs: clock.monotonicMs() - askedMs };
        done.abort();
      });
      for (const patienceMs of askAgainMs) {
        askedMs = clock.monotonicMs();
        udp.send(encodeQuestion(nonce), observer);
        await clock.sleep(patienceMs, done.signal);
        if (seen !== undefined) break;
      }
      asked.delete(key);
      return seen;
    },
    close: () => udp.close(),
  };
}

/** Where a gateway answers such questions, over IPv4; undefined where it does not, or its host has no such address. */
export async function resolveObserver(observer: string, gatewayUrl: string): Promise<UdpAddress | undefined> {
  const match = /^(.*):(\d{1,5})$/.exec(observer);
  const port = Number(match?.[2]);
  if (match === null || port < 1 || port > 65_535) return undefined;
  const host = match[1] === "" ? new URL(gatewayUrl).hostname : match[1]!;
  try {
    const { address } = await lookup(host, { family: 4 });
    return { address, port };
  } catch {
    return undefined;
  }
}
