/** Every attack that is reckoned, in the order of the table: payers, nodes, keepers and judges, the rest. */
import type { Attack } from "./attack.ts";
import { aboveCap } from "./attacks/aboveCap.ts";
import { appealAbuse } from "./attacks/appealAbuse.ts";
import { atCap } from "./attacks/atCap.ts";
import { blindAttestation } from "./attacks/blindAttestation.ts";
import { bribedKeeper } from "./attacks/bribedKeeper.ts";
import { capturedSlasher } from "./attacks/capturedSlasher.ts";
import { committeeBribery } from "./attacks/committeeBribery.ts";
import { demandingPayer } from "./attacks/demandingPayer.ts";
import { emptyBackup } from "./attacks/emptyBackup.ts";
import { falseAttestation } from "./attacks/falseAttestation.ts";
import { falseClaim } from "./attacks/falseClaim.ts";
import { falseDispute } from "./attacks/falseDispute.ts";
import { garbage } from "./attacks/garbage.ts";
import { idleAuditor } from "./attacks/idleAuditor.ts";
import { livenessSpam } from "./attacks/livenessSpam.ts";
import { lyingKeepers } from "./attacks/lyingKeepers.ts";
import { overlap } from "./attacks/overlap.ts";
import { overLargeTask } from "./attacks/overLargeTask.ts";
import { ownNodePayer } from "./attacks/ownNodePayer.ts";
import { seatedStandby } from "./attacks/seatedStandby.ts";
import { selfBuying } from "./attacks/selfBuying.ts";
import { selfSlash } from "./attacks/selfSlash.ts";
import { silentNode } from "./attacks/silentNode.ts";
import { splitStake } from "./attacks/splitStake.ts";
import { twoResults } from "./attacks/twoResults.ts";
import { unstoredOutput } from "./attacks/unstoredOutput.ts";
import { withholdingGateway } from "./attacks/withholdingGateway.ts";
import { withholdingPayer } from "./attacks/withholdingPayer.ts";

export const attackList: readonly Attack[] = [
  withholdingPayer,
  ownNodePayer,
  falseDispute,
  demandingPayer,
  silentNode,
  emptyBackup,
  aboveCap,
  atCap,
  overlap,
  twoResults,
  garbage,
  unstoredOutput,
  overLargeTask,
  falseClaim,
  splitStake,
  selfBuying,
  selfSlash,
  appealAbuse,
  seatedStandby,
  bribedKeeper,
  blindAttestation,
  falseAttestation,
  lyingKeepers,
  capturedSlasher,
  livenessSpam,
  committeeBribery,
  idleAuditor,
  withholdingGateway,
];
