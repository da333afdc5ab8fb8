/**
 * Stands in for the contract tests' support/world.ts in a process that runs them over and over. Deploying the world
 * takes longer than most tests: while it is shared, every file finds the same one in the state it was deployed in.
 */
import { createWorld as deployWorld, type World } from "../../../test/contracts/support/world.ts";

export * from "../../../test/contracts/support/world.ts";

interface Shared {
  readonly world: World;
  restoreFirst(): Promise<void>;
}

let sharing = false;
let shared: Promise<Shared> | undefined;

/** Whether worlds that are created from now on are one. */
export function shareWorld(on: boolean): void {
  sharing = on;
}

export async function createWorld(): Promise<World> {
  if (!sharing) return deployWorld();
  shared ??= deployShared();
  const { world, restoreFirst } = await shared;
  await restoreFirst();
  await world.remember();
  return world;
}

async function deployShared(): Promise<Shared> {
  const world = await deployWorld();
  const first = await world.connection.networkHelpers.takeSnapshot();
  return { world: { ...world, close: async () => undefined }, restoreFirst: () => first.restore() };
}
