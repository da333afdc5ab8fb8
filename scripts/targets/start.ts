/** `npm start`: the whole network on this machine, one task that it billed, and where to look; runs until Ctrl-C. */
import { formatUsd6 } from "../stack/formatUsd6.ts";
import { localAccounts } from "../stack/accounts.ts";
import { paths } from "../stack/paths.ts";
import { readPorts } from "../stack/ports.ts";
import { prepare } from "../stack/prepare.ts";
import { isInUse } from "../stack/process/record.ts";
import { createProgress, formatSeconds } from "../stack/progress.ts";
import { runSampleTask } from "../stack/sampleTask.ts";
import type { Stack } from "../stack/stack.ts";
import { StackError } from "../stack/stackError.ts";
import { withStack } from "../stack/withStack.ts";
import { runTarget } from "./runTarget.ts";

const sampleImages = 3;

const progress = createProgress();
const startedMs = Number(process.env.NGPU_STARTED_MS ?? Date.now());

await runTarget(async () => {
  const other = isInUse(paths.run);
  if (other) throw new StackError(`NGPU runs here already (process ${other.pid}): stop it with Ctrl-C, or kill ${other.pid}.`);
  const ports = readPorts(process.env);
  const parts = { dapp: true, subgraph: true };
  const session = { dataDir: paths.run, temporary: false, ports, agents: 3, ...parts, progress, beforeStart: () => prepare({ ...parts, progress }) };
  await withStack(session, async (stack, signal) => {
    const billed = await progress.step(`sample task of ${sampleImages} pictures, paid and billed`, () =>
      runSampleTask({ urls: stack.urls, payer: localAccounts.payer.account, images: sampleImages, signal }),
    );
    const { bill } = billed;
    progress.note(
      `${formatUsd6(bill.amountUsd6)} USD to node ${bill.nodeId} for ${bill.powerCu} CU × ${bill.durationMs} ms, ` +
        `${formatUsd6(bill.refundUsd6)} USD back to the payer`,
    );
    progress.note(`first billed task after ${formatSeconds(Date.now() - startedMs)}`);
    process.stdout.write(overview(stack));
    await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
  }).catch((error: unknown) => {
    if (!(error instanceof StackError && error.message.startsWith("stopped by"))) throw error;
  });
});

function overview({ urls, nodes }: Stack): string {
  const { payer, newcomer } = localAccounts;
  const rows = [
    ["dApp", urls.dapp],
    ["chain (RPC)", `${urls.rpc}   chain id 31337`],
    ["gateway", urls.gateway],
    ["subgraph", urls.subgraph],
    ["payer", `${payer.account.address}   Hardhat account #${payer.index}, has test money and the task above`],
    ["new owner", `${newcomer.account.address}   Hardhat account #${newcomer.index}, to stake a machine of its own`],
    ...nodes.map(({ name, nodeId, owner }) => [name, `node ${nodeId}, owner ${owner.account.address} (#${owner.index})`]),
    ["logs", `${paths.run}/logs`],
  ];
  const table = rows.map(([name, value]) => `  ${String(name).padEnd(12)} ${String(value)}\n`).join("");
  const wallet = [
    "In your wallet: add the network above, then import the payer with the mnemonic of every development chain,",
    `"test test test test test test test test test test test junk", as account number ${payer.index} counted from 0.`,
    "Stop with Ctrl-C; the chain and everything on it is made anew at the next start.",
  ];
  return `\n${table}\n${wallet.map((line) => `  ${line}\n`).join("")}\n`;
}
