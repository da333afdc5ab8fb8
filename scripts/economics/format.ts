/** Figures as they stand in the documents: grouped, with their unit. */
import type { Unit } from "./parameters.ts";

export function grouped(value: bigint): string {
  return value.toString().replace(/\B(?=(\d{3})+$)/g, ",");
}

export function inUnit(value: bigint, unit: Unit): string {
  switch (unit) {
    case "yes or no":
      return value === 0n ? "no" : "yes";
    case "basis points":
      return `${decimal(value, 2)} %`;
    case "seconds":
      return duration(value);
    case "NGPU wei":
      return `${decimal(value, 18)} NGPU`;
    case "coin wei":
      return `${decimal(value, 18)} of the coin`;
    case "usd8 per NGPU":
      return `${decimal(value, 8)} USD`;
    case "ms":
    case "CU":
      return `${grouped(value)} ${unit}`;
    case "usd6":
    case "number":
      return grouped(value);
  }
}

/** A decimal fraction without trailing zeros. */
export function decimal(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, "0");
  const fraction = digits.slice(-places).replace(/0+$/, "");
  return `${grouped(BigInt(digits.slice(0, -places)))}${fraction === "" ? "" : `.${fraction}`}`;
}

function duration(seconds: bigint): string {
  const units: readonly [bigint, string][] = [
    [86_400n, "d"],
    [3_600n, "h"],
    [60n, "min"],
  ];
  const [size, name] = units.find(([length]) => seconds >= length && seconds % length === 0n) ?? [1n, "s"];
  return `${grouped(seconds / size)} ${name}`;
}
