/**
 * The browser of the browser test: NGPU_CHROMIUM, or Debian's. It is installed where that is possible; where it is
 * not, the error names the command. The test is never skipped.
 */
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { join } from "node:path";
import { paths } from "../../stack/paths.ts";
import { runTool } from "../../stack/process/runTool.ts";
import type { Progress } from "../../stack/progress.ts";
import { StackError } from "../../stack/stackError.ts";

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const installTimeoutMs = 5 * 60_000;

export function findChromium(env: Record<string, string | undefined> = process.env): string | undefined {
  const chosen = env.NGPU_CHROMIUM;
  if (chosen === undefined || chosen === "") return places.find((place) => existsSync(place));
  try {
    accessSync(chosen, constants.X_OK);
    return chosen;
  } catch {
    throw new StackError(`NGPU_CHROMIUM names ${chosen}, which cannot be executed.`);
  }
}

export async function requireChromium(progress: Progress): Promise<string> {
  const found = findChromium();
  if (found) return found;
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || spawnSync("apt-get", ["--version"], { stdio: "ignore" }).status !== 0) {
    throw new StackError(
      "The browser test needs Chromium: run `sudo apt-get install -y --no-install-recommends chromium`, " +
        "or set NGPU_CHROMIUM to one.",
    );
  }
  await progress.step("installed Chromium (apt-get)", async () => {
    for (const args of [["update"], ["install", "-y", "--no-install-recommends", "chromium"]]) {
      const logFile = join(paths.state, "logs", `apt-${args[0]}.log`);
      const env = { DEBIAN_FRONTEND: "noninteractive" };
      await runTool({
        name: `apt-get ${args.join(" ")}`,
        command: ["apt-get", ...args],
        logFile,
        timeoutMs: installTimeoutMs,
        env,
      });
    }
  });
  const installed = findChromium();
  if (!installed)
    throw new StackError("apt-get installed chromium, but there is no /usr/bin/chromium; set NGPU_CHROMIUM.");
  return installed;
}
