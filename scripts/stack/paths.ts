/** Where things are in this repository; everything that a command writes goes below `state`, which git ignores. */
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

export const paths = {
  root,
  state: join(root, ".ngpu"),
  stamps: join(root, ".ngpu", "stamps"),
  stacks: join(root, ".ngpu", "stacks"),
  run: join(root, ".ngpu", "run"),
  hardhat: join(root, "node_modules/hardhat/dist/src/cli.js"),
  next: join(root, "node_modules/next/dist/bin/next"),
} as const;
