/** Who gets a link at the gateway and who does not, over real WebSockets and against a real chain. */
import type { Gateway } from "@ngpu/keeper/gateway/gateway";
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import { taskIdOf } from "@ngpu/protocol/ids";
import { signMessage, type SigningContext } from "@ngpu/protocol/signed";
import { closeCode, encodeFrame, subprotocol } from "@ngpu/protocol/wire";
import { expect } from "chai";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { keccak256, stringToBytes } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { startTestChain, type TestChain } from "../harness/chain.ts";
import { registerNode, type TestNode } from "../harness/nodes.ts";
import { connectPeer, openPeer, sendLogin, type Peer } from "../harness/peer.ts";
import { startTestGateway } from "../harness/services.ts";
import { postTask } from "../harness/tasks.ts";

describe("gateway login", () => {
  let chain: TestChain;
  let gateway: Gateway;
  let node: TestNode;
  let context: SigningContext;

  before(async () => {
    chain = await startTestChain();
    context = { chainId: chain.chainId, verifyingContract: chain.deployment.taskEscrow };
    gateway = await startTestGateway(chain);
    node = await registerNode(chain);
  });

  after(async () => {
    await gateway.close();
    await chain.close();
  });

  const nodeLogin = () =>
    ({ gatewayUrl: gateway.url, who: { role: "node", nodeId: node.nodeId }, signer: node.operator, context }) as const;

  async function refusal(peer: Peer): Promise<{ code: string; closed: number }> {
    const { code } = await peer.next("error");
    return { code, closed: await peer.closed };
  }

  const forbidden = { code: "AUTH_FORBIDDEN", closed: closeCode.unauthorized };

  it("welcomes a node, a keeper and a client that prove who they are", async () => {
    const task = await postTask(chain);
    const peers = [
      await connectPeer(nodeLogin()),
      await connectPeer({ gatewayUrl: gateway.url, who: { role: "keeper" }, signer: chain.account(1), context }),
      await connectPeer({
        gatewayUrl: gateway.url,
        who: { role: "client", taskId: task.taskId },
        signer: task.clientKey,
        context,
      }),
    ];
    const health = (await (await fetch(`${gateway.url}/v1/health`)).json()) as Record<string, unknown>;
    expect(health).to.include({ ok: true, chainId: chain.chainId, nodes: 1, keepers: 1, clients: 1 });
    for (const peer of peers) peer.close();
  });

  it("refuses a key that is not the node's operator", async () => {
    const { peer } = await sendLogin({ ...nodeLogin(), signer: privateKeyToAccount(generatePrivateKey()) });
    expect(await refusal(peer)).to.deep.equal(forbidden);
  });

  it("refuses a retired operator", async () => {
    const rotated = await registerNode(chain);
    const next = privateKeyToAccount(generatePrivateKey());
    const expiry = BigInt((await chain.nowS()) + 600);
    const { signature } = await signMessage({
      kind: "operatorBinding",
      message: { owner: chain.account(0).address, operator: next.address, expiry },
      context: { chainId: chain.chainId, verifyingContract: chain.deployment.nodeRegistry },
      signer: next,
    });
    await chain.write({
      account: chain.account(0),
      address: chain.deployment.nodeRegistry,
      abi: nodeRegistryAbi,
      functionName: "rotateOperator",
      args: [rotated.nodeId, next.address, expiry, signature],
    });
    const who = { role: "node", nodeId: rotated.nodeId } as const;
    const { peer } = await sendLogin({ ...nodeLogin(), who, signer: rotated.operator });
    expect(await refusal(peer)).to.deep.equal(forbidden);
    (await connectPeer({ ...nodeLogin(), who, signer: next })).close();
  });

  it("refuses a keeper without the role and a client with another key", async () => {
    const stranger = privateKeyToAccount(generatePrivateKey());
    const keeper = await sendLogin({ gatewayUrl: gateway.url, who: { role: "keeper" }, signer: stranger, context });
    expect(await refusal(keeper.peer)).to.deep.equal(forbidden);
    const { taskId } = await postTask(chain);
    const client = await sendLogin({
      gatewayUrl: gateway.url,
      who: { role: "client", taskId },
      signer: stranger,
      context,
    });
    expect(await refusal(client.peer)).to.deep.equal(forbidden);
  });

  it("refuses a login that was signed for another connection, gateway or time", async () => {
    const { peer, login } = await sendLogin(nodeLogin());
    await peer.next("welcome");
    const replayed = openPeer(gateway.url);
    await replayed.next("challenge");
    replayed.send({ t: "login", login });
    expect(await refusal(replayed)).to.deep.equal(forbidden);
    peer.close();

    const audience = keccak256(stringToBytes("http://another.example"));
    const elsewhere = await sendLogin({ ...nodeLogin(), change: (message) => ({ ...message, audience }) });
    expect(await refusal(elsewhere.peer)).to.deep.equal(forbidden);

    for (const shiftS of [-100n, 100n]) {
      const late = await sendLogin({
        ...nodeLogin(),
        change: (message) => ({ ...message, expiry: message.expiry + shiftS }),
      });
      expect(await refusal(late.peer)).to.deep.equal({ code: "AUTH_EXPIRED", closed: closeCode.unauthorized });
    }
  });

  it("refuses a login whose signature covers something else", async () => {
    const peer = openPeer(gateway.url);
    const { nonce } = await peer.next("challenge");
    const audience = keccak256(stringToBytes(gateway.url));
    const expiry = BigInt(Math.floor(Date.now() / 1_000) + 30);
    const message = { role: 2, subject: `0x${"00".repeat(32)}`, nonce, audience, expiry } as const;
    const keeper = chain.account(1);
    const login = await signMessage({ kind: "login", message, context: { ...context, chainId: 1 }, signer: keeper });
    peer.send({ t: "login", login });
    expect(await refusal(peer)).to.deep.equal(forbidden);
  });

  it("waits for the post of a client that is ahead of the chain", async () => {
    const clientNonce = generatePrivateKey();
    const clientKey = privateKeyToAccount(generatePrivateKey());
    const payer = chain.account(2).address;
    const taskId = taskIdOf({ chainId: chain.chainId, escrow: chain.deployment.taskEscrow, payer, clientNonce });
    const { peer } = await sendLogin({
      gatewayUrl: gateway.url,
      who: { role: "client", taskId },
      signer: clientKey,
      context,
    });
    await postTask(chain, { clientNonce, clientKey });
    await peer.next("welcome");
    peer.close();
  });

  it("replaces a node's first link by its second", async () => {
    const first = await connectPeer(nodeLogin());
    const second = await connectPeer(nodeLogin());
    expect(await first.closed).to.equal(closeCode.replaced);
    second.close();
    expect(await second.closed).to.not.equal(closeCode.replaced);
  });

  it("closes a link that breaks the grammar with 4400", async () => {
    const broken = [
      "not json",
      `{"v":2,"t":"login"}`,
      `{"v":1,"t":"shout"}`,
      `{"v":1,"t":"settled","nodeId":1,"taskId":"0x00"}`,
      encodeFrame({ t: "welcome" }).replace("}", `,"more":1}`),
      encodeFrame({ t: "welcome" }),
      new Uint8Array([1, 2, 3]),
    ];
    for (const data of broken) {
      const peer = openPeer(gateway.url);
      await peer.next("challenge");
      peer.socket.send(data as string);
      expect(await refusal(peer)).to.deep.equal({ code: "WIRE_MALFORMED", closed: closeCode.malformed });
    }
    const peer = await connectPeer(nodeLogin());
    peer.send({ t: "dispatch", nodeId: 1, taskId: `0x${"11".repeat(32)}`, assignment: 1, attempt: 0, role: "primary" });
    expect(await refusal(peer)).to.deep.equal({ code: "WIRE_MALFORMED", closed: closeCode.malformed });
  });

  it("closes a link that sends more than 64 KiB at once", async () => {
    const peer = openPeer(gateway.url);
    await peer.next("challenge");
    peer.socket.send("x".repeat(64 * 1024 + 1));
    expect(await peer.closed).to.equal(1009);
  });

  it("takes browsers from the allow-list only, and only with the subprotocol", async () => {
    const upgrade = (headers: Record<string, string>): Promise<number> =>
      new Promise((resolve, reject) => {
        const sent = httpRequest(`${gateway.url}/v1/link`, {
          headers: {
            connection: "upgrade",
            upgrade: "websocket",
            "sec-websocket-version": "13",
            "sec-websocket-key": Buffer.alloc(16).toString("base64"),
            ...headers,
          },
        });
        sent.on("response", (response) => resolve(response.statusCode ?? 0));
        sent.on("upgrade", (response, socket) => {
          socket.destroy();
          resolve(response.statusCode ?? 0);
        });
        sent.on("error", reject);
        sent.end();
      });
    const good = { "sec-websocket-protocol": subprotocol };
    expect(await upgrade({ ...good, origin: "http://localhost:3000" })).to.equal(101);
    expect(await upgrade(good)).to.equal(101);
    expect(await upgrade({ ...good, origin: "http://evil.example" })).to.equal(403);
    expect(await upgrade({ origin: "http://localhost:3000" })).to.equal(400);
  });

  it("gives the place of one that does not log in to one that does", async () => {
    const small = await startTestGateway(chain, { mostLinks: 3 });
    try {
      const idle = [openPeer(small.url), openPeer(small.url), openPeer(small.url)];
      for (const peer of idle) await peer.next("challenge");
      await connectPeer({ ...nodeLogin(), gatewayUrl: small.url });
      expect(await Promise.race(idle.map((peer) => peer.closed))).to.be.a("number");
      expect(idle.filter(({ socket }) => socket.readyState === WebSocket.OPEN)).to.have.length(2);
    } finally {
      await small.close();
    }
  });

  it("drops a half-open link that answers no ping", async () => {
    const impatient = await startTestGateway(chain, { links: { pingMs: 100, deadMs: 500 } });
    try {
      const { hostname, port } = new URL(impatient.url);
      const socket = connect(Number(port), hostname);
      socket.write(
        `GET /v1/link HTTP/1.1\r\nhost: ${hostname}\r\nconnection: upgrade\r\nupgrade: websocket\r\n` +
          `sec-websocket-version: 13\r\nsec-websocket-key: ${Buffer.alloc(16).toString("base64")}\r\n` +
          `sec-websocket-protocol: ${subprotocol}\r\n\r\n`,
      );
      socket.resume();
      const alive = openPeer(impatient.url);
      await new Promise((resolve) => socket.once("close", resolve));
      expect(alive.socket.readyState).to.equal(WebSocket.OPEN);
      alive.close();
    } finally {
      await impatient.close();
    }
  });
});
