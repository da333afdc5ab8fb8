/** A service's metrics, and the server that shows them where `NGPU_OPS_PORT` says so; without it nothing is opened. */
import { startOpsServer, type OpsServer } from "./opsServer.ts";
import { readPort, readText, type Environment } from "./settings.ts";
import { createTelemetry, type Telemetry } from "./telemetry.ts";

export interface Ops {
  telemetry: Telemetry;
  /**
   * `notReady` names the reasons why the service cannot do its work now; `notices` what its operator should know
   * although it can; `isDraining`: it was asked to stop.
   */
  open(state: {
    notReady: () => string[];
    notices: () => string[];
    isDraining: () => boolean;
  }): Promise<OpsServer | undefined>;
}

export function createOps({ service, env }: { service: "gateway" | "keeper" | "agent"; env: Environment }): Ops {
  const isWanted = env.NGPU_OPS_PORT !== undefined && env.NGPU_OPS_PORT !== "";
  const port = readPort(env, "NGPU_OPS_PORT", 0);
  const host = readText(env, "NGPU_OPS_HOST", "127.0.0.1");
  const telemetry = createTelemetry({ service });
  return {
    telemetry,
    open: async (state) => (isWanted ? startOpsServer({ host, port, telemetry, ...state }) : undefined),
  };
}
