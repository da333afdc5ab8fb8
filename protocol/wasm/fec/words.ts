/** What the kernels do with a word, whether it is a vector of 16 bytes (v128) or a plain 64-bit integer (u64). */

@inline
export function xor<T>(a: T, b: T): T {
  if (isVector<T>()) return v128.xor(a, b);
  else return a ^ b;
}

@inline
export function and<T>(a: T, b: T): T {
  if (isVector<T>()) return v128.and(a, b);
  else return a & b;
}

@inline
export function left<T>(a: T, bits: i32): T {
  if (isVector<T>()) return i64x2.shl(a, bits);
  else return a << bits;
}

@inline
export function right<T>(a: T, bits: i32): T {
  if (isVector<T>()) return i64x2.shr_u(a, bits);
  else return a >> bits;
}

/** The same 64 bits all over the word. */
@inline
export function filled<T>(bits: u64): T {
  if (isVector<T>()) return i64x2.splat(bits);
  else return <T>bits;
}

@inline
export function zero<T>(): T {
  return filled<T>(0);
}
