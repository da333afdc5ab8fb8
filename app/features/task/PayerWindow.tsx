"use client";
/**
 * The payer's window after a bill: how long it is open, and the way out for a payer that cannot get the output. What a
 * demand costs, what happens then and until when is said before anything is signed.
 */
import { useId, useState } from "react";
import { Amount } from "../../components/Amount.tsx";
import { Banner } from "../../components/Banner.tsx";
import { Button } from "../../components/Button.tsx";
import { Card } from "../../components/Card.tsx";
import { Time } from "../../components/Time.tsx";
import { TxButton } from "../../components/TxButton.tsx";
import { useHead } from "../../hooks/useHead.ts";
import { useRuntime } from "../../hooks/useRuntime.tsx";
import { readClockSkew } from "../../lib/clockSkew.ts";
import { closeDemandCall, demandCall } from "../../lib/demandCall.ts";
import { formatSeconds } from "../../lib/format.ts";
import { windowState, type WindowState } from "../../lib/payerWindow.ts";
import styles from "./PayerWindow.module.css";
import { useBondStep } from "./useBondStep.ts";
import { usePayerWindow, type PayerWindow as Rules } from "./usePayerWindow.ts";
import type { TaskModel } from "./useTask.ts";

export function PayerWindow({ task, isPayer }: { task: TaskModel; isPayer: boolean }) {
  const settled = task.rows.find((row) => row.stage === "settled");
  const amountUsd6 = settled?.args.amountUsd6 as bigint | undefined;
  const rules = usePayerWindow(amountUsd6 ?? 0n);
  const [counts, setCounts] = useState(true);
  const head = useHead({ pending: counts }).data;
  if (amountUsd6 === undefined || rules === undefined || head === undefined) return null;
  const state = windowState({ rows: task.rows, payerWindowS: rules.payerWindowS, nowS: head.timestamp });
  const opened = task.feed.facts.result !== undefined;
  // Seconds are counted where somebody waits for them.
  const waits = (state?.kind === "open" && !opened) || state?.kind === "demanded";
  if (waits !== counts) setCounts(waits);
  if (state === undefined) return null;
  const isOver = state.kind === "open" || state.kind === "over";
  if (isOver && (!isPayer || (state.kind === "over" && opened))) return null;
  return (
    <Card title={state.kind === "open" ? "Your window" : titles[state.kind]}>
      <div className={styles.window} data-testid="payer-window" data-state={state.kind}>
        {state.kind === "open" ? (
          opened ? (
            <Held state={state} />
          ) : (
            <Open task={task} state={state} rules={rules} amountUsd6={amountUsd6} />
          )
        ) : state.kind === "over" ? (
          <p>
            Your window ended on <Time at={state.untilS} />: the bill stands. If the gateway was away, open the output
            again as soon as it answers. <OpenAgain task={task} />
          </p>
        ) : state.kind === "demanded" ? (
          <Demanded task={task} state={state} quorum={rules.quorum} />
        ) : (
          <Decided task={task} state={state} isPayer={isPayer} />
        )}
      </div>
    </Card>
  );
}

const titles = {
  over: "The window is over",
  demanded: "The output is demanded",
  delivered: "The output was delivered",
  forfeited: "The bill was forfeited",
} as const;

function Held({ state }: { state: WindowState & { kind: "open" } }) {
  return (
    <p className="soft">
      You have the output, so there is nothing to do. Until <Time at={state.untilS} style="clock" /> a payer without it
      could say so; after that the bill is past contesting.
    </p>
  );
}

function Open(props: { task: TaskModel; state: WindowState & { kind: "open" }; rules: Rules; amountUsd6: bigint }) {
  const { task, state, rules, amountUsd6 } = props;
  const [asked, setAsked] = useState(false);
  const panel = useId();
  const { problem } = task.feed;
  return (
    <>
      <p>
        The bill is settled and the output is not open here yet. If you cannot get it, you can say so for another{" "}
        <span role="timer">{formatSeconds(state.leftS)}</span>, until <Time at={state.untilS} style="clock" />.
      </p>
      {problem === undefined ? null : (
        <Banner tone={problem.tone} title={problem.title}>
          {problem.text}
        </Banner>
      )}
      <div className={styles.buttons}>
        <OpenAgain task={task} />
        <Button onClick={() => setAsked(!asked)} aria-expanded={asked} aria-controls={panel}>
          I cannot get the output
        </Button>
      </div>
      <div id={panel} hidden={!asked}>
        {asked ? <Ask task={task} rules={rules} amountUsd6={amountUsd6} /> : null}
      </div>
    </>
  );
}

