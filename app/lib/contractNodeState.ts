/** What the registry says that a node may do now, in a word, a tone and a sentence. */
import type { Tone } from "../components/Status.tsx";
import { formatDateTime } from "./format.ts";

export const contractNodeStates = ["Active", "Draining", "Suspended", "Exiting"] as const;

export interface NodeStateWords {
  tone: Tone;
  word: string;
  why: string;
}

/** `state` is the number that `stateOf` gives. A state that is newer than this dApp is shown as its number. */
export function contractNodeState(node: {
  state: number;
  suspendedUntil: number;
  stakedWei: bigint;
  thawingWei: bigint;
}): NodeStateWords {
  switch (contractNodeStates[node.state]) {
    case "Active":
      return { tone: "final", word: "Active", why: "The contract lets it be assigned." };
    case "Draining":
      return { tone: "reversible", word: "Draining", why: "It gets no new tasks; running ones are finished." };
    case "Suspended":
      return {
        tone: "failed",
        word: `Suspended until ${formatDateTime(node.suspendedUntil)}`,
        why: "A fault was proved. It is let back in by time alone; what it works on and earned is not touched.",
      };
    case "Exiting":
      if (node.stakedWei === 0n) return { tone: "waiting", word: "Not staked", why: "Nothing is staked for it." };
      return {
        tone: node.thawingWei > 0n ? "reversible" : "waiting",
        word: node.thawingWei > 0n ? "Exiting" : "Not eligible",
        why: "Its active stake is below what its class needs.",
      };
    default:
      return { tone: "off", word: `State ${node.state}`, why: "This app does not know this state of the contract." };
  }
}
