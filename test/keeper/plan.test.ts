/** Planning as a table: for every action what makes it happen, and everything that keeps it from happening. */
import type { Action } from "@ngpu/keeper/keeper/action";
import { plan } from "@ngpu/keeper/keeper/plan";
import { timing } from "@ngpu/keeper/keeper/timing";
import type { OpenTask, Snapshot } from "@ngpu/keeper/keeper/snapshot";
import { taskStatus } from "@ngpu/protocol/taskStatus";
import type { TaskView, View } from "@ngpu/keeper/keeper/gatewayView";
import { limits } from "@ngpu/protocol/limits";
import { receiptStatus } from "@ngpu/protocol/typedData";
import { expect } from "chai";
import { describe, it } from "node:test";
import { keccak256, type Hex } from "viem";
import {
  aReceipt,
  aSnapshot,
  aTask,
  aTaskView,
  aView,
  anAccept,
  anAcceptedTask,
  anAssignedTask,
  chainTimeS,
  nowMs,
  onChain,
  online,
  progress,
  sent,
} from "./world.ts";

/** Actions in short: `assign 1 2 3`, `dispatch 2 primary 1`, `accept 1`, `settle 1`, `fail 1`, `expire`. */
function inShort(action: Action): string {
  switch (action.kind) {
    case "assign":
      return `assign ${action.nodeIds.join(" ")}`;
    case "dispatch":
      return `dispatch ${action.nodeId} ${action.role} ${action.attempt}`;
    case "accept":
      return `accept ${action.accept.message.nodeId}`;
    case "settle":
    case "fail":
      return `${action.kind} ${action.receipt.message.nodeId}`;
    case "expire":
    case "attest":
    case "closeDemand":
      return action.kind;
  }
}

function planned(world: {
  task?: OpenTask;
  tasks?: OpenTask[];
  snapshot?: Snapshot;
  view?: View;
  drills?: ReadonlySet<Hex>;
}): string[] {
  const { task, tasks = task === undefined ? [] : [task], snapshot = aSnapshot(tasks), view = aView() } = world;
  const { drills = new Set<Hex>() } = world;
  return plan({ snapshot, view, nowMs, drills }).map(inShort);
}

/** Both nodes have their dispatch, so that only what the row is about is planned. */
function told(change: Partial<TaskView> = {}): TaskView {
  return aTaskView({ dispatches: [sent(1, "primary"), sent(2, "backup")], ...change });
}

function rows(table: [title: string, world: Parameters<typeof planned>[0], actions: string[]][]): void {
  for (const [title, world, actions] of table) {
    it(title, () => {
      expect(planned(world)).to.deep.equal(actions);
    });
  }
}

const accepted = anAcceptedTask();

