import type { NoticeContents } from "./notice.ts";

const NARROW = "\u202f";
const SPACE = "\u00a0";

/**
 * Typesets the fixed part of a French sentence: U+202F before `; ! ?`, U+00A0 before `:` and inside « », a typographic apostrophe.
 * What is put in (a title, a name) is left as its author wrote it.
 */
export function french(
  parts: TemplateStringsArray,
  ...values: readonly (string | number)[]
): string {
  return parts
    .map((part, index) => typeset(part) + (index < values.length ? String(values[index]) : ""))
    .join("");
}

function typeset(text: string): string {
  return text
    .replace(/ ([;!?])/g, `${NARROW}$1`)
    .replace(/ :/g, `${SPACE}:`)
    .replace(/« /g, `«${SPACE}`)
    .replace(/ »/g, `${SPACE}»`)
    .replace(/'/g, "’");
}

/** Gives `482 913`, the thousands apart by U+202F, as a French reader groups digits. */
export function groupedCode(code: string): string {
  return `${code.slice(0, 3)}${NARROW}${code.slice(3)}`;
}

/** Gives the title cut for a subject line, with an ellipsis where it was cut. */
export function shortTitle(title: string, maximum = 80): string {
  const characters = Array.from(title);
  return characters.length <= maximum
    ? title
    : `${characters
        .slice(0, maximum - 1)
        .join("")
        .trimEnd()}…`;
}

/** Gives the text with invisible word joiners (U+2060) inside what a mail program would turn into a link. */
export function unlinked(text: string): string {
  return text.replace(/(?<=\S)[.:/@](?=\S)/g, "\u2060$&\u2060");
}

type Batch = NoticeContents["batch_ended"];

/** A batch as a subject names it. */
export function batchName({ batchTitle }: Pick<Batch, "batchTitle">): string {
  return batchTitle === null ? "Votre lot" : french`Lot « ${shortTitle(batchTitle)} »`;
}

/** The same inside a sentence, whole. */
export function nameInSentence({ batchTitle }: Pick<Batch, "batchTitle">): string {
  return batchTitle === null ? "votre lot" : french`votre lot « ${batchTitle} »`;
}

/** « 498 documents signés sur 500, 2 en échec ». */
export function batchTally({
  total,
  done,
  failed,
}: Pick<Batch, "total" | "done" | "failed">): string {
  const signed = `${done} ${done > 1 ? "documents signés" : "document signé"} sur ${total}`;
  return failed === 0 ? signed : `${signed}, ${failed} en échec`;
}

/** The sender of an envelope, as a mail names them; without an address once their account is erased. */
type Sender = { readonly senderName: string; readonly senderEmail: string };

export function senderOf({ senderName, senderEmail }: Sender): string {
  return senderEmail === "" ? senderName : `${senderName} (${senderEmail})`;
}

/** Where an answer goes: to nobody when there is nobody any more. An empty `Reply-To` is no address list (RFC 5322 §3.6.2). */
export function replyToOf({ senderEmail }: Pick<Sender, "senderEmail">): string | null {
  return senderEmail === "" ? null : senderEmail;
}
