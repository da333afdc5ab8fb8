/**
 * Reads the code that an agent prints for its owner: base64url of JSON { chainId, registry, owner, operator, classId,
 * expiry, signature }.
 */
import { isAddress, isAddressEqual, isHex, type Address, type Hex } from "viem";

export interface Registration {
  owner: Address;
  operator: Address;
  classId: number;
  /** Chain time in seconds. */
  expiry: number;
  signature: Hex;
}

export type RegistrationReading =
  | { kind: "empty" }
  | { kind: "wrong"; why: string }
  | { kind: "good"; registration: Registration };

export function readRegistrationCode(
  text: string,
  expected: { chainId: number; registry: Address; account: Address | undefined; nowS: bigint | undefined },
): RegistrationReading {
  const code = text.trim();
  if (code === "") return { kind: "empty" };
  const found = parse(code);
  if (found === undefined)
    return {
      kind: "wrong",
      why: "This is not a registration code. Copy the whole word after “registration” that the agent printed.",
    };
  if (found.chainId !== expected.chainId || !isAddressEqual(found.registry, expected.registry)) {
    return { kind: "wrong", why: `The code is for chain ${found.chainId}; this app is on chain ${expected.chainId}.` };
  }
  if (expected.account !== undefined && !isAddressEqual(found.owner, expected.account)) {
    return {
      kind: "wrong",
      why: `The agent consents to serve ${found.owner}. Connect that account, or start the agent with yours as NGPU_OWNER.`,
    };
  }
  if (expected.nowS !== undefined && BigInt(found.expiry) <= expected.nowS) {
    return { kind: "wrong", why: "The code has expired. Restart the agent and copy its new one." };
  }
  const { owner, operator, classId, expiry, signature } = found;
  return { kind: "good", registration: { owner, operator, classId, expiry, signature } };
}

function parse(code: string): (Registration & { chainId: number; registry: Address }) | undefined {
  try {
    const bytes = Uint8Array.from(atob(code.replaceAll("-", "+").replaceAll("_", "/")), (character) =>
      character.charCodeAt(0),
    );
    const value = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
    const { chainId, registry, owner, operator, classId, expiry, signature } = value;
    const addresses = [registry, owner, operator].every(
      (entry) => typeof entry === "string" && isAddress(entry, { strict: false }),
    );
    const numbers = [chainId, classId, expiry].every((entry) => Number.isSafeInteger(entry) && (entry as number) >= 0);
    if (!addresses || !numbers || !isHex(signature)) return undefined;
    return {
      chainId: chainId as number,
      registry: registry as Address,
      owner: owner as Address,
      operator: operator as Address,
      classId: classId as number,
      expiry: expiry as number,
      signature,
    };
  } catch {
    return undefined;
  }
}
