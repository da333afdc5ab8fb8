/**
 * The one way into every command: brings Node, npm and the dependencies to the versions this project was proved with,
 * then runs the target. Needs nothing but some Node >= 18, so `npm start` works on a machine that is older than our
 * tools.
 *
 *   node scripts/bootstrap.mjs <target> [arguments]
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const targets = {
  start: "targets/start.ts",
  agent: "../node-agent/bin/agent.ts",
  demo: "targets/demo.ts",
  "demo:session": "targets/demoSession.ts",
  test: "targets/test.ts",
  check: "targets/check.ts",
  doctor: "targets/doctor.ts",
  generate: "targets/generate.ts",
  deploy: "targets/deploy.ts",
  "build:wasm": "targets/buildWasm.ts",
  coverage: "targets/coverage.ts",
  mutate: "targets/mutate.ts",
  prove: "targets/prove.ts",
  "bench:failover": "bench/failover.ts",
  "bench:fec": "bench/fec.ts",
  "bench:gas": "bench/gas.ts",
  "bench:harq": "bench/harq.ts",
  "bench:harq-loopback": "bench/harqLoopback.ts",
  "bench:line": "targets/benchLine.ts",
};
const pinned = { node: "24.22.3", npm: "11.19.1" };
/** First Node that runs TypeScript by type stripping without a flag. */
const oldestNode = [22, 18];
const npmMajor = 11;
const longestWaitMs = 10 * 60_000;

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const toolFolder = join(root, ".node");
const stampFile = join(root, "node_modules", ".ngpu-stamp");
const lockFile = join(root, ".ngpu", "bootstrap.lock");

const [name, ...rest] = process.argv.slice(2);
if (name === undefined || !Object.hasOwn(targets, name)) {
  fail(`usage: node scripts/bootstrap.mjs <${Object.keys(targets).join("|")}> [arguments]`);
}

// The install scripts and tools of our dependencies read these: nothing is downloaded behind npm's back, nothing
// phones home.
Object.assign(process.env, {
  ONNXRUNTIME_NODE_INSTALL: "skip",
  ORT_DISABLE_TELEMETRY: "1",
  NEXT_TELEMETRY_DISABLED: "1",
  HARDHAT_DISABLE_TELEMETRY: "true",
});

const executedAgain = process.env.NGPU_EXECUTED_AGAIN === "1";
delete process.env.NGPU_EXECUTED_AGAIN;
// When the command began, for those that report how long the whole of it took.
if (!executedAgain) process.env.NGPU_STARTED_MS = String(Date.now());

if (nodeFits(process.versions.node) && npmFits()) {
  await withLock(installDependencies);
  // A parent that vanishes (kill -9 of the outer process) ends this run too.
  process.channel?.unref();
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.argv = [process.argv[0], join(root, "scripts", targets[name]), ...rest];
  await import(pathToFileURL(process.argv[1]).href);
} else if (executedAgain) {
  fail(`Node ${process.versions.node} was installed for this project but does not fit it; delete .node and try again.`);
} else {
  await withLock(installTools);
  executeAgain();
}

function nodeFits(version) {
  const [major, minor] = version.split(".").map(Number);
  return major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
}

/** npm of the caller; where we were executed again it is ours. */
function npmFits() {
  if (executedAgain) return true;
  const agent = /^npm\/(\d+)\./.exec(process.env.npm_config_user_agent ?? "");
  if (agent) return Number(agent[1]) === npmMajor;
  const asked = spawnSync("npm", ["--version"], { encoding: "utf8", shell: process.platform === "win32" });
  return asked.status === 0 && Number(asked.stdout.split(".")[0]) === npmMajor;
}

/** Absolute paths of the pinned tools, whether or not they are there yet. */
function tools() {
  const platform = process.platform === "win32" ? "win" : process.platform;
  const packageName = `node-${platform}-${process.arch}`;
  const folder = join(toolFolder, "node_modules");
  return {
    packageName,
    node: join(folder, packageName, "bin", process.platform === "win32" ? "node.exe" : "node"),
    npmCli: join(folder, "npm", "bin", "npm-cli.js"),
  };
}

