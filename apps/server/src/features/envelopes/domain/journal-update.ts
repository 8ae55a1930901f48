import type { UpdateEnvelopeRequest } from "@paraphe/contracts";

/** Drafts are saved at each pause in typing: an event per save would bury the others. */
const REST_MS = 15 * 60_000;
/** Which files are signed, under which names, and who is asked. */
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
  readonly parts: readonly Part[];
  readonly otherRecipients: boolean;
  readonly lastToldAt: Date | null;
};

/**
 * Says whether the journal records a draft's update: files and people each time, the rest once a
 * quarter of an hour.
 */
export function isUpdateTold(
  { parts, otherRecipients, lastToldAt }: DraftUpdate,
  now: Date,
): boolean {
  if (parts.some((part) => ALWAYS.includes(part) && (part !== "recipients" || otherRecipients)))
    return true;
  return lastToldAt === null || now.getTime() - lastToldAt.getTime() >= REST_MS;
}
