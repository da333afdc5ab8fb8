/**
 * An accelerator is trusted with a graph only when it gives what the CPU gives: some providers compute some operators
 * wrongly without any error. The input is a fixed pseudo-random tensor, so the check is the same at every start.
 */
import { NgpuError } from "@ngpu/protocol/errors";
import type { GraphSpec } from "@ngpu/protocol/manifest";
import type { GraphRun } from "./adapter.ts";

/** Size given to free dimensions: the batch is 1, the sides are those of a small picture. */
const freeSidePx = 96;
const absoluteTolerance = 5e-3;
const relativeTolerance = 1e-2;

/** Throws PROVIDER_MISSING when the outputs differ by more than rounding. */
export async function agreesWithCpu(request: { spec: GraphSpec; run: GraphRun; reference: GraphRun }): Promise<void> {
  const { spec, run, reference } = request;
  const shape = (spec.inputs[0]?.shape ?? []).map((size, axis) => (size > 0 ? size : axis === 0 ? 1 : freeSidePx));
  const data = pseudoRandom(shape.reduce((product, size) => product * size, 1));
  const expected = await reference({ data, shape });
  const found = await run({ data, shape });
  for (const [name, { data: want }] of Object.entries(expected)) {
    const got = found[name]?.data;
    const agrees =
      got !== undefined &&
      got.length === want.length &&
      want.every(
        (value, index) => Math.abs(value - got[index]!) <= absoluteTolerance + relativeTolerance * Math.abs(value),
      );
    if (!agrees)
      throw new NgpuError("PROVIDER_MISSING", {
        graph: spec.name,
        output: name,
        reason: "computes other results than the CPU",
      });
  }
}

/** A linear congruential generator from −1 to 1. */
function pseudoRandom(length: number): Float32Array {
  const values = new Float32Array(length);
  let state = 0x2545f491;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    values[i] = state / 2 ** 31 - 1;
  }
  return values;
}
