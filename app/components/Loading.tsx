/** The place of a list that is being read, or that cannot be read at the moment. The banner at the top says why. */
import { EmptyState } from "./EmptyState.tsx";
import { SkeletonRows } from "./Skeleton.tsx";

export function Loading({ error, rows }: { error: unknown; rows?: number }) {
  if (error === null || error === undefined) return <SkeletonRows {...(rows === undefined ? {} : { rows })} />;
  return <EmptyState title="This cannot be read at the moment">It appears by itself as soon as it can.</EmptyState>;
}
