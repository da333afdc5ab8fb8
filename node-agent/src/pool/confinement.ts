/**
 * How a runner process is confined on this machine. Each measure is tried once on a harmless program; what does not
 * work is left out and named, so that the log says what protects the machine and what does not.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

export interface Confinement {
  /** Programs to put before the runner's own command line, outermost first. */
  prefix(limits: { memoryMiB: number }): string[];
  /** Measures that work here. */
  active: string[];
  /** Measures that do not, in words for the log. */
  missing: string[];
}

interface Measure {
  name: string;
  command: (limits: { memoryMiB: number }) => string[];
  without: string;
}

const mib = 1024 * 1024;

const measures: readonly Measure[] = [
  {
    name: "no-network",
    command: () => ["unshare", "--map-root-user", "--net", "--"],
    without: "runners can reach the network (unshare does not work here)",
  },
  {
    name: "memory-limit",
    command: ({ memoryMiB }) => ["prlimit", `--data=${memoryMiB * mib}`, "--core=0", "--"],
    without: "only the JavaScript heap of runners is limited (prlimit does not work here)",
  },
  {
    // Innermost, because entering a user namespace clears it.
    name: "ends-with-agent",
    command: () => ["setpriv", "--pdeathsig", "KILL", "--"],
    without: "a runner that hangs outlives an agent that is killed (setpriv does not work here)",
  },
];

export function probeConfinement(): Confinement {
  const working = measures.filter(({ command }) => {
    const [program = "", ...args] = located(command({ memoryMiB: 1_024 }));
    return (
      program.startsWith("/") &&
      spawnSync(program, [...args, "/bin/true"], { env: {}, stdio: "ignore", timeout: 5_000 }).status === 0
    );
  });
  return {
    prefix: (limits) => working.flatMap(({ command }) => located(command(limits))),
    active: working.map(({ name }) => name),
    missing: measures.filter((measure) => !working.includes(measure)).map(({ without }) => without),
  };
}

/** By absolute path: the runner's environment has no PATH. */
function located([program = "", ...args]: string[]): string[] {
  const found = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"]
    .map((folder) => `${folder}/${program}`)
    .find((path) => existsSync(path));
  return [found ?? program, ...args];
}
