/** `npm start`: the whole network on this machine, one task that it billed, and where to look; runs until Ctrl-C. */
import { join, resolve } from "node:path";
import { formatUsd6 } from "../stack/formatUsd6.ts";
import { makeLocalCanaries } from "../stack/localCanaries.ts";
import { localAccounts } from "../stack/accounts.ts";
import { paths } from "../stack/paths.ts";
import { readPorts } from "../stack/ports.ts";
import { startBuilds } from "../stack/prepare.ts";
import { isInUse } from "../stack/process/record.ts";
import { createProgress, formatSeconds } from "../stack/progress.ts";
import { runSampleTask, sampleCount } from "../stack/sampleTask.ts";
import type { Stack } from "../stack/stack.ts";
import { StackError } from "../stack/stackError.ts";
import { withStack } from "../stack/withStack.ts";
import { runTarget } from "./runTarget.ts";

const progress = createProgress();
const startedMs = Number(process.env.NGPU_STARTED_MS ?? Date.now());

await runTarget(async () => {
  const dataDir = runFolder();
  const other = isInUse(dataDir);
  if (other)
    throw new StackError(`NGPU runs here already (process ${other.pid}): stop it with Ctrl-C, or kill ${other.pid}.`);
  const ports = readPorts(process.env);
  const parts = { dapp: true, subgraph: true };
  const session = {
    dataDir,
    temporary: false,
    ports,
    agents: 3,
    // Beside the folder that is emptied: they are computed once.
    canaryFolder: `${dataDir}-canaries`,
    ...parts,
    progress,
    builds: () => startBuilds({ ...parts, progress }),
  };
  await withStack(session, async (stack, signal) => {
    // The whole batch three times over: long enough for a bill of more than a thousand base units.
    const images = 3 * sampleCount();
    const { bill } = await progress.step(`sample task of ${images} pictures, paid and billed`, () =>
      runSampleTask({ urls: stack.urls, payer: localAccounts.payer.account, images, signal }),
    );
    const { powerCu, durationMs, priceUsd6PerGcums, amountUsd6, standbyUsd6, refundUsd6 } = bill;
    const standby = `${formatUsd6(standbyUsd6)} USD to the backup that stood by`;
    const back = `${formatUsd6(refundUsd6)} USD back to the payer`;
    const formula = `${powerCu} CU × ${durationMs} ms × ${formatUsd6(priceUsd6PerGcums)} USD ÷ 10⁹`;
    progress.note(`${formula} = ${formatUsd6(amountUsd6)} USD to node ${bill.nodeId}, ${standby}, ${back}`);
    progress.note(`first billed task after ${formatSeconds(Date.now() - startedMs)}`);
    process.stdout.write(overview(stack, dataDir));
    makeLocalCanaries({ folder: session.canaryFolder, signal }).catch((error: unknown) => {
      if (!signal.aborted) progress.note(`the keeper audits nobody: ${String(error)}`);
    });
    await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
  }).catch((error: unknown) => {
    if (!(error instanceof StackError && error.message.startsWith("stopped by"))) throw error;
  });
});

/** NGPU_DATA_DIR may be any folder, so what is emptied at each start is one below it. */
function runFolder(): string {
  const chosen = process.env.NGPU_DATA_DIR;
  return chosen === undefined || chosen === "" ? paths.run : join(resolve(chosen), "ngpu-run");
}

function overview({ urls, nodes }: Stack, dataDir: string): string {
  const { payer, newcomer } = localAccounts;
  const rows = [
    ["dApp", urls.dapp],
    ["chain (RPC)", `${urls.rpc}   chain id 31337`],
    ["gateway", urls.gateway],
    ["subgraph", urls.subgraph],
    ["payer", `${payer.account.address}   Hardhat account #${payer.index}, has test money and the task above`],
    ["new owner", `${newcomer.account.address}   Hardhat account #${newcomer.index}, to stake a machine of its own`],
    ...nodes.map(({ name, nodeId, owner }) => [
      name,
      `node ${nodeId}, owner ${owner.account.address} (#${owner.index})`,
    ]),
    ["logs", join(dataDir, "logs")],
  ];
  const table = rows.map(([name, value]) => `  ${String(name).padEnd(12)} ${String(value)}\n`).join("");
  const wallet = [
    "In your wallet: add the network above, then import the payer with the mnemonic of every development chain,",
    `"test test test test test test test test test test test junk", as account number ${payer.index} counted from 0.`,
    "Stop with Ctrl-C; the chain and everything on it is made anew at the next start.",
  ];
  return `\n${table}\n${wallet.map((line) => `  ${line}\n`).join("")}\n`;
}
