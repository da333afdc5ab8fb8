/** NGPU on the local chain: the core with tokens, a price feed and a faucet that refuse to exist anywhere else. */
import { buildModule } from "@nomicfoundation/hardhat-ignition/modules";
import { localTimes } from "./faults.ts";
import { buildCore } from "./Ngpu.ts";
import { keepDeployer } from "./roles.ts";

const USD6 = 10n ** 6n;
const NGPU_WEI = 10n ** 18n;

/** Accounts #0 and #1 of the development mnemonic. */
const DEPLOYER = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const KEEPER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

export default buildModule("NgpuLocal", (m) => {
  const deployer = m.getAccount(0);
  const localUsd = m.contract("LocalUsd", [deployer, 1_000_000_000n * USD6]);
  const ngpuToken = m.contract("NgpuToken", [deployer, 1_000_000_000n * NGPU_WEI]);
  // 0.50 USD per NGPU.
  const localPriceFeed = m.contract("LocalPriceFeed", [deployer, m.getParameter("feedAnswer", 50_000_000n)]);
  // One drip pays for thousands of small tasks and stakes a node of any class.
  const faucet = m.contract("Faucet", [localUsd, 1_000n * USD6, ngpuToken, 2_000n * NGPU_WEI, 60]);
  m.call(localUsd, "transfer", [faucet, 100_000_000n * USD6], { id: "FundFaucetUsd" });
  m.call(ngpuToken, "transfer", [faucet, 100_000_000n * NGPU_WEI], { id: "FundFaucetNgpu" });

  const localSeedSource = m.contract("LocalSeedSource", []);

  const { contracts } = buildCore(m, {
    paymentToken: localUsd,
    stakeToken: ngpuToken,
    priceFeed: localPriceFeed,
    keeper: m.getParameter("keeper", KEEPER),
    policy: m.getParameter("policy", DEPLOYER),
    appeal: m.getParameter("appeal", DEPLOYER),
    pauser: m.getParameter("pauser", DEPLOYER),
    unpauser: m.getParameter("unpauser", DEPLOYER),
    guardian: m.getParameter("guardian", DEPLOYER),
    auditor: m.getParameter("auditor", KEEPER),
    treasury: m.getParameter("treasury", DEPLOYER),
    thawPeriodSeconds: 300,
    settleWindowSeconds: 60,
    withdrawalThawSeconds: 60,
    disputeWindowSeconds: 60,
    appealWindowSeconds: 60,
    seedSource: localSeedSource,
    selection: {
      openSeconds: 300,
      updateSeconds: 30,
      seedTimeoutSeconds: 60,
      challengeSeconds: 60,
      keeperExitSeconds: 300,
      scoreFreshnessSeconds: 3_600,
      ripeningSeconds: 24 * 3_600,
    },
    faultTimes: localTimes,
    demands: { payerWindowSeconds: 30, answerWindowSeconds: 60, quorum: 1, minimumBondUsd6: 10_000n },
  });
  keepDeployer(m, contracts.accessManager);
  return { ...contracts, localUsd, ngpuToken, localPriceFeed, faucet, localSeedSource };
});
