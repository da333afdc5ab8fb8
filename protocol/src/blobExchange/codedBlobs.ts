/**
 * Blobs over the coded transport: one link to each gateway for all who ask there, opened when it is first needed.
 * Where a gateway offers none or none gets through, blobs go over HTTP, and a link is tried again later.
 */
import { keccak256, type Hex } from "viem";
import { NgpuError } from "../errors.ts";
import { gatewayLimits } from "../limits.ts";
import { createBlobAsker, type BlobAsker, type SendMessage } from "./asker.ts";
import { authorize, blobPatienceMs, requireStorable, type BlobGateway, type BlobName, type Blobs, type OpenBlobs } from "./blobs.ts";
import { decodeCarried, encodeCarried, isCarried } from "./carriedFrames.ts";
import type { OpenCarrier } from "./frameCarrier.ts";
import { priorityOf } from "./priorityOf.ts";
import type { Frame } from "../wire.ts";
import { encodeOffset, type BlobAnswer, type BlobRequestKind } from "./messages.ts";

/** A connection that carries whole messages both ways, whatever paths are under it. */
export interface MessageLink {
  send: SendMessage;
  close(): void;
}

export type OpenMessageLink = (
  gatewayUrl: string,
  events: { onMessage(bytes: Uint8Array): void; onClosed(): void },
) => Promise<MessageLink>;

export interface CodedBlobs {
  open: OpenBlobs;
  /** Frames of a WebSocket to that gateway over the same link. */
  carry: OpenCarrier;
  /** Requests about blobs so far, by what carried them, and frames that went over a coded link. */
  counts(): { readonly coded: number; readonly http: number; readonly frames: number };
  /** Ends every link; what is open rejects with GATEWAY_UNREACHABLE. */
  close(): void;
}

/** One link to a gateway, and what goes over it. */
interface GatewayChannel {
  link: MessageLink;
  asker: BlobAsker;
  /** Who takes the frames of which WebSocket. */
  carried: Map<Hex, (frame: Frame) => void>;
}

/** How long a gateway without a link is asked over HTTP before a link is tried again. */
const retryAfterMs = 30_000;

