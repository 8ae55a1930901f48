import { refusedBy } from "@paraphe/kernel/french-words";
import type { Role } from "./envelope.ts";

/** What the subject of a mail about an envelope is made of. */
export type SubjectParts = {
  readonly title: string;
  readonly senderName: string;
  readonly role: Role;
  readonly declinedBy: string;
};
type Titled = Pick<SubjectParts, "title">;

export const ASKED: Readonly<Record<Role, string>> = {
  signer: "Document à signer",
  approver: "Document à approuver",
  visa: "Document à viser",
  viewer: "Document à consulter",
};
/** What the sender does until the reader answers. */
export const WAITS: Readonly<Record<Role, string>> = {
  signer: "attend votre signature",
  approver: "attend votre approbation",
  visa: "attend votre visa",
  viewer: "vous a transmis un document",
};

export const MAIL_SUBJECTS = {
  invitation: ({ role, title }: Pick<SubjectParts, "role" | "title">) =>
    `${ASKED[role]}\u00a0: ${shortTitle(title)}`,
  reminder: ({ role, senderName }: Pick<SubjectParts, "role" | "senderName">) =>
    `Rappel\u00a0: ${senderName} ${WAITS[role]}`,
  extended: ({ title }: Titled) => `Nouvelle échéance\u00a0: ${shortTitle(title)}`,
  completed: ({ title }: Titled) => `Document signé par tous\u00a0: ${shortTitle(title)}`,
  declined: ({ title, declinedBy, role }: Pick<SubjectParts, "title" | "declinedBy" | "role">) =>
    `${declinedBy} ${refusedBy(role)} ${role === "visa" ? "sur " : ""}«\u00a0${shortTitle(title)}\u00a0»`,
  cancelled: ({ title }: Titled) => `Demande annulée\u00a0: ${shortTitle(title)}`,
  expired: ({ title }: Titled) => `Délai de signature dépassé\u00a0: ${shortTitle(title)}`,
};

export function shortTitle(title: string, maximum = 80): string {
  const characters = Array.from(title);
  return characters.length <= maximum
    ? title
    : `${characters
        .slice(0, maximum - 1)
        .join("")
        .trimEnd()}…`;
}
