/** scripts/bootstrap.mjs in a folder of its own, with an npm that only writes down what it was asked to do. */
import { spawn } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { expect } from "chai";
import { paths } from "../../scripts/stack/paths.ts";

const pinned = { node: "24.22.3", npm: "11.19.1" };
const platform = process.platform === "win32" ? "win" : process.platform;
const npm11 = { npm_config_user_agent: `npm/11.0.0 node/${process.version} linux x64` };
const npm9 = { npm_config_user_agent: `npm/9.2.0 node/${process.version} linux x64` };

/** Target that says which Node runs it and ends with the code of its first argument. */
const target = `const execPath = process.env.NGPU_TEST_NODE ?? "given";
console.log(JSON.stringify({ execPath, args: process.argv.slice(2) }));
process.exit(Number(process.argv[2] ?? 0));`;

const npmCli = `const { appendFileSync, existsSync, mkdirSync } = require("node:fs");
if (process.argv[2] === "--version") { console.log("${pinned.npm}"); process.exit(0); }
appendFileSync("calls", process.argv.slice(2).join(" ") + "\\n");
if (existsSync("refuse")) process.exit(7);
const until = Date.now() + 300; while (Date.now() < until);
mkdirSync("node_modules", { recursive: true });`;

describe("bootstrap", () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "ngpu-bootstrap-"));
    mkdirSync(join(root, "scripts/targets"), { recursive: true });
    mkdirSync(join(root, "bin"));
    copyFileSync(join(paths.root, "scripts/bootstrap.mjs"), join(root, "scripts/bootstrap.mjs"));
    writeFileSync(join(root, "package.json"), '{ "type": "module" }');
    writeFileSync(join(root, "scripts/targets/generate.ts"), target);
    writeFileSync(join(root, "package-lock.json"), "{}");
    writeFileSync(join(root, "bin/npm-cli.cjs"), npmCli);
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const run = async (env: Record<string, string>, ...args: string[]) => {
    const child = spawn(process.execPath, [join(root, "scripts/bootstrap.mjs"), ...args], {
      cwd: root,
      env: { ...process.env, npm_execpath: join(root, "bin/npm-cli.cjs"), ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const output = { stdout: "", stderr: "" };
    child.stdout.on("data", (chunk: Buffer) => (output.stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (output.stderr += chunk.toString()));
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    return { code, ...output };
  };
  // npm_execpath must end in .js to be taken for npm's own file.
  const useJs = () => copyFileSync(join(root, "bin/npm-cli.cjs"), join(root, "bin/npm.js"));
  const calls = (): string[] =>
    existsSync(join(root, "calls")) ? readFileSync(join(root, "calls"), "utf8").trim().split("\n") : [];
  const withNpm11 = () => {
    writeFileSync(join(root, "bin/package.json"), '{ "type": "commonjs" }');
    useJs();
    return { ...npm11, npm_execpath: join(root, "bin/npm.js") };
  };

  it("installs once, again when the lockfile changed, and passes arguments and exit code on", async () => {
    const env = withNpm11();
    const first = await run(env, "generate", "5", "--flag");
    expect(first.code).to.equal(5);
    expect(JSON.parse(first.stdout)).to.deep.include({ args: ["5", "--flag"] });
    await run(env, "generate");
    expect(calls()).to.deep.equal(["ci --no-audit --no-fund --prefer-offline"]);
    writeFileSync(join(root, "package-lock.json"), '{ "changed": true }');
    await run(env, "generate");
    expect(calls()).to.have.length(2);
  });

  it("remembers nothing of an install that failed", async () => {
    const env = withNpm11();
    writeFileSync(join(root, "refuse"), "");
    const refused = await run(env, "generate");
    expect(refused.code).to.equal(1);
    expect(refused.stdout).to.equal("");
    expect(refused.stderr).to.contain("exit code 7");
    rmSync(join(root, "refuse"));
    expect((await run(env, "generate")).code).to.equal(0);
    expect(calls()).to.have.length(2);
  });

  it("lets one of two commands at once install and the other wait for it", async () => {
    const env = withNpm11();
    const [one, other] = await Promise.all([run(env, "generate"), run(env, "generate")]);
    expect([one.code, other.code]).to.deep.equal([0, 0]);
    expect(calls()).to.have.length(1);
  });

  it("takes over the lock of a command that was killed", async () => {
    mkdirSync(join(root, ".ngpu"));
    writeFileSync(join(root, ".ngpu/bootstrap.lock"), "999999999");
    expect((await run(withNpm11(), "generate")).code).to.equal(0);
  });

  it("names the targets when it is given none that exists", async () => {
    const { code, stderr } = await run(withNpm11(), "strat");
    expect(code).to.equal(1);
    expect(stderr).to.contain("start|agent|demo|demo:session|test|check|doctor|generate|deploy|build:wasm|coverage|mutate|prove|bench:failover|bench:fec|bench:gas|bench:harq|bench:harq-loopback|bench:line");
  });

  it("runs Node and npm of its own, by absolute path, where npm is another one", async () => {
    fakeTools();
    const { code, stdout } = await run(npm9, "generate", "3");
    expect(code).to.equal(3);
    expect(JSON.parse(stdout)).to.deep.include({ execPath: "ours" });
    expect(calls()).to.deep.equal(["ci --no-audit --no-fund --prefer-offline"]);
  });

  it("does not execute itself a third time", async () => {
    fakeTools({ version: "20.0.0" });
    const { code, stderr } = await run(
      { ...npm9, PATH: `${join(root, "bin")}${delimiter}${process.env.PATH}` },
      "generate",
    );
    expect(code).to.equal(1);
    expect(stderr).to.contain("do not run on this machine");
  });

  /** A "Node" of the pinned version that marks what it runs, and an npm beside it; the npm on PATH installs nothing. */
  function fakeTools({ version = pinned.node }: { version?: string } = {}): void {
    const node = join(root, ".node/node_modules", `node-${platform}-${process.arch}`, "bin/node");
    mkdirSync(join(node, ".."), { recursive: true });
    mkdirSync(join(root, ".node/node_modules/npm/bin"), { recursive: true });
    const script = [
      "#!/bin/sh",
      `[ "$1" = --version ] && echo v${version} && exit 0`,
      `NGPU_TEST_NODE=ours exec "${process.execPath}" "$@"`,
    ];
    writeFileSync(node, script.join("\n"));
    writeFileSync(join(root, ".node/node_modules/npm/bin/npm-cli.js"), npmCli);
    writeFileSync(join(root, ".node/package.json"), '{ "type": "commonjs" }');
    writeFileSync(join(root, "bin/npm"), "#!/bin/sh\nexit 0\n");
    chmodSync(node, 0o755);
    chmodSync(join(root, "bin/npm"), 0o755);
  }
});
