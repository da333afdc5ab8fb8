/** How long a message takes from `send` to its delivery over a simulated path, and what it costs in bytes. */
import type { CongestionController, ControllerOptions } from "@ngpu/protocol/harq/congestion/controller";
import type { RememberedPath } from "@ngpu/protocol/harq/connection/connectionState";
import type { Priority } from "@ngpu/protocol/harq/message/priority";
import { createDoubling } from "../support/controllers.ts";
import { bernoulli, type LinkConditions, type LossModel } from "../support/lossyLink.ts";
import { createRandom, type Random } from "../support/random.ts";
import { createWorld, sha256Of, type World, type WorldPath } from "../support/world.ts";

export interface CompletionOptions {
  readonly bytes: number;
  readonly loss: number;
  readonly rttUs: number;
  readonly bytesPerSecond: number;
  /** Warm: rate and loss are remembered of an earlier connection. */
  readonly start: "cold" | "warm";
  readonly seed: number;
  readonly priority?: Priority;
  /** Messages one after the other; each is measured. */
  readonly messages?: number;
  /** In place of independent losses, both ways. */
  readonly lossModel?: (random: Random) => LossModel;
  readonly conditions?: Partial<LinkConditions>;
  /** Where what is remembered is not what the path carries. */
  readonly rememberedBytesPerSecond?: number;
  readonly createController?: (options: ControllerOptions) => CongestionController;
}

export interface Completion {
  /** Of each message, from `send` to delivery. */
  readonly takenUs: readonly number[];
  /**
   * Everything that left towards the receiver until the sender knew of the last one, for each byte of the messages.
   */
  readonly wireRatio: number;
  /** Repair bytes for each source byte. */
  readonly repairRatio: number;
  readonly reportRatio: number;
}

const deadlineUs = 600_000_000;

export function measureCompletion(options: CompletionOptions): Completion {
  const { bytes: length, rttUs, seed, priority = "bulk", messages = 1 } = options;
  const { world, path } = aPath(options);
  const { near, far, queue } = world;
  const bytes = createRandom(seed).bytes(length);
  const wireBefore = path.there.wireBytes();
  const takenUs = Array.from({ length: messages }, (_, at) => {
    const sentUs = queue.nowUs();
    near.send(bytes, priority);
    const arrived = world.runUntil(() => far.deliveries.length > at, sentUs + deadlineUs);
    if (!arrived || far.deliveries[at]!.sha256 !== sha256Of(bytes)) throw new Error(`message ${at} did not arrive`);
    world.runUntil(() => near.events.filter(({ type }) => type === "sent").length > at, sentUs + deadlineUs);
    world.runUntil(() => false, queue.nowUs() + rttUs / 4);
    return far.deliveries[at]!.atUs - sentUs;
  });
  return {
    takenUs,
    wireRatio: (path.there.wireBytes() - wireBefore) / (length * messages),
    repairRatio: near.connection.counts.repairBytes / near.connection.counts.sourceBytes,
    reportRatio: far.connection.counts.statusBytes / far.connection.counts.receivedBytes,
  };
}

/** Two connections with one path between them that both have validated. */
export function aPath(options: Omit<CompletionOptions, "bytes">): { world: World; path: WorldPath } {
  const { loss, rttUs, bytesPerSecond, start, seed, lossModel, conditions = {} } = options;
  const createController = options.createController ?? createDoubling({ bytesPerSecond: 0.97 * bytesPerSecond });
  const world = createWorld({ seed, createController });
  const memory: RememberedPath = {
    congestion: { bytesPerSecond: options.rememberedBytesPerSecond ?? 0.97 * bytesPerSecond, smallestRttUs: rttUs },
    loss: { arrived: 2_000 * (1 - loss), lost: 2_000 * loss, meanBurst: 1 / (1 - loss) },
  };
  const link = (direction: number): LinkConditions => {
    const random = createRandom(seed * 2 + direction);
    const model = lossModel?.(random) ?? bernoulli(random, loss);
    return { delayUs: rttUs / 2, bytesPerSecond, queueBytes: 2_500_000, loss: model, ...conditions };
  };
  const path = world.openPath(0, { there: link(0), back: link(1), rttUs, ...(start === "warm" ? { memory } : {}) });
  const isReady = (): boolean =>
    [world.near, world.far].every(({ connection }) => connection.paths.get(0)?.isValidated === true);
  if (!world.runUntil(isReady, deadlineUs)) throw new Error("the path did not validate");
  return { world, path };
}
