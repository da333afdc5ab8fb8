/** The value below which a Beta(a, b) variable lies with the given probability. */
export function betaQuantile(a: number, b: number, probability: number): number {
  let low = 0;
  let high = 1;
  for (let halving = 0; halving < 40 && high - low > 1e-6; halving += 1) {
    const middle = (low + high) / 2;
    if (regularisedBeta(middle, a, b) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** I_x(a, b) by its continued fraction (Lentz), mirrored where that converges faster. */
export function regularisedBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - regularisedBeta(1 - x, b, a);
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x)) / a;
  const tiny = 1e-300;
  let c = 1;
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1), tiny);
  let fraction = d;
  for (let m = 1; m < 300; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / nonZero(1 + even * d, tiny);
    c = nonZero(1 + even / c, tiny);
    fraction *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / nonZero(1 + odd * d, tiny);
    c = nonZero(1 + odd / c, tiny);
    fraction *= d * c;
    if (Math.abs(d * c - 1) < 1e-10) break;
  }
  return front * fraction;
}

function nonZero(value: number, tiny: number): number {
  return Math.abs(value) < tiny ? tiny : value;
}

const lanczos = [
  76.18009172947146, -86.50532032941677, 24.01409824083091, -1.231739572450155, 0.1208650973866179e-2,
  -0.5395239384953e-5,
];

function logGamma(value: number): number {
  const shifted = value + 5.5 - (value + 0.5) * Math.log(value + 5.5);
  const series = lanczos.reduce((sum, term, at) => sum + term / (value + 1 + at), 1.000000000190015);
  return -shifted + Math.log((2.5066282746310005 * series) / value);
}
