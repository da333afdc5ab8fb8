/**
 * Sends one account's transactions, one at a time:
 *   simulate  refused, somebody did it        → benign
 *             refused otherwise               → refused, the key backs off
 *   send      nonce = next unmined one, read anew each time, so a restarted chain or a leftover does no harm
 *   wait      mined, succeeded                → done
 *             mined, reverted                 → refused
 *             not mined in time               → same nonce, both fees up by an eighth, all hashes are looked for
 *             nonce used by something else    → failed; the next pass plans again
 * Nothing is remembered across a restart: what is still needed is planned again from the chain.
 */
import { sessionSettlementAbi } from "@ngpu/protocol/generated/abi/sessionSettlement";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import type { Deployment } from "@ngpu/protocol/deployment";
import { NgpuError } from "@ngpu/protocol/errors";
import { explainFailure } from "@ngpu/protocol/service/explainFailure";
import type { Clock } from "@ngpu/protocol/service/clock";
import type { Log } from "@ngpu/protocol/service/log";
import {
  BaseError,
  NonceTooLowError,
  TransactionReceiptNotFoundError,
  type Account,
  type Address,
  type Chain,
  type Hex,
  type PublicClient,
  type TransactionReceipt,
  type Transport,
  type WalletClient,
} from "viem";
import { isSessionAction, sessionCall, sessionKey, type SessionAction } from "../session/sessionAction.ts";
import { isUpkeepAction, upkeepCall, upkeepKey, upkeepSubject, type UpkeepAction } from "../upkeep/upkeepAction.ts";
import { actionKey } from "./action.ts";
import { classifyRevert, type ChainAction } from "./classifyRevert.ts";

/** What is sent to TaskEscrow, to SessionSettlement, or for the network as a whole. */
type LaneAction = ChainAction | SessionAction | UpkeepAction;

export type Outcome = "done" | "benign" | "refused" | "failed";

export interface TransactionLane {
  /** False when the same action is in flight or backs off, or when the queue is full: it is planned again anyway. */
  submit(action: LaneAction): boolean;
  /** Drops what is queued, takes nothing more, and resolves when what was sent has been mined or given up. */
  drain(): Promise<void>;
  /** As above, but does not wait for what was sent: whoever plans next finds it on chain. */
  stop(): Promise<void>;
}

export interface LaneTiming {
  bumpAfterMs: number;
  receiptEveryMs: number;
  firstBackOffMs: number;
  mostBackOffMs: number;
}

const laneTiming: LaneTiming = { bumpAfterMs: 15_000, receiptEveryMs: 100, firstBackOffMs: 500, mostBackOffMs: 30_000 };
const mostQueued = 1_000;
const mostBumps = 10;
const mostBackingOff = 10_000;
const upkeepEvery = 4;

