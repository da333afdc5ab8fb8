/** Refuses with PORT_TAKEN when a program of ours could not listen on `port` of `host`. */
import { createServer } from "node:net";
import { NgpuError } from "@ngpu/protocol/errors";

export async function requireFreePort({ port, host }: { port: number; host: string }): Promise<void> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once("error", (cause) => reject(new NgpuError("PORT_TAKEN", { port }, { cause })));
    probe.listen({ port, host }, resolve);
  });
  await new Promise<void>((resolve) => probe.close(() => resolve()));
}
