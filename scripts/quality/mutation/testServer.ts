/**
 * Runs test files of the room that it stands in, whenever it is told to, and says whether they passed. Test modules
 * are loaded anew each time; Hardhat and everything else stays.
 */
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import { runRegistered } from "./nodeTest.ts";

const nodeTest = import.meta.resolve("./nodeTest.ts");
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "node:test" ? { url: nodeTest, shortCircuit: true } : next(specifier, context),
});

let runs = 0;
console.log = () => undefined;
process.on("message", (files: readonly string[]) => {
  void passes(files).then((passed) => process.send?.(passed));
});
process.once("disconnect", () => process.exit(0));

async function passes(files: readonly string[]): Promise<boolean> {
  runs += 1;
  try {
    for (const file of files) {
      await import(`${pathToFileURL(file).href}?run=${runs}`);
      await runRegistered();
    }
    return true;
  } catch {
    return false;
  }
}
