/**
 * A gateway's network and two homes behind routers, in network namespaces of their own:
 *
 *   client 10.1.0.2 ─ router 203.0.113.2 ─┐
 *                                         ├─ gateway 203.0.113.1
 *   node   10.2.0.2 ─ router 203.0.113.3 ─┘
 *
 * A router lets nothing in but answers. One that `keeps` ports shows a socket everywhere by the same one, as most at
 * home do; one that `scatters` them shows every destination another.
 */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createInterface } from "node:readline";

export type RouterKind = "keeps" | "scatters";
export type Place = "gateway" | "client" | "node";

export interface NatProcess {
  /** The next line that it prints, as JSON. */
  next(): Promise<unknown>;
  say(line: string): void;
  stop(): Promise<void>;
}

export interface NatNetwork {
  /** Runs a file of Node.js there, with that argument as JSON; it ends when its standard input does. */
  run(place: Place, file: URL, argument?: unknown): NatProcess;
  close(): Promise<void>;
}

export const gatewayAddress = "203.0.113.1";

const longestEndMs = 10_000;

/** Why no such network can be made here; undefined where it can. */
export function whyNoNat(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "network namespaces need root on Linux";
  const name = `ngpu-${randomBytes(3).toString("hex")}`;
  try {
    sh("nft", "--version");
    sh("ip", "netns", "add", name);
  } catch {
    return "nft, or a network namespace, is not to be had here";
  }
  try {
    rules(name, "table ip probe { chain post { type nat hook postrouting priority 100; masquerade; }\n}");
    return undefined;
  } catch {
    return "the kernel has no nf_tables with masquerading";
  } finally {
    sh("ip", "netns", "del", name);
  }
}

export function createNatNetwork(routers: Record<"client" | "node", RouterKind>): NatNetwork {
  const id = randomBytes(3).toString("hex");
  const nameOf = (what: string): string => `ngpu-${id}-${what}`;
  const names = ["gateway", "client", "node", "clientrouter", "noderouter"].map(nameOf);
  const processes: NatProcess[] = [];
  const inside = (what: string, ...command: string[]): void => sh("ip", "netns", "exec", nameOf(what), ...command);
  /** A line between two namespaces, with an address at the second end. */
  const line = (from: string, fromName: string, to: string, toName: string): void => {
    sh("ip", "link", "add", fromName, "netns", nameOf(from), "type", "veth", "peer", "name", toName, "netns", nameOf(to));
    inside(from, "ip", "link", "set", fromName, "up");
    inside(to, "ip", "link", "set", toName, "up");
  };
  const remove = (): void => {
    for (const name of names) {
      try {
        sh("ip", "netns", "del", name);
      } catch {
        // It was not made.
      }
    }
  };

  try {
    for (const name of names) {
      sh("ip", "netns", "add", name);
      sh("ip", "-n", name, "link", "set", "lo", "up");
    }
    inside("gateway", "ip", "link", "add", "lan", "type", "bridge");
    inside("gateway", "ip", "link", "set", "lan", "up");
    inside("gateway", "ip", "addr", "add", `${gatewayAddress}/24`, "dev", "lan");
    for (const [at, home] of (["client", "node"] as const).entries()) {
      const router = `${home}router`;
      line(router, "wan", "gateway", home);
      inside("gateway", "ip", "link", "set", home, "master", "lan");
      line(router, "lan", home, "eth");
      inside(router, "ip", "addr", "add", `203.0.113.${at + 2}/24`, "dev", "wan");
      inside(router, "ip", "addr", "add", `10.${at + 1}.0.1/24`, "dev", "lan");
      inside(home, "ip", "addr", "add", `10.${at + 1}.0.2/24`, "dev", "eth");
      inside(home, "ip", "route", "add", "default", "via", `10.${at + 1}.0.1`);
      inside(router, "sysctl", "-qw", "net.ipv4.ip_forward=1");
      rules(
        nameOf(router),
        `table ip home {
          chain post { type nat hook postrouting priority 100; oifname "wan" masquerade ${routers[home] === "scatters" ? "fully-random" : ""}; }
          chain forward { type filter hook forward priority 0; policy drop; iifname "lan" accept; ct state established,related accept; }
          chain input { type filter hook input priority 0; policy drop; iifname "lan" accept; ct state established,related accept; }
        }`,
      );
    }
  } catch (error) {
    remove();
    throw error;
  }

  return {
    run(place, file, argument) {
      const started = spawn(
        "ip",
        ["netns", "exec", nameOf(place), process.execPath, file.pathname, JSON.stringify(argument ?? null)],
        { stdio: ["pipe", "pipe", "inherit"] },
      );
      const running = natProcess(started, `${place}: ${file.pathname}`);
      processes.push(running);
      return running;
    },
    async close() {
      await Promise.all(processes.map((running) => running.stop()));
      remove();
    },
  };
}

function natProcess(started: ChildProcess, name: string): NatProcess {
  const lines: string[] = [];
  let wake = (): void => undefined;
  let isOver = false;
  createInterface({ input: started.stdout! }).on("line", (line) => {
    lines.push(line);
    wake();
  });
  const over = new Promise<void>((resolve) => {
    started.once("exit", () => {
      isOver = true;
      wake();
      resolve();
    });
  });
  return {
    async next() {
      for (;;) {
        const line = lines.shift();
        if (line !== undefined) return JSON.parse(line) as unknown;
        if (isOver) throw new Error(`${name} ended without an answer`);
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    say: (line) => void started.stdin?.write(`${line}\n`),
    async stop() {
      started.stdin?.end();
      const patience = setTimeout(() => started.kill("SIGKILL"), longestEndMs);
      await over;
      clearTimeout(patience);
    },
  };
}

function rules(name: string, text: string): void {
  execFileSync("ip", ["netns", "exec", name, "nft", "-f", "-"], { input: text, stdio: ["pipe", "pipe", "pipe"] });
}

function sh(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: "pipe" });
}
