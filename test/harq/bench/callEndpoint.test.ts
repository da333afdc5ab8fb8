/** A call to a process of the bench never hangs: it is answered, or rejects with what was asked and what went wrong. */
import { expect } from "chai";
import { fork, type ChildProcess } from "node:child_process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { callEndpoint } from "../../../scripts/bench/harq/endpoint/callEndpoint.ts";
import { deadlineOf } from "../../../scripts/bench/harq/endpoint/deadlineOf.ts";
import { createSecrets } from "../../../scripts/bench/harq/transfer.ts";

const module = fileURLToPath(new URL("../../../scripts/bench/harq/endpoint/endpoint.ts", import.meta.url));
const problem = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "answered",
    (error: unknown) => String(error),
  );

describe("calls to an end of the bench's network", { timeout: 60_000, skip: process.platform !== "linux" }, () => {
  let child: ChildProcess;
  before(() => {
    child = fork(module, { serialization: "advanced", execArgv: [] });
  });
  after(() => child.kill("SIGKILL"));

  it("are answered, with the end's own error where it has one", async () => {
    const end = callEndpoint(child);
    expect(await end.takeArrivals()).to.deep.equal([]);
    expect(await end.nextArrival({ withinMs: 1 })).to.equal(undefined);
    expect(await problem(end.harqMetrics())).to.contain("no link is open");
  });

  it("say so where nobody answers at the other end of a path", async () => {
    const target = { host: "127.0.0.1", port: 9, secrets: createSecrets(), rttUs: 1_000, withinMs: 300 };
    const said = await problem(callEndpoint(child).harqOpen(target));
    expect(said).to.contain("not within 0.3 s: the path to 127.0.0.1:9 is validated");
  });

  it("reject in time where the process stands still, and at once where it dies", async () => {
    expect(await problem(callEndpoint(child, 30_000).echoCounted()), "it runs").to.equal("answered");
    child.kill("SIGSTOP");
    const said = await problem(callEndpoint(child, 200).echoCounted());
    expect(said).to.contain("an end of the network did not answer echoCounted within 1 s");
    const patient = callEndpoint(child);
    const underWay = problem(patient.nextArrival({ withinMs: 600_000 }));
    child.kill("SIGKILL");
    expect(await underWay).to.contain("an end of the network is gone (SIGKILL)");
    expect(await problem(patient.echoCounted()), "afterwards").to.contain("is gone (SIGKILL)");
  });

  it("may take as long as what they ask for takes", () => {
    const quick = deadlineOf("harqMetrics", undefined);
    expect(deadlineOf("nextArrival", { withinMs: 600_000 })).to.equal(600_000 + quick);
    expect(deadlineOf("harqSendEvery", { bytes: 1, count: 600, everyMs: 20 })).to.be.above(12_000 + quick);
    const fromUs = Number(process.hrtime.bigint()) / 1_000 + 5e6;
    expect(deadlineOf("bytesDuring", { fromUs, forUs: 10e6 })).to.be.closeTo(15_000 + quick, 1_000);
  });
});
