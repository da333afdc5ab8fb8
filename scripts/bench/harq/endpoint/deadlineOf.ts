/** How long an end of a bad network may take to answer: what was asked of it says that for itself, and some more. */
import type { EndpointCalls } from "./endpointCalls.ts";

/** For what is done at once: the process may have to start first, on a machine that is busy. */
const graceMs = 45_000;
/** A timer of Node rings late where much is going on. */
const slack = 3;

type Takes = { readonly [Name in keyof EndpointCalls]?: (given: Parameters<EndpointCalls[Name]>[0] & object) => number };

const echoMs = 2_100;

/** In milliseconds. */
const takes: Takes = {
  echoTimes: ({ count }) => count * echoMs,
  echoFlood: ({ count, bytes, bytesPerSecond }) => (slack * count * bytes * 1_000) / bytesPerSecond,
  webSocketOpen: ({ withinMs = 0 }) => withinMs,
  streamOpen: ({ withinMs = 0 }) => withinMs,
  webSocketSendEvery: ({ count, everyMs }) => slack * count * everyMs,
  harqOpen: ({ withinMs = 0 }) => withinMs,
  harqSendEvery: ({ count, everyMs }) => slack * count * everyMs,
  nextArrival: ({ withinMs }) => withinMs,
  bytesDuring: ({ fromUs, forUs }) => Math.max(0, fromUs + forUs - Number(process.hrtime.bigint()) / 1_000) / 1_000,
};

export function deadlineOf(name: keyof EndpointCalls, given: unknown): number {
  const own = takes[name] as ((given: unknown) => number) | undefined;
  return (own?.(given) ?? 0) + graceMs;
}
