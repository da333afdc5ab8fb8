/** The two numbers that every handler counts with. */
import { BigInt } from "@graphprotocol/graph-ts";

export const ZERO = BigInt.zero();
export const ONE = BigInt.fromI32(1);
