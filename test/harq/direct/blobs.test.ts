/** What lies between a direct link and a task's blobs: a node's shelf, and a client that asks in two places. */
import { hedgedBlobs } from "@ngpu/client/direct/hedgedBlobs";
import { createBlobShelf } from "@ngpu/node-agent/direct/blobShelf";
import type { Blobs } from "@ngpu/protocol/blobExchange/blobs";
import { NgpuError } from "@ngpu/protocol/errors";
import { systemClock } from "@ngpu/protocol/service/clock";
import { expect } from "chai";
import { describe, it } from "node:test";
import { toHex } from "viem";
import { codeRejectedBy } from "../../harness/codeRejectedBy.ts";

const blob = (id: number) => ({ taskId: toHex(1, { size: 32 }), hash: toHex(id, { size: 32 }) });
const mebibyte = 2 ** 20;

describe("a node's shelf", () => {
  it("holds 128 MiB, and lets the eldest go first", () => {
    const shelf = createBlobShelf({ clock: systemClock });
    for (let id = 0; id < 5; id += 1) shelf.put({ ...blob(id), bytes: new Uint8Array(32 * mebibyte) });
    expect(shelf.heldBytes()).to.equal(128 * mebibyte);
    expect([0, 1, 2, 3, 4].map((id) => shelf.get(blob(id)) !== undefined)).to.deep.equal([false, true, true, true, true]);
    shelf.put({ ...blob(4), bytes: new Uint8Array(1) });
    expect(shelf.heldBytes()).to.equal(96 * mebibyte + 1);
  });

  it("lets go of what lay there for ten minutes", () => {
    let nowMs = 0;
    const shelf = createBlobShelf({ clock: { ...systemClock, monotonicMs: () => nowMs } });
    shelf.put({ ...blob(1), bytes: new Uint8Array(10) });
    nowMs = 599_000;
    expect(shelf.get(blob(1))).to.have.length(10);
    nowMs = 601_000;
    expect([shelf.get(blob(1)), shelf.heldBytes()]).to.deep.equal([undefined, 0]);
  });

  it("gives a blob to whoever waits for it, once, and leaves nothing behind of who gave up", async () => {
    const shelf = createBlobShelf({ clock: systemClock });
    const giving = new AbortController();
    const given = shelf.taken(blob(1), giving.signal);
    const waiting = shelf.taken(blob(1), new AbortController().signal);
    giving.abort(new NgpuError("TASK_ABANDONED"));
    expect(await codeRejectedBy(given)).to.equal("TASK_ABANDONED");
    shelf.put({ ...blob(1), bytes: Uint8Array.of(7) });
    expect(await waiting).to.deep.equal(Uint8Array.of(7));
    expect([shelf.get(blob(1)), shelf.heldBytes()]).to.deep.equal([undefined, 0]);
  });
});

describe("a client that may ask the node", () => {
  const aMinuteMs = 60_000;
  const never = (): Promise<never> => new Promise(() => undefined);
  const refuses = (code: "BLOB_UNKNOWN" | "BLOB_MISMATCH") => (): Promise<never> => Promise.reject(new NgpuError(code));
  const gives = (byte: number) => (): Promise<Uint8Array> => Promise.resolve(Uint8Array.of(byte));
  const aBlobs = (get: Blobs["get"]): Blobs => ({ get, put: never, size: never, part: never });

  async function ask(node: Blobs["get"] | undefined, gateway: Blobs["get"], hedgeAfterMs?: number) {
    let isDirect = false;
    const asked = { gateway: 0 };
    const blobs = hedgedBlobs({
      node: node && aBlobs(node),
      gateway: aBlobs((of) => {
        asked.gateway += 1;
        return gateway(of);
      }),
      onDirect: () => (isDirect = true),
      ...(hedgeAfterMs === undefined ? {} : { hedgeAfterMs }),
    });
    const [byte] = await blobs.get(blob(1));
    return { byte, isDirect, asked: asked.gateway };
  }

  it("takes what the node gives, and does not trouble the gateway", async () => {
    expect(await ask(gives(1), gives(2), aMinuteMs)).to.deep.equal({ byte: 1, isDirect: true, asked: 0 });
  });

  it("asks the gateway at once where there is no link, or the node refuses or lies", async () => {
    for (const node of [undefined, refuses("BLOB_UNKNOWN"), refuses("BLOB_MISMATCH")]) {
      expect(await ask(node, gives(2), aMinuteMs)).to.deep.equal({ byte: 2, isDirect: false, asked: 1 });
    }
  });

  it("asks the gateway as well when the node says nothing for a quarter of a second", async () => {
    expect(await ask(never, gives(2))).to.deep.equal({ byte: 2, isDirect: false, asked: 1 });
  });

  it("waits for the node where the gateway has nothing, and refuses as the gateway does where neither has", async () => {
    const isRefused = Promise.withResolvers<Uint8Array>();
    const refusing = (): Promise<never> => {
      setImmediate(() => isRefused.resolve(Uint8Array.of(1)));
      return Promise.reject(new NgpuError("BLOB_UNKNOWN"));
    };
    expect(await ask(() => isRefused.promise, refusing)).to.deep.equal({ byte: 1, isDirect: true, asked: 1 });
    expect(await codeRejectedBy(ask(refuses("BLOB_MISMATCH"), refuses("BLOB_UNKNOWN")))).to.equal("BLOB_UNKNOWN");
  });
});
