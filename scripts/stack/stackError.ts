/** What a person who runs a command can act on: one line that says what is wrong and what to do. */
export class StackError extends Error {
  override readonly name = "StackError";
}
