/** The reference part of docs/CONTRACTS.md: one section a contract, folded until it is opened. */
import { markdownTable } from "../economics/markdownTable.ts";
import type { ContractDoc, Member } from "./readContracts.ts";

export function renderReference(contracts: readonly ContractDoc[]): string {
  return contracts.map(section).join("\n\n");
}

function section({ name, file, purpose, members }: ContractDoc): string {
  const of = (kind: Member["kind"]): Member[] => members.filter((member) => member.kind === kind);
  const parts = [
    `<details><summary><b>${name}</b> · <code>${file}</code></summary>`,
    purpose.join("\n\n"),
    list("State", of("state")),
    list("Fixed at deployment or in the code", of("fixed")),
    acts(of("act")),
    list("Reads", of("view")),
    list("Events", of("event")),
    list("Errors", of("error")),
    "</details>",
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function acts(members: readonly Member[]): string {
  if (members.length === 0) return "";
  const rows = members.map(({ signature, doc }) => [
    `\`${signature}\``,
    [doc.purpose, doc.effects === "" ? "" : `Effects: ${doc.effects}`].filter((text) => text !== "").join(" "),
    doc.requirements,
  ]);
  return `**Acts**\n\n${markdownTable(["Function", "What it does", "Requirements"], rows)}`;
}

function list(title: string, members: readonly Member[]): string {
  if (members.length === 0) return "";
  const lines = members.map(({ signature, doc }) => {
    const text = [doc.purpose, doc.effects, doc.requirements].filter((part) => part !== "").join(" ");
    return text === "" ? `- \`${signature}\`` : `- \`${signature}\`: ${text}`;
  });
  return `**${title}**\n\n${lines.join("\n")}`;
}
