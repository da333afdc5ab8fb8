/** What a node's age alone has earned, as contracts/libraries/Quality.sol has it, in basis points. */
const newcomerBps = 2_500;
const fullBps = 10_000;
const periods = 3;

export function ageQuality(node: { registeredAtS: number; nowS: number; ripeningS: number }): number {
  const { registeredAtS, nowS, ripeningS } = node;
  const passed = Math.min(periods, Math.floor((nowS - registeredAtS) / ripeningS));
  return newcomerBps + Math.floor((passed * (fullBps - newcomerBps)) / periods);
}
