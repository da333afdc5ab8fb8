/**
 * A line to a gateway whose WebSocket links can be cut while plain HTTP goes on: what a node stores arrives, what it
 * says does not.
 */
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface CuttableLinks {
  readonly url: string;
  /** Ends every link, and each new one at once. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

const linkRequest = "GET /v1/link";

export async function startCuttableLinks(targetPort: number): Promise<CuttableLinks> {
  const open = new Set<Socket>();
  const links = new Set<Socket>();
  let isCut = false;

  const server = createServer((near) => {
    open.add(near);
    near.on("error", () => near.destroy());
    near.once("close", () => {
      open.delete(near);
      links.delete(near);
    });
    near.once("data", (first: Buffer) => {
      const isLink = first.toString("latin1", 0, linkRequest.length) === linkRequest;
      if (isLink && isCut) return void near.destroy();
      if (isLink) links.add(near);
      const far = connect(targetPort, "127.0.0.1");
      far.on("error", () => far.destroy());
      far.once("close", () => near.destroy());
      near.once("close", () => far.destroy());
      far.write(first);
      near.pipe(far);
      far.pipe(near);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      isCut = true;
      for (const link of links) link.destroy();
    },
    mend: () => void (isCut = false),
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
