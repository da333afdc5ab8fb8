/** Replaces what stands between `<!-- generated: name -->` and `<!-- end -->` of a document. */
export function withBlocks(document: string, blocks: Readonly<Record<string, string>>): string {
  return Object.entries(blocks).reduce((text, [name, content]) => {
    const start = `<!-- generated: ${name} -->`;
    const from = text.indexOf(start);
    const to = text.indexOf("<!-- end -->", from);
    if (from < 0 || to < 0) throw new Error(`the document has no block "${name}"`);
    return `${text.slice(0, from)}${start}\n\n${content}\n\n${text.slice(to)}`;
  }, document);
}
