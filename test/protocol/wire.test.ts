import { describe, it } from "node:test";
import { expect } from "chai";
import { privateKeyToAccount } from "viem/accounts";
import { decodeBlobAuthorization, encodeBlobAuthorization } from "@ngpu/protocol/blobAuthorization";
import { recoverSigner, signMessage } from "@ngpu/protocol/signed";
import { decodeFrame, encodeFrame, type Frame } from "@ngpu/protocol/wire";
import { codeThrownBy } from "../harness/codeThrownBy.ts";

const signer = privateKeyToAccount(`0x${"11".repeat(32)}`);
const context = { chainId: 31_337, verifyingContract: `0x${"22".repeat(20)}` } as const;

async function aHeartbeatFrame(): Promise<Frame> {
  const message = { nodeId: 7, seq: 1n, timeMs: 2n ** 53n + 1n, freeSlots: 1, queued: 0 };
  return { t: "heartbeat", heartbeat: await signMessage({ kind: "heartbeat", message, context, signer }) };
}

describe("wire", () => {
  it("round-trips a signed frame, u64 beyond 2⁵³ included, and the signature still verifies", async () => {
    const frame = await aHeartbeatFrame();
    const decoded = decodeFrame(encodeFrame(frame));
    expect(decoded).to.deep.equal(frame);
    if (decoded.t !== "heartbeat") throw new Error("another frame came out");
    expect(await recoverSigner({ kind: "heartbeat", signed: decoded.heartbeat, context })).to.equal(signer.address);
  });

  it("refuses unknown versions, types and fields, missing fields and values out of range", async () => {
    const good = JSON.parse(encodeFrame(await aHeartbeatFrame())) as Record<string, unknown>;
    const heartbeat = good.heartbeat as { message: Record<string, unknown>; signature: string };
    const withMessage = (change: Record<string, unknown>) => ({ ...good, heartbeat: { ...heartbeat, message: { ...heartbeat.message, ...change } } });
    const bad: unknown[] = [
      { ...good, v: 2 },
      { ...good, t: "constructor" },
      { ...good, extra: 1 },
      { v: 1, t: "heartbeat" },
      withMessage({ nodeId: 2 ** 32 }),
      withMessage({ nodeId: -1 }),
      withMessage({ nodeId: "7" }),
      withMessage({ seq: 1 }),
      withMessage({ seq: "-1" }),
      withMessage({ seq: "18446744073709551616" }),
      withMessage({ freeSlots: 1.5 }),
      withMessage({ extra: 1 }),
      { ...good, heartbeat: { ...heartbeat, signature: "0x12" } },
      [],
      null,
    ];
    for (const value of bad) {
      const text = JSON.stringify(value);
      expect(codeThrownBy(() => decodeFrame(text)), text.slice(0, 120)).to.equal("WIRE_MALFORMED");
    }
    expect(codeThrownBy(() => decodeFrame("not json"))).to.equal("WIRE_MALFORMED");
  });

  it("carries a handshake's message in a frame, and none that is longer than one can be", async () => {
    const message = { action: 3, taskId: `0x${"33".repeat(32)}`, blobHash: `0x${"44".repeat(32)}`, expiry: 1_900_000_000n } as const;
    const access = await signMessage({ kind: "blobAccess", message, context, signer });
    const frame: Frame = { t: "meet", nodeId: 7, access, hello: btoa("h".repeat(1_200)) };
    expect(decodeFrame(encodeFrame(frame))).to.deep.equal(frame);
    for (const hello of [btoa("h".repeat(1_203)), "no base64", 7]) {
      const text = JSON.stringify({ ...(JSON.parse(encodeFrame(frame)) as object), hello });
      expect(codeThrownBy(() => decodeFrame(text)), String(hello).slice(0, 20)).to.equal("WIRE_MALFORMED");
    }
  });

  it("round-trips a blob authorization and refuses any other header", async () => {
    const message = { action: 1, taskId: `0x${"33".repeat(32)}`, blobHash: `0x${"44".repeat(32)}`, expiry: 1_900_000_000n } as const;
    const access = await signMessage({ kind: "blobAccess", message, context, signer });
    expect(decodeBlobAuthorization(encodeBlobAuthorization(access))).to.deep.equal(access);
    for (const header of [undefined, "", "Bearer x", "NGPU !!!", "NGPU e30"]) {
      expect(codeThrownBy(() => decodeBlobAuthorization(header)), String(header)).to.equal("AUTH_REQUIRED");
    }
  });
});
