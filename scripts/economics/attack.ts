/** What an attack is: who does what, a pure function from parameters to gain and loss, and what would stop it. */
import type { ParameterName, Parameters } from "./parameters.ts";

/** A node whose stake and power an attack is reckoned with. */
export interface NodeCase {
  readonly name: string;
  readonly powerCu: bigint;
  readonly stakeWei: bigint;
}

/** In base units of the payment token. Gains are rounded up and losses down, against the network. */
export interface Reckoning {
  /** What the attacker can have of it at most, chances included. */
  readonly gainUsd6: bigint;
  /** What it costs the attacker at least, chances included; gas is never counted. */
  readonly lossUsd6: bigint;
}

export type ParameterChange = Partial<Record<ParameterName, bigint>>;

export interface Attack {
  readonly id: string;
  readonly attacker: string;
  readonly act: string;
  readonly gain: string;
  readonly loss: string;
  /** Where the row turns; a sentence that begins with "pays". */
  readonly paysWhen: string;
  readonly reckon: (parameters: Parameters, node: NodeCase) => Reckoning;
  /** Parameters with which it pays: shows that the row can fail. Left out where it gains nothing by construction. */
  readonly bad?: ParameterChange;
  /** The change that stops it, for a row that pays with what is deployed. */
  readonly remedy?: { readonly text: string; readonly change: ParameterChange };
}
