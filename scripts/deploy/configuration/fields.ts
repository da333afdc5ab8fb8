/**
 * Describes what a JSON value must be, reads it into its type, and tells everything that is wrong with it at once.
 * Numbers that a chain keeps in more than 53 bits are decimal strings in the file and bigints afterwards.
 */
import { isAddress, isHex, type Address, type Hex } from "viem";
import type { Problem, ProblemCode } from "../problem.ts";

/** Reads one value, and reports what is wrong with it instead of throwing: then the value that it returns is unused. */
export interface Field<T> {
  readonly read: (value: unknown, path: string, report: Report) => T;
  /** May be left out. */
  readonly fallback?: () => T;
}

export type Report = (problem: Problem) => void;
export type ValueOf<F> = F extends Field<infer T> ? T : never;

type Fields = Readonly<Record<string, Field<unknown>>>;

export function object<F extends Fields>(fields: F): Field<{ readonly [K in keyof F]: ValueOf<F[K]> }> {
  return {
    read(value, path, report) {
      const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
      const allowed = `it must be an object of ${Object.keys(fields).join(", ")}`;
      if (!isObject) report(problem("FIELD_TYPE", path, value, allowed));
      const given: Record<string, unknown> = isObject ? { ...value } : {};
      for (const name of Object.keys(given).filter((key) => !Object.hasOwn(fields, key))) {
        const known = `there is no such field; there are ${Object.keys(fields).join(", ")}`;
        report({ code: "FIELD_UNKNOWN", path: below(path, name), found: show(given[name]), allowed: known });
      }
      const entries = Object.entries(fields).map(([name, field]) => {
        const at = below(path, name);
        if (given[name] !== undefined) return [name, field.read(given[name], at, report)];
        if (field.fallback !== undefined) return [name, field.fallback()];
        // One problem for the object that is missing, and not another one for each of its fields.
        const silent = isObject ? report : ignore;
        const wanted: Problem[] = [];
        const unused = field.read(undefined, at, (missing) => wanted.push(missing));
        const what = wanted[0]?.allowed ?? "it must be given";
        silent({ code: "FIELD_MISSING", path: at, found: "nothing", allowed: what });
        return [name, unused];
      });
      return Object.fromEntries(entries) as { readonly [K in keyof F]: ValueOf<F[K]> };
    },
  };
}

export function optional<T>(field: Field<T>): Field<T | undefined> {
  return { read: field.read, fallback: () => undefined };
}

export function orElse<T>(field: Field<T>, fallback: T): Field<T> {
  return { read: field.read, fallback: () => fallback };
}

/** A value, or `null` where the thing that it names does not exist. */
export function nullable<T>(field: Field<T>): Field<T | null> {
  return {
    read: (value, path, report) =>
      value === null
        ? null
        : field.read(value, path, (found) => report({ ...found, allowed: `${found.allowed}, or null` })),
  };
}

export function integer(bounds: { readonly minimum: number; readonly maximum: number }): Field<number> {
  const { minimum, maximum } = bounds;
  const allowed = `it must be a whole number from ${minimum} to ${maximum}`;
  return {
    read(value, path, report) {
      const isInteger = typeof value === "number" && Number.isSafeInteger(value);
      if (!isInteger) report(problem("FIELD_TYPE", path, value, allowed));
      else if (value < minimum || value > maximum) report(problem("FIELD_RANGE", path, value, allowed));
      return Number(value);
    },
  };
}

/** A decimal string, because JSON's numbers end at 53 bits. */
export function whole(bounds: { readonly minimum: bigint; readonly maximum: bigint }): Field<bigint> {
  const { minimum, maximum } = bounds;
  const allowed = `it must be a whole number from ${minimum} to ${maximum}, as a string of digits`;
  return {
    read(value, path, report) {
      if (typeof value !== "string" || !/^(0|[1-9][0-9]*)$/.test(value)) {
        report(problem("FIELD_TYPE", path, value, allowed));
        return 0n;
      }
      const number = BigInt(value);
      if (number < minimum || number > maximum) report(problem("FIELD_RANGE", path, value, allowed));
      return number;
    },
  };
}

/** An account or a contract; mixed case must be a right checksum. */
export function address(): Field<Address> {
  const allowed = "it must be an address: 0x and 40 hex digits, not zero, with a right checksum if in mixed case";
  return {
    read(value, path, report) {
      if (typeof value !== "string") report(problem("FIELD_TYPE", path, value, allowed));
      else if (!isAddress(value) || BigInt(value) === 0n) report(problem("FIELD_ADDRESS", path, value, allowed));
      return value as Address;
    },
  };
}

export function bytes32(): Field<Hex> {
  const allowed = "it must be 0x and 64 hex digits";
  return {
    read(value, path, report) {
      if (!isHex(value) || value.length !== 66) report(problem("FIELD_TYPE", path, value, allowed));
      return value as Hex;
    },
  };
}

export function boolean(): Field<boolean> {
  return {
    read(value, path, report) {
      if (typeof value !== "boolean") report(problem("FIELD_TYPE", path, value, "it must be true or false"));
      return value === true;
    },
  };
}

export function text(rule: { readonly pattern: RegExp; readonly meaning: string }): Field<string> {
  const allowed = `it must be ${rule.meaning}`;
  return {
    read(value, path, report) {
      if (typeof value !== "string") report(problem("FIELD_TYPE", path, value, allowed));
      else if (!rule.pattern.test(value)) report(problem("FIELD_RANGE", path, value, allowed));
      return String(value);
    },
  };
}

/** What was found, short enough for a line. */
export function show(value: unknown): string {
  if (value === undefined) return "nothing";
  const words = JSON.stringify(value) ?? String(value);
  return words.length > 80 ? `${words.slice(0, 77)}…` : words;
}

function problem(code: ProblemCode, path: string, value: unknown, allowed: string): Problem {
  return { code, path, found: show(value), allowed };
}

function below(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function ignore(): void {
  // The object around it is missing or no object, which is told already.
}
