/** Results that the models really gave for the first sample of each kind; files of the app, for the price list. */
import type { TaskResult } from "@ngpu/protocol/results";
import { asTaskResult } from "./asTaskResult.ts";

const files: Readonly<Partial<Record<string, string>>> = { "ngpu.text/1": "text", "ngpu.faces/1": "faces" };

/** null when there is none of that schema. */
export async function loadSampleResult(schema: string): Promise<TaskResult | null> {
  const file = files[schema];
  if (file === undefined) return null;
  const response = await fetch(`/samples/results/${file}.json`);
  return response.ok ? (asTaskResult(await response.json()) ?? null) : null;
}
