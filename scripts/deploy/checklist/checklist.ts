/** Everything that is looked at after a deployment, dry or real. It holds when every check does. */
import type { ArtifactManager } from "hardhat/types/artifacts";
import type { Check } from "./check.ts";
import { examineContracts, type ContractRow } from "./contracts.ts";
import { findOpenSteps, type OpenStep } from "./openSteps.ts";
import { examineRights, type RoleRow } from "./rights.ts";
import type { Subject } from "./subject.ts";
import { examineValues } from "./values.ts";

export interface Checklist {
  readonly ok: boolean;
  readonly contracts: readonly ContractRow[];
  readonly total: { readonly transactions: number; readonly gas: bigint; readonly costWei: bigint };
  readonly roles: readonly RoleRow[];
  readonly checks: readonly Check[];
  readonly openSteps: readonly OpenStep[];
}

export async function examineDeployment(subject: Subject, artifacts: ArtifactManager): Promise<Checklist> {
  const { configuration, receipts } = subject;
  const contracts = await examineContracts(subject, artifacts);
  const rights = await examineRights(subject);
  const checks = [...contracts.checks, ...(await examineValues(subject)), ...rights.checks];
  const gas = receipts.reduce((sum, { gasUsed }) => sum + gasUsed, 0n);
  return {
    ok: checks.every(({ ok }) => ok),
    contracts: contracts.rows,
    total: { transactions: receipts.length, gas, costWei: gas * configuration.gasPriceWei },
    roles: rights.rows,
    checks,
    openSteps: await findOpenSteps(subject),
  };
}
