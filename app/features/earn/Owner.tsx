"use client";
/** Everything that an owner of machines has and may do. */
import type { Address } from "viem";
import { Columns } from "../../components/Page.tsx";
import { MyNodes } from "./MyNodes.tsx";
import { RegisterNode } from "./RegisterNode.tsx";
import { StartAgent } from "./StartAgent.tsx";

export function Owner({ account }: { account: Address }) {
  return (
    <>
      <MyNodes account={account} />
      <Columns>
        <StartAgent account={account} />
        <RegisterNode account={account} />
      </Columns>
    </>
  );
}
