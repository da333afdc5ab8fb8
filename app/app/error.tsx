"use client";
/** Shown when a page fails to draw; the wallet and everything on chain are untouched. */
import { Banner } from "../components/Banner.tsx";
import { Button } from "../components/Button.tsx";
import { Page } from "../components/Page.tsx";
import { explainError } from "../lib/explainError.ts";

export default function ErrorPage({ error, reset }: { error: Error; reset: () => void }) {
  return (
    <Page title="This page could not be shown">
      <Banner tone="error" title="Nothing was sent or spent by this">
        {explainError(error).text}
      </Banner>
      <p>
        <Button tone="primary" onClick={reset}>
          Try again
        </Button>
      </p>
    </Page>
  );
}
