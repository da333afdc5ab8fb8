/**
 * Who may import whom (docs/ARCHITECTURE.md): the line from wallet to bill has one direction, and so have the imports.
 */

/** Files of a workspace; its own packages and Node's modules are not meant here. */
const ours = "^(contracts|protocol|client|keeper|node-agent|subgraph|app|scripts|test|ignition)/";

/** @param {string} folder @param {string} allowed alternatives of folders, beside itself */
function mayImport(folder, allowed) {
  const within = allowed ? `^(${folder}|${allowed})/` : `^${folder}/`;
  return {
    name: `${folder} may import ${allowed ? `only ${allowed.replaceAll("|", ", ")}` : "nothing of ours"}`,
    severity: "error",
    from: { path: `^${folder}/`, pathNot: "\\.test\\.tsx?$" },
    to: { path: ours, pathNot: within },
  };
}

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    mayImport("protocol", ""),
    mayImport("client", "protocol/src"),
    mayImport("keeper", "protocol|client/src"),
    {
      name: "an auditor alone is a payer",
      comment: "Canaries are posted through the client library; nothing else of a keeper may lean on it.",
      severity: "error",
      from: { path: "^keeper/", pathNot: "^keeper/src/audits/postCanary\\.ts$" },
      to: { path: "^client/" },
    },
    mayImport("node-agent", "protocol"),
    mayImport("app", "protocol/src|client/src"),
    mayImport("subgraph", "protocol/src/generated"),
    {
      name: "what runs in a browser uses nothing of Node",
      comment:
        "protocol/src and client/src are bundled into the dApp; a built-in builds green there and fails at run time.",
      severity: "error",
      from: { path: "^(protocol|client)/src/", pathNot: "\\.test\\.ts$" },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "protocol/src does not reach for protocol/service",
      severity: "error",
      from: { path: "^protocol/src/", pathNot: "\\.test\\.ts$" },
      to: { path: "^protocol/service/" },
    },
    {
      name: "no product code imports tests",
      comment: "scripts may: a benchmark measures what the tests build.",
      severity: "error",
      from: { pathNot: "(^(test|scripts)/|\\.test\\.tsx?$|/tests?/)" },
      to: { path: "(^test/|\\.test\\.tsx?$)" },
    },
    {
      name: "no cycles",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "everything that is imported can be found",
      severity: "error",
      from: { path: ours },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(^|/)(\\.next|artifacts|cache|coverage|subgraph/(build|generated|src)|ignition/deployments)/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    moduleSystems: ["es6", "cjs"],
    builtInModules: { add: ["node:test", "node:sqlite"] },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "types", "node", "default"],
      extensions: [".ts", ".tsx", ".mjs", ".cjs", ".js", ".json", ".d.ts"],
    },
  },
};
