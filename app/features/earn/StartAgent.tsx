"use client";
/** The commands that start an agent for this owner, ready to copy. */
import type { Address } from "viem";
import { Card } from "../../components/Card.tsx";
import { CopyButton } from "../../components/CopyButton.tsx";
import { useRuntime } from "../../hooks/useRuntime.tsx";
import styles from "./StartAgent.module.css";

export function StartAgent({ account }: { account: Address }) {
  const { rpcUrl, gatewayUrl, chainId } = useRuntime();
  const commands = [
    {
      what: "Make a key for the machine. It signs receipts and holds no money.",
      text: "(umask 077 && openssl rand -hex 32 > operator.key)",
    },
    {
      what: "Say where the network is, and who owns the machine.",
      text: [
        `export NGPU_CHAIN_ID=${chainId} NGPU_RPC_URL=${rpcUrl} NGPU_GATEWAY_URL=${gatewayUrl}`,
        `export NGPU_OPERATOR_KEY_FILE=operator.key NGPU_OWNER=${account}`,
      ].join("\n"),
    },
    { what: "Start the agent. It prints its registration code.", text: "npm run agent" },
  ];
  return (
    <Card title="1. Start the agent" note="On the machine that shall serve, in a copy of this repository">
      <ol className={styles.commands}>
        {commands.map(({ what, text }) => (
          <li key={what}>
            <p>{what}</p>
            <Command text={text} />
          </li>
        ))}
      </ol>
    </Card>
  );
}

function Command({ text }: { text: string }) {
  return (
    <div className={styles.command}>
      <pre tabIndex={0} aria-label="Command">
        {text}
      </pre>
      <CopyButton text={text}>Copy</CopyButton>
    </div>
  );
}
