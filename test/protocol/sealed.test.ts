import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { expect } from "chai";
import type { Hex } from "viem";
import { decodePayload, encodePayload } from "@ngpu/protocol/sealed/payload";
import { open, seal } from "@ngpu/protocol/sealed/seal";
import { transportPublicKey, unwrapTaskKey, wrapTaskKey } from "@ngpu/protocol/sealed/wrap";
import { codeThrownBy } from "../harness/codeThrownBy.ts";

const random = (length: number): Uint8Array => new Uint8Array(randomBytes(length));
const taskId: Hex = `0x${"ab".repeat(32)}`;
const otherTaskId: Hex = `0x${"cd".repeat(32)}`;

function aSealedInput() {
  const taskKey = random(32);
  const body = random(1_000);
  const context = { kind: "input", taskId } as const;
  return { taskKey, body, context, ...seal({ taskKey, context, body, random }) };
}

describe("sealed data", () => {
  it("opens what was sealed, and its commitment holds", () => {
    const { taskKey, body, context, sealed, commitment } = aSealedInput();
    expect(open({ taskKey, context, sealed, commitment })).to.deep.equal(body);
  });

  it("commits to equal inputs differently", () => {
    const taskKey = random(32);
    const body = Uint8Array.of(1, 2, 3);
    const context = { kind: "input", taskId } as const;
    const first = seal({ taskKey, context, body, random });
    const second = seal({ taskKey, context, body, random });
    expect(first.commitment).to.not.equal(second.commitment);
    expect(first.ciphertextHash).to.not.equal(second.ciphertextHash);
  });

  it("refuses a ciphertext moved to another task", () => {
    const { taskKey, sealed, commitment } = aSealedInput();
    const context = { kind: "input", taskId: otherTaskId } as const;
    expect(codeThrownBy(() => open({ taskKey, context, sealed, commitment }))).to.equal("SEAL_BROKEN");
  });

  it("refuses an output moved to another attempt", () => {
    const taskKey = random(32);
    const made = { kind: "output", taskId, nodeId: 7, assignment: 1, attempt: 0 } as const;
    const { sealed, commitment } = seal({ taskKey, context: made, body: Uint8Array.of(9), random });
    const moved = { ...made, attempt: 1 };
    expect(codeThrownBy(() => open({ taskKey, context: moved, sealed, commitment }))).to.equal("SEAL_BROKEN");
  });

  it("refuses every single flipped byte", () => {
    const { taskKey, context, sealed, commitment } = aSealedInput();
    for (const index of [0, 4, 5, 16, 17, 60, sealed.length - 1]) {
      const changed = sealed.slice();
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(codeThrownBy(() => open({ taskKey, context, sealed: changed, commitment })), `byte ${index}`).to.equal("SEAL_BROKEN");
    }
  });

  it("refuses bytes shorter than any sealed body", () => {
    const { taskKey, context, sealed, commitment } = aSealedInput();
    for (const length of [0, 1, 5, 16, 30]) {
      const act = () => open({ taskKey, context, sealed: sealed.subarray(0, length), commitment });
      expect(codeThrownBy(act), `length ${length}`).to.equal("SEAL_BROKEN");
    }
  });

  it("refuses a body that is not what the chain committed to", () => {
    const { taskKey, context, sealed } = aSealedInput();
    const act = () => open({ taskKey, context, sealed, commitment: `0x${"00".repeat(32)}` });
    expect(codeThrownBy(act)).to.equal("COMMITMENT_MISMATCH");
  });
});

describe("wrapped task key", () => {
  const target = { taskId, assignment: 1, nodeId: 7 };

  it("opens for the node it was wrapped for", () => {
    const taskKey = random(32);
    const nodeSecret = random(32);
    const wrapped = wrapTaskKey({ taskKey, nodePublicKey: transportPublicKey(nodeSecret), target, random });
    expect(unwrapTaskKey({ nodeSecret, ...wrapped, target })).to.deep.equal(taskKey);
  });

  it("stays shut for another node, task or assignment", () => {
    const nodeSecret = random(32);
    const wrapped = wrapTaskKey({ taskKey: random(32), nodePublicKey: transportPublicKey(nodeSecret), target, random });
    const attempts = [
      { nodeSecret: random(32), target },
      { nodeSecret, target: { ...target, nodeId: 8 } },
      { nodeSecret, target: { ...target, assignment: 2 } },
      { nodeSecret, target: { ...target, taskId: otherTaskId } },
    ];
    for (const attempt of attempts) {
      expect(codeThrownBy(() => unwrapTaskKey({ ...wrapped, ...attempt }))).to.equal("SEAL_BROKEN");
    }
  });

  it("refuses a public key of low order", () => {
    const act = () => wrapTaskKey({ taskKey: random(32), nodePublicKey: new Uint8Array(32), target, random });
    expect(codeThrownBy(act)).to.equal("SEAL_BROKEN");
  });
});

describe("payload", () => {
  const payload = {
    parameters: { images: 2, hint: "a" },
    parts: [
      { name: "a.png", mediaType: "image/png", bytes: Uint8Array.of(1, 2) },
      { name: "../b", mediaType: "image/jpeg", bytes: new Uint8Array(0) },
    ],
  };

  it("round-trips parameters and parts", () => {
    expect(decodePayload(encodePayload(payload))).to.deep.equal(payload);
  });

  it("refuses truncation at every length", () => {
    const encoded = encodePayload(payload);
    for (let length = 0; length < encoded.length; length += 1) {
      const code = codeThrownBy(() => decodePayload(encoded.subarray(0, length)));
      expect(code, `length ${length}`).to.equal("PAYLOAD_MALFORMED");
    }
  });

  it("refuses a header that announces more than there is, before allocating it", () => {
    const huge = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x7b);
    expect(codeThrownBy(() => decodePayload(huge))).to.equal("PAYLOAD_MALFORMED");
  });
});
