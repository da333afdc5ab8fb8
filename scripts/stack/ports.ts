/**
 * Every port of the local stack: its default, the setting that changes it, and the check before anything is started.
 */
import { createServer } from "node:net";
import { readPort, type Environment } from "@ngpu/protocol/service/settings";
import { portOwner } from "./process/portOwner.ts";
import { StackError } from "./stackError.ts";

const settings = {
  chain: { setting: "NGPU_PORT_CHAIN", fallback: 8545 },
  gateway: { setting: "NGPU_PORT_GATEWAY", fallback: 8600 },
  dapp: { setting: "NGPU_PORT_DAPP", fallback: 3000 },
  graphHttp: { setting: "NGPU_PORT_GRAPH_HTTP", fallback: 8000 },
  graphAdmin: { setting: "NGPU_PORT_GRAPH_ADMIN", fallback: 8020 },
  graphIndex: { setting: "NGPU_PORT_GRAPH_INDEX", fallback: 8030 },
  graphMetrics: { setting: "NGPU_PORT_GRAPH_METRICS", fallback: 8040 },
  postgres: { setting: "NGPU_PORT_POSTGRES", fallback: 5599 },
  ipfs: { setting: "NGPU_PORT_IPFS", fallback: 5601 },
} as const;

export type PortName = keyof typeof settings;
export type StackPorts = Record<PortName, number>;

const names = Object.keys(settings) as PortName[];

export function readPorts(env: Environment): StackPorts {
  const entries = names.map((name) => [name, readPort(env, settings[name].setting, settings[name].fallback)] as const);
  return Object.fromEntries(entries) as StackPorts;
}

/** Ports that nobody uses now, for runs that must not meet another one. */
export async function freePorts(): Promise<StackPorts> {
  // All are held open until the last is known, so that no two are the same.
  const held = await Promise.all(names.map(async (name) => [name, await listen(0)] as const));
  const ports = held.map(([name, server]) => [name, portOf(server)] as const);
  await Promise.all(held.map(([, server]) => close(server)));
  return Object.fromEntries(ports) as StackPorts;
}

/** Refuses with the port, the program that holds it and the setting that changes it. */
export async function requireFreePorts(ports: StackPorts, needed: readonly PortName[]): Promise<void> {
  for (const name of needed) {
    const port = ports[name];
    const twin = needed.find((other) => other !== name && ports[other] === port);
    if (twin)
      throw new StackError(`Port ${port} is set twice: change ${settings[name].setting} or ${settings[twin].setting}.`);
    try {
      await close(await listen(port));
    } catch (error) {
      if (!(error instanceof Error && "code" in error)) throw error;
      const owner = error.code === "EADDRINUSE" ? portOwner(port) : undefined;
      const reason =
        error.code === "EADDRINUSE"
          ? `is in use${owner ? ` by ${owner}` : ""}`
          : `cannot be used (${String(error.code)})`;
      throw new StackError(
        `Port ${port} (${name}) ${reason}: stop that program or set ${settings[name].setting} to another port.`,
      );
    }
  }
}

function listen(port: number): Promise<ReturnType<typeof createServer>> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ port, host: "127.0.0.1" }, () => resolve(server));
  });
}

function close(server: ReturnType<typeof createServer>): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

function portOf(server: ReturnType<typeof createServer>): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new StackError("The system gave no port.");
  return address.port;
}
