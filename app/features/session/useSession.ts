"use client";
/** One session as the index shows it: its terms and totals, its lanes, and the newest rows of its timeline. */
import type { Hex } from "viem";
import { useSubgraph } from "../../hooks/useSubgraph.ts";
import {
  laneFields,
  sessionEventFields,
  sessionFields,
  type LaneRow,
  type SessionEventRow,
  type SessionRow,
} from "../../lib/subgraph/sessionModel.ts";

export const newestEvents = 100;

const query = `query Session($id: ID!, $session: String!) {
  session(id: $id) { ${sessionFields} }
  lanes(first: 1000, orderBy: assignedAt, orderDirection: asc, where: { session: $session }) { ${laneFields} }
  sessionEvents(first: ${newestEvents}, orderBy: position, orderDirection: desc, where: { session: $session }) {
    ${sessionEventFields}
  }
}`;

interface SessionAnswer {
  session: SessionRow | null;
  lanes: LaneRow[];
  sessionEvents: SessionEventRow[];
}

export function useSession(sessionId: Hex) {
  return useSubgraph<SessionAnswer>({ key: "session", query, variables: { id: sessionId, session: sessionId } });
}
