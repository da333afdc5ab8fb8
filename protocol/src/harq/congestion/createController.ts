/** The controller of a class. */
import { createBackground } from "./background.ts";
import type { CongestionClass, CongestionController, ControllerOptions } from "./controller.ts";
import { createModelBased } from "./modelBased.ts";

export function createController(kind: CongestionClass, options: ControllerOptions): CongestionController {
  return kind === "background" ? createBackground(options) : createModelBased(options);
}
