import type { UpdateEnvelopeRequest } from "@paraphe/contracts";

/** A draft is saved a moment after each pause in its typing: a line for every save would bury what matters. */
const REST_MS = 15 * 60_000;
/** Which files are to be signed, by which names, and who is asked. */
const ALWAYS: readonly Part[] = [
  "files",
  "remove_documents",
  "order",
  "accept_normalised",
  "document_names",
  "recipients",
];

type Part = keyof UpdateEnvelopeRequest | "files";
export type DraftUpdate = {
  /** What the update names. */
  readonly parts: readonly Part[];
  /** The list of recipients it gives is another one than the draft had. */
  readonly otherRecipients: boolean;
  /** When the journal last told of an update of this draft; null: never. */
  readonly lastToldAt: Date | null;
};

/** Says whether the journal tells of an update of a draft: of other files and people each time, of the rest once a quarter of an hour. */
export function isUpdateTold(
  { parts, otherRecipients, lastToldAt }: DraftUpdate,
  now: Date,
): boolean {
  if (parts.some((part) => ALWAYS.includes(part) && (part !== "recipients" || otherRecipients)))
    return true;
  return lastToldAt === null || now.getTime() - lastToldAt.getTime() >= REST_MS;
}
