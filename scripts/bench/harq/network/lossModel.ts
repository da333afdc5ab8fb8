/** Which packets a link loses: independently, in bursts of packets, or in outages of time. The same seed, the same losses. */
export type LossModel =
  | { readonly kind: "independent"; readonly share: number }
  /** Gilbert–Elliott on packets: what follows a loss is lost too until a burst of `meanPackets` on average is over. */
  | { readonly kind: "bursts"; readonly share: number; readonly meanPackets: number }
  /** Gilbert–Elliott on time: everything is lost during outages of `meanUs` on average. */
  | { readonly kind: "outages"; readonly share: number; readonly meanUs: number };

/** Asked once for each packet, in order; true: lost. `random` gives numbers from 0 to below 1. */
export function createLossModel(model: LossModel, random: () => number): (nowUs: number) => boolean {
  const { share } = model;
  if (share <= 0) return () => false;
  switch (model.kind) {
    case "independent":
      return () => random() < share;
    case "bursts": {
      const leave = 1 / model.meanPackets;
      const enter = (share * leave) / (1 - share);
      let isBad = false;
      return () => {
        const isLost = isBad;
        if (random() < (isBad ? leave : enter)) isBad = !isBad;
        return isLost;
      };
    }
    case "outages": {
      let isBad = true;
      let untilUs = -Infinity;
      return (nowUs) => {
        if (untilUs === -Infinity) untilUs = nowUs;
        while (untilUs <= nowUs) {
          isBad = !isBad;
          const meanUs = isBad ? model.meanUs : (model.meanUs * (1 - share)) / share;
          untilUs += -meanUs * Math.log(1 - random());
        }
        return isBad;
      };
    }
  }
}
