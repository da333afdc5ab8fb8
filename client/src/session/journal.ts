/**
 * Where a session's client writes down what it must not forget. The file behind it is the caller's business, because this
 * code also runs in a browser; in Node it is `openAppendLog` of @ngpu/protocol/service/appendLog.
 */
export interface SessionJournal {
  /** What was appended before, oldest first. */
  readonly lines: readonly string[];
  /** Resolves when the line survives a crash. */
  append(line: string): Promise<void>;
  bytes(): number;
  /** Puts these lines in the place of all that were appended before, at once or not at all. */
  replace(lines: readonly string[]): Promise<void>;
  close(): Promise<void>;
}