describe("plan: assign", () => {
  const two = [online(1), online(2)];
  const assigning = (nodes = two, facts = [1, 2, 3].map((nodeId) => onChain(nodeId)), task = aTask()) => ({
    snapshot: aSnapshot([task], facts),
    view: aView({ nodes }),
  });
  const free = (nodeId: number, freeSlots: number) => online(nodeId, { slots: 4, freeSlots });
  const used = (nodeId: number, block: bigint) => onChain(nodeId, { lastAssignedBlock: block });
  const solo = aTask({ terms: { backups: 0 } });

  rows([
    ["takes the node with the most free slots", assigning([free(1, 1), free(2, 3), free(3, 2)]), ["assign 2 3"]],
    ["then the one that was assigned longest ago", assigning(two, [used(1, 9n), used(2, 8n)]), ["assign 2 1"]],
    ["needs no backup when none was asked for", assigning([online(1)], [onChain(1)], solo), ["assign 1"]],
    ["waits for a second node when a backup was asked for", assigning([online(1)]), []],
    ["waits when nobody is online", assigning([]), []],
    ["takes no node that does not serve the model", assigning([online(1), online(2, { models: [] })]), []],
    [
      "takes no node that the chain calls not eligible",
      assigning(two, [onChain(1), onChain(2, { isEligible: false })]),
      [],
    ],
    [
      "takes no node whose power or stake is too small for the task",
      assigning(two, [onChain(1, { powerCu: 1 }), onChain(2, { stakeWei: 10n ** 14n })]),
      [],
    ],
    ["takes no node that the chain does not know", assigning(two, [onChain(1)]), []],
    ["takes no node that is silent", assigning([online(1), online(2, { heardMs: nowMs - timing.silentMs - 1 })]), []],
    ["takes no primary without a free slot", assigning([free(1, 0), free(2, 0)]), []],
    ["takes a backup without a free slot when it must", assigning([free(1, 0), free(2, 1)]), ["assign 2 1"]],
    [
      "prefers a backup of another owner, even a busier one",
      assigning(
        [free(1, 3), free(2, 2), free(3, 1)],
        [onChain(1), { ...onChain(2), owner: onChain(1).owner }, onChain(3)],
      ),
      ["assign 1 3"],
    ],
  ]);

  const three = [1, 2, 3].map((nodeId) => free(nodeId, nodeId));
  const drawing = (drawn: number[], nodes = three) =>
    assigning(
      nodes,
      [1, 2, 3].map((nodeId) => onChain(nodeId)),
      aTask({ drawn }),
    );
  rows([
    ["takes nodes in the order of the draw, whoever has more free slots", drawing([1, 2, 3]), ["assign 1 2"]],
    ["passes over a drawn node that is away", drawing([9, 2, 1]), ["assign 2 1"]],
    ["passes over a drawn node that is busy, for now", drawing([1, 2, 3], [free(1, 0), free(2, 1), free(3, 4)]), ["assign 2 3"]],
    ["takes a node that was not drawn only after those that were", drawing([1]), ["assign 1 3"]],
  ]);

  it("breaks ties by the hash of task and node, so that keepers agree whatever order they saw nodes in", () => {
    const task = aTask();
    const nodes = [1, 2, 3, 4].map((nodeId) => online(nodeId));
    const facts = [1, 2, 3, 4].map((nodeId) => onChain(nodeId));
    const forward = planned({ snapshot: aSnapshot([task], facts), view: aView({ nodes }) });
    const backward = planned({
      snapshot: aSnapshot([task], facts.toReversed()),
      view: aView({ nodes: nodes.toReversed() }),
    });
    expect(forward).to.deep.equal(backward);
    expect(forward).to.have.length(1);
  });

  it("spreads tasks over nodes within one pass, oldest task first", () => {
    const tasks = [1, 2, 3].map((index) =>
      aTask({ taskId: keccak256(`0x0${index}`), postedBlock: BigInt(20 - index) }),
    );
    const actions = plan({ snapshot: aSnapshot(tasks), view: aView(), nowMs });
    expect(actions.map((action) => action.taskId)).to.deep.equal([tasks[2]?.taskId, tasks[1]?.taskId]);
    const primaries = actions.map((action) => action.kind === "assign" && action.nodeIds[0]);
    expect(new Set(primaries)).to.deep.equal(new Set([1, 2]));
  });

  it("counts what a node was just given until it begins, but not for longer than the accept window", () => {
    const other = (change: Partial<OpenTask>) =>
      anAssignedTask({ taskId: keccak256("0x02"), nodes: [1], ...change });
    const withOther = (task: OpenTask, seen?: TaskView) => {
      const view = aView({
        nodes: [online(1)],
        of: task.taskId,
        seen: seen ?? aTaskView({ dispatches: [sent(1, "primary", { firstMs: nowMs - 100 })] }),
      });
      return planned({ tasks: [solo, task], view }).filter((action) => action.startsWith("assign"));
    };
    expect(withOther(other({}))).to.deep.equal([]);
    expect(withOther(other({}), aTaskView({ progress: [progress(1)] }))).to.deep.equal(["assign 1"]);
    const toldLongAgo = aTaskView({
      dispatches: [sent(1, "primary", { firstMs: nowMs - 100 - timing.heartbeatMs - 1 })],
    });
    expect(withOther(other({}), toldLongAgo)).to.deep.equal(["assign 1"]);
    const old = other({ status: taskStatus.accepted, acceptedMask: 1, assignedAtS: chainTimeS - limits.acceptWindowS });
    expect(withOther(old)).to.deep.equal(["assign 1"]);
  });
});