export function createCodedBlobs(options: {
  openLink: OpenMessageLink;
  /** For gateways to which no link gets through. */
  fallback: OpenBlobs;
  monotonicMs: () => number;
  patienceMs?: number;
}): CodedBlobs {
  const { openLink, fallback, monotonicMs, patienceMs = blobPatienceMs } = options;
  const links = new Map<string, Promise<GatewayChannel>>();
  const failedMs = new Map<string, number>();
  const counts = { coded: 0, http: 0, frames: 0 };
  let isClosed = false;

  async function connect(gatewayUrl: string): Promise<GatewayChannel> {
    const forget = (): void => {
      if (links.get(gatewayUrl) === opening.promise) links.delete(gatewayUrl);
    };
    const opening = Promise.withResolvers<GatewayChannel>();
    const carried = new Map<Hex, (frame: Frame) => void>();
    links.set(gatewayUrl, opening.promise);
    let asker: BlobAsker | undefined;
    try {
      const link = await openLink(gatewayUrl, {
        onMessage(bytes) {
          try {
            if (isCarried(bytes)) takeCarried(carried, bytes);
            else asker?.take(bytes);
          } catch {
            // Who answers what is no answer, is left; the next request opens another link.
            link.close();
          }
        },
        onClosed() {
          forget();
          carried.clear();
          asker?.lose();
        },
      });
      asker = createBlobAsker(link);
      if (isClosed) link.close();
      opening.resolve({ link, asker, carried });
    } catch (error) {
      failedMs.set(gatewayUrl, monotonicMs());
      forget();
      opening.reject(error);
    }
    return opening.promise;
  }

  /** Undefined where there is none, for the moment. */
  async function channelTo(gatewayUrl: string): Promise<GatewayChannel | undefined> {
    if (isClosed || monotonicMs() - (failedMs.get(gatewayUrl) ?? -Infinity) < retryAfterMs) return undefined;
    return (links.get(gatewayUrl) ?? connect(gatewayUrl)).catch(() => undefined);
  }

  const carry: OpenCarrier = async (gatewayUrl, { token, onFrame }) => {
    const channel = await channelTo(gatewayUrl);
    if (channel === undefined) return undefined;
    const { link, carried } = channel;
    const gone = new AbortController();
    const send = (message: Uint8Array): Promise<void> =>
      link.send(message, { priority: priorityOf(message.length), signal: AbortSignal.any([gone.signal, AbortSignal.timeout(patienceMs)]) });
    carried.set(token, onFrame);
    await send(encodeCarried({ token }));
    return {
      async send(frame) {
        await send(encodeCarried({ token, frame }));
        counts.frames += 1;
      },
      // A link that ends forgets whom it carried.
      isOpen: () => carried.has(token),
      leave() {
        carried.delete(token);
        gone.abort();
      },
    };
  };

  function open(gateway: BlobGateway): Blobs {
    const overHttp = fallback(gateway);

    async function ask<T>(request: {
      blob: BlobName & { readonly signal?: AbortSignal | undefined };
      kind: BlobRequestKind;
      bytes?: Uint8Array;
      read: (answer: BlobAnswer) => T | undefined;
      otherwise: () => Promise<T>;
    }): Promise<T> {
      const { blob, kind, bytes = new Uint8Array(), read, otherwise } = request;
      const { taskId, hash } = blob;
      const asker = (await channelTo(gateway.gatewayUrl))?.asker;
      counts[asker === undefined ? "http" : "coded"] += 1;
      if (asker === undefined) return otherwise();
      const authorization = await authorize(gateway, { taskId, hash }, kind === "put" ? "write" : "read");
      const late = AbortSignal.timeout(patienceMs);
      const signal = blob.signal === undefined ? late : AbortSignal.any([blob.signal, late]);
      const answer = await asker.ask({ kind, taskId, hash, authorization }, bytes, signal).catch((cause: unknown) => {
        throw cause instanceof NgpuError ? cause : new NgpuError("GATEWAY_UNREACHABLE", {}, { cause });
      });
      const result = read(answer);
      if (result === undefined) throw new NgpuError("WIRE_MALFORMED", { answer: answer.kind });
      return result;
    }

    return {
      get: (blob) =>
        ask({
          blob,
          kind: "get",
          read: (answer) => (answer.kind === "blob" ? proven(answer.bytes, blob.hash) : undefined),
          otherwise: () => overHttp.get(blob),
        }),
      async put(blob) {
        requireStorable(blob.bytes.length);
        await ask({
          blob,
          kind: "put",
          bytes: blob.bytes,
          read: (answer) => (answer.kind === "stored" ? true : undefined),
          otherwise: () => overHttp.put(blob).then(() => true),
        });
      },
      size: (blob) =>
        ask({
          blob,
          kind: "head",
          read: (answer) => (answer.kind === "size" ? answer.bytes : undefined),
          otherwise: () => overHttp.size(blob),
        }),
      part: ({ modelId, sha256, offset, signal }) =>
        ask({
          blob: { taskId: modelId, hash: sha256, signal },
          kind: "part",
          bytes: encodeOffset(offset),
          read: (answer) => (answer.kind === "blob" ? answer.bytes : undefined),
          otherwise: () => overHttp.part({ modelId, sha256, offset, signal }),
        }),
    };
  }

  return {
    open,
    carry,
    counts: () => ({ ...counts }),
    close() {
      isClosed = true;
      for (const opening of links.values()) void opening.then(({ link }) => link.close(), () => undefined);
    },
  };
}

/** Throws WIRE_MALFORMED. One of a WebSocket that ended is dropped: what matters is told again. */
function takeCarried(carried: GatewayChannel["carried"], message: Uint8Array): void {
  const { token, frame } = decodeCarried(message);
  if (frame !== undefined) carried.get(token)?.(frame);
}

/** Throws BLOB_TOO_LARGE or BLOB_MISMATCH. */
function proven(bytes: Uint8Array, hash: Hex): Uint8Array {
  if (bytes.length > gatewayLimits.maxBlobBytes) throw new NgpuError("BLOB_TOO_LARGE");
  if (keccak256(bytes) !== hash) throw new NgpuError("BLOB_MISMATCH", { hash });
  return bytes;
}
