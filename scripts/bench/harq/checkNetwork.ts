/** The network as it was asked to be, by what plain datagrams and a plain stream of TCP see of it. */
import { pathOf } from "./conditions.ts";
import { openPair, type Pair, type PairConditions } from "./openPair.ts";

export interface NetworkCheck {
  /** Median beyond the round trip that was asked for, the sockets of both ends included. */
  readonly rttErrorMs: number;
  readonly lossErrorPoints: number;
  /** Packets of the datagrams' direction, after their time. */
  readonly meanLateUs: number;
  readonly latestUs: number;
  /** What a stream of CUBIC gets of a clean path once it has started, headers not counted. */
  readonly tcpShareOfRate: number;
}

const rttMs = 200;
const loss = 0.1;
const datagrams = 20_000;
const echoes = 50;
const cleanRttMs = 20;
const startUs = 1_500_000;
const windowUs = 2_000_000;

/** Takes about 20 s. Rejects where no network can be made. */
export async function checkNetwork(): Promise<NetworkCheck> {
  const seen = await over(pathOf({ rttMs, loss, seed: 99 }), checkDatagrams);
  return { ...seen, tcpShareOfRate: await over(pathOf({ rttMs: cleanRttMs, loss: 0, seed: 98 }), checkStream) };
}

async function over<T>(conditions: PairConditions, check: (pair: Pair) => Promise<T>): Promise<T> {
  const pair = await openPair(conditions);
  try {
    return await check(pair);
  } finally {
    await pair.close();
  }
}

async function checkDatagrams({ near, far, host, counts }: Pair) {
  await far.echoListen({ host });
  const times = (await near.echoTimes({ host, count: echoes })).toSorted((a, b) => a - b);
  await near.echoFlood({ host, count: datagrams, bytes: 1_200, bytesPerSecond: 4_000_000 });
  await new Promise((resolve) => setTimeout(resolve, 500));
  const arrived = await far.echoCounted();
  const [there] = await counts();
  return {
    rttErrorMs: rounded((times[Math.floor(times.length / 2)] ?? Infinity) / 1_000 - rttMs),
    lossErrorPoints: rounded(100 * (1 - arrived / datagrams) - 100 * loss),
    meanLateUs: Math.round(there?.meanLateUs ?? 0),
    latestUs: Math.round(there?.latestUs ?? 0),
  };
}

async function checkStream({ near, far, host, conditions }: Pair): Promise<number> {
  await far.streamListen({ host });
  await near.streamOpen({ host, congestion: "cubic" });
  const fromUs = Number(process.hrtime.bigint()) / 1_000 + startUs;
  const bytes = await far.bytesDuring({ fromUs, forUs: windowUs });
  return rounded((bytes * 1e6) / windowUs / conditions.bytesPerSecond);
}

function rounded(value: number): number {
  return Number(value.toFixed(3));
}