describe("plan: assign anew", () => {
  const late = (change: Partial<OpenTask> = {}) =>
    anAssignedTask({ assignedAtS: chainTimeS - limits.acceptWindowS, ...change });
  const four = aView({ nodes: [1, 2, 3, 4].map((nodeId) => online(nodeId)), seen: told() });
  const facts = [1, 2, 3, 4].map((nodeId) => onChain(nodeId, { lastAssignedBlock: BigInt(nodeId) }));
  const world = (task: OpenTask, view = four) => ({ snapshot: aSnapshot([task], facts), view });
  const withAccept = aView({ seen: told({ accepts: [anAccept(2)] }) });

  rows([
    ["prefers nodes that were not tried", world(late()), ["assign 3 4"]],
    ["takes the same pair again when nobody else is there", world(late(), aView({ seen: told() })), ["assign 1 2"]],
    ["not within the accept window", world(late({ assignedAtS: chainTimeS - limits.acceptWindowS + 1 })), []],
    ["not when an accept is known: it is relayed", world(late(), withAccept), ["accept 2"]],
    ["not when somebody accepted on chain", world(late({ status: taskStatus.accepted, acceptedMask: 2 })), []],
    [
      "not beyond the most assignments",
      world(late({ assignment: limits.maxAssignments })),
      ["dispatch 1 primary 0", "dispatch 2 backup 0"],
    ],
    ["not with too few nodes", world(late(), aView({ nodes: [online(1)], seen: told() })), []],
  ]);
});

describe("plan: relay what nodes signed", () => {
  const seen = (change: Partial<TaskView>) => aView({ seen: told(change) });
  const assigned = anAssignedTask();
  const failed = (nodeId: number, change = {}) => aReceipt(nodeId, { status: receiptStatus.modelFailed, ...change });
  const both = [anAccept(2), anAccept(1)];

  rows([
    [
      "relays accepts, the primary's first",
      { task: assigned, view: seen({ accepts: both }) },
      ["accept 1", "accept 2"],
    ],
    [
      "not one that is on chain",
      { task: anAcceptedTask({ acceptedMask: 1 }), view: seen({ accepts: both }) },
      ["accept 2"],
    ],
    [
      "not one of a node that failed",
      { task: anAssignedTask({ failedMask: 2 }), view: seen({ accepts: [anAccept(2)] }) },
      [],
    ],
    [
      "not one for another assignment",
      { task: assigned, view: seen({ accepts: [anAccept(1, { assignment: 2 })] }) },
      [],
    ],
    ["not one of a node that is not assigned", { task: assigned, view: seen({ accepts: [anAccept(3)] }) }, []],
    [
      "not one for another input",
      { task: assigned, view: seen({ accepts: [anAccept(1, { inputCommitment: keccak256("0x99") })] }) },
      [],
    ],
    [
      "not after the deadline",
      { task: anAcceptedTask({ acceptedMask: 1, terms: { deadline: chainTimeS } }), view: seen({ accepts: both }) },
      [],
    ],
    [
      "relays a failure, and lets the other node execute",
      { task: accepted, view: seen({ receipts: [failed(1)] }) },
      ["dispatch 2 primary 1", "fail 1"],
    ],
    [
      "not a failure that is on chain",
      { task: anAcceptedTask({ failedMask: 2 }), view: seen({ receipts: [failed(2)] }) },
      [],
    ],
    [
      "not a failure under an older assignment",
      { task: accepted, view: seen({ receipts: [failed(1, { assignment: 9 })] }) },
      [],
    ],
  ]);
});

