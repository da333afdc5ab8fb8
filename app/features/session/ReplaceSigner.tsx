"use client";
/** Lets another key sign vouchers, for instance because the former one was lost. */
import { sessionSettlementAbi } from "@ngpu/protocol/generated/abi/sessionSettlement";
import { useState } from "react";
import type { Address } from "viem";
import { Field } from "../../components/Field.tsx";
import { TxButton } from "../../components/TxButton.tsx";
import { useRuntime } from "../../hooks/useRuntime.tsx";
import { contractCall } from "../../lib/contractCall.ts";
import type { SessionPhase } from "../../lib/session/sessionPhase.ts";
import { whyNotReplace } from "../../lib/session/whyNot.ts";
import type { SessionRow } from "../../lib/subgraph/sessionModel.ts";
import styles from "./SessionActions.module.css";
import type { SessionOnChain } from "./useSessionOnChain.ts";

export function ReplaceSigner(props: {
  session: SessionRow;
  onChain: SessionOnChain;
  phase: SessionPhase;
  isPayer: boolean;
  nowS: bigint;
}) {
  const { session, onChain, phase, isPayer, nowS } = props;
  const { deployment } = useRuntime();
  const [text, setText] = useState("");
  const signer = text.trim();
  const { formerUntil } = onChain;
  return (
    <div className={styles.panel}>
      <Field
        label="Another signer of vouchers"
        hint="An address; it holds no money. The client then signs with its key."
      >
        {(control) => (
          <input
            {...control}
            value={text}
            onChange={(event) => setText(event.target.value)}
            autoComplete="off"
            spellCheck={false}
          />
        )}
      </Field>
      <TxButton
        label="Replace signer"
        quiet
        busy="Replacing…"
        says="Vouchers of the former signer count for one settle window more; costs only gas."
        blocked={whyNotReplace({ phase, isPayer, signer, current: onChain.signer, formerUntil, nowS })}
        call={() =>
          contractCall({
            address: deployment.sessionSettlement,
            abi: sessionSettlementAbi,
            functionName: "replaceSigner",
            args: [session.id, signer.toLowerCase() as Address],
          })
        }
        onMined={() => setText("")}
      />
    </div>
  );
}
