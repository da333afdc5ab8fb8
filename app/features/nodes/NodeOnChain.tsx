"use client";
/** A node by the contracts' word alone: its state, its power and every part of its stake. */
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import { stakeVaultAbi } from "@ngpu/protocol/generated/abi/stakeVault";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Amount } from "../../components/Amount.tsx";
import { Banner } from "../../components/Banner.tsx";
import { Figure, Figures } from "../../components/Page.tsx";
import { Skeleton } from "../../components/Skeleton.tsx";
import { Status } from "../../components/Status.tsx";
import { useChain } from "../../hooks/useChain.ts";
import { useHead } from "../../hooks/useHead.ts";
import { useRuntime } from "../../hooks/useRuntime.tsx";
import { contractNodeState } from "../../lib/contractNodeState.ts";
import { explainError } from "../../lib/explainError.ts";
import { formatInteger, formatSeconds } from "../../lib/format.ts";
import { nextPollMs } from "../../lib/pollMs.ts";
import { freeStakeWei, splitExits, type PendingExit } from "../../lib/stakeParts.ts";

export function NodeOnChain({ nodeId }: { nodeId: number }) {
  const answer = useNodeOnChain(nodeId);
  const head = useHead().data;
  if (answer.error !== null) {
    const { title, text, tone } = explainError(answer.error);
    return (
      <Banner tone={tone} title={title}>
        {text}
      </Banner>
    );
  }
  const found = answer.data;
  const wei = (value: bigint | undefined): ReactNode =>
    value === undefined ? <Skeleton /> : <Amount kind="wei" value={value} size="large" />;
  const state = found === undefined ? undefined : contractNodeState({ ...found, ...found.stake });
  return (
    <Figures rows>
      <Figure label="State" note={state?.why ?? "The contract says what it may do."}>
        {state === undefined ? <Skeleton /> : <Status tone={state.tone}>{state.word}</Status>}
      </Figure>
      <Figure label="Stake" note="thawing included">
        {wei(found?.stake.stakedWei)}
      </Figure>
      <Figure label="Free" note="may begin to leave">
        {wei(found === undefined ? undefined : freeStakeWei({ ...found.stake, lockedWei: found.lockedWei }))}
      </Figure>
      <Figure label="Locked" note="by fees, until their dispute windows end">
        {wei(found?.lockedWei)}
      </Figure>
      <Figure label="Leaving" note={exitsWords(found?.exits, head?.timestamp)}>
        {wei(found?.stake.thawingWei)}
      </Figure>
      <Figure label="Power" note={powerWords(found)}>
        {found === undefined ? <Skeleton /> : `${formatInteger(found.powerCu)} CU`}
      </Figure>
    </Figures>
  );
}

function exitsWords(exits: readonly PendingExit[] | undefined, nowS: bigint | undefined): string {
  if (exits === undefined || nowS === undefined) return "…";
  const { dueWei, thawing } = splitExits(exits, nowS);
  const [next] = thawing;
  if (next === undefined) return dueWei > 0n ? "free now" : "nothing is thawing";
  const several =
    exits.length === 1 ? "" : `${exits.length} exits; ${dueWei > 0n ? "some are free now, the " : "the "}next `;
  return `${several}free in ${formatSeconds(next.unlockAt - Number(nowS))}`;
}

function powerWords(found: { powerCu: number; classPowerCu: number } | undefined): string {
  // As long as what replaces it, so that nothing below moves.
  if (found === undefined) return "class minimum …,… CU, billed";
  const minimum = `class minimum ${formatInteger(found.classPowerCu)} CU`;
  return found.powerCu === found.classPowerCu ? `${minimum}, billed` : `measured, billed; ${minimum}`;
}

function useNodeOnChain(nodeId: number) {
  const { deployment } = useRuntime();
  const chain = useChain();
  return useQuery({
    queryKey: ["nodeOnChain", deployment.stakeVault, nodeId],
    queryFn: async () => {
      const registry = { address: deployment.nodeRegistry, abi: nodeRegistryAbi } as const;
      const vault = { address: deployment.stakeVault, abi: stakeVaultAbi } as const;
      const [stake, lockedWei, exits, powerCu, state, { classId, suspendedUntil }] = await Promise.all([
        chain.readContract({ ...vault, functionName: "stakeOf", args: [nodeId] }),
        chain.readContract({ ...vault, functionName: "lockedOf", args: [nodeId] }),
        chain.readContract({ ...vault, functionName: "exitsOf", args: [nodeId] }),
        chain.readContract({ ...registry, functionName: "powerOf", args: [nodeId] }),
        chain.readContract({ ...registry, functionName: "stateOf", args: [nodeId] }),
        chain.readContract({ ...registry, functionName: "node", args: [nodeId] }),
      ]);
      const nodeClass = await chain.readContract({ ...registry, functionName: "nodeClass", args: [classId] });
      return { stake, lockedWei, exits, powerCu, classPowerCu: nodeClass.minimumPowerCu, state, suspendedUntil };
    },
    refetchInterval: () => nextPollMs(4_000),
  });
}
