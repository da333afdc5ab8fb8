/** Meets a node from Node.js: a socket, where it is seen, a handshake through the gateway, and the link. */
import { hexToBytes, isAddressEqual } from "viem";
import { NgpuError } from "../../../src/errors.ts";
import { linkCapabilities } from "../../../src/harq/codedLink.ts";
import type { MeetNode } from "../../../src/harq/direct/directLink.ts";
import { targetsOf } from "../../../src/harq/direct/targets.ts";
import { randomConnectionId } from "../../../src/harq/randomConnectionId.ts";
import { createInitiator } from "../../../src/harq/security/handshake.ts";
import { recoverSigner } from "../../../src/signed.ts";
import { systemClock, type Clock } from "../../clock.ts";
import { nodeLinkPorts } from "../nodeLinkPorts.ts";
import { nodePrimitives } from "../nodePrimitives.ts";
import { openDirectSocket, resolveObserver, type OpenUdp } from "./directSocket.ts";
import { openDirectLink } from "./openDirectLink.ts";

export interface NodeMeeterOptions {
  readonly clock?: Clock;
  /** False: over the relay alone. */
  readonly usesUdp?: boolean;
  readonly openUdp?: OpenUdp;
}

/** Rejects with HANDSHAKE_REFUSED where the key is not the operator's, and with what `exchange` rejects with. */
export function createNodeMeeter({ clock = systemClock, usesUdp = true, openUdp }: NodeMeeterOptions = {}): MeetNode {
  return async ({ gatewayUrl, context, operator, key, observer, exchange, onMessage }) => {
    const signer = await recoverSigner({ kind: "transportKey", signed: key, context });
    const isOperators =
      signer !== undefined && isAddressEqual(signer, operator) && isAddressEqual(key.message.operator, operator);
    if (!isOperators) throw new NgpuError("HANDSHAKE_REFUSED", { part: "transport key" });
    const at = usesUdp ? await resolveObserver(observer, gatewayUrl) : undefined;
    const socket = at && (await openDirectSocket({ clock, openUdp }).catch(() => undefined));
    const close = async (): Promise<void> => socket?.close();
    try {
      const seen = at && (await socket?.observe(at));
      const ports = nodeLinkPorts();
      const connectionId = randomConnectionId(ports.randomBytes);
      const initiator = createInitiator({
        ...{ primitives: nodePrimitives, staticKey: nodePrimitives.generate(), context, connectionId },
        ...{ capabilities: linkCapabilities, nowS: Math.floor(clock.nowMs() / 1_000) },
        candidates: seen === undefined ? [] : [{ address: seen.address, port: seen.port }],
        responderPublicKey: hexToBytes(key.message.transportKey),
        responderOperator: operator,
      });
      const askedMs = clock.monotonicMs();
      const { reply, ticket } = await exchange(initiator.hello);
      const rttMs = clock.monotonicMs() - askedMs;
      const result = await initiator.finish(reply);
      const { candidates } = result.peer;
      const targets = seen ? targetsOf({ candidates, seenAt: seen.address, chainId: context.chainId }) : [];
      const link = openDirectLink({
        ...{ gatewayUrl, ticket, result, connectionId, rttMs, ports },
        ...(socket === undefined ? {} : { udp: { socket: socket.udp, targets, delayMs: 0 } }),
        onMessage({ bytes }) {
          if (bytes !== undefined) onMessage(bytes);
        },
      });
      void link.closed.then(close);
      return link;
    } catch (cause) {
      await close();
      throw cause instanceof NgpuError ? cause : new NgpuError("GATEWAY_UNREACHABLE", { gatewayUrl }, { cause });
    }
  };
}

