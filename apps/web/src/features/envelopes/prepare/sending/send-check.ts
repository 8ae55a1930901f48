import {
  type Document,
  MAX_FIELDS,
  MAX_RECIPIENTS,
  titleFault,
  unprintedSentence,
  FIELD_KINDS,
} from "@paraphe/contracts";
import { ofName } from "@paraphe/kernel/french-words";
import { isCalendarDay } from "@paraphe/kernel/paris-days";
import { deadlineFault, deadlineFinding } from "../documents/deadline.ts";
import {
  type Draft,
  type DraftField,
  type DraftRecipient,
  isBlankRecipient,
  recipientErrors,
  recipientName,
  unprintedIn,
} from "../draft/draft.ts";
import { fieldWarnings, isSilentMention, unprintedInField } from "../fields/field-warnings.ts";
import { suggestAddress } from "../recipients/suggest-address.ts";
import { PREPARE_STEPS, type PrepareStep } from "../steps.ts";

/**
 * Only a blocking finding stops the sending. `step`, `field`, `recipient` (keys): where to correct
 * it.
 */
export type SendFinding = {
  readonly kind: "blocking" | "warning";
  readonly text: string;
  readonly step: PrepareStep;
  readonly field?: DraftField;
  readonly recipient?: string;
};

export type Aim = Pick<SendFinding, "field" | "recipient">;

export function checkBeforeSending(
  draft: Draft,
  documents: readonly Document[],
  now: Date,
): readonly SendFinding[] {
  const recipients = draft.recipients.filter((row) => !isBlankRecipient(row));
  const findings: SendFinding[] = [];
  const block = (text: string, step: PrepareStep, recipient?: string) =>
    findings.push({
      kind: "blocking",
      text,
      step,
      ...(recipient === undefined ? {} : { recipient }),
    });
  const warn = (text: string, step: PrepareStep) => findings.push({ kind: "warning", text, step });

  const title = titleFault(draft.title);
  if (title) block(title, "documents");
  if (draft.deadline !== "" && !isCalendarDay(draft.deadline))
    block("L’échéance n’est pas une date.", "documents");
  else {
    const fault = deadlineFault(draft.deadline, now);
    if (fault) block(fault, "documents");
  }
  const restDay = deadlineFinding(draft.deadline);
  if (restDay) warn(restDay, "documents");
  if (documents.length === 0) block("Au moins un fichier", "documents");
  for (const document of documents) {
    if (document.control.result === "fixable" && !document.control.accepted)
      block(
        `«\u00a0${document.name}\u00a0» doit être corrigé avant l’envoi\u00a0: donnez votre accord.`,
        "documents",
      );
  }
  for (const names of identicalFiles(documents)) warn(identicalSentence(names), "documents");
  if (!recipients.some((row) => row.role === "signer"))
    block("Ajoutez au moins un signataire.", "recipients");
  if (recipients.length > MAX_RECIPIENTS)
    block(`${MAX_RECIPIENTS} destinataires au maximum.`, "recipients");
  for (const row of recipients) {
    const fault = rowFault(row, recipients);
    if (fault !== null) block(fault, "recipients", row.key);
  }
  for (const row of recipients.filter((candidate) => candidate.role === "signer")) {
    if (!draft.fields.some((field) => field.recipientKey === row.key && field.type === "signature"))
      block(missingSignature(row, draft), "fields", row.key);
  }
  findings.push(...silentMentions(draft, documents), ...unprintedFields(draft));
  if (draft.fields.length > MAX_FIELDS) block(`${MAX_FIELDS} champs au maximum.`, "fields");
  for (const found of fieldWarnings(draft, documents))
    if (found.kind === "overlap")
      findings.push({ kind: "warning", text: found.text, step: "fields", field: found.field });
  const emails = recipients.map((row) => row.email.trim().toLowerCase());
  for (const email of new Set(emails.filter((address, index) => emails.indexOf(address) !== index)))
    warn(`Deux destinataires ont la même adresse\u00a0: ${email}.`, "recipients");
  for (const email of new Set(emails)) {
    const meant = suggestAddress(email);
    if (meant !== null) warn(`${email}\u00a0: vouliez-vous dire ${meant}\u202f?`, "recipients");
  }
  return findings;
}

function rowFault(row: DraftRecipient, all: readonly DraftRecipient[]): string | null {
  if (Object.keys(recipientErrors(row, all)).length === 0) return null;
  const character = unprintedIn(row);
  if (character === null) return `Complétez les informations ${ofName(row.fullName || row.email)}.`;
  return unprintedAt(row.fullName.trim(), character);
}

function unprintedAt(place: string, character: string): string {
  const sentence = unprintedSentence(character);
  return `${place}\u00a0: ${sentence.charAt(0).toLocaleLowerCase("fr")}${sentence.slice(1)}`;
}

function unprintedFields(draft: Draft): readonly SendFinding[] {
  return draft.fields.flatMap((field) => {
    const character = unprintedInField(field);
    const place = `Champ ${FIELD_KINDS[field.type].short} ${ofName(recipientName(draft, field.recipientKey))}`;
    return character === null
      ? []
      : [{ kind: "blocking", text: unprintedAt(place, character), step: "fields", field } as const];
  });
}

function missingSignature(row: DraftRecipient, draft: Draft): string {
  const name = row.fullName || row.email;
  const hasOthers = draft.fields.some((field) => field.recipientKey === row.key);
  return hasOthers ? `${name} n’a pas de champ Signature.` : `${name} n’a aucun champ à signer.`;
}

/** The first mention without its sentence on each page. */
function silentMentions(draft: Draft, documents: readonly Document[]): readonly SendFinding[] {
  const findings = new Map<string, SendFinding>();
  for (const document of documents) {
    const silent = draft.fields.filter(
      (field) => field.documentId === document.id && isSilentMention(field),
    );
    for (const field of silent.toSorted((a, b) => a.page - b.page)) {
      const place =
        documents.length > 1 ? `${document.name}, page ${field.page}` : `page ${field.page}`;
      const text = `Écrivez la phrase de la mention à recopier (${place}).`;
      if (!findings.has(text))
        findings.set(text, { kind: "blocking", text, step: "fields", field });
    }
  }
  return [...findings.values()];
}

/** The first names only: nobody reads twenty. */
function identicalSentence(names: readonly string[]): string {
  const said =
    names.length > 4
      ? `${names.slice(0, 3).join(", ")} et ${names.length - 3} autres`
      : names.join(", ");
  return `${names.length === 2 ? "Deux" : names.length} fichiers identiques\u00a0: ${said}.`;
}

/** The names of files with the same bytes, a list for each. */
function identicalFiles(documents: readonly Document[]): readonly (readonly string[])[] {
  const hashes = documents.map((document) => document.sha256);
  const twice = new Set(hashes.filter((hash, index) => hashes.indexOf(hash) !== index));
  return [...twice].map((hash) =>
    documents.filter((document) => document.sha256 === hash).map((document) => document.name),
  );
}

export function unfinishedSteps(draft: Draft, documents: readonly Document[]): ReadonlySet<number> {
  const blocking = checkBeforeSending(draft, documents, new Date()).filter(
    ({ kind }) => kind === "blocking",
  );
  return new Set(
    blocking.map((finding) => PREPARE_STEPS.findIndex(({ step }) => step === finding.step)),
  );
}
