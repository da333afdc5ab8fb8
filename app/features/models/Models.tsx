"use client";
/** The price list, before any wallet: what each model does, needs and costs. */
import { catalogue } from "@ngpu/protocol/catalogue";
import { Banner } from "../../components/Banner.tsx";
import { Page } from "../../components/Page.tsx";
import { Skeleton } from "../../components/Skeleton.tsx";
import { Amount } from "../../components/Amount.tsx";
import { usePrice } from "../../hooks/usePrice.ts";
import { explainError } from "../../lib/explainError.ts";
import { referenceHourUsd6 } from "../../lib/referenceHour.ts";
import { ModelCard } from "./ModelCard.tsx";

export function Models() {
  const price = usePrice();
  const now = price.data?.priceUsd6PerGcums;
  const quotable = price.data?.quotable !== false;
  return (
    <Page
      title="Models"
      lead={
        <>
          You pay for power × duration and nothing else. {quotable ? "The price now" : "The last price"}:{" "}
          {now === undefined ? <Skeleton /> : <Amount value={now} />} per 10⁹ CU·ms, which is{" "}
          {now === undefined ? <Skeleton /> : <Amount value={referenceHourUsd6(now)} />} per hour of the reference
          machine&apos;s thread (1,000 CU).
        </>
      }
    >
      {quotable ? null : (
        <Banner tone="warning" title="No price can be quoted now">
          {explainError(price.data?.reason, { asked: true }).text} What is shown below is of the last price.
        </Banner>
      )}
      {catalogue.map(({ modelId, manifest }) => (
        <ModelCard key={modelId} modelId={modelId} manifest={manifest} priceUsd6PerGcums={now} />
      ))}
    </Page>
  );
}
