/** What is worth keeping of a path for the next connection to the same peer. */
import type { Connection, RememberedPath } from "./connectionState.ts";

export function rememberPath(connection: Connection, id: number): RememberedPath | undefined {
  const path = connection.paths.get(id);
  return path === undefined ? undefined : { congestion: path.controller.remember(), loss: path.loss.remember() };
}
