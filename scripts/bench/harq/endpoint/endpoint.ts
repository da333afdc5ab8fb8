/** A process at one end of a bad network: does what it is asked, one answer a request, until its parent is gone. */
import { createCalls } from "./createCalls.ts";
import type { EndpointAnswer, EndpointRequest } from "./endpointCalls.ts";

const calls = createCalls();
process.on("disconnect", () => process.exit());
process.on("message", async ({ id, name, given }: EndpointRequest) => {
  const answer = (told: EndpointAnswer): void => void process.send?.(told);
  try {
    const act = calls[name] as (given: unknown) => unknown;
    answer({ id, result: await act(given) });
  } catch (error) {
    answer({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
