"use client";
/**
 * How a session is opened. It needs a client that keeps running, because each answer is paid by a voucher that the
 * client signs; a page that is closed could not, so there is no form.
 */
import { useState } from "react";
import { Button } from "../../components/Button.tsx";
import { Card } from "../../components/Card.tsx";
import { useRuntime } from "../../hooks/useRuntime.tsx";
import styles from "./OpenFromCode.module.css";

export function OpenFromCode() {
  const { gatewayUrl } = useRuntime();
  const [copied, setCopied] = useState(false);
  const code = codeOf(gatewayUrl);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(code);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <Card
      title="Open a session"
      note="For many requests to one model: one opening, then no transaction for each"
      actions={
        <Button small onClick={() => void copy()}>
          {copied ? "Copied" : "Copy"}
        </Button>
      }
    >
      <p className={styles.why}>
        A session is opened by the client library, not here: every answer is paid by a voucher that a running client
        signs. The cap is held in the vault; what is not spent comes back.
      </p>
      <pre className={styles.code} tabIndex={0} aria-label="Code that opens a session">
        <code>{code}</code>
      </pre>
    </Card>
  );
}

function codeOf(gatewayUrl: string): string {
  return `import { randomBytes } from "node:crypto";
import { openSession } from "@ngpu/client/session/openSession";
import { openAppendLog } from "@ngpu/protocol/service/appendLog";
import { manifestOf } from "@ngpu/protocol/catalogue";

const session = await openSession({
  chain, wallet, deployment,
  gatewayUrl: "${gatewayUrl}",
  modelId,
  manifest: manifestOf(modelId),
  signerKey,                      // signs vouchers, holds no money
  openJournal: (id) => openAppendLog(\`\${id}.log\`),
  random: (length) => randomBytes(length),
  spendCapUsd6: 5_000_000n,       // 5 USD at most
});
const { json } = await session.run({ parts });
await session.close();`;
}
