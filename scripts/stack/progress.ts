/**
 * Progress for people, on stderr: a line when a step ends, with its duration, and one when it begins if it may take a
 * while.
 */
export interface Progress {
  /** Runs `act` and reports it; a step that is `quick` is announced only by its end. */
  step<T>(what: string, act: () => Promise<T>): Promise<T>;
  note(line: string): void;
}

/** A step that is still running after this long is announced, so that nobody looks at a still screen. */
const announceAfterMs = 1_000;

export function createProgress(options: { write?: (line: string) => void } = {}): Progress {
  const { write = (line: string) => process.stderr.write(`${line}\n`) } = options;
  return {
    note: (line) => write(`· ${line}`),
    async step(what, act) {
      const startedAt = performance.now();
      const announce = setTimeout(() => write(`· ${what} …`), announceAfterMs);
      try {
        const result = await act();
        write(`✓ ${what}, ${formatSeconds(performance.now() - startedAt)}`);
        return result;
      } finally {
        clearTimeout(announce);
      }
    },
  };
}

export function formatSeconds(durationMs: number): string {
  return `${(durationMs / 1_000).toFixed(1)} s`;
}
