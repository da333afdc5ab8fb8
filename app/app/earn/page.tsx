import type { Metadata } from "next";
import { Earn } from "../../features/earn/Earn.tsx";

export const metadata: Metadata = { title: "Earn" };

export default function EarnPage() {
  return <Earn />;
}
