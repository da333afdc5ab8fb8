"use client";
/** What the payer limits: time, backups, price, and the figures that files cannot tell. */
import type { Quote } from "@ngpu/client/quote";
import { limits } from "@ngpu/protocol/limits";
import { standbyUsd6 } from "@ngpu/protocol/units";
import { Amount } from "../../components/Amount.tsx";
import { Card } from "../../components/Card.tsx";
import { Field } from "../../components/Field.tsx";
import { NumberInput } from "../../components/NumberInput.tsx";
import { formatUnitsExact, formatUsd } from "../../lib/format.ts";
import { referenceHourUsd6 } from "../../lib/referenceHour.ts";
import styles from "./Limits.module.css";
import type { PostForm } from "./usePostForm.ts";
import type { PricedInput } from "./useQuote.ts";

const minutes = [1, 5, 15, 30, 60];
const backupChoices = Array.from({ length: limits.maxBackups + 1 }, (_, count) => count);

/** What so many backups add to the likely bill if all of them stand by. */
function backupText(count: number, quote: Quote | undefined): string {
  const text = count === 0 ? "None" : `${count} backup ${count === 1 ? "node" : "nodes"}`;
  if (count === 0 || quote === undefined) return text;
  const value = BigInt(count) * standbyUsd6(quote.likelyAmountUsd6);
  return `${text}, likely + ${formatUsd(value)}`;
}

export function Limits({ form, priced }: { form: PostForm; priced: PricedInput }) {
  const { manifest, stated } = form;
  const price = priced.price?.priceUsd6PerGcums;
  return (
    <Card title="Limits">
      <div className={styles.limits}>
        <Field label="Finish within" hint="Not finished by then: everything comes back to you.">
          {(control) => (
            <select {...control} value={form.minutes} onChange={(event) => form.setMinutes(Number(event.target.value))}>
              {minutes.map((value) => (
                <option key={value} value={value}>
                  {value === 60 ? "1 hour" : `${value} min`}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field
          label="Backups"
          hint="Each holds your input ready and takes over at once, in order. One that stood by gets 10 % of the bill; one that did not gets nothing."
        >
          {(control) => (
            <select {...control} value={form.backups} onChange={(event) => form.setBackups(Number(event.target.value))}>
              {backupChoices.map((count) => (
                <option key={count} value={count}>
                  {backupText(count, priced.quote)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field
          label="Price, at most"
          unit="USD per 10⁹ CU·ms"
          hint={
            <>
              Empty: the price of the moment
              {price === undefined ? null : (
                <>
                  , now <Amount value={referenceHourUsd6(price)} /> per reference-hour
                </>
              )}
              . A task always freezes the price of its post.
            </>
          }
          {...(priced.price === undefined || priced.maxPriceUsd6PerGcums !== undefined
            ? {}
            : { error: "An amount such as 0.1, with at most 6 decimals." })}
        >
          {(control) => (
            <input
              {...control}
              inputMode="decimal"
              placeholder={price === undefined ? "" : formatUnitsExact(price, 6)}
              value={form.maxPriceText}
              onChange={(event) => form.setMaxPriceText(event.target.value)}
              autoComplete="off"
            />
          )}
        </Field>
        {Object.entries(stated).map(([name, value]) => {
          const spec = manifest.dimensions[name];
          if (spec === undefined) return null;
          const fits = Number.isInteger(value) && value >= spec.minimum && value <= spec.maximum;
          return (
            <Field
              key={name}
              label={spec.title}
              hint="What is beyond is not read. You pay for what was found, not for this limit."
              {...(fits ? {} : { error: `A whole number from ${spec.minimum} to ${spec.maximum}.` })}
            >
              {(control) => (
                <NumberInput
                  control={control}
                  minimum={spec.minimum}
                  maximum={spec.maximum}
                  value={value}
                  onChange={(stated) => form.state(name, stated)}
                />
              )}
            </Field>
          );
        })}
      </div>
    </Card>
  );
}
