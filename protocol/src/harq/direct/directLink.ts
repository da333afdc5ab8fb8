/** A link between a client and a node, as either of them uses it; what is under it is its own business. */
import type { SendMessage } from "../../blobExchange/asker.ts";
import type { SigningContext, Signed } from "../../signed.ts";
import type { Address, Hex } from "viem";

export interface DirectLink {
  /** Resolves when the peer has the message whole; rejects with GATEWAY_UNREACHABLE, or with the reason of its signal. */
  readonly send: SendMessage;
  /** Whether it goes straight to the peer now, not through the gateway. */
  isOpen(): boolean;
  /** Resolves once: with true when a straight path was found, with false when none is looked for any more. */
  readonly opened: Promise<boolean>;
  /** Bytes of messages that are held for this side, those included whose handler has not resolved. */
  heldBytes(): number;
  /** Resolves when either side, or the relay, has ended it. */
  readonly closed: Promise<void>;
  close(): void;
}

/** A client's way to meet a node; a browser has none. Rejects with a catalogue code. */
export type MeetNode = (request: {
  readonly gatewayUrl: string;
  readonly context: SigningContext;
  /** Of the node, by the chain's word. */
  readonly operator: Address;
  readonly key: Signed<"transportKey">;
  /** As in the `direct` frame. */
  readonly observer: string;
  /** Has the hello passed on, and resolves with the node's answer. */
  readonly exchange: (hello: Uint8Array) => Promise<{ readonly reply: Uint8Array; readonly ticket: Hex }>;
  readonly onMessage: (bytes: Uint8Array) => void;
}) => Promise<DirectLink>;
