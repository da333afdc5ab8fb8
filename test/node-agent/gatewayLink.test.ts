/** The node's connection against a gateway that behaves, misbehaves and goes away. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, describe, it } from "node:test";
import { connectGateway, type GatewayLink } from "@ngpu/node-agent/agent/gatewayLink";
import { signBinding } from "@ngpu/node-agent/agent/transportKey";
import { systemClock } from "@ngpu/protocol/service/clock";
import { createLog } from "@ngpu/protocol/service/log";
import { recoverSigner, type SigningContext } from "@ngpu/protocol/signed";
import {
  closeCode,
  decodeFrame,
  encodeFrame,
  subprotocol,
  type Frame,
  type FrameOf,
  type FrameType,
} from "@ngpu/protocol/wire";
import { expect } from "chai";
import { keccak256, stringToBytes, toHex, type Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { WebSocketServer, type WebSocket } from "ws";
import { until } from "../harness/until.ts";

const nodeId = 7;
const signer = privateKeyToAccount(generatePrivateKey());
const context: SigningContext = {
  chainId: 31_337,
  verifyingContract: privateKeyToAccount(generatePrivateKey()).address,
};
const log = createLog({ service: "test", level: "silent" });
const said: object[] = [];
log.warn = (fields: object) => void said.push(fields);

describe("gateway link", () => {
  const cleanups: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  /** A gateway that challenges as told and welcomes whoever logs in. */
  const aGateway = async (change: Partial<Omit<FrameOf<"challenge">, "t">> = {}, drainsFirst = 0) => {
    const server = new WebSocketServer({
      host: "127.0.0.1",
      port: 0,
      path: "/v1/link",
      handleProtocols: () => subprotocol,
    });
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const frames: Frame[] = [];
    const sockets: WebSocket[] = [];
    const closes: number[] = [];
    const nonce: Hex = `0x${"ab".repeat(32)}`;
    server.on("connection", (socket) => {
      sockets.push(socket);
      socket.on("message", (data: Buffer) => {
        const frame = decodeFrame(data.toString("utf8"));
        frames.push(frame);
        if (frame.t !== "login") return;
        const isDraining = sockets.length <= drainsFirst;
        const draining: Frame = { t: "error", code: "GATEWAY_DRAINING", message: "stopping" };
        socket.send(encodeFrame(isDraining ? draining : { t: "welcome" }));
        if (isDraining) socket.close(1001);
      });
      socket.on("close", (code) => closes.push(code));
      const challenge = {
        nonce,
        audience: keccak256(stringToBytes(url)),
        chainId: context.chainId,
        escrow: context.verifyingContract,
      };
      socket.send(encodeFrame({ t: "challenge", ...challenge, ...change }));
    });
    cleanups.push(async () => {
      for (const socket of server.clients) socket.terminate();
      server.close();
      await once(server, "close");
    });
    const received = async <T extends FrameType>(type: T, count = 1): Promise<FrameOf<T>[]> => {
      await until(`${count} ${type} frames`, () => frames.filter((frame) => frame.t === type).length >= count);
      return frames.filter((frame) => frame.t === type) as unknown as FrameOf<T>[];
    };
    return { url, frames, sockets, closes, nonce, received };
  };

  const aLink = (gatewayUrl: string): { link: GatewayLink; taken: Frame[]; welcomes: () => number } => {
    const taken: Frame[] = [];
    let welcomes = 0;
    const link = connectGateway({
      gatewayUrl,
      nodeId,
      context,
      signer,
      announcement: async () => ({
        t: "announce",
        models: [`0x${"11".repeat(32)}`],
        slots: 1,
        executionProvider: "cpu",
        agentVersion: "0.1.0",
        benchmarkCu: 900,
        binding: await signBinding({ nodeId, secret: new Uint8Array(32).fill(3), nowMs: Date.now(), context, signer }),
      }),
      load: () => ({ freeSlots: 1, queued: 0 }),
      onWelcome: () => (welcomes += 1),
      onFrame: (frame) => taken.push(frame),
      onLost: () => undefined,
      clock: systemClock,
      log,
      random: () => 0,
    });
    cleanups.push(() => link.close());
    return { link, taken, welcomes: () => welcomes };
  };

  it("logs in with the gateway's nonce, announces, and beats every second", async () => {
    const gateway = await aGateway();
    const { welcomes } = aLink(gateway.url);
    const [first] = await gateway.received("login");
    const login = first?.login;
    if (login === undefined) throw new Error("no login");
    expect(login.message).to.include({ role: 1, subject: toHex(nodeId, { size: 32 }), nonce: gateway.nonce });
    expect(await recoverSigner({ kind: "login", signed: login, context })).to.equal(signer.address);
    expect(Number(login.message.expiry) - Date.now() / 1_000).to.be.within(0, 60);
    const [announce] = await gateway.received("announce");
    const { notBefore, expiry } = announce?.binding.message ?? { notBefore: 0n, expiry: 0n };
    expect(Number(expiry - notBefore)).to.equal(24 * 3_600);
    const beats = await gateway.received("heartbeat", 2);
    const [a, b] = beats.map(({ heartbeat }) => heartbeat.message);
    expect(Number((b?.seq ?? 0n) - (a?.seq ?? 0n))).to.be.greaterThan(0);
    expect(Number((b?.timeMs ?? 0n) - (a?.timeMs ?? 0n))).to.be.within(800, 2_500);
    expect(welcomes()).to.equal(1);
  });

  it("hands dispatches on, and comes back when the connection breaks", async () => {
    const gateway = await aGateway();
    const { taken, welcomes } = aLink(gateway.url);
    await gateway.received("announce");
    const dispatch: Frame = {
      t: "dispatch",
      nodeId,
      taskId: `0x${"22".repeat(32)}`,
      assignment: 1,
      attempt: 0,
      role: "primary",
    };
    gateway.sockets[0]?.send(encodeFrame(dispatch));
    await until("the dispatch", () => taken.length === 1);
    expect(taken).to.deep.equal([dispatch]);
    gateway.sockets[0]?.terminate();
    await gateway.received("announce", 2);
    expect(welcomes()).to.equal(2);
  });

  it("comes back soon to a gateway that drains before it has welcomed it, and says just that", async () => {
    said.length = 0;
    const gateway = await aGateway({}, 2);
    const { welcomes } = aLink(gateway.url);
    await gateway.received("announce");
    expect([gateway.sockets.length, welcomes()]).to.deep.equal([3, 1]);
    const codes = said.map((fields) => ("code" in fields ? fields.code : undefined));
    expect(codes).to.deep.equal(["GATEWAY_DRAINING", "GATEWAY_DRAINING"]);
    expect(said[0]).to.include({ retryable: true });
  });

  it("drops frames while it is not connected rather than sending them late", async () => {
    const gateway = await aGateway();
    const { link } = aLink(gateway.url);
    link.send({ t: "settled", nodeId, taskId: `0x${"22".repeat(32)}` });
    await gateway.received("announce");
    expect(gateway.frames.some(({ t }) => t === "settled")).to.equal(false);
  });

  const wrong: [string, Partial<FrameOf<"challenge">>][] = [
    ["another gateway's audience", { audience: `0x${"00".repeat(32)}` }],
    ["another chain", { chainId: 1 }],
    ["another escrow", { escrow: signer.address }],
  ];
  for (const [name, change] of wrong) {
    it(`signs nothing for a challenge with ${name}`, async () => {
      const gateway = await aGateway(change);
      aLink(gateway.url);
      await until("the refusal", () => gateway.closes.length > 0);
      expect(gateway.closes[0]).to.equal(closeCode.malformed);
      expect(gateway.frames).to.deep.equal([]);
    });
  }

  it("closes on a frame that is not of the protocol", async () => {
    const gateway = await aGateway();
    aLink(gateway.url);
    await gateway.received("announce");
    gateway.sockets[0]?.send('{"v":2,"t":"dispatch"}');
    await until("the refusal", () => gateway.closes.includes(closeCode.malformed));
  });
});
