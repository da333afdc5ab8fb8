/** The sliced kernel on words of 16 bytes. */
import { combineSliced, prepareSliced } from "./sliced";

export { planRecovery, planRepair } from "./coefficients";
export { input, lost, output, slice, slots } from "./places";

export function prepare(): void {
  prepareSliced<v128>();
}

export function combine(k: u32, rows: u32, width: u32, inputStride: u32, outputStride: u32): void {
  combineSliced<v128>(k, rows, width, inputStride, outputStride);
}
