/** Keeps the local price feed fresh, as Chainlink's operators do elsewhere: an answer every five minutes. */
import { deployments } from "@ngpu/protocol/generated/deployments";
import { localPriceFeedAbi } from "@ngpu/protocol/generated/abi/localPriceFeed";
import { systemClock } from "@ngpu/protocol/service/clock";
import { createLog } from "@ngpu/protocol/service/log";
import { createLoop } from "@ngpu/protocol/service/loop";
import { readUrl } from "@ngpu/protocol/service/settings";
import { runUntilSignal } from "@ngpu/protocol/service/shutdown";
import { createWalletClient, http, publicActions } from "viem";
import { hardhat } from "viem/chains";
import { localAccounts } from "./accounts.ts";

const everyMs = 5 * 60_000;

const log = createLog({ service: "feed" });
const client = createWalletClient({
  account: localAccounts.deployer.account,
  chain: hardhat,
  transport: http(readUrl(process.env, "NGPU_RPC_URL", "http://127.0.0.1:8545")),
}).extend(publicActions);
const feed = { address: deployments[31337].localPriceFeed, abi: localPriceFeedAbi } as const;

const loop = createLoop({
  name: "push",
  everyMs,
  clock: systemClock,
  log,
  async pass() {
    const [, answer] = await client.readContract({ ...feed, functionName: "latestRoundData" });
    const { request } = await client.simulateContract({ ...feed, functionName: "push", args: [answer] });
    const txHash = await client.writeContract(request);
    log.debug({ answer, txHash }, "answer pushed");
  },
});
runUntilSignal({ log, close: () => loop.stop() });
console.log(`READY ${JSON.stringify({ account: localAccounts.deployer.account.address })}`);
