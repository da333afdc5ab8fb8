/** Everything that an end of a bad network can be asked, with one place for what arrives there. */
import { createArrivals } from "./arrivals.ts";
import { createEcho } from "./echo.ts";
import type { EndpointCalls } from "./endpointCalls.ts";
import { createHarqPeer } from "./harqPeer.ts";
import { createTcpStream } from "./tcpStream.ts";
import { createWebSocketPeer } from "./webSocketPeer.ts";

export function createCalls(): EndpointCalls {
  const arrivals = createArrivals();
  return {
    ...createEcho(),
    ...createWebSocketPeer(arrivals),
    ...createTcpStream(arrivals),
    ...createHarqPeer(arrivals),
    nextArrival: (given) => arrivals.next(given),
    takeArrivals: () => arrivals.take(),
    bytesDuring: (given) => arrivals.during(given),
  };
}
