/**
 * Runs test files of the room that it stands in, whenever it is told to, and says whether they passed. Test modules
 * are loaded anew each time; Hardhat, the world where it is shared, and everything else stays.
 */
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runRegistered } from "./nodeTest.ts";
import type { TestFiles } from "./runTests.ts";

const nodeTest = import.meta.resolve("./nodeTest.ts");
const sharedWorld = import.meta.resolve("./sharedWorld.ts");
const world = pathToFileURL(join(process.cwd(), "test/contracts/support/world.ts")).href;
registerHooks({
  resolve(specifier, context, next) {
    if (specifier === "node:test") return { url: nodeTest, shortCircuit: true };
    if (!specifier.endsWith("/world.ts")) return next(specifier, context);
    return { url: context.parentURL === sharedWorld ? world : sharedWorld, shortCircuit: true };
  },
});

const { shareWorld } = (await import(sharedWorld)) as typeof import("./sharedWorld.ts");
let runs = 0;
console.log = () => undefined;
process.on("message", (files: TestFiles) => {
  void passes(files).then((passed) => process.send?.(passed));
});
process.once("disconnect", () => process.exit(0));
process.send?.("ready");

async function passes({ inOneWorld, inTheirOwn }: TestFiles): Promise<boolean> {
  runs += 1;
  try {
    shareWorld(true);
    await runAll(inOneWorld);
    shareWorld(false);
    await runAll(inTheirOwn);
    return true;
  } catch {
    return false;
  }
}

async function runAll(files: readonly string[]): Promise<void> {
  for (const file of files) {
    await import(`${pathToFileURL(join(process.cwd(), file)).href}?run=${runs}`);
    await runRegistered();
  }
}
