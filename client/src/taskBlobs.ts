/** The blobs of one task at one gateway, asked for with the task's client key. */
import type { Blobs, OpenBlobs } from "@ngpu/protocol/blobExchange/blobs";
import { createHttpBlobs } from "@ngpu/protocol/blobExchange/httpBlobs";
import type { SigningContext } from "@ngpu/protocol/signed";
import { privateKeyToAccount } from "viem/accounts";
import type { TaskSecrets } from "./taskSecrets.ts";

export interface TaskBlobsOptions {
  gatewayUrl: string;
  context: SigningContext;
  secrets: Pick<TaskSecrets, "clientPrivateKey">;
  nowMs: () => number;
  /** Over HTTP where it is not given. */
  openBlobs?: OpenBlobs | undefined;
}

export function taskBlobs({ gatewayUrl, context, secrets, nowMs, openBlobs }: TaskBlobsOptions): Blobs {
  const open = openBlobs ?? createHttpBlobs;
  return open({ gatewayUrl, context, signer: privateKeyToAccount(secrets.clientPrivateKey), nowMs });
}
