/** The test suites in the order they start: from the contracts outwards, the whole line last. */
export interface Suite {
  name: string;
  /** Globs from the root. */
  files: readonly string[];
  timeoutS: number;
  /** Uses no compiled contract, so it runs while they compile. */
  isUncompiled?: boolean;
  /** Starts a whole network, so nothing else runs beside it. */
  isAlone?: boolean;
}

export const suites: readonly Suite[] = [
  { name: "contracts", files: ["test/contracts/**/*.test.ts"], timeoutS: 420 },
  { name: "protocol", files: ["test/protocol/**/*.test.ts"], timeoutS: 120, isUncompiled: true },
  { name: "harq", files: ["test/harq/!(direct)/**/*.test.ts"], timeoutS: 480, isUncompiled: true },
  { name: "direct", files: ["test/harq/direct/**/*.test.ts"], timeoutS: 240 },
  { name: "client", files: ["test/client/**/*.test.ts"], timeoutS: 180 },
  { name: "gateway", files: ["test/gateway/**/*.test.ts"], timeoutS: 180 },
  { name: "keeper", files: ["test/keeper/**/*.test.ts"], timeoutS: 360 },
  { name: "node-agent", files: ["test/node-agent/**/*.test.ts"], timeoutS: 300 },
  { name: "subgraph", files: ["test/subgraph/**/*.test.ts"], timeoutS: 180 },
  { name: "app", files: ["app/test/**/*.test.ts"], timeoutS: 60 },
  { name: "scripts", files: ["test/scripts/**/*.test.ts"], timeoutS: 360 },
  { name: "solidity", files: ["test/solidity/**/*.test.ts"], timeoutS: 900 },
  { name: "e2e", files: ["test/e2e/**/*.test.ts"], timeoutS: 1_500, isAlone: true },
];
