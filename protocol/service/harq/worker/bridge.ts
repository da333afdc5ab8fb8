/** The half of a bridged path that has the socket: passes on what comes, and says what has gone out. */
import type { LinkPath } from "../../../src/harq/link/linkPath.ts";
import type { ToDataPath } from "./dataPathMessages.ts";

export interface Bridge {
  send(bytes: Uint8Array): void;
  stop(): void;
}

export interface BridgeOptions {
  readonly bridge: number;
  readonly path: LinkPath;
  say(message: ToDataPath, transferred?: readonly ArrayBuffer[]): void;
}

const lookEveryMs = 1;

/** Starts the path. What the other thread sends waits here while the socket is full. */
export function createBridge({ bridge, path, say }: BridgeOptions): Bridge {
  let waiting: Uint8Array[] = [];
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  const drain = (): void => {
    timer = undefined;
    while (waiting.length > 0 && path.roomBytes() > 0) {
      const bytes = waiting.shift()!;
      path.send(bytes);
      say({ type: "bridgeSent", bridge, bytes: bytes.length });
    }
    if (waiting.length > 0 && !isStopped) timer = setTimeout(drain, lookEveryMs);
  };
  path.start({
    datagram: (bytes) => say({ type: "bridgeDatagram", bridge, bytes }),
    down: () => say({ type: "bridgeDown", bridge }),
  });
  return {
    send(bytes) {
      waiting.push(bytes);
      if (timer === undefined) drain();
    },
    stop() {
      if (isStopped) return;
      isStopped = true;
      clearTimeout(timer);
      for (const bytes of waiting) path.send(bytes);
      waiting = [];
      path.stop();
    },
  };
}
