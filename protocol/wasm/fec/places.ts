/** Where the other side writes symbols and ESIs and finds the rows: exported by every build. */
import { INPUT, LOST, OUTPUT, SLICE, SLOTS } from "./memory";

export const input: usize = INPUT;
export const output: usize = OUTPUT;
export const slots: usize = SLOTS;
export const lost: usize = LOST;
export const slice: u32 = SLICE;
