"use client";
/** Registers a machine with the code that its agent printed: one transaction, no money moves. */
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import { useState } from "react";
import { isAddress, parseEventLogs, type Address } from "viem";
import { Banner } from "../../components/Banner.tsx";
import { Card } from "../../components/Card.tsx";
import { Field } from "../../components/Field.tsx";
import { Hash } from "../../components/Hash.tsx";
import { TxButton } from "../../components/TxButton.tsx";
import { useHead } from "../../hooks/useHead.ts";
import { useRuntime } from "../../hooks/useRuntime.tsx";
import { contractCall } from "../../lib/contractCall.ts";
import { formatDateTime } from "../../lib/format.ts";
import { readRegistrationCode } from "../../lib/registrationCode.ts";
import styles from "./RegisterNode.module.css";
import { useNodeClasses } from "./useNodeClasses.ts";

export function RegisterNode({ account }: { account: Address }) {
  const { deployment, chainId } = useRuntime();
  const nowS = useHead().data?.timestamp;
  const classes = useNodeClasses();
  const [code, setCode] = useState("");
  const [payout, setPayout] = useState("");
  const [registered, setRegistered] = useState<number | undefined>(undefined);
  const reading = readRegistrationCode(code, { chainId, registry: deployment.nodeRegistry, account, nowS });
  const payoutFits = payout.trim() === "" || isAddress(payout.trim());
  const blocked =
    reading.kind === "empty"
      ? "Paste the code first."
      : reading.kind === "wrong"
        ? "The code cannot be used."
        : payoutFits
          ? undefined
          : "Correct the payout address.";
  return (
    <Card title="2. Register it" note="Binds the machine's key to your account; costs only gas">
      <div className={styles.form}>
        <Field
          label="Registration code"
          hint="The word after “registration” that the agent printed"
          {...(reading.kind === "wrong" ? { error: reading.why } : {})}
        >
          {(control) => (
            <textarea
              {...control}
              value={code}
              onChange={(event) => setCode(event.target.value)}
              spellCheck={false}
              autoComplete="off"
            />
          )}
        </Field>
        {reading.kind === "good" ? (
          <dl className={styles.pairs}>
            <dt>Operator</dt>
            <dd>
              <Hash value={reading.registration.operator} label="operator" />
            </dd>
            <dt>Class</dt>
            <dd>
              {classes?.find(({ id }) => id === String(reading.registration.classId))?.name ??
                reading.registration.classId}
            </dd>
            <dt>Code valid until</dt>
            <dd>{formatDateTime(reading.registration.expiry)}</dd>
          </dl>
        ) : null}
        <Field
          label="Payout address"
          hint="Empty: earnings go to your account."
          {...(payoutFits ? {} : { error: "This is not an address." })}
        >
          {(control) => (
            <input
              {...control}
              value={payout}
              placeholder={account}
              onChange={(event) => setPayout(event.target.value)}
              spellCheck={false}
              autoComplete="off"
            />
          )}
        </Field>
        <TxButton
          label="Register"
          busy="Registering…"
          says="Creates the node in your name. No money moves."
          blocked={blocked}
          call={() => {
            if (reading.kind !== "good") throw new Error("There is no valid code.");
            const { operator, classId, expiry, signature } = reading.registration;
            const to = payout.trim() === "" ? account : (payout.trim() as Address);
            return contractCall({
              address: deployment.nodeRegistry,
              abi: nodeRegistryAbi,
              functionName: "register",
              args: [operator, to, classId, BigInt(expiry), signature],
            });
          }}
          onMined={(receipt) => {
            const [event] = parseEventLogs({ abi: nodeRegistryAbi, eventName: "NodeRegistered", logs: receipt.logs });
            setRegistered(event?.args.nodeId);
            setCode("");
          }}
        />
        {registered === undefined ? null : (
          <Banner tone="good" title={`Registered as node-${registered}`}>
            Now stake for it above; as soon as the stake is mined it can be given tasks.
          </Banner>
        )}
      </div>
    </Card>
  );
}
