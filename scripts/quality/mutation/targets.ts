/**
 * What is mutated, and which tests have to notice: each target is one money contract with the libraries that are
 * compiled into it. A library's mutants run against every contract named here that holds it.
 */
export interface MutationTarget {
  readonly name: string;
  /** Sources whose mutants are tried, from the root. */
  readonly sources: readonly string[];
  /** Contracts that must be compiled anew, `path:Contract`. */
  readonly contracts: readonly string[];
  /** Tests, fastest and likeliest first: the first that fails ends the trial. */
  readonly tests: readonly string[];
}

const tests = (...names: string[]): string[] => names.map((name) => `test/contracts/${name}.test.ts`);

export const mutationTargets: readonly MutationTarget[] = [
  {
    name: "StakeVault",
    sources: [
      "contracts/StakeVault.sol",
      "contracts/libraries/ThawPool.sol",
      "contracts/libraries/FeeLocks.sol",
      "contracts/libraries/SlashBucket.sol",
      "contracts/libraries/SlashSplit.sol",
    ],
    contracts: ["contracts/StakeVault.sol:StakeVault"],
    tests: tests("stakeVault", "stakeVaultSlash", "stakeVaultLock", "stakeVaultBugs"),
  },
  {
    name: "PaymentVault",
    sources: [
      "contracts/PaymentVault.sol",
      "contracts/libraries/MaturingCredit.sol",
      "contracts/payment/PaymentBase.sol",
      "contracts/payment/PaymentCredits.sol",
      "contracts/payment/PaymentKeys.sol",
      "contracts/payment/PaymentWithdrawals.sol",
    ],
    contracts: ["contracts/PaymentVault.sol:PaymentVault"],
    tests: tests("paymentVault", "paymentVaultSessions", "taskEscrowSettle", "moneyBugClasses"),
  },
  {
    name: "TaskEscrow",
    sources: [
      "contracts/TaskEscrow.sol",
      "contracts/task/OutputDemands.sol",
      "contracts/task/TaskBase.sol",
      "contracts/libraries/TaskMachine.sol",
      "contracts/libraries/Billing.sol",
    ],
    contracts: ["contracts/TaskEscrow.sol:TaskEscrow", "contracts/mocks/BillingHarness.sol:BillingHarness"],
    tests: tests(
      "taskEscrowPost",
      "taskEscrowAssign",
      "taskEscrowSettle",
      "taskEscrowDemand",
      "taskEscrowRefund",
      "billing",
    ),
  },
  {
    name: "SessionSettlement",
    sources: [
      "contracts/session/SessionBilling.sol",
      "contracts/session/SessionFloor.sol",
      "contracts/session/SessionLanes.sol",
      "contracts/session/SessionOpening.sol",
      "contracts/libraries/PackedBills.sol",
      "contracts/libraries/SessionMachine.sol",
      "contracts/libraries/SessionMoney.sol",
      "contracts/libraries/VoucherChain.sol",
    ],
    contracts: [
      "contracts/SessionSettlement.sol:SessionSettlement",
      "contracts/mocks/SessionHarness.sol:SessionHarness",
    ],
    tests: tests("sessionSettle", "sessionLife", "sessionFloor", "sessionParity", "moneyBugClasses"),
  },
];
