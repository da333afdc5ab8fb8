/** Two ends with true keys, from a seed, that change as often as a test wants. */
import { createProtection, type Protection } from "@ngpu/protocol/harq/connection/protection";
import type { KeyLifetime } from "@ngpu/protocol/harq/connection/keyPhases";
import { createDirectionKeys } from "@ngpu/protocol/harq/security/directionKeys";
import { nodePrimitives } from "@ngpu/protocol/service/harq/nodePrimitives";
import { createRandom } from "./random.ts";

export function keyedProtections(seed: number, lifetime: KeyLifetime): { near: Protection; far: Protection } {
  const random = createRandom(seed);
  const [there, back] = [7n, 8n].map((connectionId) => {
    const secret = random.bytes(32);
    return () => createDirectionKeys(nodePrimitives, { secret, connectionId });
  });
  return {
    near: createProtection({ send: there!(), receive: back!(), lifetime }),
    far: createProtection({ send: back!(), receive: there!(), lifetime }),
  };
}
