/** Why an answer of the subgraph cannot be used. */
export type SubgraphErrorCode =
  | "SUBGRAPH_UNREACHABLE"
  | "SUBGRAPH_REORGANISED"
  | "SUBGRAPH_FAILED"
  | "SUBGRAPH_REFUSED";

const texts: Record<SubgraphErrorCode, string> = {
  SUBGRAPH_UNREACHABLE:
    "History and totals cannot be read at the moment; it is tried again. Tasks and payments go on without it.",
  SUBGRAPH_REORGANISED: "The chain changed its last blocks while the answer was made; it is asked again.",
  SUBGRAPH_FAILED: "The index has stopped. History may be incomplete; tasks and payments go on without it.",
  SUBGRAPH_REFUSED: "The index did not understand the question. The app and the index are of different versions.",
};

export class SubgraphError extends Error {
  override readonly name = "SubgraphError";
  readonly code: SubgraphErrorCode;

  constructor(code: SubgraphErrorCode, options?: { cause?: unknown }) {
    super(texts[code], options);
    this.code = code;
  }
}
