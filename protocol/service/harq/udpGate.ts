/** A gate for one UDP socket, with a key of its own: tokens are good here and until the process ends. */
import { randomBytes } from "node:crypto";
import { createGate, type Gate, type GateOptions } from "../../src/harq/security/gate.ts";
import { createPathTokens } from "../../src/harq/security/pathToken.ts";
import { createPrefixBudget } from "../../src/harq/security/prefixBudget.ts";
import { createChachaSealer } from "./chachaSealer.ts";

/** For one network: some hundred requests for a token a second, a thousand at once. */
const budget = { bytesPerSecond: 20_000, burstBytes: 80_000 };

/** `peerOf`: what the peer of a connection that is open here chose for what it receives. */
export function createUdpGate(peerOf: GateOptions["peerOf"]): Gate {
  return createGate({
    tokens: createPathTokens({
      sealer: createChachaSealer(randomBytes(32)),
      randomBytes: (count) => new Uint8Array(randomBytes(count)),
    }),
    budget: createPrefixBudget({ ...budget, hashKey: randomBytes(4).readUInt32BE() }),
    peerOf,
  });
}
