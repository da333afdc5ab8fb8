/**
 * The little of an IPFS node that graph-node asks for at start. Locally the subgraph is read from disk and no data
 * source is on IPFS, so there is nothing to serve: the version is answered, every file is unknown.
 */
import { createServer } from "node:http";
import { NgpuError } from "@ngpu/protocol/errors";

export interface IpfsStub {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startIpfsStub(options: { port: number }): Promise<IpfsStub> {
  const { port } = options;
  const server = createServer((request, response) => {
    request.resume();
    const isVersion = request.url?.startsWith("/api/v0/version") ?? false;
    response.writeHead(isVersion ? 200 : 404, { "content-type": "application/json" });
    response.end(isVersion ? '{"Version":"0.0.0"}' : "{}");
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(new NgpuError("PORT_TAKEN", { port }, { cause })));
    server.listen({ port, host: "127.0.0.1" }, resolve);
  });
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return {
    url: `http://127.0.0.1:${bound}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