function toolsAreThere() {
  const { node, npmCli } = tools();
  if (!existsSync(node) || !existsSync(npmCli)) return false;
  const version = (args) => spawnSync(node, args, { encoding: "utf8" }).stdout?.trim();
  return version(["--version"]) === `v${pinned.node}` && version([npmCli, "--version"]) === pinned.npm;
}

function installTools() {
  if (toolsAreThere()) return;
  mkdirSync(toolFolder, { recursive: true });
  writeFileSync(join(toolFolder, "package.json"), JSON.stringify({ private: true }));
  const packages = [`${tools().packageName}@${pinned.node}`, `npm@${pinned.npm}`];
  const args = [
    "install",
    "--prefix",
    toolFolder,
    "--no-audit",
    "--no-fund",
    "--prefer-offline",
    "--ignore-scripts",
    ...packages,
  ];
  step(`installing Node ${pinned.node} and npm ${pinned.npm} for this project`, () => {
    execFileSync("npm", args, { cwd: toolFolder, stdio: ["ignore", 2, 2], shell: process.platform === "win32" });
  });
  if (!toolsAreThere()) fail(`npm installed ${packages.join(" and ")}, but they do not run on this machine.`);
}

function executeAgain() {
  const { node } = tools();
  const path = [dirname(node), join(toolFolder, "node_modules", ".bin"), process.env.PATH].join(
    process.platform === "win32" ? ";" : ":",
  );
  const child = spawn(node, process.argv.slice(1), {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...process.env, PATH: path, NGPU_EXECUTED_AGAIN: "1" },
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => fail(`${node} does not run: ${error.message}`));
  child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 143)));
}

function installDependencies() {
  const locked = readFileSync(join(root, "package-lock.json"));
  const stamp = createHash("sha256").update(locked).update(`${process.platform} ${process.arch}`).digest("hex");
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) return;
  const npmCli = executedAgain ? tools().npmCli : process.env.npm_execpath;
  const args = ["ci", "--no-audit", "--no-fund", "--prefer-offline"];
  step("installing the dependencies (npm ci)", () => {
    const options = { cwd: root, stdio: ["ignore", 2, 2] };
    if (npmCli?.endsWith(".js")) execFileSync(process.execPath, [npmCli, ...args], options);
    else execFileSync("npm", args, { ...options, shell: process.platform === "win32" });
  });
  writeFileSync(stampFile, stamp);
}

/** One bootstrap at a time changes the folder; a lock whose holder has died is taken over. */
async function withLock(act) {
  mkdirSync(dirname(lockFile), { recursive: true });
  const waitUntil = Date.now() + longestWaitMs;
  for (let told = false; ; ) {
    try {
      writeFileSync(lockFile, String(process.pid), { flag: "wx" });
      break;
    } catch (error) {
      if (error.code !== "EEXIST") fail(`cannot write ${lockFile}: ${error.message}`);
    }
    const holder = lockHolder();
    if (holder === undefined) {
      // Renaming first: of two that find the same dead lock, one moves it and the other tries again.
      try {
        renameSync(lockFile, `${lockFile}.${process.pid}`);
        rmSync(`${lockFile}.${process.pid}`);
      } catch {}
      continue;
    }
    if (Date.now() > waitUntil)
      fail(`another command (process ${holder}) still prepares this folder; end it and try again.`);
    if (!told) process.stderr.write(`· waiting for process ${holder}, which prepares this folder\n`);
    told = true;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  try {
    act();
  } finally {
    rmSync(lockFile, { force: true });
  }
}

/** The living process that holds the lock; undefined when it has ended or left no number. */
function lockHolder() {
  try {
    const pid = Number(readFileSync(lockFile, "utf8"));
    process.kill(pid, 0);
    return pid;
  } catch (error) {
    return error.code === "EPERM" ? "of another user" : undefined;
  }
}

function step(what, act) {
  process.stderr.write(`· ${what} …\n`);
  const startedAt = performance.now();
  try {
    act();
  } catch (error) {
    rmSync(lockFile, { force: true });
    fail(`${what} failed (exit code ${error.status ?? error.code}); its output is above.`);
  }
  process.stderr.write(`✓ ${what}, ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
}

function fail(message) {
  process.stderr.write(`✗ ${message}\n`);
  process.exit(1);
}
