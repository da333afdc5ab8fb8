"use client";
/**
 * What machines of each class earned lately: the first thing an owner wants to know. Medians of what was paid, not
 * promises.
 */
import { Amount } from "../../components/Amount.tsx";
import { Figure, Figures } from "../../components/Page.tsx";
import { Skeleton } from "../../components/Skeleton.tsx";
import { useHead } from "../../hooks/useHead.ts";
import { useSubgraph } from "../../hooks/useSubgraph.ts";
import { formatInteger } from "../../lib/format.ts";
import { medianOf } from "../../lib/stats.ts";
import { earnedPerNode, type EarnedBill, type EarnedVoucher } from "./earnedPerNode.ts";
import styles from "./EarningsEstimate.module.css";
import { useNodeClasses } from "./useNodeClasses.ts";

const days = 7n;
const query = `query Earned($since: BigInt!) {
  bills(first: 1000, orderBy: position, orderDirection: desc, where: { timestamp_gte: $since, state_not: Forfeited }) {
    id amountUsd6 node { id nodeClass { id } }
  }
  standbyLines(first: 1000, orderBy: position, orderDirection: desc, where: { timestamp_gte: $since }) {
    id amountUsd6 node { id nodeClass { id } }
  }
  sessionEvents(first: 1000, orderBy: position, orderDirection: desc,
    where: { kind_in: [Settled, OwedCollected], timestamp_gte: $since }) {
    id paidUsd6 node { id nodeClass { id } } session { feeBps }
  }
}`;

export function EarningsEstimate() {
  const head = useHead().data;
  const classes = useNodeClasses();
  const since = head === undefined ? 0n : (head.timestamp / 3_600n) * 3_600n - days * 86_400n;
  const answer = useSubgraph<{ bills: EarnedBill[]; standbyLines: EarnedBill[]; sessionEvents: EarnedVoucher[] }>({
    key: "earned",
    query,
    variables: { since: String(since > 0n ? since : 0n) },
    enabled: head !== undefined,
  });
  const bills =
    answer.data === undefined ? undefined : [answer.data.bills ?? [], answer.data.standbyLines ?? []].flat();
  const vouchers = answer.data?.sessionEvents ?? [];
  if (classes?.length === 0) return null;
  return (
    <div className={styles.estimate}>
      <Figures>
        {(classes ?? skeletons).map((nodeClass) => {
          const perNode = bills === undefined ? undefined : earnedPerNode({ bills, vouchers }, nodeClass.id);
          const median = perNode === undefined ? undefined : medianOf(perNode);
          return (
            <Figure
              key={nodeClass.id}
              label={
                nodeClass.name === ""
                  ? "…"
                  : `Class ${nodeClass.name}, ${formatInteger(BigInt(nodeClass.minimumPowerCu))} CU`
              }
              note={
                <>
                  {perNode === undefined
                    ? "…"
                    : perNode.length === 0
                      ? "nobody served in the last 7 days"
                      : earnedBy(perNode.length)}
                  <br />
                  stake <Amount kind="wei" value={BigInt(nodeClass.minimumStakeWei)} />
                </>
              }
            >
              {perNode === undefined ? (
                <Skeleton />
              ) : median === undefined ? (
                "–"
              ) : (
                <Amount value={median / days} size="large" />
              )}
            </Figure>
          );
        })}
      </Figures>
    </div>
  );
}

function earnedBy(nodes: number): string {
  return `a day, median of ${nodes} ${nodes === 1 ? "node" : "nodes"}`;
}

const skeletons = ["a", "b", "c"].map((id) => ({
  id,
  name: "",
  minimumPowerCu: "0",
  minimumStakeWei: "0",
  enabled: true,
}));
