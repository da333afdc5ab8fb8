/**
 * From a direction's secret to the keys of its phases, by HKDF-SHA256 (RFC 5869, expand): what a phase is sealed with,
 * and the secret of the next phase, from which there is no way back.
 */
import { joinBytes } from "../../bytes.ts";
import type { DirectionKeys } from "../connection/protection.ts";
import type { NoisePrimitives } from "./noisePrimitives.ts";

const saltBytes = 12;

export interface DirectionSecret {
  readonly secret: Uint8Array;
  /** Of the receiver of this direction. */
  readonly connectionId: bigint;
}

/** Keys of one phase of a direction; those of the next are derived when they are asked for. */
export function createDirectionKeys(
  primitives: Pick<NoisePrimitives, "hmac" | "createSealer">,
  { secret, connectionId }: DirectionSecret,
): DirectionKeys {
  const expand = (label: string): Uint8Array =>
    primitives.hmac(secret, joinBytes(new TextEncoder().encode(label), Uint8Array.of(1)));
  return {
    connectionId,
    salt: expand("ngpu/1 harq salt").slice(0, saltBytes),
    sealer: primitives.createSealer(expand("ngpu/1 harq key")),
    next: () => createDirectionKeys(primitives, { secret: expand("ngpu/1 harq next"), connectionId }),
  };
}
