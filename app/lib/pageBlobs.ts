/**
 * How a page's inputs and outputs travel: over one coded link to the gateway for all tasks of the page, and over HTTP
 * where none gets through. Loaded with what follows a task, never with a page.
 */
import { createCodedBlobs, type CodedBlobs } from "@ngpu/protocol/blobExchange/codedBlobs";
import type { OpenBlobs } from "@ngpu/protocol/blobExchange/blobs";
import { createHttpBlobs } from "@ngpu/protocol/blobExchange/httpBlobs";
import { browserLinkPorts } from "@ngpu/protocol/harq/link/browserLinkPorts";
import { createGatewayDialer } from "@ngpu/protocol/harq/link/dialGateway";
import { createNoblePrimitives } from "@ngpu/protocol/harq/security/noblePrimitives";
import type { SigningContext } from "@ngpu/protocol/signed";

let shared: { key: string; blobs: CodedBlobs } | undefined;

export function pageBlobs(context: SigningContext): OpenBlobs {
  const key = `${context.chainId} ${context.verifyingContract}`;
  if (shared?.key !== key) {
    shared?.blobs.close();
    shared = { key, blobs: open(context) };
  }
  return shared.blobs.open;
}

function open(context: SigningContext): CodedBlobs {
  const nowMs = (): number => Date.now();
  const dial = { context, primitives: createNoblePrimitives(), ports: browserLinkPorts, nowMs };
  return createCodedBlobs({
    openLink: createGatewayDialer(dial),
    fallback: createHttpBlobs,
    monotonicMs: () => performance.now(),
  });
}
