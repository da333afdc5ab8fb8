/** A TCP line to a server that can be cut and mended: while it is cut, connections end at once. */
import { connect, createServer, type Socket } from "node:net";

export interface BreakableLine {
  url: string;
  breakIt(): void;
  mend(): void;
  close(): Promise<void>;
}

export async function startBreakableLine(targetUrl: string): Promise<BreakableLine> {
  const target = new URL(targetUrl);
  const open = new Set<Socket>();
  let broken = false;
  const server = createServer((near) => {
    if (broken) {
      near.destroy();
      return;
    }
    const far = connect(Number(target.port), target.hostname);
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
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const cut = (): void => {
    broken = true;
    for (const socket of open) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${port}`,
    breakIt: cut,
    mend: () => void (broken = false),
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
