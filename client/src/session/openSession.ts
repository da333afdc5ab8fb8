/**
 * Opens a session against the payer's deposit, and takes up one that is open already, for instance after a crash. The
 * session's books are read from its journal first, so that nothing is signed or paid a second time.
 */
import type { CodedBlobs } from "@ngpu/protocol/blobExchange/codedBlobs";
import { localUsdAbi } from "@ngpu/protocol/generated/abi/localUsd";
import { paymentVaultAbi } from "@ngpu/protocol/generated/abi/paymentVault";
import { priceOracleAbi } from "@ngpu/protocol/generated/abi/priceOracle";
import { sessionSettlementAbi } from "@ngpu/protocol/generated/abi/sessionSettlement";
import { NgpuError } from "@ngpu/protocol/errors";
import type { ModelManifest } from "@ngpu/protocol/manifest";
import { sessionIdOf } from "@ngpu/protocol/session/voucherChain";
import { toHex, type Account, type Address, type Chain, type Hex, type PublicClient, type Transport, type WalletClient } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { noPermit, permitParams, permitTypedData } from "../permit.ts";
import type { SessionJournal } from "./journal.ts";
import { resumeSession, type Session } from "./resumeSession.ts";
import type { SessionDeployment } from "./sessionChain.ts";
import type { SessionEvent } from "./session.ts";
import type { VoucherTiming } from "./voucherDesk.ts";

export interface SessionOptions {
  chain: PublicClient;
  wallet: WalletClient<Transport, Chain, Account>;
  deployment: SessionDeployment & { paymentVault: Address; priceOracle: Address; localUsd: Address };
  gatewayUrl: string;
  modelId: Hex;
  manifest: ModelManifest;
  /** Signs vouchers and logs in; holds no money. Requests are sealed under keys that derive from it. */
  signerKey: Hex;
  openJournal: (sessionId: Hex) => Promise<SessionJournal>;
  random: (length: number) => Uint8Array;
  /**
   * Coded links, which requests and answers travel over where a gateway offers them; frames of the WebSocket, and HTTP
   * for what is too large for those, where it is not given.
   */
  coded?: Pick<CodedBlobs, "open" | "carry"> | undefined;
  onEvent?: (event: SessionEvent) => void;
  voucherTiming?: Partial<VoucherTiming>;
  hedgeAfterMs?: number;
}

export interface OpenSessionOptions extends SessionOptions {
  /** The most that the session can cost; held from the payer's deposit, and its wallet for what that lacks. */
  spendCapUsd6: bigint;
  minReplicas?: number;
  maxReplicas?: number;
  slaMs?: number;
  /** Seconds of chain time after which the session closes by itself. */
  withinS?: number;
}

const defaults = { minReplicas: 2, maxReplicas: 2, slaMs: 10_000, withinS: 3_600 };

/** Resolves when as many nodes as asked for are ready. Throws SESSION_UNKNOWN when the opening was reverted. */
export async function openSession(options: OpenSessionOptions): Promise<Session & { openTx: Hex }> {
  const { chain, wallet, deployment, modelId, signerKey, spendCapUsd6, random } = options;
  const { minReplicas, maxReplicas, slaMs, withinS } = { ...defaults, ...options };
  const payer = wallet.account.address;
  const clientNonce = toHex(random(32));
  const place = { chainId: wallet.chain.id, settlement: deployment.sessionSettlement };
  const sessionId = sessionIdOf({ ...place, payer, clientNonce, modelId });
  const oracle = { address: deployment.priceOracle, abi: priceOracleAbi } as const;
  const [priceUsd6PerGcums] = await chain.readContract({ ...oracle, functionName: "quote" });
  const { timestamp } = await chain.getBlock();
  const expiresAt = Number(timestamp) + withinS;
  const params = {
    ...{ clientNonce, modelId, signer: privateKeyToAddress(signerKey) },
    ...{ maxPriceUsd6PerGcums: priceUsd6PerGcums, spendCapUsd6 },
    ...{ minReplicas, maxReplicas, slaMs, expiresAt },
  };
  const permit = await fundingPermit(options, BigInt(expiresAt));
  const settlement = { address: deployment.sessionSettlement, abi: sessionSettlementAbi } as const;
  const call = { ...settlement, functionName: "open", args: [params, permit] } as const;
  const { request } = await chain.simulateContract({ ...call, account: wallet.account });
  const openTx = await wallet.writeContract(request);
  const { status, blockNumber } = await chain.waitForTransactionReceipt({ hash: openTx });
  if (status !== "success") throw new NgpuError("SESSION_UNKNOWN", { sessionId, openTx });
  const session = await resumeSession({ ...options, sessionId, fromBlock: blockNumber, lanes: minReplicas });
  return { ...session, openTx };
}

/** A permit for what the payer's balance in the vault does not cover; none when it does. */
async function fundingPermit(options: OpenSessionOptions, deadline: bigint) {
  const { chain, wallet, deployment, spendCapUsd6 } = options;
  const owner = wallet.account.address;
  const vault = { address: deployment.paymentVault, abi: paymentVaultAbi } as const;
  const { availableUsd6 } = await chain.readContract({ ...vault, functionName: "accountOf", args: [owner] });
  if (availableUsd6 >= spendCapUsd6) return noPermit;
  const token = { address: deployment.localUsd, abi: localUsdAbi } as const;
  const [nonce, tokenName] = await Promise.all([
    chain.readContract({ ...token, functionName: "nonces", args: [owner] }),
    chain.readContract({ ...token, functionName: "name" }),
  ]);
  const value = spendCapUsd6 - availableUsd6;
  const spender = deployment.paymentVault;
  const about = { token: deployment.localUsd, tokenName, tokenVersion: "1", chainId: wallet.chain.id, owner, spender };
  const signature = await wallet.signTypedData(permitTypedData({ ...about, value, nonce, deadline }));
  return permitParams({ value, deadline, signature });
}
