/**
 * An RPC in front of another one that passes everything on, but from the n-th transaction on keeps the answers to
 * itself: what was sent is mined, and who sent it never learns its hash.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface SwallowingRpc {
  readonly rpcUrl: string;
  swallowed(): number;
  close(): Promise<void>;
}

export async function startSwallowingRpc(options: { to: string; fromTransaction: number }): Promise<SwallowingRpc> {
  let [sent, swallowed] = [0, 0];
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      const isTransaction = body.includes("eth_sendRawTransaction");
      if (isTransaction) sent += 1;
      const keeps = isTransaction && sent >= options.fromTransaction;
      const headers = { "content-type": "application/json" };
      void fetch(options.to, { method: "POST", headers, body })
        .then((answer) => answer.text())
        .then((answer) => {
          if (keeps) swallowed += 1;
          else outgoing.writeHead(200, headers).end(answer);
        })
        // The one behind it is gone; so is whoever asked.
        .catch(() => outgoing.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    rpcUrl: `http://127.0.0.1:${port}`,
    swallowed: () => swallowed,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
