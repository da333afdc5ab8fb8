/** The keeper's connection to a gateway that is stopping when the keeper comes. */
import { createGatewayLink } from "@ngpu/keeper/keeper/gatewayLink";
import { systemClock } from "@ngpu/protocol/service/clock";
import { createLog } from "@ngpu/protocol/service/log";
import { decodeFrame, encodeFrame, subprotocol, type Frame } from "@ngpu/protocol/wire";
import { expect } from "chai";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { keccak256, stringToBytes, zeroAddress, zeroHash } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { WebSocketServer } from "ws";
import { until } from "../harness/until.ts";

const context = { chainId: 31_337, verifyingContract: zeroAddress };

describe("keeper's gateway link", () => {
  it("comes back soon to a gateway that drains before it has welcomed it, and says just that", async () => {
    const server = new WebSocketServer({ host: "127.0.0.1", port: 0, handleProtocols: () => subprotocol });
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    let logins = 0;
    server.on("connection", (socket) => {
      const challenge = { nonce: zeroHash, audience: keccak256(stringToBytes(url)), chainId: context.chainId };
      socket.send(encodeFrame({ t: "challenge", ...challenge, escrow: context.verifyingContract }));
      socket.on("message", (data: Buffer) => {
        if (decodeFrame(data.toString("utf8")).t !== "login") return;
        logins += 1;
        const draining: Frame = { t: "error", code: "GATEWAY_DRAINING", message: "stopping" };
        socket.send(encodeFrame(logins < 3 ? draining : { t: "welcome" }));
        if (logins < 3) socket.close(1001);
      });
    });
    const log = createLog({ service: "test", level: "silent" });
    const said: object[] = [];
    log.warn = (fields: object) => void said.push(fields);
    let isConnected = false;
    const link = createGatewayLink({
      url,
      context,
      signer: privateKeyToAccount(generatePrivateKey()),
      clock: systemClock,
      log,
      random01: () => 0,
      onFrame: async () => undefined,
      onConnected: () => (isConnected = true),
      onDisconnected: () => undefined,
    });
    try {
      await until("it is welcome", () => isConnected);
      expect(logins).to.equal(3);
      expect(said.map((fields) => ("code" in fields ? fields.code : undefined))).to.deep.equal([
        "GATEWAY_DRAINING",
        "GATEWAY_DRAINING",
      ]);
      expect(said[0]).to.include({ retryable: true });
    } finally {
      await link.stop();
      server.close();
    }
  });
});
