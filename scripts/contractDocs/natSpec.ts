/** A NatSpec comment in its parts. A sentence that begins with "Effects:" or "Requirements:" opens that part. */
export interface NatSpec {
  readonly purpose: string;
  readonly effects: string;
  readonly requirements: string;
  /** Interface that documents this member instead. */
  readonly inherits?: string;
}

export function parseNatSpec(text: string | undefined): NatSpec {
  const tags = tagsOf(text ?? "");
  const prose = [...(tags.get("notice") ?? []), ...(tags.get("dev") ?? [])].join(" ");
  const parts = { purpose: "", effects: "", requirements: "" };
  let part: keyof typeof parts = "purpose";
  for (const piece of prose.split(/\b(Effects?[^:.;]{0,12}|Requirements?):\s+/)) {
    if (/^Effects?[^:.;]{0,12}$/.test(piece)) part = "effects";
    else if (/^Requirements?$/.test(piece)) part = "requirements";
    else parts[part] = `${parts[part]} ${piece}`.trim();
  }
  const [inherits] = tags.get("inheritdoc") ?? [];
  return { ...parts, ...(inherits === undefined ? {} : { inherits }) };
}

/** Text without a tag is a notice. */
function tagsOf(text: string): Map<string, string[]> {
  const tags = new Map<string, string[]>();
  const pieces = text.split(/^\s*@(\w+)\s*/m);
  const add = (tag: string, value: string): void => {
    const flat = value.replace(/```[\s\S]*?```/g, "").replace(/\s+/g, " ").trim();
    if (flat !== "") tags.set(tag, [...(tags.get(tag) ?? []), flat]);
  };
  add("notice", pieces[0] ?? "");
  for (let i = 1; i < pieces.length; i += 2) add(pieces[i] ?? "", pieces[i + 1] ?? "");
  return tags;
}
