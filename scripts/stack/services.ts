/** How each of our own services is started: its command, its settings, and how one knows that it is up. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generatePrivateKey } from "viem/accounts";
import { localAccounts, type LocalAccount } from "./accounts.ts";
import { paths } from "./paths.ts";
import type { StackPorts } from "./ports.ts";
import type { Service, ServiceOptions } from "./process/service.ts";
import type { Supervisor } from "./process/supervisor.ts";
import type { StackUrls } from "./urls.ts";

export interface Services {
  feed(): Promise<Service>;
  gateway(): Promise<Service>;
  keeper(): Promise<Service>;
  /** Its operator key is made at the first start and consents to serve `owner`. */
  agent(options: { name: string; owner: LocalAccount }): Promise<Service>;
  dapp(): Promise<Service>;
}

export function createServices(options: {
  dataDir: string;
  ports: StackPorts;
  urls: StackUrls;
  /** Where the services ask the chain. */
  rpcUrl: string;
  /** Where the keeper finds the tasks that it audits nodes with; it audits nobody without. */
  canaryFolder: string | undefined;
  supervisor: Supervisor;
}): Services {
  const { dataDir, ports, urls, rpcUrl, canaryFolder, supervisor } = options;
  const common = {
    NGPU_CHAIN_ID: "31337",
    NGPU_RPC_URL: rpcUrl,
    NGPU_GATEWAY_URL: urls.gateway,
    // Chain and journals go when the stack does, so there is nothing to drain for.
    NGPU_DRAIN_S: process.env.NGPU_DRAIN_S ?? "0",
  };

  const folder = (name: string): string => {
    const path = join(dataDir, name);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  };
  const keyFile = (name: string, key: () => string): string => {
    const path = join(folder("keys"), name);
    if (!existsSync(path)) writeFileSync(path, key(), { mode: 0o600 });
    return path;
  };

  const auditSettings = (): Record<string, string> =>
    canaryFolder === undefined
      ? {}
      : {
          NGPU_AUDIT_FOLDER: canaryFolder,
          NGPU_AUDIT_PAYER_KEY_FILE: keyFile("audit-payer", () => localAccounts.auditPayer.privateKey),
        };

  return {
    feed: () =>
      supervisor.start("base", {
        name: "feed",
        command: script("scripts/stack/feedPusher.ts"),
        env: common,
        ready: "line",
      }),

    gateway: () =>
      supervisor.start("gateway", {
        name: "gateway",
        command: script("keeper/bin/gateway.ts"),
        env: {
          ...common,
          NGPU_GATEWAY_HOST: "127.0.0.1",
          NGPU_GATEWAY_PORT: String(ports.gateway),
          NGPU_GATEWAY_PUBLIC_URL: urls.gateway,
          NGPU_ALLOWED_ORIGINS: `http://localhost:${ports.dapp},http://127.0.0.1:${ports.dapp}`,
          NGPU_DATA_DIR: folder("gateway"),
        },
        ready: "line",
      }),

    keeper: () =>
      supervisor.start("keeper", {
        name: "keeper",
        command: script("keeper/bin/keeper.ts"),
        env: {
          ...common,
          NGPU_KEEPER_KEY_FILE: keyFile("keeper", () => localAccounts.keeper.privateKey),
          NGPU_DATA_DIR: folder("keeper"),
          ...auditSettings(),
        },
        ready: "line",
      }),

    agent: ({ name, owner }) =>
      supervisor.start("agents", {
        name,
        command: script("node-agent/bin/agent.ts"),
        env: {
          ...common,
          NGPU_OWNER: owner.account.address,
          NGPU_OPERATOR_KEY_FILE: keyFile(name, operatorKey),
          NGPU_DATA_DIR: folder(name),
        },
        ready: "line",
      }),

    dapp: () =>
      supervisor.start("front", {
        name: "dapp",
        command: [
          process.execPath,
          paths.next,
          "start",
          join(paths.root, "app"),
          "-H",
          "127.0.0.1",
          "-p",
          String(ports.dapp),
        ],
        env: { ...common, ...(urls.subgraph === undefined ? {} : { NGPU_SUBGRAPH_URL: urls.subgraph }) },
        ready: () =>
          fetch(`http://127.0.0.1:${ports.dapp}/icon.svg`).then(
            ({ status }) => status < 500,
            () => false,
          ),
      }),
  };
}

/** As `openssl rand -hex 32` writes one, which is what the dApp tells owners to do. */
function operatorKey(): string {
  return generatePrivateKey().slice("0x".length);
}

function script(file: string): ServiceOptions["command"] {
  return [process.execPath, join(paths.root, file)];
}
