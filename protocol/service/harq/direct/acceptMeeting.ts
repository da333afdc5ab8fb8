/** The node's side of a meeting, once it is known that the client may ask for it: the reply, and then the link. */
import type { Hex } from "viem";
import { linkCapabilities } from "../../../src/harq/codedLink.ts";
import type { DirectLink } from "../../../src/harq/direct/directLink.ts";
import { targetsOf } from "../../../src/harq/direct/targets.ts";
import type { MessageHandler } from "../../../src/harq/link/deliveries.ts";
import { randomConnectionId } from "../../../src/harq/randomConnectionId.ts";
import { respond } from "../../../src/harq/security/handshake.ts";
import type { KeyPair } from "../../../src/harq/security/noisePrimitives.ts";
import type { Signed, SigningContext } from "../../../src/signed.ts";
import { nodeLinkPorts } from "../nodeLinkPorts.ts";
import { nodePrimitives } from "../nodePrimitives.ts";
import type { DirectSocket, Observation } from "./directSocket.ts";
import { openDirectLink } from "./openDirectLink.ts";

export interface AcceptedMeeting {
  readonly reply: Uint8Array;
  /** To be called as soon as the reply is on its way. */
  open(onMessage: (link: DirectLink, message: Parameters<MessageHandler>[0]) => void | Promise<void>): DirectLink;
}

/** Without an observation the client's first datagram is waited for as long as this side takes to the gateway at worst. */
const assumedRttMs = 100;

/** Throws HANDSHAKE_REFUSED, AUTH_EXPIRED or WIRE_MALFORMED. */
export async function acceptMeeting(request: {
  gatewayUrl: string;
  hello: Uint8Array;
  ticket: Hex;
  staticKey: KeyPair;
  identity: Signed<"transportKey">;
  context: SigningContext;
  nowMs: number;
  /** Where it is not given, the link stays on the relay. */
  udp?: { socket: DirectSocket; seen: Observation } | undefined;
}): Promise<AcceptedMeeting> {
  const { gatewayUrl, hello, ticket, staticKey, identity, context, nowMs, udp } = request;
  const ports = nodeLinkPorts();
  const connectionId = randomConnectionId(ports.randomBytes);
  const { reply, result } = await respond(
    {
      ...{ primitives: nodePrimitives, staticKey, identity, context, connectionId, capabilities: linkCapabilities },
      candidates: udp === undefined ? [] : [{ address: udp.seen.address, port: udp.seen.port }],
      nowS: Math.floor(nowMs / 1_000),
    },
    hello,
  );
  const rttMs = udp?.seen.roundTripMs ?? assumedRttMs;
  const { candidates } = result.peer;
  return {
    reply,
    open(onMessage) {
      const targets = udp ? targetsOf({ candidates, seenAt: udp.seen.address, chainId: context.chainId }) : [];
      const link: DirectLink = openDirectLink({
        ...{ gatewayUrl, ticket, result, connectionId, ports, rttMs: 2 * rttMs },
        // One round trip from now the client begins as well, give or take what both ways to the gateway differ.
        ...(udp === undefined ? {} : { udp: { socket: udp.socket.udp, targets, delayMs: rttMs } }),
        onMessage: (message) => onMessage(link, message),
      });
      return link;
    },
  };
}
