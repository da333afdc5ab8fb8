/** Everything of a post that the client computes: keys, sealed input, commitments and the contract's parameters. Pure but for `random`. */
import type { ModelManifest } from "@ngpu/protocol/manifest";
import { taskIdOf } from "@ngpu/protocol/ids";
import { encodePayload, type Part } from "@ngpu/protocol/sealed/payload";
import { seal } from "@ngpu/protocol/sealed/seal";
import type { Dimensions } from "@ngpu/protocol/work";
import { toHex, type Address, type Hex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import type { OnlineNode } from "./fetchRoster.ts";
import type { Quote } from "./quote.ts";
import { requireBlobSize } from "./requireBlobSize.ts";
import { requireServed } from "./requireServed.ts";
import type { TaskSecrets } from "./taskSecrets.ts";

/** Arguments of TaskEscrow.post, field by field. */
export interface PostParams {
  clientNonce: Hex;
  modelId: Hex;
  inputCommitment: Hex;
  inputCiphertext: Hex;
  clientKey: Address;
  workCums: bigint;
  maxPriceUsd6PerGcums: bigint;
  deadline: number;
  backups: number;
}

export interface PreparedTask {
  taskId: Hex;
  params: PostParams;
  secrets: TaskSecrets;
  sealedInput: Uint8Array;
}

/** Throws INPUT_TOO_LARGE; with a roster also NOBODY_SERVES and BACKUP_MISSING. */
export function prepareTask(request: {
  chainId: number;
  escrow: Address;
  payer: Address;
  manifest: ModelManifest;
  modelId: Hex;
  dimensions: Dimensions;
  parts: Part[];
  quote: Quote;
  /** Highest price the payer agrees to; usually the quote's. */
  maxPriceUsd6PerGcums: bigint;
  /** Chain time in seconds. */
  deadline: number;
  backups: number;
  /** Who is online, where that is known; without it nobody asks whether the task can be assigned now. */
  roster?: readonly OnlineNode[];
  random: (length: number) => Uint8Array;
}): PreparedTask {
  const { chainId, escrow, payer, modelId, dimensions, parts, quote, deadline, backups, roster, random } = request;
  if (roster !== undefined) requireServed({ roster, modelId, backups });
  const clientNonce = toHex(random(32));
  const taskId = taskIdOf({ chainId, escrow, payer, clientNonce });
  const taskKey = random(32);
  const clientPrivateKey = toHex(random(32));
  const body = encodePayload({ parameters: dimensions, parts });
  requireBlobSize(body.length);
  const { sealed, ciphertextHash, commitment } = seal({ taskKey, context: { kind: "input", taskId }, body, random });
  requireBlobSize(sealed.length);
  return {
    taskId,
    params: {
      clientNonce,
      modelId,
      inputCommitment: commitment,
      inputCiphertext: ciphertextHash,
      clientKey: privateKeyToAddress(clientPrivateKey),
      workCums: quote.workCums,
      maxPriceUsd6PerGcums: request.maxPriceUsd6PerGcums,
      deadline,
      backups,
    },
    secrets: { taskId, modelId, taskKey: toHex(taskKey), clientPrivateKey, inputCiphertext: ciphertextHash },
    sealedInput: sealed,
  };
}
