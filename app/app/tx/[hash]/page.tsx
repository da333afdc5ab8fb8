import type { Metadata } from "next";
import { notFound } from "next/navigation";
import type { Hex } from "viem";
import { TransactionView } from "../../../features/tx/TransactionView.tsx";

export const metadata: Metadata = { title: "Transaction" };

export default async function TransactionPage({ params }: { params: Promise<{ hash: string }> }) {
  const { hash } = await params;
  if (!/^0x[0-9a-f]{64}$/i.test(hash)) notFound();
  return <TransactionView hash={hash.toLowerCase() as Hex} />;
}
