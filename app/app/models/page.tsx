import type { Metadata } from "next";
import { Models } from "../../features/models/Models.tsx";

export const metadata: Metadata = { title: "Models and prices" };

export default function ModelsPage() {
  return <Models />;
}
