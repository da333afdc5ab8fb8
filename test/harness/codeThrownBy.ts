/** Catalogue code of what `act` throws, so that tests compare codes and never texts. */
import { codeOf } from "@ngpu/protocol/errors";

export function codeThrownBy(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return codeOf(error);
  }
  return "nothing thrown";
}
