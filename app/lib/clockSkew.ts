/**
 * How far this device's clock is ahead of the server that the app came from, in milliseconds. Signatures for the
 * gateway carry a time, and a device whose clock is an hour off could not hand over its input; so the app signs with
 * the server's time. Zero where the server does not say, or where the difference is within what everyone tolerates.
 */
const toleratedMs = 5_000;

export async function readClockSkew(options: {
  fetch: (url: string, init: RequestInit) => Promise<Pick<Response, "headers">>;
  nowMs: () => number;
}): Promise<number> {
  const { nowMs } = options;
  const askedMs = nowMs();
  try {
    const { headers } = await options.fetch("/icon.svg", { method: "HEAD", cache: "no-store" });
    const serverMs = Date.parse(headers.get("date") ?? "");
    const skewMs = Math.round((askedMs + nowMs()) / 2) - serverMs;
    return Number.isFinite(skewMs) && Math.abs(skewMs) > toleratedMs ? skewMs : 0;
  } catch {
    return 0;
  }
}
