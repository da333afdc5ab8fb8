"use client";
/**
 * Money in the vault by the contract's word: available, reserved and earned, and the way out. What rails hold is in
 * pots of all payers, so that part is by the index.
 */
import { paymentVaultAbi } from "@ngpu/protocol/generated/abi/paymentVault";
import Link from "next/link";
import type { Address } from "viem";
import { Amount } from "../../components/Amount.tsx";
import { CreditNote } from "../../components/CreditNote.tsx";
import { Figure, Figures } from "../../components/Page.tsx";
import { Skeleton } from "../../components/Skeleton.tsx";
import { Time } from "../../components/Time.tsx";
import { TxButton } from "../../components/TxButton.tsx";
import { useHead } from "../../hooks/useHead.ts";
import { useMoney, type Money } from "../../hooks/useMoney.ts";
import { useRuntime } from "../../hooks/useRuntime.tsx";
import { useSubgraph } from "../../hooks/useSubgraph.ts";
import { contractCall } from "../../lib/contractCall.ts";
import { formatSeconds } from "../../lib/format.ts";
import { whyNoPayout } from "../../lib/maturity.ts";
import { thawLeftS, wayOut, whyNoWithdrawal } from "../../lib/withdrawalPlan.ts";

export function Balance({ account }: { account: Address }) {
  const { deployment } = useRuntime();
  const money = useMoney({ account }).data;
  const held = useSubgraph<{ account: { heldUsd6: string } | null }>({
    key: "held",
    query: heldQuery,
    variables: { id: account.toLowerCase() },
  }).data;
  const vault = { address: deployment.paymentVault, abi: paymentVaultAbi } as const;
  const thaws = money !== undefined && wayOut(money) === "thaws";
  return (
    <Figures rows>
      <Figure
        label="Available"
        note="free in the vault, used before your wallet"
        action={
          <TxButton
            label={thaws ? "Begin withdrawal" : "Withdraw all"}
            quiet
            busy={thaws ? "Beginning…" : "Withdrawing…"}
            says={
              thaws
                ? "It thaws first, because sessions of yours are open and may still be owed it; costs only gas."
                : "To your wallet; costs only gas."
            }
            blocked={money === undefined ? asking : whyNoWithdrawal(money)}
            call={() => {
              const args = [account, money?.availableUsd6 ?? 0n] as const;
              return thaws
                ? contractCall({ ...vault, functionName: "beginWithdrawal", args })
                : contractCall({ ...vault, functionName: "withdraw", args });
            }}
          />
        }
      >
        {money === undefined ? <Skeleton /> : <Amount value={money.availableUsd6} size="large" />}
      </Figure>
      <Figure label="Reserved" note="locked for open tasks">
        {money === undefined ? <Skeleton /> : <Amount value={money.reservedUsd6} size="large" />}
      </Figure>
      <Figure
        label="Held"
        note={
          <>
            for <Link href="/sessions">sessions</Link> that are not finished, and demands that are not decided
          </>
        }
      >
        {held === undefined ? <Skeleton /> : <Amount value={BigInt(held.account?.heldUsd6 ?? 0)} size="large" />}
      </Figure>
      <OnItsWayOut account={account} money={money} />
      <Figure
        label="Credit"
        note={<CreditNote account={account} money={money} />}
        action={
          <TxButton
            label="Pay out credit"
            quiet
            busy="Paying out…"
            says="What is payable goes to your wallet; costs only gas."
            blocked={money === undefined ? asking : whyNoPayout(money)}
            call={() => contractCall({ ...vault, functionName: "payCredit", args: [account] })}
          />
        }
      >
        {money === undefined ? <Skeleton /> : <Amount value={money.creditUsd6} size="large" />}
      </Figure>
      <Figure label="In the wallet" note="not in the vault">
        {money === undefined ? <Skeleton /> : <Amount value={money.walletUsd6} size="large" />}
      </Figure>
    </Figures>
  );
}

function OnItsWayOut({ account, money }: { account: Address; money: Money | undefined }) {
  const { deployment } = useRuntime();
  const thawing = money !== undefined && money.thawingUsd6 > 0n;
  const head = useHead({ pending: thawing }).data;
  const vault = { address: deployment.paymentVault, abi: paymentVaultAbi } as const;
  const leftS = money === undefined ? undefined : thawLeftS(money, head?.timestamp);
  return (
    <Figure
      label="On its way out"
      note={
        <span role="timer">
          {money === undefined ? (
            "…"
          ) : !thawing ? (
            "nothing is thawing"
          ) : (
            <Wait leftS={leftS} unlockAt={money.unlockAt} />
          )}
        </span>
      }
      action={
        thawing ? (
          <>
            <TxButton
              label="Finish withdrawal"
              quiet
              busy="Withdrawing…"
              says="To your wallet; costs only gas."
              blocked={leftS === 0 ? undefined : "The thaw has not ended."}
              call={() => contractCall({ ...vault, functionName: "finishWithdrawal", args: [account] })}
            />
            <TxButton
              label="Cancel withdrawal"
              quiet
              busy="Cancelling…"
              says="It is available again at once."
              call={() => contractCall({ ...vault, functionName: "cancelWithdrawal", args: [] })}
            />
          </>
        ) : null
      }
    >
      {money === undefined ? <Skeleton /> : <Amount value={money.thawingUsd6} size="large" />}
    </Figure>
  );
}

function Wait({ leftS, unlockAt }: { leftS: number | undefined; unlockAt: number }) {
  if (leftS === undefined) return "…";
  return (
    <>
      {leftS === 0 ? "free since " : `free in ${formatSeconds(leftS)}, on `}
      <Time at={unlockAt} />
    </>
  );
}

const asking = "The contract is asked how much.";
const heldQuery = `query Held($id: ID!) { account(id: $id) { heldUsd6 } }`;
