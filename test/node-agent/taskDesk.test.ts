/** What a node does with a dispatched task, from the chain's word to the receipt. */
import { afterEach, beforeEach, describe, it } from "node:test";
import { taskStatus } from "@ngpu/protocol/taskStatus";
import { NgpuError, type ErrorCode } from "@ngpu/protocol/errors";
import { decodePayload } from "@ngpu/protocol/sealed/payload";
import { recoverSigner } from "@ngpu/protocol/signed";
import type { TaskState } from "@ngpu/protocol/taskWords";
import { receiptStatus } from "@ngpu/protocol/typedData";
import { expect } from "chai";
import { zeroHash } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { until } from "../harness/until.ts";
import { createDeskWorld, nodeId, type DeskWorld } from "./support/deskWorld.ts";
import { photo } from "./support/images.ts";

describe("task desk", () => {
  let world: DeskWorld;
  beforeEach(() => {
    world = createDeskWorld();
  });
  afterEach(() => world.close());

  /** Resolves when the desk has dropped what it was doing. */
  const idle = (): Promise<true> => until("no task is left", () => world.desk.executing() === 0);

  describe("behaviour", () => {
    it("accepts, executes, seals for the payer and signs a receipt that fits the chain", async () => {
      const posted = world.post();
      posted.dispatch();
      await posted.wrap();
      const [frame] = await world.received("receipt");
      const [accepted] = world.sent("accept");
      expect(accepted?.accept.message.inputCommitment).to.equal(frame?.receipt.message.inputCommitment);
      const receipt = frame?.receipt;
      if (receipt === undefined) throw new Error("no receipt");
      const { message } = receipt;
      expect(await recoverSigner({ kind: "receipt", signed: receipt, context: world.context })).to.equal(
        world.operator.address,
      );
      expect([message.nodeId, message.assignment, message.attempt, message.powerCu, message.status]).to.deep.equal([
        nodeId,
        1,
        0,
        1_000,
        receiptStatus.succeeded,
      ]);
      expect(message.durationMs).to.equal(40);
      const { parts } = decodePayload(posted.openOutput(message));
      expect(parts.map(({ name, mediaType }) => [name, mediaType])).to.deep.equal([
        ["result.json", "application/json"],
      ]);
    });

    it("takes a key wrap that came before its dispatch", async () => {
      const posted = world.post();
      await posted.wrap();
      posted.dispatch();
      await world.received("receipt");
    });

    it("reports progress from the start of an attempt, with rising numbers", async () => {
      world.runner.execute = async ({ onProgress }) => {
        onProgress?.(400);
        await until("three reports", () => world.sent("progress").length >= 3);
        return { result: new Uint8Array(), startMs: 1, durationMs: 1 };
      };
      const posted = world.post();
      posted.dispatch();
      await posted.wrap();
      await world.received("receipt");
      const reports = world.sent("progress").map(({ progress }) => progress.message);
      expect(reports.at(-1)?.permille).to.equal(400);
      for (const [index, { seq }] of reports.entries()) expect(seq).to.be.greaterThan(reports[index - 1]?.seq ?? 0);
    });

    it("signs the cap when it measured more", async () => {
      world.runner.execute = async () => ({ result: new Uint8Array(), startMs: 1, durationMs: 1_000_000 });
      const posted = world.post({ workCums: 200_000n, powerCu: 1_000 });
      posted.dispatch();
      await posted.wrap();
      const [frame] = await world.received("receipt");
      expect(frame?.receipt.message.durationMs).to.equal(250);
    });

    it("keeps a backup ready and executes only when told to take over", async () => {
      const posted = world.post({ role: "backup", powerCu: 4_000 });
      posted.dispatch();
      await posted.wrap();
      await world.received("accept");
      expect(world.desk.executing()).to.equal(0);
      expect(world.sent("progress")).to.deep.equal([]);
      posted.dispatch({ role: "primary", attempt: 1 });
      const [frame] = await world.received("receipt");
      expect([frame?.receipt.message.attempt, frame?.receipt.message.powerCu]).to.deep.equal([1, 4_000]);
    });

    it("repeats its accept when it is dispatched again, and executes once", async () => {
      const posted = world.post({ role: "backup" });
      posted.dispatch();
      await posted.wrap();
      await world.received("accept");
      posted.dispatch();
      const accepts = await world.received("accept", 2);
      expect(accepts[1]?.accept.signature).to.equal(accepts[0]?.accept.signature);
    });

    it("resends the journaled receipt after a restart and never executes again", async () => {
      const posted = world.post();
      posted.dispatch();
      await posted.wrap();
      const [first] = await world.received("receipt");
      await world.restart();
      let executions = 0;
      world.runner.execute = () => {
        executions += 1;
        return Promise.reject(new NgpuError("MODEL_FAILED"));
      };
      posted.dispatch();
      await posted.wrap();
      const frames = await world.received("receipt", 2);
      expect(new Set(frames.map(({ receipt }) => receipt.signature))).to.deep.equal(
        new Set([first?.receipt.signature]),
      );
      await idle();
      expect(executions).to.equal(0);
    });

    for (const end of ["settled", "refunded", "cancelled"] as const) {
      it(`drops a receipt only when the chain says that its task is ${end}`, async () => {
        const posted = world.post();
        posted.dispatch();
        await posted.wrap();
        await world.received("receipt");
        world.desk.settled(posted.taskId);
        await world.received("receipt", 2);
        expect(world.journal.entries().length).to.equal(1);
        posted.state.status = taskStatus[end];
        world.desk.settled(posted.taskId);
        await until("the journal is empty", () => world.journal.entries().length === 0);
      });
    }

    it("keeps a receipt until the end of its task is final, and resends it when the end is taken back", async () => {
      world.finality.block = 90n;
      const posted = world.post();
      posted.dispatch();
      await posted.wrap();
      const [first] = await world.received("receipt");
      posted.state.status = taskStatus.settled;
      world.desk.settled(posted.taskId);
      await until("the end was seen", () => world.finality.asked > 0);
      posted.state.status = taskStatus.accepted;
      posted.dispatch();
      const told = (await world.received("receipt", 2)).map(({ receipt }) => receipt.signature);
      expect(new Set(told)).to.deep.equal(new Set([first?.receipt.signature]));
      posted.state.status = taskStatus.settled;
      world.finality.block = 100n;
      world.desk.settled(posted.taskId);
      await until("the journal is empty", () => world.journal.entries().length === 0);
    });

    it("executes one task after the other on one slot, and both are paid", async () => {
      const [first, second] = [world.post(), world.post()];
      for (const posted of [first, second]) {
        posted.dispatch();
        await posted.wrap();
      }
      const frames = await world.received("receipt", 2);
      expect(new Set(frames.map(({ receipt }) => receipt.message.taskId))).to.deep.equal(
        new Set([first.taskId, second.taskId]),
      );
    });

    it("stops at once, however long a task takes, and signs nothing for it", async () => {
      let isRunning = false;
      world.runner.execute = () => {
        isRunning = true;
        return new Promise(() => undefined);
      };
      const posted = world.post();
      posted.dispatch();
      await posted.wrap();
      await until("it executes", () => isRunning);
      const startedMs = performance.now();
      await world.desk.close();
      expect(performance.now() - startedMs).to.be.lessThan(1_000);
      expect([world.sent("receipt"), world.journal.entries()]).to.deep.equal([[], []]);
    });

    it("lets go of a backup's input when the task is over", async () => {
      const posted = world.post({ role: "backup" });
      posted.dispatch();
      await posted.wrap();
      await world.received("accept");
      posted.state.status = taskStatus.settled;
      world.desk.settled(posted.taskId);
      // A duty that is gone cannot take over: the dispatch begins anew and finds the task over.
      await until("the duty is gone", () => {
        const before = world.sent("accept").length;
        posted.dispatch();
        return world.sent("accept").length === before;
      });
    });
  });

  describe("error", () => {
    const refused: [string, (world: DeskWorld) => ReturnType<DeskWorld["post"]>, string][] = [
      [
        "more pictures than were declared",
        (w) => w.post({ images: [photo(1), photo(2)], declaredImages: 1, workCums: 10_000_000n }),
        "INPUT_DIMENSIONS",
      ],
      [
        "less work than the model needs",
        (w) => w.post({ images: [photo(1), photo(2)], workCums: 200_000n }),
        "WORK_TOO_LOW",
      ],
      ["a file that is no picture", (w) => w.post({ images: [Buffer.from("not a picture")] }), "INPUT_NOT_IMAGE"],
      [
        "no picture at all",
        (w) => w.post({ images: [], declaredImages: 1, workCums: 10_000_000n }),
        "INPUT_DIMENSIONS",
      ],
    ];
    for (const [name, make, code] of refused) {
      it(`refuses ${name} with a receipt that bills nothing`, async () => {
        const posted = make(world);
        posted.dispatch();
        await posted.wrap();
        const [frame] = await world.received("receipt");
        expect(frame?.receipt.message.status).to.equal(receiptStatus.inputRefused);
        expect(frame?.receipt.message.outputCommitment).to.equal(zeroHash);
        expect(frame?.detail.startsWith(code)).to.equal(true);
        expect(world.sent("accept")).to.deep.equal([]);
      });
    }

    it("refuses an input that the wrapped key does not open", async () => {
      const posted = world.post();
      posted.dispatch();
      await posted.wrap({ taskKey: new Uint8Array(32).fill(1) });
      const [frame] = await world.received("receipt");
      expect(frame?.receipt.message.status).to.equal(receiptStatus.inputRefused);
    });

    const failures: [ErrorCode, number][] = [
      ["MODEL_FAILED", receiptStatus.modelFailed],
      ["RUNNER_CRASHED", receiptStatus.runnerCrashed],
      ["RUNNER_TIMED_OUT", receiptStatus.timedOut],
      ["INPUT_NOT_IMAGE", receiptStatus.inputRefused],
    ];
    for (const [code, status] of failures) {
      it(`signs status ${status} when the runner answers ${code}, and serves the next task`, async () => {
        const execute = world.runner.execute;
        world.runner.execute = () => Promise.reject(new NgpuError(code));
        const posted = world.post();
        posted.dispatch();
        await posted.wrap();
        const [frame] = await world.received("receipt");
        expect([frame?.receipt.message.status, frame?.receipt.message.durationMs]).to.deep.equal([status, 0]);
        world.runner.execute = execute;
        const next = world.post();
        next.dispatch();
        await next.wrap();
        const frames = await world.received("receipt", 2);
        expect(frames[1]?.receipt.message.status).to.equal(receiptStatus.succeeded);
      });
    }

    it("passes over a wrap that another key signed", async () => {
      const posted = world.post();
      posted.dispatch();
      await posted.wrap({ signer: privateKeyToAccount(generatePrivateKey()), taskKey: new Uint8Array(32) });
      await posted.wrap();
      const [frame] = await world.received("receipt");
      expect(frame?.receipt.message.status).to.equal(receiptStatus.succeeded);
    });

    const unassigned: [string, Parameters<DeskWorld["post"]>[0], Partial<TaskState>][] = [
      ["is not assigned to it", { seats: [1, 2] }, {}],
      ["has been assigned anew", {}, { assignment: 2 }],
      ["is over", {}, { status: taskStatus.refunded }],
      ["has passed its deadline", { deadlineS: 999 }, {}],
    ];
    for (const [name, options, change] of unassigned) {
      it(`does nothing for a task that ${name}`, async () => {
        const posted = world.post(options);
        Object.assign(posted.state, change);
        posted.dispatch();
        await posted.wrap();
        await idle();
        expect([...world.sent("accept"), ...world.sent("receipt")]).to.deep.equal([]);
      });
    }

    it("acts on no words that the chain's digest denies", async () => {
      const posted = world.post();
      posted.state.digest = `0x${"00".repeat(23)}`;
      posted.dispatch();
      await posted.wrap();
      await world.restart();
      expect([...world.sent("accept"), ...world.sent("receipt")]).to.deep.equal([]);
    });

    it("drops an old assignment when a newer one is dispatched", async () => {
      const posted = world.post();
      posted.dispatch();
      posted.state.assignment = 2;
      posted.dispatch({ assignment: 2 });
      await posted.wrap({ assignment: 2 });
      const [frame] = await world.received("receipt");
      expect(frame?.receipt.message.assignment).to.equal(2);
      posted.dispatch({ assignment: 1 });
      await idle();
      expect(world.sent("receipt").every(({ receipt }) => receipt.message.assignment === 2)).to.equal(true);
    });

    it("takes no third task on one slot", async () => {
      const release = Promise.withResolvers<void>();
      world.runner.execute = async () => {
        await release.promise;
        return { result: new Uint8Array(), startMs: 1, durationMs: 1 };
      };
      const posts = [world.post(), world.post(), world.post()];
      for (const posted of posts) {
        posted.dispatch();
        await posted.wrap();
      }
      await world.received("accept", 2);
      expect(world.desk.executing()).to.equal(2);
      release.resolve();
      await world.received("receipt", 2);
      await idle();
      expect(world.sent("accept").length).to.equal(2);
    });

    it("keeps no slot for payers who hold their keys back, and serves them when they come", async () => {
      const late = [world.post(), world.post()];
      for (const posted of late) posted.dispatch();
      expect(world.desk.executing()).to.equal(2);
      world.pass(31_000);
      expect(world.desk.executing()).to.equal(0);
      const prompt = world.post();
      prompt.dispatch();
      await prompt.wrap();
      await world.received("receipt");
      for (const posted of late) await posted.wrap();
      await world.received("receipt", 3);
    });

    it("gives the places of late payers to others, and only as long as they are late", async () => {
      const late = Array.from({ length: 24 }, () => world.post({ role: "backup" }));
      for (const posted of late) posted.dispatch();
      const refused = world.post();
      refused.dispatch();
      await refused.wrap();
      world.pass(31_000);
      for (const posted of late) posted.dispatch();
      expect(world.desk.executing()).to.equal(0);
      const prompt = world.post();
      prompt.dispatch();
      await prompt.wrap();
      const [frame] = await world.received("receipt");
      expect(frame?.receipt.message.taskId).to.equal(prompt.taskId);
    });

    it("lets go of a task that the chain has assigned to others", async () => {
      world.runner.execute = () => new Promise(() => undefined);
      const posted = world.post();
      posted.dispatch();
      await posted.wrap();
      await world.received("accept");
      posted.state.assignment = 2;
      world.desk.settled(posted.taskId);
      await idle();
    });

    it("accepts nothing while the disk is full", async () => {
      world.disk.isFull = true;
      const posted = world.post();
      posted.dispatch();
      await posted.wrap();
      await idle();
      expect([...world.sent("accept"), ...world.sent("receipt")]).to.deep.equal([]);
    });

    it("sends no receipt before it is on disk", async () => {
      const posted = world.post();
      world.runner.execute = async () => {
        world.disk.isFull = true;
        return { result: new Uint8Array(), startMs: 1, durationMs: 1 };
      };
      posted.dispatch();
      await posted.wrap();
      await until("the disk is full", () => world.disk.isFull);
      await until("it has been executed", () => world.sent("progress").length > 0);
      expect(world.sent("receipt")).to.deep.equal([]);
      world.disk.isFull = false;
      await world.received("receipt");
      expect(world.journal.entries().length).to.equal(1);
    });
  });
});
