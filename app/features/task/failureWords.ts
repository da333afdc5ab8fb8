/** What a node reported when it could not execute a task, by the receipt's status. */
export const failureWords: Readonly<Record<number, string>> = {
  1: "it refused the input",
  2: "the model failed",
  3: "its runner crashed",
  4: "it did not finish in time",
};
