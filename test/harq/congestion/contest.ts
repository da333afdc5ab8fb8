/** Flows that share one bottleneck for a while: what each of them gets of it. */
import type { CongestionController, ControllerOptions } from "@ngpu/protocol/harq/congestion/controller";
import { createBottleneck, type Bottleneck } from "../support/bottleneck.ts";
import { createControlledFlow } from "../support/controlledFlow.ts";
import { createEventQueue, type EventQueue } from "../support/eventQueue.ts";
import { bernoulli } from "../support/lossyLink.ts";
import { createRandom } from "../support/random.ts";
import { createCubic } from "../support/tcp/cubic.ts";
import { createTcpFlow } from "../support/tcp/tcpFlow.ts";

export type Contestant = "cubic" | ((options: ControllerOptions) => CongestionController);

export interface ContestOptions {
  readonly flows: readonly Contestant[];
  readonly bytesPerSecond: number;
  readonly rttUs: number;
  /** Room of the bottleneck, in bandwidth-delay products. */
  readonly products: number;
  readonly loss?: number;
  readonly seed: number;
  /** Counted from here on, in seconds. */
  readonly fromS: number;
  readonly untilS: number;
  /** Seconds between one flow's beginning and the next. */
  readonly apartS?: number;
  readonly offeredBytesPerSecond?: number;
  /** Either end does what is due up to so much later, evenly spread; flows of ours alone. */
  readonly lateUs?: number;
  readonly script?: (queue: EventQueue, bottleneck: Bottleneck) => void;
}

/** Of each flow: bytes a second that arrived, each byte once for TCP. */
export function contest(options: ContestOptions): number[] {
  const { flows, bytesPerSecond, rttUs, products, loss = 0, seed, fromS, untilS, apartS = 0 } = options;
  const { offeredBytesPerSecond } = options;
  const queue = createEventQueue();
  const queueBytes = (products * bytesPerSecond * rttUs) / 1e6;
  const bottleneck = createBottleneck(queue, { bytesPerSecond, queueBytes });
  options.script?.(queue, bottleneck);
  const running = flows.map((flow, at) => {
    const random = createRandom(seed * 31 + at);
    const startUs = at * apartS * 1e6 + random.unit() * 200_000;
    const shared = { queue, bottleneck, rttUs, startUs, loss: bernoulli(random, loss) };
    if (flow === "cubic") return createTcpFlow({ ...shared, law: createCubic() });
    const offered = offeredBytesPerSecond === undefined ? {} : { offeredBytesPerSecond };
    const late = options.lateUs === undefined ? {} : { lateUs: () => options.lateUs! * random.unit() };
    return createControlledFlow({ ...shared, ...offered, ...late, createController: flow });
  });
  while (queue.runNext(fromS * 1e6));
  const before = running.map((flow) => flow.deliveredBytes());
  while (queue.runNext(untilS * 1e6));
  return running.map((flow, at) => (flow.deliveredBytes() - before[at]!) / (untilS - fromS));
}

export function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[values.length >> 1]!;
}
