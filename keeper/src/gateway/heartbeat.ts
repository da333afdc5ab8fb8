/** Whether the peer of a WebSocket is still there: one that is silent is pinged, one that answers no ping is gone. */
import type { Clock } from "@ngpu/protocol/service/clock";
import type { WebSocket } from "ws";

const pingMs = 5_000;
const mostSilentMs = 20_000;

/** To be called a few times a second. A socket that this side does not read may say nothing, and is not judged. */
export function heartbeat(socket: WebSocket, clock: Clock): () => void {
  let heardMs = clock.monotonicMs();
  let askedMs = heardMs;
  const heard = (): void => void (heardMs = clock.monotonicMs());
  socket.on("pong", heard).on("message", heard);
  return () => {
    if (socket.isPaused) return heard();
    const nowMs = clock.monotonicMs();
    if (nowMs - heardMs > mostSilentMs) return socket.terminate();
    if (nowMs - Math.max(heardMs, askedMs) < pingMs) return;
    askedMs = nowMs;
    socket.ping();
  };
}
