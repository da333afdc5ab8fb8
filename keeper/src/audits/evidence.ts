/**
 * What a quality was set for (docs/OPERATIONS.md, "Audits"): a document without the canaries' contents, whose hash is
 * the `cause` on chain.
 */
import { canonicalJson } from "@ngpu/protocol/canonicalJson";
import { keccak256, stringToBytes, type Address, type Hex } from "viem";
import type { CanaryResult, Judgement } from "./judgeCanaries.ts";

export interface Evidence {
  cause: Hex;
  text: string;
}

/** Results of the node itself that are told, the newest ones. */
const mostOwn = 50;

export function evidenceOf(request: {
  chainId: number;
  scoreBoard: Address;
  nodeId: number;
  ageBps: number;
  judgement: Judgement;
  history: readonly CanaryResult[];
  judgedAtS: number;
}): Evidence {
  const { chainId, scoreBoard, nodeId, ageBps, judgement, history, judgedAtS } = request;
  const { qualityBps, penaltyBps, billingBps, pool } = judgement;
  const own = history.filter((result) => result.nodeId === nodeId).slice(-mostOwn);
  const text = canonicalJson({
    format: "ngpu.audit/1",
    ...{ chainId, scoreBoard: scoreBoard.toLowerCase(), nodeId, judgedAtS },
    ...{ qualityBps, ageBps, penaltyBps, billingBps },
    results: own.map(plain),
    comparedWith: pool.map(plain),
  });
  return { cause: keccak256(stringToBytes(text)), text };
}

function plain({ billedCums, ...result }: CanaryResult) {
  return { ...result, billedCums: billedCums.toString() };
}