describe("plan: settle", () => {
  const settling = (receipts: TaskView["receipts"], task = accepted) => ({
    task,
    view: aView({ seen: told({ receipts }) }),
  });
  const capMs = 1_250;
  const both = [anAccept(1), anAccept(2)];

  rows([
    ["bills from a success receipt", settling([aReceipt(1)]), ["settle 1"]],
    ["also before any accept is on chain", settling([aReceipt(1)], anAssignedTask()), ["settle 1"]],
    ["at the work cap", settling([aReceipt(1, { durationMs: capMs })]), ["settle 1"]],
    ["the lowest attempt first", settling([aReceipt(2, { attempt: 1 }), aReceipt(1)]), ["settle 1"]],
    ["before a failure is relayed", settling([aReceipt(1, { status: 2 }), aReceipt(2, { attempt: 1 })]), ["settle 2"]],
    [
      "after the accept of a backup that stood by, which is paid for it",
      { task: anAssignedTask(), view: aView({ seen: told({ accepts: both, receipts: [aReceipt(1)] }) }) },
      ["accept 2", "settle 1"],
    ],
    [
      "without the accept of a backup before the one that executed",
      { task: anAssignedTask(), view: aView({ seen: told({ accepts: both, receipts: [aReceipt(2, { attempt: 1 })] }) }) },
      ["settle 2"],
    ],
    [
      "without an accept that would be paid nothing",
      { task: anAssignedTask(), view: aView({ seen: told({ accepts: both, receipts: [aReceipt(1, { durationMs: 99 })] }) }) },
      ["settle 1"],
    ],
    ["rather than expiring", settling([aReceipt(1)], anAcceptedTask({ terms: { deadline: chainTimeS - 10_000 } })), ["settle 1"]],
    ["not above the work cap", settling([aReceipt(1, { durationMs: capMs + 1 })]), []],
    ["not with another power", settling([aReceipt(1, { powerCu: 2_000 })]), []],
    ["not for another model", settling([aReceipt(1, { modelId: keccak256("0x99") })]), []],
    ["not for another input", settling([aReceipt(1, { inputCommitment: keccak256("0x99") })]), []],
    ["not under another assignment", settling([aReceipt(1, { assignment: 2 })]), []],
    ["not of a node that is not assigned", settling([aReceipt(3)]), []],
    ["not of a node whose failure is on chain", settling([aReceipt(2)], anAcceptedTask({ failedMask: 2 })), []],
    ["not with an unknown status", settling([aReceipt(2, { status: 5 })]), []],
  ]);
});

describe("plan: expire", () => {
  const at = (deadline: number, task: typeof aTask) => ({
    task: task({ terms: { deadline } }),
    view: aView({ seen: told() }),
  });
  const graceS = limits.settleGraceS;

  rows([
    ["a posted task at its deadline", at(chainTimeS, aTask), ["expire"]],
    ["an assigned task that nobody accepted", at(chainTimeS, anAssignedTask), ["expire"]],
    ["an accepted task after the grace", at(chainTimeS - graceS, anAcceptedTask), ["expire"]],
    [
      "not an accepted task within the grace, for which nothing is begun either",
      at(chainTimeS - graceS + 1, anAcceptedTask),
      [],
    ],
    ["not before the deadline", at(chainTimeS + 1, anAcceptedTask), []],
  ]);
});

describe("plan: dispatch", () => {
  const view = (seen?: TaskView, change: Parameters<typeof aView>[0] = {}) =>
    aView({ ...(seen === undefined ? {} : { seen }), ...change });
  const longAgo = { firstMs: nowMs - timing.repeatMs, lastMs: nowMs - timing.repeatMs };
  const again = aTaskView({ dispatches: [sent(1, "primary", longAgo), sent(2, "backup", longAgo)] });
  const assigned = anAssignedTask();
  const solo = anAssignedTask({ nodes: [1] });

  rows([
    ["tells both nodes their part", { task: assigned, view: view() }, ["dispatch 1 primary 0", "dispatch 2 backup 0"]],
    ["tells the only node its part", { task: solo, view: view() }, ["dispatch 1 primary 0"]],
    ["not again within the repeat time", { task: assigned, view: view(told()) }, []],
    [
      "again until it is known to have arrived",
      { task: assigned, view: view(again) },
      ["dispatch 1 primary 0", "dispatch 2 backup 0"],
    ],
    [
      "to a backup until it accepted, to a primary until it began",
      { task: accepted, view: view(again) },
      ["dispatch 1 primary 0"],
    ],
    ["to nobody who has begun or accepted", { task: accepted, view: view({ ...again, progress: [progress(1)] }) }, []],
    [
      "again to a node that was away",
      {
        task: accepted,
        view: view(
          { ...told(), progress: [progress(1)] },
          { nodes: [online(1, { onlineSinceMs: nowMs - 10 }), online(2)] },
        ),
      },
      ["dispatch 1 primary 0"],
    ],
    [
      "under a new assignment as if nothing had been",
      { task: anAssignedTask({ assignment: 2 }), view: view(told()) },
      ["dispatch 1 primary 0", "dispatch 2 backup 0"],
    ],
    [
      "not to a node that is not online",
      { task: assigned, view: view(undefined, { nodes: [online(2)], connectedSinceMs: nowMs - 10 }) },
      ["dispatch 2 backup 0"],
    ],
    ["not while no gateway is connected", { task: assigned, view: { ...view(), connectedSinceMs: undefined } }, []],
    ["not for a task that is only posted", { task: aTask({ terms: { backups: 0 } }), view: view(undefined, { nodes: [] }) }, []],
  ]);
});

