/** The test suites in the order they run: from the contracts outwards, the whole line last. */
export interface Suite {
  name: string;
  /** Globs from the root. */
  files: readonly string[];
  timeoutS: number;
  /** Test files at a time. */
  concurrency: number;
}

export const suites: readonly Suite[] = [
  { name: "contracts", files: ["test/contracts/**/*.test.ts"], timeoutS: 300, concurrency: 2 },
  { name: "protocol", files: ["test/protocol/**/*.test.ts"], timeoutS: 120, concurrency: 2 },
  { name: "harq", files: ["test/harq/**/*.test.ts"], timeoutS: 300, concurrency: 1 },
  { name: "client", files: ["test/client/**/*.test.ts"], timeoutS: 90, concurrency: 2 },
  { name: "gateway", files: ["test/gateway/**/*.test.ts"], timeoutS: 90, concurrency: 1 },
  { name: "keeper", files: ["test/keeper/**/*.test.ts"], timeoutS: 300, concurrency: 1 },
  { name: "node-agent", files: ["test/node-agent/**/*.test.ts"], timeoutS: 180, concurrency: 1 },
  { name: "subgraph", files: ["test/subgraph/**/*.test.ts"], timeoutS: 180, concurrency: 1 },
  { name: "app", files: ["app/test/**/*.test.ts"], timeoutS: 60, concurrency: 2 },
  { name: "scripts", files: ["test/scripts/**/*.test.ts"], timeoutS: 360, concurrency: 1 },
  { name: "solidity", files: ["test/solidity/**/*.test.ts"], timeoutS: 900, concurrency: 1 },
  { name: "e2e", files: ["test/e2e/**/*.test.ts"], timeoutS: 1_500, concurrency: 1 },
];
