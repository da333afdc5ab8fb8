"use client";
/** One filter that lives in the address, so that a view can be shared and survives a reload. */
import { usePathname, useRouter, useSearchParams } from "next/navigation";
import { useCallback } from "react";

export function useUrlState<T extends string>(
  name: string,
  options: { values: readonly T[]; fallback: T },
): [T, (value: T) => void] {
  const { values, fallback } = options;
  const router = useRouter();
  const path = usePathname();
  const params = useSearchParams();
  const found = params.get(name) as T | null;
  const value = found !== null && values.includes(found) ? found : fallback;
  const set = useCallback(
    (next: T) => {
      const changed = new URLSearchParams(params);
      if (next === fallback) changed.delete(name);
      else changed.set(name, next);
      const query = changed.toString();
      router.replace(query === "" ? path : `${path}?${query}`, { scroll: false });
    },
    [router, path, params, name, fallback],
  );
  return [value, set];
}
