/** A TCP line to a server that can be cut and mended: while it is cut, connections end at once. */
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface BreakableLine {
  url: string;
  breakIt(): void;
  mend(): void;
  close(): Promise<void>;
}

/** On `port`, else on a free one. */
export async function startBreakableLine(targetUrl: string, port = 0): Promise<BreakableLine> {
  const target = new URL(targetUrl);
  const open = new Set<Socket>();
  let broken = false;
  const server = createServer((near) => {
    if (broken) {
      near.destroy();
      return;
    }
    near.setNoDelay(true);
    const far = connect({ port: Number(target.port), host: target.hostname, noDelay: true });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const cut = (): void => {
    broken = true;
    for (const socket of open) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    breakIt: cut,
    mend: () => void (broken = false),
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
