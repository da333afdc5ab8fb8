/**
 * How long a later packet must have arrived before an earlier one counts as lost: an eighth of the round trip,
 * doubled up to a whole one whenever something came after it had been given up, halved again after 32 quiet round
 * trips.
 */
export interface ReorderWindow {
  widthUs(rttUs: number): number;
  onSpuriousLoss(nowUs: number, rttUs: number): void;
  onReport(nowUs: number, rttUs: number): void;
}

const quietRoundTrips = 32;

export function createReorderWindow(): ReorderWindow {
  let eighths = 1;
  let changedUs = 0;
  return {
    widthUs: (rttUs) => (rttUs * eighths) / 8,
    onSpuriousLoss(nowUs, rttUs) {
      if (nowUs - changedUs < rttUs / 8 && eighths > 1) return;
      eighths = Math.min(8, eighths * 2);
      changedUs = nowUs;
    },
    onReport(nowUs, rttUs) {
      if (eighths === 1 || nowUs - changedUs < quietRoundTrips * rttUs) return;
      eighths /= 2;
      changedUs = nowUs;
    },
  };
}
