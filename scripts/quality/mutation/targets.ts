/**
 * What is mutated, and which tests have to notice: each target is one part of a money contract with the libraries that
 * are compiled into it, and the contracts through which tests see it.
 */
import type { TestFiles } from "./runTests.ts";

export interface MutationTarget {
  readonly name: string;
  /** Sources whose mutants are tried, from the root. */
  readonly sources: readonly string[];
  /** Contracts that must be compiled anew, `path:Contract`. */
  readonly contracts: readonly string[];
  /** Fastest and likeliest first: the first that fails ends the trial. */
  readonly tests: TestFiles;
  /**
   * What solc does otherwise than for a deployment: less optimisation means the same and takes a third of the time,
   * which is most of what a trial takes.
   */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Solidity's first code generator; contracts that run out of its stack need the second. */
const direct = { viaIR: false };
/** No more of the optimiser than brings variables back within reach of the stack. */
const viaYul = {
  optimizer: { enabled: true, runs: 500, details: { yul: true, yulDetails: { optimizerSteps: "dhfoDgvulfnTUtnIf" } } },
};

const files = (names: readonly string[]): string[] => names.map((name) => `test/contracts/${name}.test.ts`);
const tests = (inOneWorld: readonly string[], inTheirOwn: readonly string[] = []): TestFiles => ({
  inOneWorld: files(inOneWorld),
  inTheirOwn: files(inTheirOwn),
});

const stakeVault = { contracts: ["contracts/StakeVault.sol:StakeVault"], settings: direct };
const paymentVault = { contracts: ["contracts/PaymentVault.sol:PaymentVault"], settings: direct };
const settlement = { contracts: ["contracts/SessionSettlement.sol:SessionSettlement"], settings: viaYul };
const escrow = {
  contracts: ["contracts/TaskEscrow.sol:TaskEscrow"],
  tests: tests(
    [],
    [
      ...["taskEscrowPost", "taskEscrowAssign", "taskEscrowSettle", "taskEscrowDemand", "taskEscrowRefund"],
      "taskEscrowEdges",
    ],
  ),
  settings: viaYul,
};
/** Libraries that tests reach on their own as well. */
const sessionLibraries = {
  contracts: [...settlement.contracts, "contracts/mocks/SessionHarness.sol:SessionHarness"],
  settings: viaYul,
};

export const mutationTargets: readonly MutationTarget[] = [
  {
    name: "StakeVault",
    sources: ["contracts/StakeVault.sol"],
    tests: tests(["stakeVaultSlash", "stakeVaultLock", "stakeVaultEdges", "stakeVaultBugs"], ["stakeVault"]),
    ...stakeVault,
  },
  {
    name: "StakeLibraries",
    sources: [
      "contracts/libraries/ThawPool.sol",
      "contracts/libraries/FeeLocks.sol",
      "contracts/libraries/SlashBucket.sol",
      "contracts/libraries/SlashSplit.sol",
    ],
    tests: tests(["stakeVaultSlash", "stakeVaultLock", "stakeVaultEdges", "stakeVaultBugs"], ["stakeVault"]),
    ...stakeVault,
  },
  {
    name: "PaymentVault",
    sources: ["contracts/PaymentVault.sol", "contracts/payment/PaymentBase.sol"],
    tests: tests(
      ["paymentVaultSessions", "sessionLife", "moneyBugClasses"],
      ["paymentVault", "paymentVaultEdges", "taskEscrowSettle"],
    ),
    ...paymentVault,
  },
  {
    name: "PaymentSessions",
    sources: ["contracts/payment/PaymentKeys.sol", "contracts/payment/PaymentWithdrawals.sol"],
    tests: tests(
      ["paymentVaultSessions", "sessionSettle", "moneyBugClasses"],
      ["paymentVault", "paymentVaultEdges"],
    ),
    ...paymentVault,
  },
  {
    name: "PaymentCredits",
    sources: ["contracts/payment/PaymentCredits.sol", "contracts/libraries/MaturingCredit.sol"],
    tests: tests(["moneyBugClasses"], ["paymentVault", "paymentVaultEdges", "taskEscrowDemand", "taskEscrowSettle"]),
    ...paymentVault,
  },
  {
    name: "TaskEscrow",
    sources: [
      "contracts/TaskEscrow.sol",
      "contracts/task/OutputDemands.sol",
      "contracts/task/TaskBase.sol",
      "contracts/libraries/TaskMachine.sol",
    ],
    ...escrow,
  },
  {
    name: "TaskFit",
    sources: ["contracts/libraries/TaskFit.sol"],
    ...escrow,
    tests: tests([], ["taskEscrowEdges", "taskEscrowAssign"]),
  },
  {
    name: "Billing",
    sources: ["contracts/libraries/Billing.sol"],
    contracts: ["contracts/mocks/BillingHarness.sol:BillingHarness"],
    tests: tests(["billing"]),
    settings: viaYul,
  },
  {
    name: "SessionBilling",
    sources: ["contracts/session/SessionBilling.sol"],
    tests: tests(
      ["sessionSettle", "sessionLife", "sessionLifeEdges", "sessionEdges", "moneyBugClasses"],
      ["attackVouchers"],
    ),
    ...settlement,
  },
  {
    name: "SessionFloor",
    sources: ["contracts/session/SessionFloor.sol"],
    tests: tests(["sessionFloor", "sessionLifeEdges", "sessionEdges"], ["attackFloor"]),
    ...settlement,
  },
  {
    name: "SessionLife",
    sources: ["contracts/session/SessionLanes.sol", "contracts/session/SessionOpening.sol"],
    tests: tests(
      ["sessionLife", "sessionLifeEdges", "sessionFloor", "sessionSettle", "sessionEdges", "moneyBugClasses"],
      ["attackKeys"],
    ),
    ...settlement,
  },
  {
    name: "SessionMachine",
    sources: ["contracts/libraries/SessionMachine.sol"],
    tests: tests(
      ["sessionLife", "sessionLifeEdges", "sessionFloor", "sessionSettle", "sessionEdges"],
      ["attackFloor"],
    ),
    ...settlement,
  },
  {
    name: "SessionLibraries",
    sources: [
      "contracts/libraries/PackedBills.sol",
      "contracts/libraries/SessionMoney.sol",
      "contracts/libraries/VoucherChain.sol",
    ],
    tests: tests([
      ...["sessionParity", "sessionSettle", "sessionFloor", "sessionLife", "sessionLifeEdges"],
      "sessionEdges",
    ]),
    ...sessionLibraries,
  },
];