describe("plan: take over", () => {
  const silent = { heardMs: nowMs - timing.silentMs - 1 };
  const running = told({ progress: [progress(1)] });
  const stalled = told({ progress: [progress(1, { receivedMs: nowMs - timing.silentMs - 1 })] });
  const neverBegan = { firstMs: nowMs - timing.startMs - 1 };
  const slow = told({ dispatches: [sent(1, "primary", neverBegan), sent(2, "backup")] });
  const took = (change: Partial<TaskView> = {}) =>
    told({ dispatches: [sent(1, "primary"), sent(2, "primary", { attempt: 1 })], ...change });
  const backupAlone = (seen: TaskView, change: Parameters<typeof aView>[0] = {}) =>
    aView({ nodes: [online(2)], seen, ...change });
  const notAccepted = anAcceptedTask({ acceptedMask: 1 });

  rows([
    [
      "when the primary's link dropped",
      { task: accepted, view: backupAlone(running, { gone: [1] }) },
      ["dispatch 2 primary 1"],
    ],
    [
      "when the primary has not come back with the gateway",
      { task: accepted, view: backupAlone(running) },
      ["dispatch 2 primary 1"],
    ],
    [
      "not while nodes may still be coming back with the gateway",
      { task: accepted, view: backupAlone(running, { connectedSinceMs: nowMs - timing.reconnectMs }) },
      [],
    ],
    [
      "when the primary's heartbeats stopped",
      { task: accepted, view: aView({ nodes: [online(1, silent), online(2)], seen: running }) },
      ["dispatch 2 primary 1"],
    ],
    ["when its progress stopped", { task: accepted, view: aView({ seen: stalled }) }, ["dispatch 2 primary 1"]],
    [
      "when it reports progress for ever and delivers nothing",
      {
        task: accepted,
        view: aView({ seen: told({ progress: [progress(1, { sinceMs: nowMs - timing.overdueMs - 3 * 1_250 - 1 })] }) }),
      },
      ["dispatch 2 primary 1"],
    ],
    [
      "not while it may still be working",
      {
        task: accepted,
        view: aView({ seen: told({ progress: [progress(1, { sinceMs: nowMs - timing.overdueMs - 3 * 1_250 })] }) }),
      },
      [],
    ],
    ["when it never began", { task: accepted, view: aView({ seen: slow }) }, ["dispatch 2 primary 1"]],
    ["not while it makes progress", { task: accepted, view: aView({ seen: running }) }, []],
    ["not before it had time to begin", { task: accepted, view: aView({ seen: told() }) }, []],
    [
      "not on news that are old themselves",
      { task: accepted, view: aView({ seen: stalled, rosterMs: nowMs - timing.silentMs - 1 }) },
      [],
    ],
    ["not before the backup accepted", { task: notAccepted, view: backupAlone(running, { gone: [1] }) }, []],
    [
      "as soon as the backup's accept is known, on chain or not",
      { task: notAccepted, view: backupAlone({ ...running, accepts: [anAccept(2)] }, { gone: [1] }) },
      ["dispatch 2 primary 1", "accept 2"],
    ],
    [
      "not by a backup that is silent",
      { task: accepted, view: backupAlone(running, { gone: [1], nodes: [online(2, silent)] }) },
      [],
    ],
    [
      "not by a backup that failed",
      { task: anAcceptedTask({ failedMask: 2 }), view: backupAlone(running, { gone: [1] }) },
      [],
    ],
    [
      "not without a backup",
      {
        task: anAcceptedTask({ nodes: [1], acceptedMask: 1 }),
        view: aView({ nodes: [], seen: running, gone: [1] }),
      },
      [],
    ],
    ["once, and then waits for the backup", { task: accepted, view: backupAlone(took(), { gone: [1] }) }, []],
    [
      "back to the primary when the backup is lost too and the primary is there again",
      { task: accepted, view: aView({ nodes: [online(1)], gone: [2], seen: took() }) },
      ["dispatch 1 primary 2"],
    ],
    [
      "by what nodes signed when the keeper remembers nothing",
      {
        task: accepted,
        view: aView({ nodes: [online(1)], gone: [2], seen: aTaskView({ progress: [progress(2, { attempt: 1 })] }) }),
      },
      ["dispatch 1 primary 2"],
    ],
    [
      "not for ever",
      {
        task: accepted,
        view: backupAlone(
          told({ dispatches: [sent(1, "primary", { attempt: 4 }), sent(2, "primary", { attempt: 5 })] }),
          { nodes: [online(1)], gone: [2] },
        ),
      },
      [],
    ],
    [
      "not by a claim of an attempt that is the other node's",
      { task: accepted, view: aView({ seen: told({ progress: [progress(1), progress(2, { attempt: 2 })] }) }) },
      [],
    ],
    [
      "not after the deadline",
      { task: anAcceptedTask({ terms: { deadline: chainTimeS } }), view: backupAlone(running, { gone: [1] }) },
      [],
    ],
  ]);
});

