/**
 * Files of the catalogue's models that this gateway has, given to nodes that lack them: by model and hash, in parts, so
 * that a transfer that breaks off goes on where it was.
 */
import { blobAccessSigner } from "@ngpu/protocol/blobAccess";
import { decodeBlobAuthorization } from "@ngpu/protocol/blobAuthorization";
import { catalogue as knownModels } from "@ngpu/protocol/catalogue";
import { NgpuError } from "@ngpu/protocol/errors";
import { gatewayLimits } from "@ngpu/protocol/limits";
import type { FileSpec, ModelManifest } from "@ngpu/protocol/manifest";
import type { Clock } from "@ngpu/protocol/service/clock";
import { sha256OfFile } from "@ngpu/protocol/service/sha256OfFile";
import { locateFile, modelRoots } from "@ngpu/protocol/service/modelFiles";
import type { SigningContext } from "@ngpu/protocol/signed";
import { open } from "node:fs/promises";
import type { Hex } from "viem";
import type { Authority } from "../chain/authority.ts";

export interface ModelParts {
  /**
   * The file's bytes from `offset` on, `gatewayLimits.maxPartBytes` at most and none behind its end. Throws
   * AUTH_FORBIDDEN for who is no operator of a node, and BLOB_UNKNOWN where the file is not here as its manifest wants
   * it.
   */
  part(request: PartRequest): Promise<{ bytes: Uint8Array; fileBytes: number }>;
}

export interface PartRequest {
  modelId: Hex;
  sha256: Hex;
  offset: number;
  authorization: string | undefined;
}

export function createModelParts(options: {
  authority: Pick<Authority, "nodeOfOperator">;
  context: SigningContext;
  clock: Clock;
  /** Looked into before the packages of this installation. */
  folders: readonly string[];
  catalogue?: readonly { modelId: Hex; manifest: Pick<ModelManifest, "graphs" | "assets"> }[];
}): ModelParts {
  const { authority, context, clock, folders, catalogue = knownModels } = options;
  /** Places of files that were proved once; one that is wrong or not there is looked for again. */
  const proven = new Map<Hex, Promise<string>>();

  function fileOf({ modelId, sha256 }: PartRequest): FileSpec {
    const manifest = catalogue.find((model) => model.modelId === modelId)?.manifest;
    const file = [...(manifest?.graphs ?? []), ...(manifest?.assets ?? [])].find((spec) => `0x${spec.sha256}` === sha256);
    if (file === undefined) throw new NgpuError("BLOB_UNKNOWN", { modelId, sha256 });
    return file;
  }

  function placeOf({ file, sha256 }: FileSpec): Promise<string> {
    const key: Hex = `0x${sha256}`;
    const known = proven.get(key);
    if (known !== undefined) return known;
    const proving = prove(file, sha256);
    proven.set(key, proving);
    proving.catch(() => proven.delete(key));
    return proving;
  }

  async function prove(file: string, sha256: string): Promise<string> {
    const path = locateFile(file, modelRoots(folders));
    const found = path === undefined ? undefined : await sha256OfFile(path).catch(() => undefined);
    if (path === undefined || found !== sha256) throw new NgpuError("BLOB_UNKNOWN", { file });
    return path;
  }

  return {
    async part(request) {
      const { modelId: taskId, sha256: hash, offset } = request;
      const access = decodeBlobAuthorization(request.authorization);
      const signer = await blobAccessSigner({ access, action: "read", taskId, hash, context, nowMs: clock.nowMs() });
      if ((await authority.nodeOfOperator(signer)) === 0) throw new NgpuError("AUTH_FORBIDDEN", { part: "model" });
      const spec = fileOf(request);
      const length = Math.max(0, Math.min(gatewayLimits.maxPartBytes, spec.bytes - offset));
      const bytes = new Uint8Array(length);
      const file = await open(await placeOf(spec), "r");
      try {
        const { bytesRead } = await file.read(bytes, 0, length, offset);
        return { bytes: bytes.subarray(0, bytesRead), fileBytes: spec.bytes };
      } finally {
        await file.close();
      }
    },
  };
}
