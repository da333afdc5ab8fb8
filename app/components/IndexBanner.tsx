"use client";
/** Says when chain or index do not answer, or the index is behind the chain. Silent while all is well. */
import { useChainReset } from "../hooks/useChainReset.ts";
import { useHead } from "../hooks/useHead.ts";
import { useIndexHealth } from "../hooks/useIndexHealth.ts";
import { formatInteger, formatSeconds } from "../lib/format.ts";
import { Banner } from "./Banner.tsx";

export function IndexBanner() {
  const head = useHead();
  const anew = useChainReset();
  const health = useIndexHealth();
  if (head.error !== null) {
    return (
      <Banner tone="warning" title="The chain does not answer">
        What is shown may be old, and nothing can be sent until it does. It is asked again by itself.
      </Banner>
    );
  }
  if (anew) {
    return (
      <Banner tone="neutral" title="The chain has begun anew">
        Everything shown is of the new chain; tasks and balances of the old one are gone with it. If your wallet then
        refuses a transaction for its nonce, clear its activity for this chain.
      </Banner>
    );
  }
  if (health.kind === "behind") {
    const age = health.lagS === undefined ? "" : `, ${formatSeconds(health.lagS)}`;
    return (
      <Banner tone="warning" title={`The index is ${formatInteger(health.lagBlocks)} blocks behind the chain${age}`}>
        Lists and totals below show block {formatInteger(health.block)}. Balances and buttons read the chain itself.
      </Banner>
    );
  }
  if (health.kind === "failed") {
    return (
      <Banner tone="warning" title="The index has stopped">
        History and totals may be incomplete. Posting, staking and withdrawing go on: they do not need it.
      </Banner>
    );
  }
  if (health.kind === "unreachable") {
    return (
      <Banner tone="warning" title="The index does not answer">
        History and totals are missing until it does; it is asked again by itself. Posting, staking and withdrawing go
        on.
      </Banner>
    );
  }
  return null;
}
