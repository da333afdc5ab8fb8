/** What an operator's tools see of a gateway and a keeper, while all is well and while the chain is silent. */
import { createTelemetry } from "@ngpu/protocol/service/telemetry";
import { expect } from "chai";
import { describe, it } from "node:test";
import { startTestChain } from "../harness/chain.ts";
import { startTestGateway, startTestKeeper } from "../harness/services.ts";
import { postTask } from "../harness/tasks.ts";
import { until } from "../harness/until.ts";

describe("operations", () => {
  it("shows a gateway and a keeper ready with their figures, and says what is amiss when the chain is gone", async () => {
    const chain = await startTestChain();
    const ofGateway = createTelemetry({ service: "gateway" });
    const ofKeeper = createTelemetry({ service: "keeper" });
    const gateway = await startTestGateway(chain, { telemetry: ofGateway });
    const keeper = startTestKeeper(chain, [gateway.url], { telemetry: ofKeeper });
    try {
      await until("both are ready", () => gateway.notReady().length === 0 && keeper.notReady().length === 0);
      await postTask(chain);
      const figure = 'ngpu_keeper_open_tasks{service="keeper"} 1';
      await until("the task is seen", async () => (await ofKeeper.text()).includes(figure));
      expect(await ofGateway.text()).to.contain('ngpu_gateway_keepers{service="gateway"} 1');
      expect(await ofKeeper.text()).to.match(/ngpu_keeper_pass_seconds_count\{service="keeper",loop="observe"\} [1-9]/);
      await chain.close();
      await until("both miss the chain", () => gateway.notReady().length > 0 && keeper.notReady().length > 0);
      expect(keeper.notReady()).to.deep.equal(["the chain does not answer"]);
    } finally {
      await keeper.stop();
      await gateway.close();
      await chain.close().catch(() => undefined);
    }
  });
});
