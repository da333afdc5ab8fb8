/** Folders and files of a configuration as absolute paths; in the file they are relative to the repository. */
import { resolve } from "node:path";
import { paths } from "../../stack/paths.ts";
import type { Configuration } from "./configuration.ts";

export function absolutePaths(configuration: Configuration): Configuration {
  const { deployerKey, journalFolder, recordFolder } = configuration;
  const file = deployerKey.file === undefined ? undefined : resolve(paths.root, deployerKey.file);
  return {
    ...configuration,
    deployerKey: { ...deployerKey, file },
    journalFolder: resolve(paths.root, journalFolder),
    recordFolder: resolve(paths.root, recordFolder),
  };
}
