/** A configuration from the text of its file, or everything that is wrong with it at once. */
import { DeployError, type Problem } from "../problem.ts";
import { configurationField, type Configuration } from "./configuration.ts";
import { show } from "./fields.ts";
import { relationProblems } from "./relations.ts";

/** Throws DeployError. What fields must be to each other is looked at once each of them is right by itself. */
export function readConfiguration(text: string): Configuration {
  const problems: Problem[] = [];
  const configuration = configurationField.read(parse(text), "", (problem) => problems.push(problem));
  const found = problems.length > 0 ? problems : relationProblems(configuration);
  if (found.length > 0) throw new DeployError(found);
  return configuration;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const found = show(text.trim());
    const allowed = "the file must hold one JSON object";
    throw new DeployError([{ code: "CONFIG_UNREADABLE", path: "", found, allowed }]);
  }
}
