"use client";
/** The price list, before any wallet: what each model does, needs and costs. */
import { catalogue } from "@ngpu/protocol/catalogue";
import { Page } from "../../components/Page.tsx";
import { Skeleton } from "../../components/Skeleton.tsx";
import { Amount } from "../../components/Amount.tsx";
import { usePrice } from "../../hooks/usePrice.ts";
import { ModelCard } from "./ModelCard.tsx";

export function Models() {
  const price = usePrice();
  const now = price.data?.priceUsd6PerGcums;
  return (
    <Page
      title="Models"
      lead={
        <>
          You pay for power × duration and nothing else. The price now:{" "}
          {now === undefined ? <Skeleton /> : <Amount value={now} />} per 10⁹ CU·ms; 1,000 CU is one thread of the
          reference machine.
        </>
      }
    >
      {catalogue.map(({ modelId, manifest }) => (
        <ModelCard key={modelId} modelId={modelId} manifest={manifest} priceUsd6PerGcums={now} />
      ))}
    </Page>
  );
}
