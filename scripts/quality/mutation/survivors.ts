/**
 * Mutants that no test can tell from the original, each with the reason; `npm run mutate` counts them apart and says
 * so when one of them no longer exists.
 */
const refilled = "A bucket that was never used has refilled since 1970.";
const nothingLeft = "Where nothing thaws or nothing is taken, the rest of the function comes to the same.";
const addsNothing = "Zero would be added to a credit, which changes nothing.";
const same = "Where both sides are equal, both branches come to the same.";
const finished = "Only a finish returns money, and where nothing is asked nothing is collected.";
const noSigner = "A session's signer is not zero, and a former one that is zero has no time left.";
const pastTheLast = "No bit is set behind the last seat.";
const noAssignment = "The digest of no task and that of a settlement are no assignment's.";
const past = "A permit whose deadline is 0 or 1 ran out in 1970: it is tried and fails without an effect.";

export const knownSurvivors: Readonly<Record<string, string>> = {
  "contracts/StakeVault.sol:219 condition 1": addsNothing,
  "contracts/StakeVault.sol:220 condition 1": addsNothing,
  "contracts/StakeVault.sol:325 condition 2": "Zero taken from pool and total changes neither.",
  "contracts/libraries/ThawPool.sol:63 deletion 1": "Gives gas back; what is below `first` is never read again.",
  "contracts/libraries/ThawPool.sol:81 condition 2": nothingLeft,
  "contracts/libraries/ThawPool.sol:81 logic 1": nothingLeft,
  "contracts/libraries/ThawPool.sol:95 literal 2": "The vault asks for the worth of no share while there is none.",
  "contracts/libraries/SlashBucket.sol:29 condition 2": refilled,
  "contracts/libraries/SlashBucket.sol:29 literal 1": refilled,
  "contracts/libraries/Billing.sol:27 relation 1": same,
  "contracts/libraries/MaturingCredit.sol:38 relation 1": same,
  "contracts/libraries/SessionMachine.sol:73 relation 2": same,
  "contracts/libraries/SessionMachine.sol:74 relation 2": same,
  "contracts/libraries/TaskFit.sol:24 relation 1": same,
  "contracts/payment/PaymentBase.sol:60 condition 2": past,
  "contracts/payment/PaymentBase.sol:60 literal 1": past,
  "contracts/session/SessionBilling.sol:152 relation 1": "Every weight is a multiple of 1,000; the bound is not.",
  "contracts/session/SessionBilling.sol:152 relation 3": "So many records are 17 GB of calldata.",
  "contracts/session/SessionBilling.sol:63 relation 1": "Where both are equal nothing is allotted.",
  "contracts/session/SessionBilling.sol:169 condition 2": noSigner,
  "contracts/session/SessionBilling.sol:169 literal 1": noSigner,
  "contracts/session/SessionBilling.sol:217 condition 1": "To lock nothing changes nothing.",
  "contracts/session/SessionBilling.sol:217 literal 1": "To lock nothing changes nothing; no base unit is worth one wei.",
  "contracts/session/SessionBilling.sol:232 condition 2": finished,
  "contracts/session/SessionBilling.sol:232 logic 1": finished,
  "contracts/session/SessionBilling.sol:239 relation 1": same,
  "contracts/session/SessionFloor.sol:104 relation 1": same,
  "contracts/session/SessionFloor.sol:113 relation 1": same,
  "contracts/session/SessionFloor.sol:117 relation 1": same,
  "contracts/session/SessionFloor.sol:152 relation 1": "Every weight is a multiple of 1,000; the bound is not.",
  "contracts/session/SessionOpening.sol:156 relation 1": same,
  "contracts/libraries/SessionMoney.sol:23 relation 1": same,
  "contracts/TaskEscrow.sol:208 relation 1": "The seat itself is still empty, and no node is zero.",
  "contracts/TaskEscrow.sol:268 condition 1": "Zero would be added to a sum, which changes nothing.",
  "contracts/TaskEscrow.sol:269 relation 1": pastTheLast,
  "contracts/TaskEscrow.sol:305 relation 1": pastTheLast,
  "contracts/task/OutputDemands.sol:74 relation 1": same,
  "contracts/task/TaskBase.sol:97 condition 2": noAssignment,
  "contracts/task/TaskBase.sol:97 logic 1": noAssignment,
  "contracts/libraries/TaskMachine.sol:66 deletion 1": "A task is assigned again only while nobody has accepted it.",
};
