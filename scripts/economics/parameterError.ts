/** A figure that the documents stand on cannot be read any more. */
export class ParameterError extends Error {
  override readonly name = "ParameterError";
  readonly code: "PARAMETER_RENAMED" | "PARAMETER_NOT_LITERAL";

  constructor(code: ParameterError["code"], message: string) {
    super(message);
    this.code = code;
  }
}
