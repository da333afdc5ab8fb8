/** How long a payer may demand an output and keepers may answer: fixed at deployment, so they are read once a chain. */
import type { Deployment } from "@ngpu/protocol/deployment";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import type { PublicClient } from "viem";

export interface DemandWindows {
  /** Of both together, in seconds. Rejects when the chain does not answer. */
  totalS(): Promise<number>;
  forget(): void;
}

export function createDemandWindows(options: { chain: PublicClient; deployment: Deployment }): DemandWindows {
  const { chain, deployment } = options;
  const escrow = { address: deployment.taskEscrow, abi: taskEscrowAbi } as const;
  let known: number | undefined;
  return {
    async totalS() {
      if (known !== undefined) return known;
      const [payerWindowS, answerWindowS] = await Promise.all([
        chain.readContract({ ...escrow, functionName: "payerWindow" }),
        chain.readContract({ ...escrow, functionName: "answerWindow" }),
      ]);
      known = payerWindowS + answerWindowS;
      return known;
    },
    forget: () => (known = undefined),
  };
}
