/**
 * Reads one named constant out of a Solidity source, so that no document repeats a figure by hand. A constant that was
 * renamed, or whose value is more than a product of literals, is an error and never a guess.
 */
import { ParameterError } from "../parameterError.ts";

const unitFactor: Readonly<Record<string, bigint>> = {
  seconds: 1n,
  minutes: 60n,
  hours: 3_600n,
  days: 86_400n,
  weeks: 604_800n,
  wei: 1n,
  gwei: 10n ** 9n,
  ether: 10n ** 18n,
};

export function solidityConstant(source: string, name: string): bigint {
  const [, expression] = new RegExp(`\\bconstant ${name}\\s*=\\s*([^;]+);`).exec(source) ?? [];
  if (expression === undefined) throw new ParameterError("PARAMETER_RENAMED", `no constant ${name}`);
  return product(expression.trim(), name);
}

/** literal [unit] { ("*" | "**") literal [unit] }, the powers first. */
function product(expression: string, name: string): bigint {
  return expression
    .split(/(?<!\*)\*(?!\*)/)
    .map((factor) => {
      const [base, ...exponents] = factor.split("**").map((part) => literal(part.trim(), name));
      return exponents.reduce((value, exponent) => value ** exponent, base ?? 0n);
    })
    .reduce((a, b) => a * b, 1n);
}

function literal(text: string, name: string): bigint {
  const [, digits, exponent, unit] = /^(\d[\d_]*)(?:e(\d+))?(?:\s+(\w+))?$/.exec(text) ?? [];
  const factor = unit === undefined ? 1n : unitFactor[unit];
  if (digits === undefined || factor === undefined) {
    throw new ParameterError("PARAMETER_NOT_LITERAL", `constant ${name} is no product of literals: ${text}`);
  }
  return BigInt(digits.replaceAll("_", "")) * 10n ** BigInt(exponent ?? 0) * factor;
}