describe("plan: three backups", () => {
  const three = { terms: { backups: 3 } };
  const seated = (change: Parameters<typeof anAcceptedTask>[0] = {}) =>
    anAcceptedTask({ ...three, nodes: [1, 2, 3, 4], acceptedMask: 15, ...change });
  const all = [1, 2, 3, 4].map((nodeId) => online(nodeId));
  const facts = [1, 2, 3, 4].map((nodeId) => onChain(nodeId));
  const first = [sent(1, "primary"), ...[2, 3, 4].map((nodeId) => sent(nodeId, "backup"))];
  const without = (gone: number[], change: Partial<TaskView> = {}) =>
    aView({
      nodes: all.filter(({ nodeId }) => !gone.includes(nodeId)),
      gone,
      seen: aTaskView({ dispatches: first, ...change }),
    });
  const lastTook = [...first.slice(0, 3), sent(4, "primary", { attempt: 3 })];
  const sameOwner = facts.map((node) => (node.nodeId < 4 ? { ...node, owner: onChain(1).owner } : node));
  const byAge = (nodes: typeof facts) =>
    nodes.map((node) => ({ ...node, lastAssignedBlock: BigInt(node.nodeId) }));

  rows([
    [
      "get four distinct nodes, in the order of choice",
      { snapshot: aSnapshot([aTask(three)], byAge(facts)), view: aView({ nodes: all }) },
      ["assign 1 2 3 4"],
    ],
    [
      "prefer an owner that has no seat yet",
      { snapshot: aSnapshot([aTask(three)], byAge(sameOwner)), view: aView({ nodes: all }) },
      ["assign 1 4 2 3"],
    ],
    [
      "wait while there are only three nodes",
      { snapshot: aSnapshot([aTask(three)], facts), view: aView({ nodes: all.slice(0, 3) }) },
      [],
    ],
    ["are promoted in their order: the first one", { task: seated(), view: without([1]) }, ["dispatch 2 primary 1"]],
    [
      "then the second one when the first died in its turn",
      { task: seated(), view: without([1, 2], { dispatches: [sent(1, "primary"), sent(2, "primary", { attempt: 1 }), ...first.slice(2)] }) },
      ["dispatch 3 primary 2"],
    ],
    ["pass over one that is dead already", { task: seated(), view: without([1, 2, 3]) }, ["dispatch 4 primary 3"]],
    [
      "pass over one that has not accepted",
      { task: seated({ acceptedMask: 0b1101 }), view: without([1]) },
      ["dispatch 3 primary 2"],
    ],
    [
      "pass over one that failed",
      { task: seated({ failedMask: 0b0010 }), view: without([1]) },
      ["dispatch 3 primary 2"],
    ],
    [
      "come back to the first seat after the last one",
      { task: seated(), view: without([2, 3, 4], { dispatches: lastTook }) },
      ["dispatch 1 primary 4"],
    ],
    [
      "follow what nodes signed when the keeper remembers nothing",
      {
        task: seated(),
        view: without([1, 2, 3], { dispatches: [], progress: [progress(3, { attempt: 2 })] }),
      },
      ["dispatch 4 primary 3"],
    ],
  ]);
});

