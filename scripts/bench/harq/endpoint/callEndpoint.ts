/** The calls of a process at one end of a bad network, from here. Each is answered, or rejects: late, or gone. */
import type { ChildProcess } from "node:child_process";
import { deadlineOf } from "./deadlineOf.ts";
import type { EndpointAnswer, EndpointCalls, EndpointRequest } from "./endpointCalls.ts";

export type Endpoint = {
  [Name in keyof EndpointCalls]: (
    ...given: Parameters<EndpointCalls[Name]>
  ) => Promise<Awaited<ReturnType<EndpointCalls[Name]>>>;
};

interface Asked {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly late: NodeJS.Timeout;
}

/** `withinMs`: instead of what each call may take. */
export function callEndpoint(child: ChildProcess, withinMs?: number): Endpoint {
  const waiting = new Map<number, Asked>();
  let ids = 0;
  let gone: Error | undefined;
  const take = (id: number): Asked | undefined => {
    const asked = waiting.get(id);
    waiting.delete(id);
    clearTimeout(asked?.late);
    return asked;
  };
  const end = (why: string): void => {
    gone ??= new Error(`an end of the network is gone (${why})`);
    for (const id of [...waiting.keys()]) take(id)?.reject(gone);
  };
  child.on("message", (answer: EndpointAnswer) => {
    const asked = take(answer.id);
    if (answer.error === undefined) asked?.resolve(answer.result);
    else asked?.reject(new Error(answer.error));
  });
  child.once("exit", (code, signal) => end(String(signal ?? code)));
  child.on("error", (error) => end(error.message));
  const ask = (name: keyof EndpointCalls, given: unknown): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (gone !== undefined) return reject(gone);
      ids += 1;
      const id = ids;
      const mostMs = withinMs ?? deadlineOf(name, given);
      const late = setTimeout(() => {
        take(id);
        reject(new Error(`an end of the network did not answer ${name} within ${Math.ceil(mostMs / 1_000)} s`));
      }, mostMs);
      waiting.set(id, { resolve, reject, late });
      const request: EndpointRequest = { id, name, given };
      child.send(request, (error) => error !== null && end(error.message));
    });
  return new Proxy({} as Endpoint, {
    // Not a promise itself, whoever awaits it.
    get: (_, name: keyof EndpointCalls | "then") => (name === "then" ? undefined : (given: unknown) => ask(name, given)),
  });
}
