/**
 * A TCP relay before the gateway that can cut one process off the way a dead network does: its bytes stay unread in
 * both directions, and nobody is told that anything ended.
 */
import { createServer, connect, type AddressInfo, type Socket } from "node:net";
import { portsOfProcess } from "./portsOfProcess.ts";

export interface GatewayFront {
  readonly port: number;
  /** Connections that come before this is said are refused. */
  forwardTo(port: number): void;
  /** Holds what this process has open and whatever it opens from now on, until it is restored. */
  cutOff(pid: number): Cut;
  close(): Promise<void>;
}

export interface Cut {
  /** Bytes pass again; what was held is reset, as by a router that has forgotten it. */
  restore(): void;
}

interface Relay {
  peer: Socket;
  gateway: Socket | undefined;
  held: boolean;
}

export async function openGatewayFront(): Promise<GatewayFront> {
  const relays = new Set<Relay>();
  const cuts = new Set<number>();
  let gatewayPort: number | undefined;

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (peer) => {
    const relay: Relay = { peer, gateway: undefined, held: isCut(peer) };
    relays.add(relay);
    peer.on("error", () => undefined);
    peer.on("close", () => end(relay));
    if (relay.held) peer.pause();
    else if (gatewayPort === undefined) peer.resetAndDestroy();
    else forward(relay, gatewayPort);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port: 0 }, resolve);
  });

  function forward(relay: Relay, port: number): void {
    const { peer } = relay;
    const gateway = connect({ host: "127.0.0.1", port, allowHalfOpen: true, noDelay: true });
    relay.gateway = gateway;
    gateway.on("error", () => undefined);
    gateway.on("close", () => end(relay));
    peer.pipe(gateway).pipe(peer);
  }

  function isCut(peer: Socket): boolean {
    return [...cuts].some((pid) => portsOfProcess(pid).has(peer.remotePort ?? 0));
  }

  /** One side is gone, so the other goes too once it has what is on the way to it; unless nothing passes. */
  function end(relay: Relay): void {
    if (relay.held) return;
    relays.delete(relay);
    relay.peer.destroySoon();
    relay.gateway?.destroySoon();
  }

  function reset(relay: Relay): void {
    relays.delete(relay);
    relay.peer.resetAndDestroy();
    relay.gateway?.resetAndDestroy();
  }

  return {
    port: (server.address() as AddressInfo).port,
    forwardTo: (port) => (gatewayPort = port),
    cutOff(pid) {
      cuts.add(pid);
      const ports = portsOfProcess(pid);
      const mine = [...relays].filter(({ peer }) => ports.has(peer.remotePort ?? 0));
      if (mine.length === 0) throw new Error(`process ${pid} has no connection to the gateway`);
      for (const relay of mine) {
        relay.held = true;
        relay.peer.unpipe().pause();
        relay.gateway?.unpipe().pause();
      }
      return {
        restore() {
          cuts.delete(pid);
          // Those that were opened meanwhile are known by the hold alone; one process is cut off at a time.
          for (const relay of relays) {
            if (relay.held) reset(relay);
          }
        },
      };
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const relay of relays) reset(relay);
      await closed;
    },
  };
}
