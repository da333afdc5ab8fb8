"use client";
/**
 * One model of the price list: price with its formula, limits, licence, a sample in and out, and the code that calls
 * it.
 */
import { quoteTask } from "@ngpu/client/quote";
import type { ModelManifest } from "@ngpu/protocol/manifest";
import { Amount } from "../../components/Amount.tsx";
import { ButtonLink } from "../../components/Button.tsx";
import { Card } from "../../components/Card.tsx";
import { Formula, type Term } from "../../components/Formula.tsx";
import { Hash } from "../../components/Hash.tsx";
import { Skeleton } from "../../components/Skeleton.tsx";
import { formatBytes, formatInteger, formatMs } from "../../lib/format.ts";
import { defaultDimensions } from "../../lib/models.ts";
import { CallFromCode } from "./CallFromCode.tsx";
import styles from "./ModelCard.module.css";
import { ModelSample } from "./ModelSample.tsx";

const powers = [1_000, 4_000, 16_000];

export function ModelCard(props: { modelId: string; manifest: ModelManifest; priceUsd6PerGcums: bigint | undefined }) {
  const { modelId, manifest, priceUsd6PerGcums } = props;
  const quote = quoteTask({
    manifest,
    dimensions: defaultDimensions(manifest),
    priceUsd6PerGcums: priceUsd6PerGcums ?? 0n,
    backups: 0,
  });
  const known = priceUsd6PerGcums !== undefined;
  return (
    <Card
      title={manifest.title}
      note={`${manifest.name} ${manifest.version} · ${manifest.licence}`}
      actions={
        <ButtonLink href={`/post?model=${modelId}`} tone="primary">
          Use this model
        </ButtonLink>
      }
    >
      <p className={styles.description}>{manifest.description}</p>
      <div className={styles.grid}>
        <div className={styles.facts}>
          <div>
            <h3>One image costs</h3>
            <p className={styles.price}>
              {known ? <Amount value={quote.likelyAmountUsd6} size="hero" /> : <Skeleton width="7em" height="32px" />}
            </p>
            <p className="soft small">
              likely; at most {known ? <Amount value={quote.maxAmountUsd6} /> : <Skeleton />}. You pay what it took,
              never more than the maximum. Each backup that stands by adds 10 % of the bill.
            </p>
          </div>
          <Formula label="How the likely price is calculated" terms={priceTerms(quote.workCums, priceUsd6PerGcums)} />
          <div>
            <h3>Measured work</h3>
            <Formula label="How the work is calculated" terms={workTerms(manifest)} />
          </div>
          <dl className={styles.pairs}>
            {powers.map((power) => (
              <div key={power}>
                <dt>{formatInteger(power)} CU</dt>
                <dd>{formatMs(Number(quote.workCums / BigInt(power)))}</dd>
              </div>
            ))}
          </dl>
          <p className="soft small">
            Takes {manifest.input.mediaTypes.map((type) => type.replace("image/", "").toUpperCase()).join(" and ")}, up
            to {manifest.limits.maxParts} images of {formatInteger(manifest.limits.maxSidePx)} px and{" "}
            {formatBytes(manifest.limits.maxInputBytes)} in all. Source {manifest.source}. Id{" "}
            <Hash value={modelId} label={`id of ${manifest.title}`} />
          </p>
        </div>
        <ModelSample manifest={manifest} />
      </div>
      <CallFromCode manifest={manifest} modelId={modelId} />
    </Card>
  );
}

function priceTerms(workCums: bigint, price: bigint | undefined): Term[] {
  return [
    { value: formatInteger(workCums), meaning: "CU·ms of work" },
    { sign: "×", value: price === undefined ? "…" : <Amount value={price} />, meaning: "price of computing" },
    { sign: "÷", value: "10⁹", meaning: "CU·ms per price" },
  ];
}

function workTerms({ work, dimensions }: ModelManifest): Term[] {
  const perDimension = Object.entries(dimensions).map(([name, spec]) => ({
    sign: "+" as const,
    value: `${formatInteger(work.perCums[name] ?? 0)} × ${formatInteger(spec.default)}`,
    meaning: spec.title.toLowerCase(),
  }));
  return [{ value: formatInteger(work.baseCums), meaning: "per task" }, ...perDimension];
}
