/** A client that meets a node step by step, so that each step can go wrong. */
import { fromBase64, toBase64 } from "@ngpu/protocol/base64";
import { encodeBlobAuthorization } from "@ngpu/protocol/blobAuthorization";
import { createBlobAsker, type BlobAsker } from "@ngpu/protocol/blobExchange/asker";
import { NgpuError, type ErrorCode } from "@ngpu/protocol/errors";
import type { DirectLink } from "@ngpu/protocol/harq/direct/directLink";
import { createNodeMeeter, type NodeMeeterOptions } from "@ngpu/protocol/service/harq/direct/meetNode";
import { signMessage, type Signed, type SigningContext, type TypedDataSigner } from "@ngpu/protocol/signed";
import { blobAction, type BlobAccess } from "@ngpu/protocol/typedData";
import type { FrameOf } from "@ngpu/protocol/wire";
import { keccak256, type Address, type Hex } from "viem";
import type { Peer } from "../../../harness/peer.ts";

export interface Met {
  link: DirectLink;
  put(hash: Hex, bytes: Uint8Array, signer?: TypedDataSigner): ReturnType<BlobAsker["ask"]>;
  get(hash: Hex, signer?: TypedDataSigner): ReturnType<BlobAsker["ask"]>;
}

export interface MeetOptions extends NodeMeeterOptions {
  /** Whom the client expects; the node's operator where it is not given. */
  operator?: Address;
  /** Who signs the meeting; the task's client where it is not given. */
  signer?: TypedDataSigner;
  change?: (message: BlobAccess) => BlobAccess;
  key?: Signed<"transportKey">;
}

/** Rejects with the code that the other side, the gateway or the handshake refuses with. */
export async function meet(
  place: { gatewayUrl: string; context: SigningContext; client: Peer },
  task: { taskId: Hex; clientKey: TypedDataSigner },
  { nodeId, operator }: { nodeId: number; operator: { address: Address } },
  options: MeetOptions = {},
): Promise<Met> {
  const { gatewayUrl, context, client } = place;
  const { taskId, clientKey } = task;
  const introduced: FrameOf<"direct"> =
    client.frames.find((frame) => frame.t === "direct") ?? (await client.next("direct"));
  const { signer = clientKey, change = (message) => message } = options;

  const signAccess = (action: number, blobHash: Hex, by: TypedDataSigner, altered = (message: BlobAccess) => message) => {
    const expiry = BigInt(Math.floor(Date.now() / 1_000) + 60);
    return signMessage({ kind: "blobAccess", message: altered({ action, taskId, blobHash, expiry }), context, signer: by });
  };

  let asker: BlobAsker | undefined;
  const link = await createNodeMeeter(options)({
    ...{ gatewayUrl, context, observer: introduced.observer },
    key: options.key ?? introduced.key,
    operator: options.operator ?? operator.address,
    onMessage: (bytes) => asker?.take(bytes),
    async exchange(hello) {
      const hash = keccak256(hello);
      const access = await signAccess(blobAction.meet, hash, signer, change);
      client.send({ t: "meet", nodeId, access, hello: toBase64(hello) });
      const answer = await Promise.race([
        client.next("met", (frame) => frame.meeting === hash),
        client.next("notMet", (frame) => frame.meeting === access.message.blobHash),
      ]);
      if (answer.t === "notMet") throw new NgpuError(answer.code as ErrorCode);
      return { reply: fromBase64(answer.reply), ticket: answer.ticket };
    },
  });
  const made = createBlobAsker(link);
  asker = made;
  const { signal } = new AbortController();
  const ask = async (kind: "get" | "put", hash: Hex, bytes: Uint8Array, by: TypedDataSigner) => {
    const access = await signAccess(blobAction[kind === "put" ? "write" : "read"], hash, by);
    return made.ask({ kind, taskId, hash, authorization: encodeBlobAuthorization(access) }, bytes, signal);
  };
  return {
    link,
    put: (hash, bytes, by = clientKey) => ask("put", hash, bytes, by),
    get: (hash, by = clientKey) => ask("get", hash, new Uint8Array(0), by),
  };
}
