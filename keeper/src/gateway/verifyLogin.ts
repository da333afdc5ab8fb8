/**
 * Decides whether a signed Login opens this connection, and as whom. Throws AUTH_EXPIRED, AUTH_FORBIDDEN,
 * TASK_UNKNOWN or SESSION_UNKNOWN.
 */
import { NgpuError } from "@ngpu/protocol/errors";
import { gatewayLimits } from "@ngpu/protocol/limits";
import { recoverSigner, type Signed, type SigningContext } from "@ngpu/protocol/signed";
import { loginRole } from "@ngpu/protocol/typedData";
import { isAddressEqual, zeroHash, type Address, type Hex } from "viem";
import type { Authority } from "../chain/authority.ts";
import type { SessionAuthority } from "../session/sessionAuthority.ts";
import type { TaskWatch } from "./taskWatch.ts";

export type Identity =
  | { role: "node"; nodeId: number; operator: Address }
  | { role: "keeper"; account: Address }
  | { role: "client"; taskId: Hex; clientKey: Address }
  | { role: "session"; sessionId: Hex; signer: Address };

/** How long a client may be ahead of the gateway's view of the chain. */
const postVisibleMs = 10_000;

export async function verifyLogin(request: {
  login: Signed<"login">;
  nonce: Hex;
  audience: Hex;
  context: SigningContext;
  authority: Authority;
  sessions: SessionAuthority;
  tasks: TaskWatch;
  nowMs: number;
}): Promise<Identity> {
  const { login, nonce, audience, context, authority, sessions, tasks, nowMs } = request;
  const { role, subject, expiry } = login.message;
  const nowS = Math.floor(nowMs / 1_000);
  if (login.message.nonce !== nonce) throw forbidden("nonce");
  if (login.message.audience !== audience) throw forbidden("audience");
  const latest = BigInt(nowS + gatewayLimits.loginExpiryS + gatewayLimits.clockSkewS);
  if (expiry < BigInt(nowS - gatewayLimits.clockSkewS) || expiry > latest) throw new NgpuError("AUTH_EXPIRED");
  const signer = await recoverSigner({ kind: "login", signed: login, context });
  if (signer === undefined) throw new NgpuError("AUTH_REQUIRED");

  switch (role) {
    case loginRole.node: {
      const named = BigInt(subject);
      if (named < 1n || named > 0xffff_ffffn) throw forbidden("subject");
      const nodeId = Number(named);
      if (!isAddressEqual(await authority.operatorOf(nodeId), signer)) throw forbidden("operator");
      return { role: "node", nodeId, operator: signer };
    }
    case loginRole.keeper:
      if (subject !== zeroHash) throw forbidden("subject");
      if (!(await authority.isKeeper(signer))) throw forbidden("keeper");
      return { role: "keeper", account: signer };
    case loginRole.client: {
      const facts = await tasks.find(subject, postVisibleMs);
      if (!isAddressEqual(facts.clientKey, signer)) throw forbidden("client key");
      return { role: "client", taskId: subject, clientKey: signer };
    }
    case loginRole.session: {
      const signers = await sessions.signersOf(subject);
      if (signers.length === 0) throw new NgpuError("SESSION_UNKNOWN", { sessionId: subject });
      if (!signers.some((allowed) => isAddressEqual(allowed, signer))) throw forbidden("session signer");
      return { role: "session", sessionId: subject, signer };
    }
    default:
      throw forbidden("role");
  }
}

function forbidden(part: string): NgpuError {
  return new NgpuError("AUTH_FORBIDDEN", { part });
}