export function createTransactionLane(options: {
  chain: PublicClient;
  wallet: WalletClient<Transport, Chain, Account>;
  escrow: Address;
  settlement: Address;
  clock: Clock;
  log: Log;
  onOutcome: (action: ChainAction, outcome: Outcome) => void;
  onSessionOutcome?: (action: SessionAction, outcome: Outcome) => void;
  /** Where upkeep goes; a lane without it takes none. */
  deployment?: Deployment;
  onUpkeepOutcome?: (action: UpkeepAction, outcome: Outcome) => void;
  timing?: Partial<LaneTiming>;
}): TransactionLane {
  const { chain, wallet, escrow, settlement, clock, log, onOutcome, onSessionOutcome, onUpkeepOutcome } = options;
  const timing = { ...laneTiming, ...options.timing };
  const queue = new Map<string, LaneAction>();
  const backOff = new Map<string, { failures: number; untilMs: number }>();
  const stopping = new AbortController();
  let isDraining = false;
  let current: string | undefined;
  /** Sent since upkeep had its turn. */
  let othersInTurn = 0;
  let running: Promise<void> = Promise.resolve();

  function submit(action: LaneAction): boolean {
    const key = keyOf(action);
    const isStopping = isDraining || stopping.signal.aborted;
    if (isUpkeepAction(action) && options.deployment === undefined) return false;
    if (isStopping || queue.has(key) || current === key || queue.size >= mostQueued) return false;
    if ((backOff.get(key)?.untilMs ?? 0) > clock.monotonicMs()) return false;
    if (action.kind === "settle") dropRelays(action);
    queue.set(key, action);
    if (current === undefined) running = runAll();
    return true;
  }

  /**
   * A bill needs no failure on chain, and no accept but those of backups behind the node that executed, who are paid for
   * having stood by: the others of its task that still wait are not worth their gas.
   */
  function dropRelays({ taskId, standing, receipt }: Extract<ChainAction, { kind: "settle" }>): void {
    const seatOf = (nodeId: number): number => standing.seats.findIndex((seat) => seat.nodeId === nodeId);
    for (const [key, waiting] of queue) {
      if ((waiting.kind !== "accept" && waiting.kind !== "fail") || waiting.taskId !== taskId) continue;
      const isPaid =
        waiting.kind === "accept" && seatOf(waiting.accept.message.nodeId) > seatOf(receipt.message.nodeId);
      if (!isPaid) queue.delete(key);
    }
  }

  /** In order, but tasks and sessions before upkeep, of which one gets its turn among so many of them. */
  function nextInTurn(): [string, LaneAction] | undefined {
    const waiting = [...queue];
    const upkeep = waiting.find(([, action]) => isUpkeepAction(action));
    const other = waiting.find(([, action]) => !isUpkeepAction(action));
    const next = other === undefined || (upkeep !== undefined && othersInTurn >= upkeepEvery) ? upkeep : other;
    othersInTurn = next === other ? othersInTurn + 1 : 0;
    return next;
  }

  async function runAll(): Promise<void> {
    for (let next = nextInTurn(); next !== undefined && !stopping.signal.aborted; next = nextInTurn()) {
      const [key, action] = next;
      queue.delete(key);
      current = key;
      const outcome = await perform(action).catch((error: unknown): Outcome => {
        log.warn({ key, ...(explainFailure(error) ?? { err: error }) }, "transaction failed; it is planned again");
        return "failed";
      });
      remember(key, outcome);
      if (isUpkeepAction(action)) onUpkeepOutcome?.(action, outcome);
      else if (isSessionAction(action)) onSessionOutcome?.(action, outcome);
      else onOutcome(action, outcome);
    }
    current = undefined;
  }

  function remember(key: string, outcome: Outcome): void {
    if (outcome === "done" || outcome === "benign") {
      backOff.delete(key);
      return;
    }
    if (backOff.size >= mostBackingOff) backOff.clear();
    const failures = (backOff.get(key)?.failures ?? 0) + 1;
    const waitMs = Math.min(timing.mostBackOffMs, timing.firstBackOffMs * 2 ** (failures - 1));
    backOff.set(key, { failures, untilMs: clock.monotonicMs() + waitMs });
  }

  async function perform(action: LaneAction): Promise<Outcome> {
    const call = { ...callOf(action), account: wallet.account };
    try {
      await chain.simulateContract(call as Parameters<typeof chain.simulateContract>[0]);
      if (isDraining || stopping.signal.aborted) return "failed";
      return await send(action, call);
    } catch (error) {
      // Estimating may see a transaction that simulating did not: one that waits to be mined.
      return refusal(action, error);
    }
  }

  function callOf(action: LaneAction) {
    if (isUpkeepAction(action)) {
      if (options.deployment === undefined) throw new NgpuError("CHAIN_WRONG", { action: action.kind });
      return upkeepCall(action, options.deployment);
    }
    if (!isSessionAction(action)) return { address: escrow, abi: taskEscrowAbi, ...taskCall(action) };
    return { address: settlement, abi: sessionSettlementAbi, ...sessionCall(action) };
  }

  async function send(action: LaneAction, request: ReturnType<typeof callOf> & { account: Account }): Promise<Outcome> {
    const address = wallet.account.address;
    const estimated = await chain.estimateContractGas(request as Parameters<typeof chain.estimateContractGas>[0]);
    const gas = (estimated * 5n) / 4n;
    const nonce = await chain.getTransactionCount({ address, blockTag: "latest" });
    let fees = await chain.estimateFeesPerGas();
    const hashes: Hex[] = [];
    for (let bump = 0; bump <= mostBumps; bump += 1) {
      try {
        hashes.push(
          await wallet.writeContract({ ...request, gas, nonce, ...fees } as Parameters<typeof wallet.writeContract>[0]),
        );
        log.info(
          { action: action.kind, ...subjectOf(action), nonce, txHash: hashes.at(-1), bump },
          "transaction sent",
        );
      } catch (error) {
        if (classifyRevert(action.kind, error) !== undefined) return refusal(action, error);
        const isUsed = error instanceof BaseError && error.walk((cause) => cause instanceof NonceTooLowError) !== null;
        if (!isUsed && hashes.length === 0 && bump > 2) throw error;
        log.debug({ ...(explainFailure(error) ?? { err: error }), nonce, bump }, "transaction was not taken");
      }
      const receipt = await mined({ hashes, nonce, address });
      if (receipt === "nonce used") return "failed";
      if (receipt !== undefined) return concluded(action, receipt);
      if (stopping.signal.aborted) return "failed";
      fees = {
        maxFeePerGas: raised(fees.maxFeePerGas),
        maxPriorityFeePerGas: raised(fees.maxPriorityFeePerGas),
      };
    }
    log.error({ action: action.kind, ...subjectOf(action), nonce }, "transaction is not mined whatever it pays");
    return "failed";
  }

  /** The receipt under any of the hashes; undefined when the time is up. */
  async function mined(sent: {
    hashes: Hex[];
    nonce: number;
    address: Address;
  }): Promise<TransactionReceipt | "nonce used" | undefined> {
    const untilMs = clock.monotonicMs() + (sent.hashes.length === 0 ? timing.receiptEveryMs : timing.bumpAfterMs);
    let usedRounds = 0;
    while (!stopping.signal.aborted) {
      for (const hash of sent.hashes) {
        const receipt = await receiptOf(hash);
        if (receipt !== undefined) return receipt;
      }
      // Two looks in a row, because a receipt may be visible a moment later than the nonce.
      const next = await chain.getTransactionCount({ address: sent.address, blockTag: "latest" });
      usedRounds = next === sent.nonce ? 0 : usedRounds + 1;
      if (usedRounds > 2) return "nonce used";
      if (clock.monotonicMs() >= untilMs && usedRounds === 0) return undefined;
      await clock.sleep(timing.receiptEveryMs, stopping.signal);
    }
    return undefined;
  }

  async function receiptOf(hash: Hex): Promise<TransactionReceipt | undefined> {
    try {
      return await chain.getTransactionReceipt({ hash });
    } catch (error) {
      if (error instanceof TransactionReceiptNotFoundError) return undefined;
      throw error;
    }
  }

  function concluded(action: LaneAction, receipt: TransactionReceipt): Outcome {
    const { status, transactionHash, blockNumber } = receipt;
    const fields = {
      action: action.kind,
      ...subjectOf(action),
      txHash: transactionHash,
      block: blockNumber.toString(),
    };
    if (status === "success") log.info(fields, "transaction mined");
    else log.warn(fields, "transaction reverted");
    return status === "success" ? "done" : "refused";
  }

  function refusal(action: LaneAction, error: unknown): Outcome {
    const revert = classifyRevert(action.kind, error);
    if (revert === undefined) throw error;
    const fields = { action: action.kind, ...subjectOf(action), ...(explainFailure(error) ?? { code: revert.name }) };
    if (revert.isBenign) log.debug(fields, "done already");
    else log.warn(fields, "refused by the contract");
    return revert.isBenign ? "benign" : "refused";
  }

  return {
    submit,
    async drain() {
      isDraining = true;
      queue.clear();
      await running;
    },
    async stop() {
      stopping.abort();
      queue.clear();
      await running;
    },
  };
}

