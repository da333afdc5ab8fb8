/** Which signatures are believed: exactly those that the contracts take. */
import { recoverSigner, signMessage } from "@ngpu/protocol/signed";
import { expect } from "chai";
import { describe, it } from "node:test";
import { numberToHex, zeroAddress, zeroHash, type Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const context = { chainId: 31_337, verifyingContract: zeroAddress };

describe("signed messages", () => {
  it("are believed in their one canonical form only", async () => {
    const signer = privateKeyToAccount(generatePrivateKey());
    const message = { taskId: zeroHash, assignment: 1, nodeId: 1, inputCommitment: zeroHash, timeMs: 1n };
    const { signature } = await signMessage({ kind: "accept", message, context, signer });
    const by = (other: Hex) => recoverSigner({ kind: "accept", signed: { message, signature: other }, context });
    expect(await by(signature)).to.equal(signer.address);

    const head = signature.slice(0, 66);
    const s = BigInt(`0x${signature.slice(66, 130)}`);
    const v = Number(`0x${signature.slice(130)}`);
    const mirrored = `${head}${numberToHex(order - s, { size: 32 }).slice(2)}${(v === 27 ? 28 : 27).toString(16)}` as Hex;
    const parity = `${signature.slice(0, 130)}${numberToHex(v - 27, { size: 1 }).slice(2)}` as Hex;
    expect(await by(mirrored)).to.equal(undefined);
    expect(await by(parity)).to.equal(undefined);
    expect(await by(signature.slice(0, 130) as Hex)).to.equal(undefined);
  });
});
