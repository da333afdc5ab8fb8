/** The keys of a connection as bytes, so that they can be handed to the thread that has its sockets. */
import { createProtection, type Protection } from "../../src/harq/connection/protection.ts";
import { createDirectionKeys, type DirectionSecret } from "../../src/harq/security/directionKeys.ts";
import { nodePrimitives } from "./nodePrimitives.ts";

export interface LinkKeys {
  readonly send: DirectionSecret;
  readonly receive: DirectionSecret;
}

/** The same keys at both ends, with the two directions exchanged. */
export function protectionOf({ send, receive }: LinkKeys): Protection {
  return createProtection({
    send: createDirectionKeys(nodePrimitives, send),
    receive: createDirectionKeys(nodePrimitives, receive),
  });
}
