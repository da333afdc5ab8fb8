"use client";
/** The request of this model as code, ready to copy. */
import type { ModelManifest } from "@ngpu/protocol/manifest";
import { useState } from "react";
import { Button } from "../../components/Button.tsx";
import { useRuntime } from "../../hooks/useRuntime.tsx";
import styles from "./CallFromCode.module.css";

export function CallFromCode({ manifest, modelId }: { manifest: ModelManifest; modelId: string }) {
  const { gatewayUrl } = useRuntime();
  const [copied, setCopied] = useState(false);
  const code = codeOf({ modelId, gatewayUrl });
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(code);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <details className={styles.details}>
      <summary>Call {manifest.title.toLowerCase()} from code</summary>
      <div className={styles.code}>
        <pre>
          <code>{code}</code>
        </pre>
        <Button small onClick={() => void copy()}>
          {copied ? "Copied" : "Copy"}
        </Button>
      </div>
    </details>
  );
}

function codeOf({ modelId, gatewayUrl }: { modelId: string; gatewayUrl: string }): string {
  return `import { readFile } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { runTask } from "@ngpu/client/runTask";
import { manifestOf } from "@ngpu/protocol/catalogue";

const modelId = "${modelId}";
const { json, bill } = await runTask({
  chain, wallet, deployment,
  gatewayUrl: "${gatewayUrl}",
  modelId,
  manifest: manifestOf(modelId),
  parts: [{ name: "page.png", mediaType: "image/png", bytes: await readFile("page.png") }],
  random: (length) => randomBytes(length),
});
console.log(json, bill.amountUsd6);`;
}
