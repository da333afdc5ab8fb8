/**
 * A TCP line to a server whose connections can be frozen: they stay open and carry nothing any more, as after a
 * network that was changed without a word. New ones are as good as ever.
 */
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface FreezableLine {
  readonly url: string;
  freeze(): void;
  close(): Promise<void>;
}

export async function startFreezableLine(targetPort: number): Promise<FreezableLine> {
  const pairs = new Set<readonly [near: Socket, far: Socket]>();
  const all = new Set<Socket>();
  const server = createServer((near) => {
    const pair = [near, connect(targetPort, "127.0.0.1")] as const;
    pairs.add(pair);
    for (const socket of pair) {
      all.add(socket);
      socket.on("error", () => socket.destroy());
    }
    for (const [one, other] of [pair, [pair[1], pair[0]] as const]) {
      one.on("data", (bytes: Buffer) => void (pairs.has(pair) && other.write(bytes)));
      one.on("close", () => void (pairs.has(pair) && other.destroy()));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    freeze: () => pairs.clear(),
    async close() {
      for (const socket of all) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
