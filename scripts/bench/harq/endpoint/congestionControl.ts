/** The congestion control of one TCP socket, whatever the machine's default is. */
import type { Socket } from "node:net";
import { constants, system } from "../network/system.ts";
import type { Congestion } from "./endpointCalls.ts";

/** Throws a `SystemError` where the kernel has no such algorithm; the socket must be connected. */
export function setCongestionControl(socket: Socket, congestion: Congestion): void {
  const { _handle: handle } = socket as unknown as { readonly _handle: { readonly fd: number } };
  const name = Buffer.from(`${congestion}\0`, "latin1");
  system.setsockopt(handle.fd, constants.protocolTcp, constants.tcpCongestion, name, name.length);
}
