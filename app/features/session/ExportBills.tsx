"use client";
/** Every bill of the session as a file; read when it is asked for. */
import { useState } from "react";
import { Banner } from "../../components/Banner.tsx";
import { Button } from "../../components/Button.tsx";
import { useRuntime } from "../../hooks/useRuntime.tsx";
import { explainError, type Explanation } from "../../lib/explainError.ts";
import { saveCsv } from "../../lib/saveCsv.ts";
import { pageAll } from "../../lib/subgraph/pageAll.ts";
import { sessionBillFields, type SessionBillRow, type SessionRow } from "../../lib/subgraph/sessionModel.ts";
import { sessionCsv } from "./sessionCsv.ts";

const query = `query AllSessionBills($session: String!, $first: Int!, $after: Bytes!, $block: Block_height) {
  sessionBills(first: $first, orderBy: id, orderDirection: asc, where: { session: $session, id_gt: $after }, block: $block) {
    ${sessionBillFields}
  }
  _meta(block: $block) { block { hash } }
}`;

export function ExportBills({ session }: { session: SessionRow }) {
  const { subgraphUrl } = useRuntime();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Explanation | undefined>(undefined);
  const save = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      const variables = { session: session.id };
      const bills = await pageAll<SessionBillRow>({ url: subgraphUrl, query, list: "sessionBills", variables });
      saveCsv({ name: `ngpu-session-${session.id.slice(2, 10)}.csv`, text: sessionCsv(bills) });
    } catch (error) {
      setProblem(explainError(error, { asked: true }));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button
        small
        busy={busy}
        disabled={busy}
        title={busy ? "The bills are being read." : undefined}
        onClick={() => void save()}
      >
        {busy ? "Reading…" : "Export CSV"}
      </Button>
      {problem === undefined ? null : (
        <Banner tone={problem.tone} title={problem.title}>
          {problem.text}
        </Banner>
      )}
    </>
  );
}
