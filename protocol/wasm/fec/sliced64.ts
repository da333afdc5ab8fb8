/** The sliced kernel on words of 8 bytes, for engines without SIMD. */
import { combineSliced, prepareSliced } from "./sliced";

export { planRecovery, planRepair } from "./coefficients";
export { input, lost, output, slice, slots } from "./places";

export function prepare(): void {
  prepareSliced<u64>();
}

export function combine(k: u32, rows: u32, width: u32, inputStride: u32, outputStride: u32): void {
  combineSliced<u64>(k, rows, width, inputStride, outputStride);
}
