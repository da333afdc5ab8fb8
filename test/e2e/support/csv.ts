/** Reads a CSV file as RFC 4180 has it; rows that have another number of fields than the head are an error. */
export function parseCsv(text: string): Record<string, string>[] {
  const rows: string[][] = [[]];
  let field = "";
  let quoted = false;
  const endField = (): void => {
    rows.at(-1)?.push(field);
    field = "";
  };
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? "";
    if (quoted) {
      if (character !== '"') field += character;
      else if (text[index + 1] === '"') field += text[++index];
      else quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === ",") endField();
    else if (character === "\n") {
      endField();
      rows.push([]);
    } else if (character !== "\r") field += character;
  }
  if (quoted) throw new Error("a quoted field does not end");
  endField();
  if (rows.at(-1)?.length === 1 && rows.at(-1)?.[0] === "") rows.pop();
  const [head = [], ...body] = rows;
  return body.map((row) => {
    if (row.length !== head.length) throw new Error(`a row has ${row.length} fields, the head ${head.length}`);
    return Object.fromEntries(head.map((name, index) => [name.replace(/^\uFEFF/, ""), row[index] ?? ""]));
  });
}
