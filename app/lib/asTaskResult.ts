/** Recognises the result documents that the dApp can draw; anything else is shown as it is. */
import { isRecord } from "@ngpu/protocol/isRecord";
import type { TaskResult } from "@ngpu/protocol/results";

const listOf: Record<string, string> = { "ngpu.text/1": "lines", "ngpu.faces/1": "faces" };

export function asTaskResult(json: unknown): TaskResult | undefined {
  if (!isRecord(json) || typeof json.schema !== "string" || !Array.isArray(json.images)) return undefined;
  const list = Object.hasOwn(listOf, json.schema) ? listOf[json.schema] : undefined;
  const drawable =
    list !== undefined &&
    json.images.every((image: unknown) => isRecord(image) && isPicture(image) && Array.isArray(image[list]));
  return drawable ? (json as unknown as TaskResult) : undefined;
}

function isPicture(image: Record<string, unknown>): boolean {
  return typeof image.name === "string" && Number(image.width) > 0 && Number(image.height) > 0;
}
