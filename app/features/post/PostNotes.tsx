"use client";
/**
 * What a payer should know before posting: that no price can be quoted, that too few nodes which are online serve the
 * model, or that the gateway is out of reach. The last two do not forbid a post.
 */
import { servedBy } from "@ngpu/client/servedBy";
import { errorCatalogue } from "@ngpu/protocol/errors";
import { Banner } from "../../components/Banner.tsx";
import { Button } from "../../components/Button.tsx";
import { useRoster } from "../../hooks/useRoster.ts";
import { explainError } from "../../lib/explainError.ts";
import type { PostForm } from "./usePostForm.ts";
import type { PricedInput } from "./useQuote.ts";

export function PostNotes({ form, priced }: { form: PostForm; priced: PricedInput }) {
  const roster = useRoster();
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
  if (roster.data === undefined) return null;
  const { modelId, backups, setBackups } = form;
  const serving = servedBy({ roster: roster.data, modelId });
  if (serving > backups) return null;
  if (serving > 0) {
    const possible = serving - 1;
    const fewer = possible === 0 ? "no backup" : possible === 1 ? "1 backup" : `${possible} backups`;
    return (
      <Banner tone="warning" title={errorCatalogue.BACKUP_MISSING.meaning}>
        {serving} {serving === 1 ? "node serves" : "nodes serve"} it now, {backups + 1} are needed: until another one is
        online this post would wait without being assigned, and at its deadline everything would come back. Post with{" "}
        {fewer}, or wait. <Button onClick={() => setBackups(possible)}>Post with {fewer}</Button>
      </Banner>
    );
  }
  return (
    <Banner tone="warning" title={errorCatalogue.NOBODY_SERVES.meaning}>
      You can post all the same: it waits for a node, you can take it back as long as nobody was assigned, and at its
      deadline everything comes back by itself. A return costs you nothing but gas.
    </Banner>
  );
}
