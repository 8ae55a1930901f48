import { FOOTER } from "./footer.ts";
import type { MailModel } from "./mail-model.ts";

/** Gives the plain text part: the same words, links whole on a line of their own. */
export function renderMailText(model: MailModel, fullName: string): string {
  const blocks = [
    greeting(fullName),
    ...model.paragraphs,
    model.quote
      ?.split("\n")
      .map((line) => `> ${line}`.trimEnd())
      .join("\n"),
    model.code,
    ...(model.list ?? []).map(({ words, moment, link }) =>
      [`- ${words}`, moment && `  ${moment}`, link && `  ${link}`].filter(Boolean).join("\n"),
    ),
    model.facts.map(([label, value]) => `${label}\u00a0: ${value}`).join("\n"),
    model.action && `${model.action.label}\u00a0:\n${model.action.link}`,
    ...model.notes,
    `-- \n${FOOTER}`,
  ];
  return `${blocks.filter(Boolean).join("\n\n")}\n`;
}

function greeting(fullName: string): string {
  return fullName === "" ? "Bonjour," : `Bonjour ${fullName},`;
}
