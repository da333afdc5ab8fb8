/**
 * TaskEscrow: a payer's demand for an output, the keepers' word about it, and where the bill went. While it is open the
 * bill and the payer's bond are in the escrow's pot; both count as the payer's held money until it is decided.
 */
import { Address, BigInt, ethereum } from "@graphprotocol/graph-ts";
import { OutputAttested, OutputDelivered, OutputDemanded, OutputForfeited } from "../generated/TaskEscrow/TaskEscrow";
import { Bill, Demand, Keeper, OutputAttestation, Task } from "../generated/schema";
import { loadAccount } from "./entities/account";
import { countForfeiture } from "./entities/node";
import { newTaskEvent } from "./entities/taskEvent";
import { countBondLost, countDemanded, countForfeited } from "./entities/totals";
import { ZERO } from "./numbers";
import { positionOf } from "./position";

export function handleOutputDemanded(event: OutputDemanded): void {
  const task = Task.load(event.params.taskId);
  if (task == null) return;
  const demand = new Demand(task.id);
  demand.task = task.id;
  demand.bill = task.id;
  demand.payer = event.params.payer;
  demand.node = event.params.nodeId.toString();
  demand.status = "Open";
  demand.outputCiphertext = event.params.outputCiphertext;
  demand.amountUsd6 = event.params.amountUsd6;
  demand.bondUsd6 = event.params.bondUsd6;
  demand.answerableUntil = event.params.answerableUntil;
  demand.attestations = 0;
  demand.demandedAt = event.block.timestamp;
  demand.demandedBlock = event.block.number;
  demand.demandedTx = event.transaction.hash;
  demand.save();
  task.status = "Demanded";
  task.demand = demand.id;
  task.save();
  setBillState(task, "Demanded");
  addToHeld(event.params.payer, event.params.amountUsd6);
  countDemanded(event.params.payer);

  const row = newTaskEvent(event, task.id, "Demanded", task.assignment);
  row.node = demand.node;
  row.amountUsd6 = event.params.amountUsd6;
  row.bondUsd6 = event.params.bondUsd6;
  row.answerableUntil = event.params.answerableUntil;
  row.save();
}

export function handleOutputAttested(event: OutputAttested): void {
  const demand = Demand.load(event.params.taskId);
  if (demand == null) return;
  const attestations = event.params.attestations;
  demand.attestations = attestations;
  demand.save();
  if (Keeper.load(event.params.keeper) != null) {
    const attestation = new OutputAttestation(demand.id.concat(event.params.keeper));
    attestation.demand = demand.id;
    attestation.keeper = event.params.keeper;
    attestation.position = positionOf(event);
    attestation.block = event.block.number;
    attestation.timestamp = event.block.timestamp;
    attestation.tx = event.transaction.hash;
    attestation.save();
  }

  const row = newTaskEvent(event, demand.id, "Attested", assignmentOf(demand));
  row.account = event.params.keeper;
  row.attestations = attestations;
  row.save();
}

export function handleOutputDelivered(event: OutputDelivered): void {
  const demand = Demand.load(event.params.taskId);
  if (demand == null) return;
  end(event, demand, "Delivered");
  const payer = Address.fromBytes(demand.payer);
  addToHeld(payer, ZERO.minus(demand.amountUsd6).minus(demand.bondUsd6));
  countBondLost(event, payer, demand.bondUsd6);
}

/** The vault gives bill and bond back by itself; here the bill leaves every total that it was in. */
export function handleOutputForfeited(event: OutputForfeited): void {
  const demand = Demand.load(event.params.taskId);
  if (demand == null) return;
  end(event, demand, "Forfeited");
  const bill = Bill.load(demand.bill);
  if (bill == null) return;
  bill.totalUsd6 = bill.standbyUsd6;
  bill.save();
  const payer = Address.fromBytes(demand.payer);
  countForfeited(payer, bill);
  countForfeiture(event.params.nodeId, bill.amountUsd6);
}

function end(event: ethereum.Event, demand: Demand, state: string): void {
  demand.status = state;
  demand.endedAt = event.block.timestamp;
  demand.endedBlock = event.block.number;
  demand.endedTx = event.transaction.hash;
  demand.save();
  const task = Task.load(demand.task);
  if (task == null) return;
  task.status = state;
  task.save();
  setBillState(task, state);

  const row = newTaskEvent(event, task.id, state, task.assignment);
  row.node = demand.node;
  row.amountUsd6 = demand.amountUsd6;
  row.bondUsd6 = demand.bondUsd6;
  row.save();
}

function setBillState(task: Task, state: string): void {
  const bill = Bill.load(task.id);
  if (bill == null) return;
  bill.state = state;
  bill.save();
}

function addToHeld(payer: Address, amountUsd6: BigInt): void {
  const account = loadAccount(payer);
  account.heldUsd6 = account.heldUsd6.plus(amountUsd6);
  account.save();
}

function assignmentOf(demand: Demand): i32 {
  const task = Task.load(demand.task);
  return task == null ? 0 : task.assignment;
}
