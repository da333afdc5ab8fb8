/** The local Postgres: always a fresh one, whatever an earlier start left behind, and never open to others. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Readable } from "node:stream";
import { after, before, describe, it } from "node:test";
import { codeOf, type ErrorCode } from "@ngpu/protocol/errors";
import { freePorts } from "../../scripts/stack/ports.ts";
import { startPostgres } from "../../scripts/stack/postgres.ts";
import { identityOf } from "../../scripts/stack/process/identity.ts";

describe("the local Postgres", { skip: process.platform === "linux" ? false : "driven on Linux only" }, () => {
  let scratch: string;
  let port: number;

  before(async () => {
    scratch = await mkdtemp(path.join(tmpdir(), "ngpu-postgres-test-"));
    // Open to the account that runs Postgres, which the starter below cannot help.
    await chmod(scratch, 0o755);
    port = (await freePorts()).postgres;
  });
  after(() => rm(scratch, { recursive: true, force: true }));

  it("replaces the server that a killed starter left behind", async () => {
    const dataDir = path.join(scratch, "left");
    const program = path.join(import.meta.dirname, "support/holdPostgres.ts");
    const starter = spawn(process.execPath, [program, dataDir, String(port)], { stdio: ["ignore", "pipe", "inherit"] });
    const left = Number(/^READY (\d+)/.exec(await firstOutput(starter.stdout))?.[1]);
    starter.kill("SIGKILL");
    await once(starter, "exit");
    assert.ok(identityOf(left), "the server outlives its starter, or this test shows nothing");

    const postgres = await startPostgres({ dataDir, port });
    try {
      assert.equal(identityOf(left), undefined);
      assert.ok(identityOf(postgres.pid));
    } finally {
      await postgres.stop();
    }
    assert.equal(identityOf(postgres.pid), undefined);
  });

  it("asks for the password, which is new at each start", async () => {
    const dataDir = path.join(scratch, "password");
    const first = await startPostgres({ dataDir, port });
    const url = first.url("graph");
    // "R" answers the start message; 10 asks for SCRAM, 0 would let anybody in.
    assert.deepEqual(await authenticationAsked(port), { type: "R", method: 10 });
    await first.stop();
    const second = await startPostgres({ dataDir, port });
    assert.notEqual(second.url("graph"), url);
    await second.stop();
  });

  it("refuses a taken port with PORT_TAKEN", async () => {
    const server = createServer().listen({ port, host: "127.0.0.1" });
    await once(server, "listening");
    assert.equal(await codeThrown(() => startPostgres({ dataDir: path.join(scratch, "taken"), port })), "PORT_TAKEN");
    await new Promise((resolve) => server.close(resolve));
  });

  it("empties no folder that it did not make", async () => {
    const file = path.join(scratch, "precious");
    await writeFile(file, "kept");
    assert.equal(await codeThrown(() => startPostgres({ dataDir: scratch, port })), "SETTING_INVALID");
    assert.equal(await readFile(file, "utf8"), "kept");
  });
});

/** The first output of a program, or nothing when it ends without any. */
async function firstOutput(stream: Readable): Promise<string> {
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) return String(chunk);
  return "";
}

async function codeThrown(act: () => Promise<unknown>): Promise<ErrorCode | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    return codeOf(error);
  }
}

/** Sends a start message as user postgres and reads what the server asks for. */
async function authenticationAsked(port: number): Promise<{ type: string; method: number }> {
  const socket = createConnection({ host: "127.0.0.1", port });
  const body = Buffer.from("user\0postgres\0database\0graph\0\0");
  const head = Buffer.alloc(8);
  head.writeInt32BE(body.length + 8, 0);
  head.writeInt32BE(0x0003_0000, 4);
  socket.write(Buffer.concat([head, body]));
  const [answer] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return { type: answer.toString("latin1", 0, 1), method: answer.readInt32BE(5) };
}