describe("plan: drills", () => {
  const task = anAssignedTask();
  const drills = new Set([task.taskId]);
  const bothWait = [sent(1, "backup"), sent(2, "backup")];
  const drill = (seen: Partial<TaskView> = {}, nodes = [online(1), online(2)], of = task) => ({
    ...{ task: of, drills },
    view: aView({ nodes, seen: aTaskView({ dispatches: bothWait, ...seen }) }),
  });
  const withBoth = anAcceptedTask();

  rows([
    ["let every seat hold the input ready and nobody begin", { task, drills, view: aView() }, ["dispatch 1 backup 0", "dispatch 2 backup 0"]],
    ["wait for the backup's accept", drill(), []],
    ["begin with the backup once it has accepted, as though the first seat had failed", drill({ accepts: [anAccept(2)] }), ["dispatch 2 primary 1", "accept 2"]],
    ["do so by an accept that only the chain tells of", drill({}, [online(1), online(2)], withBoth), ["dispatch 2 primary 1"]],
    [
      "try no backup that had no free slot when it was to be told",
      { task, drills, view: aView({ nodes: [online(1), online(2, { freeSlots: 0 })] }) },
      ["dispatch 1 primary 0", "dispatch 2 backup 0"],
    ],
    [
      "try one that says afterwards that it has none",
      drill({ accepts: [anAccept(2)] }, [online(1), online(2, { freeSlots: 0 })]),
      ["dispatch 2 primary 1", "accept 2"],
    ],
    ["try none that is away", drill({ accepts: [anAccept(2)] }, [online(1)]), ["dispatch 1 primary 0", "accept 2"]],
    ["try none that drains", drill({}, [online(1), online(2, { slots: 0, freeSlots: 0 })]), ["dispatch 1 primary 0"]],
    ["try none that declined", drill({ receipts: [aReceipt(2, { status: 4 })] }), ["dispatch 1 primary 0", "fail 2"]],
    [
      "try none that does not accept in time",
      drill({ dispatches: [sent(1, "backup"), sent(2, "backup", { firstMs: nowMs - timing.startMs - 1 })] }),
      ["dispatch 1 primary 0"],
    ],
    ["try none once another keeper's primary has begun", drill({ progress: [progress(1)] }, [online(1), online(2)], withBoth), ["dispatch 1 primary 0"]],
    ["ask nobody twice", drill({ dispatches: [sent(1, "backup"), sent(2, "primary", { attempt: 1 })] }, [online(1), online(2)], withBoth), []],
    [
      "end with the first seat where the backup signs a failure",
      drill(
        { dispatches: [sent(1, "backup"), sent(2, "primary", { attempt: 1 })], receipts: [aReceipt(2, { attempt: 1, status: 4 })] },
        [online(1), online(2)],
        withBoth,
      ),
      ["dispatch 1 primary 2", "fail 2"],
    ],
    ["are none without a backup", { task: anAssignedTask({ nodes: [1] }), drills, view: aView() }, ["dispatch 1 primary 0"]],
    ["are none of the tasks of others", { task, drills: new Set([keccak256("0x77")]), view: aView() }, ["dispatch 1 primary 0", "dispatch 2 backup 0"]],
  ]);
});

describe("plan: a node that drains", () => {
  const drains = (nodeId: number) => online(nodeId, { slots: 0, freeSlots: 0 });
  const primaryDrains = [drains(1), online(2)];
  const backupDrains = [online(1), drains(2)];
  const view = (nodes: ReturnType<typeof online>[], seen?: TaskView) =>
    aView({ nodes, ...(seen === undefined ? {} : { seen }) });
  const solo = aTask({ terms: { backups: 0 } });
  const failed = told({ receipts: [aReceipt(1, { status: receiptStatus.runnerCrashed })] });
  const onceFailed = anAcceptedTask({ failedMask: 1 });

  rows([
    ["is assigned nothing", { task: solo, view: view([drains(1)]) }, []],
    ["is no backup either", { task: aTask(), view: view(backupDrains) }, []],
    ["is told nothing", { task: anAssignedTask(), view: view(primaryDrains) }, ["dispatch 2 backup 0"]],
    [
      "loses what it has not begun to the backup that holds the input",
      { task: accepted, view: view(primaryDrains, told()) },
      ["dispatch 2 primary 1"],
    ],
    ["keeps what it executes", { task: accepted, view: view(primaryDrains, told({ progress: [progress(1)] })) }, []],
    [
      "loses what it hands over",
      { task: accepted, view: view(primaryDrains, failed) },
      ["dispatch 2 primary 1", "fail 1"],
    ],
    ["is not asked to take over", { task: onceFailed, view: view(backupDrains, told()) }, []],
    [
      "is asked when it is back",
      { task: onceFailed, view: view([online(1), online(2)], told()) },
      ["dispatch 2 primary 1"],
    ],
  ]);
});
