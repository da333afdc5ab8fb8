/** Looks at what the local network needs of this machine: tools, room, ports, isolation, models, execution providers. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { statfs } from "node:fs/promises";
import { totalmem } from "node:os";
import { join } from "node:path";
import { probeConfinement } from "@ngpu/node-agent/pool/confinement";
import { executionProviders, providerNeeds, type ExecutionProvider } from "@ngpu/node-agent/pool/executionProvider";
import { locateModel } from "@ngpu/protocol/service/modelFiles";
import { catalogue } from "@ngpu/protocol/catalogue";
import type { ModelManifest } from "@ngpu/protocol/manifest";
import { findGnd } from "../stack/findGnd.ts";
import { canIsolate } from "../stack/networkNamespace.ts";
import { paths } from "../stack/paths.ts";
import { readPorts, requireFreePorts, type PortName } from "../stack/ports.ts";
import { findChromium } from "../targets/testing/chromium.ts";
import type { Finding } from "./finding.ts";

const mib = 1_024 * 1_024;
const wantedDiskMiB = 4_096;
const neededDiskMiB = 1_024;
const wantedMemoryMiB = 4_096;

export async function examineMachine(env: Record<string, string | undefined>): Promise<Finding[]> {
  const provider = env.NGPU_EXECUTION_PROVIDER ?? "cpu";
  return [
    node(),
    memory(),
    await disk(),
    ...(await ports(env)),
    chromium(env),
    graphNode(),
    isolation(),
    ...confinement(),
    ...catalogue.map(({ manifest }) => model(manifest)),
    executionProvider(provider),
  ];
}

function node(): Finding {
  return { name: "Node", verdict: "ok", found: `${process.version} on ${process.platform}-${process.arch}` };
}

function memory(): Finding {
  const sizeMiB = Math.floor(totalmem() / mib);
  if (sizeMiB >= wantedMemoryMiB) return { name: "memory", verdict: "ok", found: `${sizeMiB} MiB` };
  const remedy = `The whole network wants ${wantedMemoryMiB} MiB; run single services instead.`;
  return { name: "memory", verdict: "limited", found: `${sizeMiB} MiB`, remedy };
}

async function disk(): Promise<Finding> {
  mkdirSync(paths.state, { recursive: true });
  const { bavail, bsize } = await statfs(paths.state);
  const freeMiB = Math.floor((bavail * bsize) / mib);
  const found = `${freeMiB} MiB free`;
  if (freeMiB >= wantedDiskMiB) return { name: "disk", verdict: "ok", found };
  const verdict = freeMiB >= neededDiskMiB ? "limited" : "broken";
  return { name: "disk", verdict, found, remedy: `Free some space: ${neededDiskMiB} MiB are needed at least.` };
}

async function ports(env: Record<string, string | undefined>): Promise<Finding[]> {
  const wanted = readPorts(env);
  const names = Object.keys(wanted) as PortName[];
  return Promise.all(
    names.map(async (name): Promise<Finding> => {
      const label = `port ${wanted[name]} (${name})`;
      try {
        await requireFreePorts(wanted, [name]);
        return { name: label, verdict: "ok", found: "free" };
      } catch (error) {
        return { name: label, verdict: "broken", found: "taken", remedy: error instanceof Error ? error.message : String(error) };
      }
    }),
  );
}

function chromium(env: Record<string, string | undefined>): Finding {
  const name = "Chromium";
  try {
    const found = findChromium(env);
    if (found !== undefined) return { name, verdict: "ok", found };
  } catch (error) {
    return { name, verdict: "broken", found: "not usable", remedy: error instanceof Error ? error.message : String(error) };
  }
  const remedy = "Only `npm test` needs it; as root on Debian it installs it, else install chromium or set NGPU_CHROMIUM.";
  return { name, verdict: "limited", found: "not installed", remedy };
}

function graphNode(): Finding {
  const name = "graph-node";
  const program = findGnd();
  if (program === undefined) {
    const remedy = "npm has graph-node for Linux on x64 only; the local index cannot run here.";
    return { name, verdict: "broken", found: `none for ${process.platform}-${process.arch}`, remedy };
  }
  const { status, stdout, stderr } = spawnSync(program, ["--version"], { encoding: "utf8", timeout: 10_000 });
  if (status === 0) return { name, verdict: "ok", found: stdout.trim().split("\n")[0] ?? "" };
  return { name, verdict: "broken", found: stderr.trim().split("\n")[0] ?? "does not run", remedy: "It needs glibc 2.34 or newer." };
}

function isolation(): Finding {
  const name = "isolation of graph-node";
  if (canIsolate()) return { name, verdict: "ok", found: "a network namespace of its own" };
  const remedy = "Its ports are open to the network: install iproute2 and util-linux, or close them in a firewall.";
  return { name, verdict: "limited", found: "not possible here", remedy };
}

function confinement(): Finding[] {
  const { active, missing } = probeConfinement();
  return [
    { name: "confinement of runners", verdict: "ok", found: active.join(", ") || "a process of their own" },
    ...missing.map((without): Finding => {
      const remedy = "Serve only models you trust, or install util-linux.";
      return { name: "confinement of runners", verdict: "limited", found: without, remedy };
    }),
  ];
}

function model(manifest: ModelManifest): Finding {
  const name = `model ${manifest.name}`;
  try {
    const places = locateModel(manifest);
    const files = [...manifest.graphs, ...manifest.assets];
    const changed = files.find((file) => sha256Of(places[file.name] ?? "") !== file.sha256);
    if (changed === undefined) return { name, verdict: "ok", found: `${files.length} files as the manifest names them` };
    return { name, verdict: "broken", found: `${changed.file} has other bytes`, remedy: reinstall };
  } catch {
    return { name, verdict: "broken", found: "not installed", remedy: reinstall };
  }
}

const reinstall = "Delete node_modules and run the command again.";

function sha256Of(file: string): string {
  return existsSync(file) ? createHash("sha256").update(readFileSync(file)).digest("hex") : "";
}

/** In a process of its own: a provider that cannot be used may end the process that asks. */
function executionProvider(provider: string): Finding {
  const name = `execution provider ${provider}`;
  if (!executionProviders.some((known) => known === provider)) {
    return { name, verdict: "broken", found: "unknown", remedy: `NGPU_EXECUTION_PROVIDER must be one of ${executionProviders.join(", ")}.` };
  }
  const probe = join(paths.root, "scripts/doctor/probeProvider.ts");
  const { status, signal } = spawnSync(process.execPath, [probe, provider], { timeout: 60_000, stdio: "ignore" });
  if (status === 0) return { name, verdict: "ok", found: "runs a model as its manifest wants it" };
  const found = signal === null ? "cannot be used" : `ended with ${signal}`;
  return { name, verdict: "broken", found, remedy: `It needs: ${providerNeeds[provider as ExecutionProvider]}.` };
}
