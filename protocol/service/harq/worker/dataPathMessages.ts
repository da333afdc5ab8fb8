/** What the product's thread and the thread of the data path say to each other; bytes are transferred, not copied. */
import type { RememberedPath } from "../../../src/harq/connection/connectionState.ts";
import type { AgreedLimits } from "../../../src/harq/connection/agreedLimits.ts";
import type { CongestionClass } from "../../../src/harq/congestion/controller.ts";
import type { ReceiveEvent } from "../../../src/harq/message/inbox.ts";
import type { Priority } from "../../../src/harq/message/priority.ts";
import type { LinkEnd } from "../../../src/harq/link/harqLink.ts";
import type { LinkKeys } from "../linkKeys.ts";
import type { LinkMetrics } from "../../../src/harq/link/linkMetrics.ts";
import type { SendOutcome } from "../../../src/harq/link/linkSends.ts";
import type { UdpAddress } from "../udpPath.ts";
import type { UdpCounts, UdpPathOptions, UdpSocketOptions } from "../udpSocket.ts";

/** What the other thread makes a path of. */
export type PathPlan =
  | { readonly type: "udp"; readonly socket: number; readonly path: UdpPathOptions }
  | { readonly type: "webSocket"; readonly url: string }
  /** A stream whose socket stays in the product's thread. */
  | { readonly type: "bridge"; readonly bridge: number };

export interface PathOpening {
  readonly id: number;
  readonly plan: PathPlan;
  readonly rttUs?: number;
  readonly memory?: RememberedPath;
  readonly joins?: boolean;
}

export interface WorkerUdpOptions extends Pick<UdpSocketOptions, "host" | "port" | "asksForTokens"> {
  /** Whoever asks from where it is heard is told (`harq/direct/observation.ts`). */
  readonly answersObservations?: boolean;
}

export type ToDataPath =
  | { readonly type: "openUdp"; readonly socket: number; readonly options: WorkerUdpOptions }
  | { readonly type: "closeUdp"; readonly socket: number }
  | {
      readonly type: "createLink";
      readonly link: number;
      readonly keys: LinkKeys;
      readonly congestion: CongestionClass;
      readonly agreed: AgreedLimits | undefined;
    }
  | { readonly type: "openPath" | "acceptPath"; readonly link: number; readonly opening: PathOpening }
  | { readonly type: "joinPath"; readonly link: number; readonly opening: PathOpening; readonly first: Uint8Array }
  | { readonly type: "closePath"; readonly link: number; readonly id: number }
  | {
      readonly type: "send";
      readonly link: number;
      readonly handle: number;
      readonly length: number;
      readonly priority: Priority;
    }
  | {
      readonly type: "sendPart";
      readonly link: number;
      readonly handle: number;
      readonly offset: number;
      readonly bytes: Uint8Array;
    }
  | { readonly type: "cancel"; readonly link: number; readonly handle: number }
  | { readonly type: "consumed"; readonly link: number; readonly message: number; readonly offset?: number }
  | { readonly type: "reconnect"; readonly link: number; readonly keys: LinkKeys }
  | { readonly type: "close"; readonly link: number; readonly code: number; readonly text: string }
  | { readonly type: "bridgeDatagram"; readonly bridge: number; readonly bytes: Uint8Array }
  | { readonly type: "bridgeSent"; readonly bridge: number; readonly bytes: number }
  | { readonly type: "bridgeDown"; readonly bridge: number };

export interface LinkReport {
  readonly metrics: LinkMetrics;
  readonly memories: ReadonlyMap<number, RememberedPath>;
}

export type FromDataPath =
  | { readonly type: "udpOpen"; readonly socket: number; readonly address: UdpAddress }
  | { readonly type: "udpFailed"; readonly socket: number; readonly error: Error }
  | { readonly type: "udpClosed"; readonly socket: number }
  /** CPU time of the thread so far. */
  | { readonly type: "usage"; readonly cpuUs: number }
  | { readonly type: "udpCounts"; readonly socket: number; readonly counts: UdpCounts }
  | { readonly type: "received"; readonly link: number; readonly event: ReceiveEvent }
  | { readonly type: "progress"; readonly link: number; readonly handle: number; readonly readBytes: number }
  | { readonly type: "sent"; readonly link: number; readonly handle: number; readonly outcome: SendOutcome }
  | { readonly type: "report"; readonly link: number; readonly report: LinkReport }
  | { readonly type: "closed"; readonly link: number; readonly end: LinkEnd }
  | { readonly type: "letGo"; readonly link: number }
  | { readonly type: "bridgeSend"; readonly bridge: number; readonly bytes: Uint8Array }
  | { readonly type: "bridgeStop"; readonly bridge: number };
