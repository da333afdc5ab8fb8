/** Registers and stakes nodes on a test chain, as an owner and an operator would. */
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import { ngpuTokenAbi } from "@ngpu/protocol/generated/abi/ngpuToken";
import { stakeVaultAbi } from "@ngpu/protocol/generated/abi/stakeVault";
import { signMessage } from "@ngpu/protocol/signed";
import { parseEventLogs, type Account } from "viem";
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from "viem/accounts";
import type { TestChain } from "./chain.ts";

export interface TestNode {
  nodeId: number;
  owner: Account;
  operator: PrivateKeyAccount;
}

/** A node of class 0 (1,000 CU), staked to its minimum unless `stakeWei` says otherwise. */
export async function registerNode(
  chain: TestChain,
  options: { ownerIndex?: number; operator?: PrivateKeyAccount; stakeWei?: bigint } = {},
): Promise<TestNode> {
  const {
    ownerIndex = 0,
    operator = privateKeyToAccount(generatePrivateKey()),
    stakeWei = 100n * 10n ** 18n,
  } = options;
  const { deployment, chainId } = chain;
  const owner = chain.account(ownerIndex);
  const expiry = BigInt((await chain.nowS()) + 3_600);
  const { signature } = await signMessage({
    kind: "operatorBinding",
    message: { owner: owner.address, operator: operator.address, expiry },
    context: { chainId, verifyingContract: deployment.nodeRegistry },
    signer: operator,
  });
  const registered = await chain.write({
    account: owner,
    address: deployment.nodeRegistry,
    abi: nodeRegistryAbi,
    functionName: "register",
    args: [operator.address, owner.address, 0, expiry, signature],
  });
  const [event] = parseEventLogs({ abi: nodeRegistryAbi, eventName: "NodeRegistered", logs: registered.logs });
  if (event === undefined) throw new Error("registration left no event");
  const { nodeId } = event.args;
  if (stakeWei > 0n) {
    const token = { address: deployment.ngpuToken, abi: ngpuTokenAbi };
    const deployer = chain.account(0);
    await chain.write({ account: deployer, ...token, functionName: "transfer", args: [owner.address, stakeWei] });
    await chain.write({ account: owner, ...token, functionName: "approve", args: [deployment.stakeVault, stakeWei] });
    await chain.write({
      account: owner,
      address: deployment.stakeVault,
      abi: stakeVaultAbi,
      functionName: "stake",
      args: [nodeId, stakeWei],
    });
  }
  return { nodeId, owner, operator };
}
