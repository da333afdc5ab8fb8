"use client";
/**
 * What a payer should know before posting: that no price can be quoted, that nobody who is online serves the model, or
 * that the gateway is out of reach. The last two do not forbid a post.
 */
import { errorCatalogue } from "@ngpu/protocol/errors";
import { Banner } from "../../components/Banner.tsx";
import { useNobodyServes } from "../../hooks/useNobodyServes.ts";
import { useRoster } from "../../hooks/useRoster.ts";
import { explainError } from "../../lib/explainError.ts";
import type { PostForm } from "./usePostForm.ts";
import type { PricedInput } from "./useQuote.ts";

export function PostNotes({ form, priced }: { form: PostForm; priced: PricedInput }) {
  const roster = useRoster();
  const nobody = useNobodyServes(form.modelId);
  const { price } = priced;
  if (price?.quotable === false) {
    return (
      <Banner tone="warning" title="No price can be quoted now">
        {explainError(price.reason, { asked: true }).text}
      </Banner>
    );
  }
  if (roster.error !== null) {
    return (
      <Banner tone="warning" title="The gateway does not answer">
        Nothing is lost by it. You can post now: the input is handed over as soon as the gateway is back, and what
        nobody finishes in time comes back to you.
      </Banner>
    );
  }
  if (!nobody) return null;
  return (
    <Banner tone="warning" title={errorCatalogue.NOBODY_SERVES.meaning}>
      You can post all the same: it waits for a node, you can take it back as long as nobody was assigned, and at its
      deadline everything comes back by itself. A return costs you nothing but gas.
    </Banner>
  );
}
