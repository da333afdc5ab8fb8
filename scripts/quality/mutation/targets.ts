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
    sources: ["contracts/StakeVault.sol"],
    contracts: ["contracts/StakeVault.sol:StakeVault"],
    tests: tests("stakeVault"),
  },
  {
    name: "PaymentVault",
    sources: ["contracts/PaymentVault.sol"],
    contracts: ["contracts/PaymentVault.sol:PaymentVault"],
    tests: tests("paymentVault", "taskEscrowSettle"),
  },
  {
    name: "TaskEscrow",
    sources: ["contracts/TaskEscrow.sol", "contracts/libraries/TaskMachine.sol", "contracts/libraries/Billing.sol"],
    contracts: [
      "contracts/TaskEscrow.sol:TaskEscrow",
      "contracts/mocks/BillingHarness.sol:BillingHarness",
    ],
    tests: tests("taskEscrowPost", "taskEscrowAssign", "taskEscrowSettle", "taskEscrowRefund", "billing"),
  },
];
