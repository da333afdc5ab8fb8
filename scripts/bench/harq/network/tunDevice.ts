/** A network device whose packets this process reads and writes, in the namespace that the calling thread is in. */
import { constants, system } from "./system.ts";

export interface TunDevice {
  /** Non-blocking; one packet a read or write. */
  readonly fd: number;
  readonly name: string;
}

const request = {
  createDevice: 0x4004_54ca,
  setFlags: 0x8914,
  setAddress: 0x8916,
  setPeerAddress: 0x8918,
  setNetmask: 0x891c,
  setMtu: 0x8922,
  setQueueLength: 0x8943,
} as const;
const tunWithoutHeader = 0x1001;
const upAndRunning = 0x41;
const nameBytes = 16;
const requestBytes = 40;
const mtuBytes = 1_500;
/** The link keeps a queue of its own; the device's must not be shorter. */
const queuePackets = 10_000;

/** Makes it, gives it `address` with `peer` at its other end, and brings it and the loopback up. */
export function openTunDevice({ name, address, peer }: { name: string; address: string; peer: string }): TunDevice {
  const fd = system.open("/dev/net/tun", constants.readWrite | constants.nonBlocking | constants.closeOnExec);
  system.ioctl(fd, request.createDevice, named(name, (view) => view.setUint16(nameBytes, tunWithoutHeader, true)));
  const control = system.socket(constants.internet, constants.datagram | constants.closeOnExec, 0);
  const set = (call: number, value: Uint8Array): void => void system.ioctl(control, call, value);
  set(request.setAddress, addressed(name, address));
  set(request.setPeerAddress, addressed(name, peer));
  set(request.setNetmask, addressed(name, "255.255.255.255"));
  set(request.setMtu, number(name, mtuBytes));
  set(request.setQueueLength, number(name, queuePackets));
  for (const device of ["lo", name]) set(request.setFlags, named(device, (view) => view.setInt16(nameBytes, upAndRunning, true)));
  system.close(control);
  return { fd, name };
}

function named(name: string, fill: (view: DataView) => void): Uint8Array {
  const bytes = Buffer.alloc(requestBytes);
  bytes.write(name, "latin1");
  fill(new DataView(bytes.buffer, bytes.byteOffset, bytes.length));
  return bytes;
}

function number(name: string, value: number): Uint8Array {
  return named(name, (view) => view.setInt32(nameBytes, value, true));
}

function addressed(name: string, address: string): Uint8Array {
  return named(name, (view) => {
    view.setUint16(nameBytes, constants.internet, true);
    address.split(".").forEach((part, index) => view.setUint8(nameBytes + 4 + index, Number(part)));
  });
}
