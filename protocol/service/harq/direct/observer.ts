/** Tells whoever asks over UDP from which address it is heard, each network so many times a second. */
import { randomBytes } from "node:crypto";
import { answerQuestion } from "../../../src/harq/direct/observation.ts";
import { addressPrefix } from "../../../src/harq/security/addressPrefix.ts";
import { createPrefixBudget } from "../../../src/harq/security/prefixBudget.ts";
import type { UdpAddress } from "../udpPath.ts";

/** Some three hundred answers a second for one network, a thousand at once. */
const budget = { bytesPerSecond: 10_000, burstBytes: 32_000 };

/** For a socket's datagrams that belong to no link; what is no question is left alone. */
export function createObserver(
  send: (answer: Uint8Array, to: UdpAddress) => void,
): (bytes: Uint8Array, from: UdpAddress) => void {
  const answers = createPrefixBudget({ ...budget, hashKey: randomBytes(4).readUInt32BE() });
  return (bytes, from) => {
    const answer = answerQuestion(bytes, from);
    const prefix = addressPrefix(from.address);
    if (answer === undefined || prefix === undefined) return;
    if (answers.take(prefix, answer.length, performance.now() * 1_000)) send(answer, from);
  };
}
