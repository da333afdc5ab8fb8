"use client";
/** The opened result on its pictures, or the pictures while it is awaited. Only this device has either. */
import type { TaskResult } from "@ngpu/protocol/results";
import { useEffect, useState } from "react";
import { Card } from "../../components/Card.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { Skeleton } from "../../components/Skeleton.tsx";
import { asTaskResult } from "../../lib/asTaskResult.ts";
import styles from "./ResultCard.module.css";
import { ResultView } from "./ResultView.tsx";
import type { TaskModel } from "./useTask.ts";

export function ResultCard({ task }: { task: TaskModel }) {
  const { local, facts } = task.feed;
  const urls = usePictureUrls(local);
  const result = facts.result === undefined ? undefined : asTaskResult(facts.result.json);
  const returned = task.rows.some(
    ({ stage }) => stage === "refunded" || stage === "cancelled" || stage === "forfeited",
  );
  return (
    <Card
      title="Result"
      note={noteOf(task, result)}
      {...(facts.result === undefined ? {} : { actions: <Download json={facts.result.json} taskId={task.taskId} /> })}
    >
      {local === undefined ? (
        <Skeleton width="100%" height="240px" />
      ) : result !== undefined ? (
        <ResultView result={result} imageUrl={(name) => urls.get(name)} />
      ) : facts.result !== undefined ? (
        <pre className={styles.raw}>{JSON.stringify(facts.result.json, null, 2)}</pre>
      ) : local === null ? (
        <EmptyState title="Sealed for the payer">
          The input and the result can only be opened on the device that posted this task. The timeline and the bill are
          public.
        </EmptyState>
      ) : (
        <Waiting names={local.parts.map((part) => part.name)} urls={urls} over={returned} />
      )}
    </Card>
  );
}

function Waiting({
  names,
  urls,
  over,
}: {
  names: readonly string[];
  urls: ReadonlyMap<string, string>;
  over: boolean;
}) {
  return (
    <div className={styles.waiting}>
      <p className="soft">
        {over
          ? "The task ended without a result. The input is still on this device:"
          : "The result appears here. The input, on this device:"}
      </p>
      <ul className={styles.inputs} aria-label="Input images">
        {names.map((name) => (
          <li key={name}>
            <img src={urls.get(name)} alt={name} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Download({ json, taskId }: { json: unknown; taskId: string }) {
  const save = (): void => {
    const url = URL.createObjectURL(new Blob([JSON.stringify(json, null, 2)], { type: "application/json" }));
    const link = document.createElement("a");
    link.href = url;
    link.download = `ngpu-${taskId.slice(2, 10)}.json`;
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <button type="button" className={styles.save} onClick={save}>
      Save as JSON
    </button>
  );
}

function noteOf({ feed, ended, rows }: TaskModel, result: TaskResult | undefined): string {
  if (result !== undefined) return "Opened on this device only";
  if (ended && !rows.some((row) => row.stage === "settled")) return "There is none";
  if (rows.some((row) => row.stage === "forfeited")) return "Nobody held it";
  if (feed.connection === "lost") return "The gateway is out of reach; it is tried again by itself";
  if (feed.connection === "open") return "Connected to the gateway";
  return feed.local === null ? "Not on this device" : "Sealed end to end";
}

function usePictureUrls(local: TaskModel["feed"]["local"]): ReadonlyMap<string, string> {
  const [urls, setUrls] = useState<ReadonlyMap<string, string>>(new Map());
  useEffect(() => {
    if (local === undefined || local === null) return;
    const made = new Map(
      local.parts.map((part) => [
        part.name,
        URL.createObjectURL(new Blob([part.bytes as Uint8Array<ArrayBuffer>], { type: part.mediaType })),
      ]),
    );
    setUrls(made);
    return () => {
      for (const url of made.values()) URL.revokeObjectURL(url);
    };
  }, [local]);
  return urls;
}
