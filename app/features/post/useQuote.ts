"use client";
/** What the chosen pictures will cost, measured on this device and priced by the contract. */
import { measureInput } from "@ngpu/client/measureInput";
import { quoteTask, type Quote } from "@ngpu/client/quote";
import type { Dimensions } from "@ngpu/protocol/work";
import { useMemo } from "react";
import { usePrice, type Price } from "../../hooks/usePrice.ts";
import { explainError, type Explanation } from "../../lib/explainError.ts";
import type { PostForm } from "./usePostForm.ts";

export interface PricedInput {
  dimensions: Dimensions | undefined;
  quote: Quote | undefined;
  price: Price | undefined;
  /** Why the pictures cannot be used. */
  refusal: Explanation | undefined;
}

export function useQuote({ manifest, pictures, stated }: PostForm): PricedInput {
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
    const { dimensions } = measured;
    if (dimensions === undefined || price === undefined) return { ...measured, quote: undefined, price };
    try {
      return { ...measured, quote: quoteTask({ manifest, dimensions, priceUsd6PerGcums: price.priceUsd6PerGcums }), price };
    } catch (error) {
      return { dimensions: undefined, quote: undefined, price, refusal: explainError(error) };
    }
  }, [manifest, measured, price]);
}
