"use client";
/**
 * A query as its readers need it: what was answered last, and what went wrong since. A query without an answer forgets
 * its error whenever it is asked again; here the error stays until there is an answer, so that a notice does not
 * blink.
 */
import type { UseQueryResult } from "@tanstack/react-query";
import { useEffect, useState } from "react";

export interface Answer<T> {
  data: T | undefined;
  error: Error | null;
}

export function useAnswer<T>({ data, error, status }: UseQueryResult<T>): Answer<T> {
  const [last, setLast] = useState<Error | null>(null);
  useEffect(() => {
    if (error !== null) setLast(error);
    else if (status === "success") setLast(null);
  }, [error, status]);
  return { data, error: error ?? last };
}
