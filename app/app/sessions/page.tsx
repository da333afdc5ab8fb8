import type { Metadata } from "next";
import { Sessions } from "../../features/sessions/Sessions.tsx";

export const metadata: Metadata = { title: "Sessions" };

export default function SessionsPage() {
  return <Sessions />;
}
