"use client";
/** The quote with its numbers, and the one button that always names the next step. */
import type { Quote } from "@ngpu/client/quote";
import { Amount } from "../../components/Amount.tsx";
import { Card } from "../../components/Card.tsx";
import { Formula, type Term } from "../../components/Formula.tsx";
import { StepButton, type Step } from "../../components/StepButton.tsx";
import { useHead } from "../../hooks/useHead.ts";
import type { Permit } from "../../hooks/usePermit.ts";
import { formatInteger, formatMs, formatSeconds } from "../../lib/format.ts";
import styles from "./QuoteCard.module.css";
import type { PostForm } from "./usePostForm.ts";
import type { PricedInput } from "./useQuote.ts";

export function QuoteCard(props: {
  form: PostForm;
  priced: PricedInput;
  steps: readonly Step[];
  permit: Permit | undefined;
}) {
  const { form, priced, steps, permit } = props;
  const { quote, dimensions, mostUsd6 } = priced;
  return (
    <div className={styles.sticky}>
      <Card title="Quote">
        <dl className={styles.amounts}>
          <dt>At most</dt>
          <dd>{mostUsd6 === undefined ? <Unknown /> : <Amount value={mostUsd6} size="hero" />}</dd>
          <dt>Likely</dt>
          <dd>
            {quote === undefined ? (
              <Unknown />
            ) : (
              <>
                <Amount value={quote.likelyAmountUsd6 + quote.likelyStandbyUsd6} size="large" />
                <span className={styles.duration}>{formatMs(quote.likelyMs)}</span>
              </>
            )}
          </dd>
        </dl>
        {quote === undefined || dimensions === undefined ? (
          <p className={styles.note}>
            {priced.price?.quotable === false
              ? "The quote appears as soon as there is a price. What you chose stays here."
              : "Add an image to see what it costs. Nothing is signed or sent before you press the button."}
          </p>
        ) : (
          <div className={styles.how}>
            <Formula label="Likely amount" terms={amountTerms(quote, form.backups)} />
            <details>
              <summary>How the work is counted</summary>
              <Formula label="Work" terms={workTerms(form, dimensions, quote)} />
              <p className={styles.note}>
                The bill is power × measured duration × price, rounded down, and never above{" "}
                {formatInteger(quote.workCums)} CU·ms × 1.25. A backup that held the input ready and was not needed gets
                10 % of it.
              </p>
            </details>
          </div>
        )}
        <dl className={styles.facts}>
          <dt>Backups</dt>
          <dd>{form.backups === 0 ? "none" : <Standby backups={form.backups} quote={quote} />}</dd>
          <dt>Finish within</dt>
          <dd>{formatSeconds(form.minutes * 60)}</dd>
          {permit === undefined ? null : <PermitValidity permit={permit} />}
        </dl>
        <div className={styles.action}>
          <StepButton steps={steps} />
        </div>
        {mostUsd6 === undefined ? null : (
          <p className={styles.note}>
            Posting locks at most <Amount value={mostUsd6} />. What the task does not use is yours again with the bill.
          </p>
        )}
      </Card>
    </div>
  );
}

/** What the backups cost if all of them stand by; it is in both amounts above. */
function Standby({ backups, quote }: { backups: number; quote: Quote | undefined }) {
  if (quote === undefined) return `${backups}, 10 % of the bill each`;
  return (
    <>
      {backups}, likely <Amount value={quote.likelyStandbyUsd6} />
    </>
  );
}

function PermitValidity({ permit }: { permit: Permit }) {
  const head = useHead().data;
  if (head === undefined) return null;
  return (
    <>
      <dt>Permit signed</dt>
      <dd>valid for {formatSeconds(Number(permit.deadline - head.timestamp))}</dd>
    </>
  );
}

function Unknown() {
  return <span className={styles.unknown}>–</span>;
}

function amountTerms(quote: Quote, backups: number): Term[] {
  return [
    { value: "1,000 CU", meaning: "reference power" },
    { sign: "×", value: `${formatInteger(quote.likelyMs)} ms`, meaning: "its likely time" },
    { sign: "×", value: <Amount value={quote.priceUsd6PerGcums} />, meaning: "price now" },
    { sign: "÷", value: "10⁹", meaning: "CU·ms per price" },
    ...(backups === 0
      ? []
      : [{ sign: "+" as const, value: `${backups} × 10 %`, meaning: backups === 1 ? "its backup" : "its backups" }]),
  ];
}

function workTerms({ manifest }: PostForm, dimensions: Record<string, number>, quote: Quote): Term[] {
  const each = Object.entries(manifest.dimensions).map(([name, spec]) => ({
    sign: "+" as const,
    value: `${formatInteger(manifest.work.perCums[name] ?? 0)} × ${formatInteger(dimensions[name] ?? 0)}`,
    meaning: spec.title.toLowerCase(),
  }));
  return [
    { value: formatInteger(manifest.work.baseCums), meaning: "per task" },
    ...each,
    { sign: "=", value: formatInteger(quote.workCums), meaning: "CU·ms" },
  ];
}
