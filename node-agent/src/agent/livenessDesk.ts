/**
 * Answers liveness challenges. Whoever asks is only a hint: the agent signs for its own node alone, for a challenge
 * that it has itself read as open on chain, over the hash of a block that it has read itself.
 */
import type { Deployment } from "@ngpu/protocol/deployment";
import { codeOf } from "@ngpu/protocol/errors";
import { availabilityAbi } from "@ngpu/protocol/generated/abi/availability";
import type { Log } from "@ngpu/protocol/service/log";
import { signMessage, type SigningContext, type TypedDataSigner } from "@ngpu/protocol/signed";
import type { Frame, FrameOf } from "@ngpu/protocol/wire";
import type { Hex, PublicClient } from "viem";

export interface LivenessDesk {
  /** Never throws: what cannot be answered now is asked again. */
  ask(frame: FrameOf<"livenessAsk">): Promise<void>;
}

/** As contracts/types/AvailabilityTypes.sol numbers it. */
const challengeOpen = 1;

export function createLivenessDesk(options: {
  client: PublicClient;
  deployment: Deployment;
  nodeId: number;
  context: SigningContext;
  signer: TypedDataSigner;
  send: (frame: Frame) => void;
  log: Log;
}): LivenessDesk {
  const { client, deployment, nodeId, context, signer, send, log } = options;
  const availability = { address: deployment.availability, abi: availabilityAbi } as const;
  /** Each reads the chain, so one at a time is looked at, whatever a gateway sends. */
  let current: Hex | undefined;

  async function answer(challengeId: Hex): Promise<void> {
    const read = { ...availability, functionName: "challenge", args: [challengeId] } as const;
    const { status, nodeId: challenged, challengedBlock } = await client.readContract(read);
    if (status !== challengeOpen || challenged !== nodeId) {
      log.warn({ challengeId, challenged, status }, "asked to answer what is no open challenge of this node");
      return;
    }
    const newest = await client.getBlockNumber();
    // The block before the newest is less likely to be undone, and counts in the very next one.
    const blockNumber = newest > challengedBlock ? newest - 1n : newest;
    if (blockNumber < challengedBlock) return;
    const { hash } = await client.getBlock({ blockNumber });
    const message = { challengeId, nodeId, blockHash: hash };
    const reply = await signMessage({ kind: "livenessReply", message, context, signer });
    send({ t: "livenessReply", reply, blockNumber });
    log.info({ challengeId, blockNumber: blockNumber.toString() }, "answered a liveness challenge");
  }

  return {
    async ask({ nodeId: asked, challengeId }) {
      if (asked !== nodeId || current !== undefined) return;
      current = challengeId;
      try {
        await answer(challengeId);
      } catch (error) {
        log.warn({ challengeId, code: codeOf(error) }, "cannot answer a liveness challenge; it will be asked again");
      } finally {
        current = undefined;
      }
    },
  };
}
