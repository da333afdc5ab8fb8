/** Arguments that no caller should give: wrong kinds, wrong numbers, arrays that lie, getters that throw. */
import type { Random } from "./fecBlocks.ts";

const throwing = (): never => {
  throw new RangeError("a trap of the caller");
};
const detached = new Uint8Array(64);
structuredClone(detached.buffer, { transfer: [detached.buffer] });
const shrunk = new ArrayBuffer(64, { maxByteLength: 128 });
const outOfBounds = new Uint8Array(shrunk, 32, 32);
shrunk.resize(8);

const values: readonly (() => unknown)[] = [
  () => undefined,
  () => null,
  () => true,
  () => Number.NaN,
  () => -0,
  () => -1,
  () => 0.5,
  () => 256,
  () => 2 ** 31,
  () => -(2 ** 31),
  () => 2 ** 32 + 64,
  () => 2 ** 53,
  () => Number.MAX_VALUE,
  () => Number.POSITIVE_INFINITY,
  () => "32",
  () => "",
  () => 64n,
  () => Symbol("esi"),
  () => throwing,
  () => ({}),
  () => [],
  () => [undefined],
  () => new Array<number>(3),
  () => ({ length: 2 ** 32, 0: 1 }),
  () => ({ esi: 40, bytes: new Uint8Array(64) }),
  () => [{ esi: 40, bytes: new Uint8Array(63) }],
  () => [{ esi: Symbol("esi"), bytes: null }],
  () => Array.from({ length: 300 }, (_, esi) => ({ esi, bytes: new Uint8Array(64) })),
  () => new Array<number>(2 ** 32 - 1),
  () => new Uint8Array(0),
  () => new Uint8Array(65),
  () => new Uint16Array(64),
  () => new Float64Array(8),
  () => new DataView(new ArrayBuffer(64)),
  () => new ArrayBuffer(64),
  () => detached,
  () => outOfBounds,
  () => Object.create(Uint8Array.prototype) as unknown,
  () => Object.defineProperty(new Uint8Array(1), "length", { value: 64 }),
  () => new Proxy(new Uint8Array(64), {}),
  () => new Proxy([1, 2], { get: throwing }),
  () => new Proxy({}, { get: throwing, getPrototypeOf: throwing, has: throwing }),
  () => ({ valueOf: throwing, toString: throwing, [Symbol.toPrimitive]: throwing }),
  () => ({ get esi() { return throwing(); }, get bytes() { return throwing(); } }),
  () => revoked(),
];

export function aNonsense(random: Random): unknown {
  // A number now and then that is nearly right.
  if (random(3) === 0) return random(300) - 20;
  return values[random(values.length)]?.();
}

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable([], {});
  revoke();
  return proxy;
}
