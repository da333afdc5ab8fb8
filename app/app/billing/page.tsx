import type { Metadata } from "next";
import { Billing } from "../../features/billing/Billing.tsx";

export const metadata: Metadata = { title: "Billing" };

export default function BillingPage() {
  return <Billing />;
}
