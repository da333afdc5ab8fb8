/**
 * Reads which tests a document names in its tables, and finds those that do not exist. A cell names a test by its file
 * and its title, both in backticks: `e2e/line.test.ts`: `takes a task …`. A title that a test file puts together from
 * values is named as it reads when the test runs.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface NamedTest {
  file: string;
  title: string;
}

const pair = /`([^`\s]+\.test\.tsx?)(?:`\s*:\s*`|:\s+)([^`]+)`/g;

/** Throws where a row of a table of tests names none: a slip of the pen must not look like a test. */
export function namedTests(document: string): NamedTest[] {
  const named: NamedTest[] = [];
  let isOfTests = false;
  let row = 0;
  for (const line of document.split("\n")) {
    row = line.startsWith("|") ? row + 1 : 0;
    if (row === 0) continue;
    if (row === 1) isOfTests = /\|\s*tests?\b[^|]*\|\s*$/.test(line);
    const found = [...line.matchAll(pair)].map(([, file = "", title = ""]) => ({ file, title: title.trim() }));
    if (isOfTests && row > 2 && found.length === 0) throw new Error(`this row names no test: ${line}`);
    named.push(...found);
  }
  return named;
}

/** Those that do not exist, each with the reason. A file is looked for in `folders`, in their order. */
export function missingTests(document: string, folders: readonly string[]): string[] {
  return namedTests(document).flatMap(({ file, title }) => {
    const path = folders.map((folder) => join(folder, file)).find((candidate) => existsSync(candidate));
    if (path === undefined) return [`${file}: there is no such file`];
    return holdsTest(readFileSync(path, "utf8"), title) ? [] : [`${file}: holds no test "${title}"`];
  });
}

const literal = /"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/.source;
const directTitle = new RegExp(String.raw`\b(?:it|test)\(\s*(${literal})`, "g");
const titleByName = /\b(?:it|test)\(\s*[a-z]\w*\s*,/;

/** True when the source of a test file holds a test of exactly this title. */
export function holdsTest(source: string, title: string): boolean {
  const direct = [...source.matchAll(directTitle)].map(([, text = ""]) => text);
  // Where a loop gives the title a name, it is one of the strings of the file.
  const listed = titleByName.test(source) ? [...source.matchAll(new RegExp(literal, "g"))].map(([text]) => text) : [];
  return [...direct, ...listed].some((text) => {
    const values = patternOf(text).exec(title)?.slice(1);
    return values?.every((value) => source.includes(value)) ?? false;
  });
}

/** What a literal can read as; a value that is put in is captured, and has to stand somewhere in the file. */
function patternOf(text: string): RegExp {
  const inside = text.slice(1, -1).replaceAll(/\\(["`\\])/g, "$1");
  const pieces = text.startsWith("`") ? inside.split(/\$\{[^}]*\}/) : [inside];
  const escaped = pieces.map((piece) => piece.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${escaped.join("(.+)")}$`);
}
