/**
 * Sends by a way that is usually the faster one, and by another as well where that has not confirmed in time. While one
 * is late, everything goes the other way at once; both ways may deliver the same, so it must be harmless twice.
 */
export type PromptSend = (send: () => Promise<void>, otherwise: () => void) => void;

/** Several round trips and repairs of a bad path. */
const lateAfterMs = 2_000;

export function createPromptSend(options: { lateMs?: number } = {}): PromptSend {
  const { lateMs = lateAfterMs } = options;
  let late = 0;

  return (send, otherwise) => {
    if (late > 0) return otherwise();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      late += 1;
      otherwise();
    }, lateMs);
    const end = (): void => {
      clearTimeout(timer);
      if (isLate) late -= 1;
    };
    send().then(end, () => {
      const wasSent = isLate;
      end();
      if (!wasSent) otherwise();
    });
  };
}
