"use client";
/** One machine of the owner: state, stake and everything that may be done with it now. */
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import type { Address } from "viem";
import { Amount } from "../../components/Amount.tsx";
import { ButtonLink } from "../../components/Button.tsx";
import { Card } from "../../components/Card.tsx";
import { Status, type Tone } from "../../components/Status.tsx";
import { TxButton } from "../../components/TxButton.tsx";
import { useRoster } from "../../hooks/useRoster.ts";
import { useRuntime } from "../../hooks/useRuntime.tsx";
import { contractCall } from "../../lib/contractCall.ts";
import { contractNodeState } from "../../lib/contractNodeState.ts";
import { formatInteger } from "../../lib/format.ts";
import { freeStakeWei } from "../../lib/stakeParts.ts";
import { ExitPanel } from "./ExitPanel.tsx";
import styles from "./MyNodeCard.module.css";
import { StakePanel } from "./StakePanel.tsx";
import type { MyNode } from "./useMyNodes.ts";

export function MyNodeCard({ node, account }: { node: MyNode; account: Address }) {
  const { deployment } = useRuntime();
  const roster = useRoster();
  const online = roster.data?.some((entry) => entry.nodeId === node.nodeId);
  const { tone, word, why } = stateOf(node, online);
  return (
    <Card
      title={`node-${node.nodeId}`}
      note={why}
      actions={
        <>
          <ButtonLink href={`/nodes/${node.nodeId}`} small>
            Details
          </ButtonLink>
          <TxButton
            label={node.draining ? "Resume" : "Pause"}
            busy={node.draining ? "Resuming…" : "Pausing…"}
            quiet
            call={() =>
              contractCall({
                address: deployment.nodeRegistry,
                abi: nodeRegistryAbi,
                functionName: "setDraining",
                args: [node.nodeId, !node.draining],
              })
            }
          />
        </>
      }
    >
      <dl className={styles.figures}>
        <div>
          <dt>State</dt>
          <dd>
            <Status tone={tone}>{word}</Status>
          </dd>
        </div>
        <div>
          <dt>Power</dt>
          <dd>
            {formatInteger(node.powerCu)} CU
            {node.powerCu === node.classPowerCu ? null : (
              <span className="soft small"> measured; class {formatInteger(node.classPowerCu)} CU</span>
            )}
          </dd>
        </div>
        <div>
          <dt>Active stake</dt>
          <dd>
            <Amount kind="wei" value={node.stakedWei - node.thawingWei} />
          </dd>
        </div>
        <div>
          <dt>Free to leave</dt>
          <dd>
            <Amount kind="wei" value={freeStakeWei(node)} />
          </dd>
        </div>
        <div>
          <dt>Locked by fees</dt>
          <dd>
            <Amount kind="wei" value={node.lockedWei} />
          </dd>
        </div>
        <div>
          <dt>Needed</dt>
          <dd>
            <Amount kind="wei" value={node.minimumStakeWei} />
          </dd>
        </div>
      </dl>
      <div className={styles.panels}>
        <StakePanel node={node} account={account} />
        <ExitPanel node={node} />
      </div>
    </Card>
  );
}

function stateOf(node: MyNode, online: boolean | undefined): { tone: Tone; word: string; why: string } {
  const said = contractNodeState(node);
  if (said.word !== "Active") return said;
  if (online === false)
    return { tone: "off", word: "Offline", why: "It is staked, but its agent is not connected to the gateway." };
  if (online === undefined) return { ...said, word: "Eligible" };
  return { tone: "final", word: "Ready", why: "Staked and online: it can be given tasks." };
}
