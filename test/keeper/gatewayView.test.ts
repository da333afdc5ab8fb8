/** What a keeper keeps of what nodes signed, when one of them signs without end. */
import { createGatewayView } from "@ngpu/keeper/keeper/gatewayView";
import { systemClock } from "@ngpu/protocol/service/clock";
import { signMessage } from "@ngpu/protocol/signed";
import { expect } from "chai";
import { describe, it } from "node:test";
import { zeroAddress } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { testLog } from "../harness/services.ts";
import { aReceipt } from "./world.ts";

const context = { chainId: 31_337, verifyingContract: zeroAddress };

describe("gateway view", () => {
  it("never loses a node's receipt to those of another", async () => {
    const operators = [1, 2].map(() => privateKeyToAccount(generatePrivateKey()));
    const view = createGatewayView({
      context,
      authority: {
        nodeOfOperator: async (signer) => operators.findIndex(({ address }) => address === signer) + 1,
        operatorOf: async () => zeroAddress,
        isKeeper: async () => false,
        isAuditor: async () => false,
        forget: () => undefined,
      },
      clock: systemClock,
      log: testLog,
    });
    const say = async (nodeId: number, attempt: number): Promise<void> => {
      const signer = operators[nodeId - 1];
      if (signer === undefined) throw new Error("no such operator");
      const { message } = aReceipt(nodeId, { attempt, status: nodeId === 1 ? 0 : 2 });
      const receipt = await signMessage({ kind: "receipt", message, context, signer });
      await view.receive("gateway", { t: "receipt", receipt, detail: "" });
    };
    await say(1, 0);
    for (let attempt = 0; attempt < 40; attempt += 1) await say(2, attempt);
    const receipts = view.read().tasks.get(aReceipt(1).message.taskId)?.receipts ?? [];
    expect(receipts.filter(({ message }) => message.nodeId === 1)).to.have.length(1);
    expect(receipts.length).to.be.below(10);
  });
});
