"use client";
/**
 * Go anywhere by typing: `/` opens it, `?` opens it with the list of keys. A hash is looked up on the chain to tell a
 * task from a session and from a transaction.
 */
import { useRouter } from "next/navigation";
import { useEffect, useRef, useState, type FormEvent } from "react";
import { useChain } from "../hooks/useChain.ts";
import { useRuntime } from "../hooks/useRuntime.tsx";
import { findTarget } from "../lib/findTarget.ts";
import { places } from "../lib/places.ts";
import { Button } from "./Button.tsx";
import { Field } from "./Field.tsx";
import styles from "./Finder.module.css";

const keys = [
  ["/", "Find a task, a session, a transaction, a node or a page"],
  ["?", "Show these keys"],
  ["Esc", "Close what is open"],
  ["Tab", "Go to the next control"],
] as const;

export function Finder() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const [why, setWhy] = useState<string | undefined>(undefined);
  const go = useGo();
  const close = (): void => dialog.current?.close();

  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const typing =
        event.target instanceof HTMLElement &&
        event.target.closest("input, textarea, select, [contenteditable], dialog, [role=dialog]") !== null;
      if (typing || event.ctrlKey || event.metaKey || event.altKey || (event.key !== "/" && event.key !== "?")) return;
      event.preventDefault();
      dialog.current?.showModal();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const problem = await go(text);
    setWhy(problem);
    if (problem !== undefined) return;
    setText("");
    close();
  };
  return (
    <>
      <Button
        tone="quiet"
        onClick={() => dialog.current?.showModal()}
        aria-label="Find and keyboard help"
        aria-keyshortcuts="/ ?"
      >
        <svg
          viewBox="0 0 16 16"
          width="16"
          height="16"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.5"
          aria-hidden="true"
        >
          <circle cx="7" cy="7" r="4.5" />
          <path d="M10.5 10.5L14 14" />
        </svg>
      </Button>
      <dialog
        ref={dialog}
        className={styles.dialog}
        aria-label="Find"
        onClick={(event) => (event.target === dialog.current ? close() : undefined)}
      >
        <form className={styles.form} onSubmit={(event) => void submit(event)}>
          <Field
            label="Find"
            hint="Task id, session id, transaction, node number or page"
            {...(why === undefined ? {} : { error: why })}
          >
            {(control) => (
              <input
                {...control}
                value={text}
                onChange={(event) => setText(event.target.value)}
                autoFocus
                autoComplete="off"
                spellCheck={false}
              />
            )}
          </Field>
          <dl className={styles.keys}>
            {keys.map(([key, what]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
          <div className={styles.buttons}>
            <Button onClick={close}>Close</Button>
            <Button tone="primary" type="submit">
              Go
            </Button>
          </div>
        </form>
      </dialog>
    </>
  );
}

/** Goes there, or says why not. */
function useGo(): (text: string) => Promise<string | undefined> {
  const router = useRouter();
  const chain = useChain();
  const { deployment } = useRuntime();
  return async (text) => {
    const target = findTarget(text, places);
    if (target.kind === "none")
      return "Nothing has that name. A task, a session or a transaction is 0x and 64 hex digits.";
    if (target.kind !== "hash") {
      router.push(target.href);
      return undefined;
    }
    const [{ taskEscrowAbi }, { sessionSettlementAbi }] = await Promise.all([
      import("@ngpu/protocol/generated/abi/taskEscrow"),
      import("@ngpu/protocol/generated/abi/sessionSettlement"),
    ]);
    const task = await chain
      .readContract({
        address: deployment.taskEscrow,
        abi: taskEscrowAbi,
        functionName: "stateOf",
        args: [target.hash],
      })
      .catch(() => undefined);
    if (task !== undefined && task.status !== 0) {
      router.push(`/tasks/${target.hash}`);
      return undefined;
    }
    const settlement = { address: deployment.sessionSettlement, abi: sessionSettlementAbi } as const;
    const session = await chain
      .readContract({ ...settlement, functionName: "session", args: [target.hash] })
      .catch(() => undefined);
    router.push(session === undefined || session.terms.state === 0 ? `/tx/${target.hash}` : `/sessions/${target.hash}`);
    return undefined;
  };
}
