/** Catalogue code of what a promise is rejected with, so that tests compare codes and never texts. */
import { codeOf } from "@ngpu/protocol/errors";

export function codeRejectedBy(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "nothing rejected",
    (error: unknown) => codeOf(error),
  );
}
