"use client";
/** Who is connected to the gateway now. What a node says of itself is shown as its own word. */
import { fetchRoster } from "@ngpu/client/fetchRoster";
import { useQuery } from "@tanstack/react-query";
import { useAnswer } from "./useAnswer.ts";
import { nextPollMs } from "../lib/pollMs.ts";
import { useRuntime } from "./useRuntime.tsx";

export function useRoster() {
  const { gatewayUrl } = useRuntime();
  const query = useQuery({
    queryKey: ["roster", gatewayUrl],
    queryFn: ({ signal }) => fetchRoster({ gatewayUrl, signal }),
    refetchInterval: () => nextPollMs(4_000),
    // A gateway that hangs is told after two tries; it is asked again anyway.
    retry: 1,
  });
  return useAnswer(query);
}
