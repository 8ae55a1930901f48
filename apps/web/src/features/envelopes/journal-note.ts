import type { AuditEvent, Envelope } from "@paraphe/contracts";

/** Says, beside an event's sentence, who did it where the sentence does not, from which address (to the owner alone), on what and why. */
export function journalNote(
  event: AuditEvent,
  shown: { readonly envelope: Pick<Envelope, "is_owner">; readonly sentence: string },
): string {
  const reason = event.detail["reason"];
  const isNamed = shown.sentence.includes(event.actor);
  return [
    ...(isNamed ? [] : [`Par ${event.actor}`]),
    ...(shown.envelope.is_owner && event.ip !== null ? [`IP ${event.ip}`] : []),
    ...fingerprint(event),
    ...(typeof reason === "string" && reason !== "" ? [`Motif\u00a0: ${reason}`] : []),
  ].join(" · ");
}

/** Of what was signed, the beginning and the end of each file's hash: enough to compare by eye. */
function fingerprint(event: AuditEvent): readonly string[] {
  const documents = event.detail["documents"];
  if (event.action !== "recipient_signed" || !Array.isArray(documents)) return [];
  const hashes = documents.flatMap((entry) => /:([0-9a-f]{64})$/.exec(String(entry))?.[1] ?? []);
  return hashes.map((hash) => `SHA-256\u00a0:\u00a0${hash.slice(0, 4)}…${hash.slice(-2)}`);
}
