"use client";
/**
 * What the chosen pictures will cost, measured on this device and priced by the contract, within the payer's price
 * limit.
 */
import { measureInput } from "@ngpu/client/measureInput";
import { quoteTask, type Quote } from "@ngpu/client/quote";
import { maxAmountUsd6 } from "@ngpu/protocol/units";
import type { Dimensions } from "@ngpu/protocol/work";
import { useMemo } from "react";
import { usePrice, type Price } from "../../hooks/usePrice.ts";
import { explainError, type Explanation } from "../../lib/explainError.ts";
import { parseAmount } from "../../lib/parseAmount.ts";
import type { PostForm } from "./usePostForm.ts";

export interface PricedInput {
  dimensions: Dimensions | undefined;
  quote: Quote | undefined;
  price: Price | undefined;
  /** Highest price the payer agrees to; undefined when what was typed is no amount. */
  maxPriceUsd6PerGcums: bigint | undefined;
  /** Escrowed at most, standby included: the quote's maximum at the highest price that was agreed to. */
  mostUsd6: bigint | undefined;
  /** Why the pictures cannot be used. */
  refusal: Explanation | undefined;
}

export function useQuote({ manifest, pictures, stated, maxPriceText, backups }: PostForm): PricedInput {
  const price = usePrice().data;
  const measured = useMemo(() => {
    if (pictures.length === 0) return { dimensions: undefined, refusal: undefined };
    try {
      const { dimensions } = measureInput({ manifest, parts: [...pictures], declared: stated });
      return { dimensions, refusal: undefined };
    } catch (error) {
      return { dimensions: undefined, refusal: explainError(error) };
    }
  }, [manifest, pictures, stated]);
  return useMemo(() => {
    const typed = maxPriceText.trim();
    const maxPriceUsd6PerGcums = typed === "" ? price?.priceUsd6PerGcums : parseAmount(typed, 6);
    const none = { ...measured, quote: undefined, mostUsd6: undefined, price, maxPriceUsd6PerGcums };
    const { dimensions } = measured;
    // Without a price that a post would freeze there is nothing to quote.
    if (dimensions === undefined || price === undefined || !price.quotable) return none;
    try {
      const quote = quoteTask({ manifest, dimensions, priceUsd6PerGcums: price.priceUsd6PerGcums, backups });
      const agreed = maxPriceUsd6PerGcums ?? 0n;
      const highest = agreed > quote.priceUsd6PerGcums ? agreed : quote.priceUsd6PerGcums;
      const mostUsd6 = maxAmountUsd6({ workCums: quote.workCums, priceUsd6PerGcums: highest, backups });
      return { ...none, quote, mostUsd6 };
    } catch (error) {
      return { ...none, dimensions: undefined, refusal: explainError(error) };
    }
  }, [manifest, measured, price, maxPriceText, backups]);
}
