/**
 * A task's blobs from the node itself, and from the gateway as well when the node fails or takes long: so a direct link
 * that has died delays nothing by more than a moment.
 */
import type { Blobs } from "@ngpu/protocol/blobExchange/blobs";
import { sleep } from "../sleep.ts";

const patienceMs = 250;

/** Only `get` is asked of the node; `node` is undefined where no link is open. Rejects as the gateway does. */
export function hedgedBlobs(options: {
  node: Blobs | undefined;
  gateway: Blobs;
  /** The node's answer was the first. */
  onDirect: () => void;
  hedgeAfterMs?: number;
}): Blobs {
  const { node, gateway, onDirect, hedgeAfterMs = patienceMs } = options;
  if (node === undefined) return gateway;
  return {
    ...gateway,
    async get(blob) {
      const over = new AbortController();
      const signal = blob.signal === undefined ? over.signal : AbortSignal.any([over.signal, blob.signal]);
      const failed = new AbortController();
      const given = node.get({ ...blob, signal }).then((bytes) => ({ bytes, isDirect: true }));
      given.catch(() => failed.abort());
      const fetched = sleep(hedgeAfterMs, AbortSignal.any([signal, failed.signal])).then(async () => {
        signal.throwIfAborted();
        return { bytes: await gateway.get({ ...blob, signal }), isDirect: false };
      });
      try {
        const { bytes, isDirect } = await Promise.any([given, fetched]);
        if (isDirect) onDirect();
        return bytes;
      } catch {
        return (await fetched).bytes;
      } finally {
        over.abort();
      }
    },
  };
}