function Ask({ task, rules, amountUsd6 }: { task: TaskModel; rules: Rules; amountUsd6: bigint }) {
  const { gatewayUrl, chainId, deployment } = useRuntime();
  const { answerWindowS, quorum, bondUsd6 } = rules;
  const bond = useBondStep({ account: task.payer, bondUsd6 });
  const call = async () => {
    const skewMs = await readClockSkew({ fetch: (url, init) => fetch(url, init), nowMs: () => Date.now() });
    const { taskId, rows, feed } = task;
    const where = { gatewayUrl, chainId, taskEscrow: deployment.taskEscrow };
    return demandCall({ ...where, taskId, rows, secrets: feed.local?.secrets, nowMs: Date.now() - skewMs });
  };
  return (
    <div className={styles.ask}>
      <dl className={styles.facts}>
        <dt>It takes now</dt>
        <dd>
          a bond of <Amount value={bondUsd6} />, of your balance first and then of your wallet, and gas
        </dd>
        <dt>What happens</dt>
        <dd>
          The bill of <Amount value={amountUsd6} /> and the bond wait in the contract. Keepers have{" "}
          {formatSeconds(answerWindowS)} to say that they hold the output and serve it;{" "}
          {quorum === 1 ? "one of them decides" : `${quorum} of them decide`}.
        </dd>
        <dt>If they hold it</dt>
        <dd>The node is paid, the bond goes to the network&apos;s treasury, and you can open the output.</dd>
        <dt>If they do not</dt>
        <dd>
          After {formatSeconds(answerWindowS)} anyone can close the demand: bill and bond are yours again. Standby stays
          paid.
        </dd>
      </dl>
      <TxButton
        label="Demand the output"
        quiet
        busy="Demanding…"
        says={
          <>
            Locks <Amount value={bondUsd6} /> of yours; you lose it only if keepers hold the output. Once a task, and it
            cannot be taken back.
          </>
        }
        before={[bond]}
        call={call}
        onRefused={task.feed.openAgain}
      />
    </div>
  );
}

function Demanded(props: { task: TaskModel; state: WindowState & { kind: "demanded" }; quorum: number }) {
  const { task, state, quorum } = props;
  const { deployment } = useRuntime();
  const { leftS, untilS, attested, amountUsd6, bondUsd6 } = state;
  const said = `${attested} of ${quorum} ${quorum === 1 ? "keeper" : "keepers"}`;
  return (
    <>
      <p>
        The bill of <Amount value={amountUsd6} /> and the bond of <Amount value={bondUsd6} /> wait in the contract.{" "}
        {said} said that they hold the output.{" "}
        {leftS > 0 ? (
          <>
            They have <span role="timer">{formatSeconds(leftS)}</span>, until <Time at={untilS} style="clock" />.
          </>
        ) : (
          <>
            Their time ended at <Time at={untilS} style="clock" />: anyone can now give both back to the payer.
          </>
        )}
      </p>
      {leftS > 0 ? null : (
        <TxButton
          label="Give bill and bond back"
          busy="Giving them back…"
          says="Both go to the payer's balance; it costs only gas."
          call={() => closeDemandCall({ taskEscrow: deployment.taskEscrow, taskId: task.taskId, rows: task.rows })}
        />
      )}
    </>
  );
}

function Decided(props: {
  task: TaskModel;
  state: WindowState & { kind: "delivered" | "forfeited" };
  isPayer: boolean;
}) {
  const { task, state, isPayer } = props;
  const whose = isPayer ? "your" : "the payer's";
  if (state.kind === "forfeited")
    return (
      <p>
        Too few keepers held the output in time. <Amount value={state.amountUsd6} />, the bill, and{" "}
        <Amount value={state.bondUsd6} />, the bond, went to {whose} balance. It cost the payer only gas, and the
        standby of backups; the node that executed got nothing.
      </p>
    );
  return (
    <>
      <p>
        {state.attested} {state.attested === 1 ? "keeper holds" : "keepers hold"} the output and{" "}
        {state.attested === 1 ? "serves" : "serve"} it. The node was paid <Amount value={state.amountUsd6} />;{" "}
        <Amount value={state.bondUsd6} />, {whose} bond, went to the network&apos;s treasury.
      </p>
      {task.feed.facts.result === undefined && isPayer ? <OpenAgain task={task} /> : null}
    </>
  );
}

/** Only the device that posted the task has the key of its output. */
function OpenAgain({ task: { feed } }: { task: TaskModel }) {
  if (feed.local === null || feed.local === undefined) return null;
  return <Button onClick={feed.openAgain}>Open the output again</Button>;
}