function keyOf(action: LaneAction): string {
  if (isUpkeepAction(action)) return upkeepKey(action);
  return isSessionAction(action) ? sessionKey(action) : actionKey(action);
}

/** What an action is about, for logs. */
function subjectOf(action: LaneAction): object {
  if (isUpkeepAction(action)) return upkeepSubject(action);
  if (!isSessionAction(action)) return { taskId: action.taskId };
  return action.kind === "settleSessions" ? { lanes: action.settlements.length } : { sessionId: action.sessionId };
}

function taskCall(action: ChainAction) {
  const { taskId, terms } = action;
  switch (action.kind) {
    case "assign":
      return { functionName: "assign", args: [taskId, terms, action.standing, action.nodeIds] } as const;
    case "accept": {
      const { message, signature } = action.accept;
      return { functionName: "accept", args: [terms, action.standing, message, signature] } as const;
    }
    case "settle":
    case "fail": {
      const { message, signature } = action.receipt;
      return { functionName: "settle", args: [terms, action.standing, message, signature] } as const;
    }
    case "expire":
      return { functionName: "expire", args: [taskId, terms, action.standing] } as const;
    case "attest":
      return { functionName: "attestOutput", args: [taskId, terms, action.settlement] } as const;
    case "closeDemand":
      return { functionName: "closeDemand", args: [taskId, terms, action.settlement] } as const;
  }
}

/** An eighth more, rounded up: above the tenth that nodes ask of a replacement. */
function raised(fee: bigint): bigint {
  return fee + fee / 8n + 1n;
}
