/**
 * What solc is told for every contract that is deployed, tested or measured. At 1,000 runs of the optimiser the
 * largest contract would come within 1 % of the size that a chain takes.
 */
export const deploymentSettings = { optimizer: { enabled: true, runs: 500 }, viaIR: true } as const;
