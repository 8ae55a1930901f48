import { FIELD_KINDS } from "@paraphe/contracts";
import { ofName } from "@paraphe/kernel/french-words";
import { ApiError } from "../../../../lib/api/api-error.ts";
import type { SendFinding } from "../sending/send-check.ts";
import type { PrepareStep } from "../steps.ts";
import {
  type Draft,
  type DraftRecipient,
  type SaveStatus,
  recipientName,
  sentRecipients,
} from "./draft.ts";

/** The service's refusals of a save: place in the body (`recipients.0.full_name`) → sentences. */
export type Refusals = Readonly<Record<string, readonly string[]>>;
export type RowRefusals = Readonly<
  Partial<Record<"fullName" | "email" | "phoneNumber" | "role" | "rank", string>>
>;

const NONE: Refusals = {};
const NOTHING: RowRefusals = {};
const ROW_PLACES = [
  ["full_name", "fullName"],
  ["email", "email"],
  ["phone_number", "phoneNumber"],
  ["role", "role"],
  ["order", "rank"],
] as const;
const ROW_WORDS: Readonly<Record<string, string>> = {
  full_name: "Nom",
  email: "Email",
  phone_number: "Téléphone",
  role: "Rôle",
  order: "Rang",
};
/** Any other part is shown with the files. */
const PARTS: Readonly<Record<string, readonly [PrepareStep, string]>> = {
  title: ["documents", "Titre"],
  deadline_at: ["documents", "Échéance"],
  reminders: ["documents", "Rappel automatique"],
  recipients: ["recipients", "Destinataires"],
  message: ["recipients", "Message"],
  flow: ["recipients", "Signature dans l’ordre"],
  fields: ["fields", "Champs"],
};

/** The refusals of the last save; the next change clears them. */
export function refusalsOf(status: SaveStatus): Refusals {
  const error =
    status.kind === "failed" ? status.error : status.kind === "saving" ? status.failure : null;
  return error instanceof ApiError ? error.fieldErrors : NONE;
}

export function refusalOf(refused: Refusals, part: string): string | undefined {
  return Object.entries(refused).find(([place]) => place.split(".")[0] === part)?.[1][0];
}

/** Refusals by the row's index; the same object while there are none. */
export function rowRefusals(
  refused: Refusals,
  row: DraftRecipient,
  rows: readonly DraftRecipient[],
): RowRefusals {
  if (refused === NONE) return NOTHING;
  const place = sentRecipients(rows).indexOf(row);
  const found = ROW_PLACES.flatMap(([name, part]) => {
    const sentence = refused[`recipients.${place}.${name}`]?.[0];
    return sentence === undefined ? [] : [[part, sentence] as const];
  });
  return found.length === 0 ? NOTHING : Object.fromEntries(found);
}

export function refusedFindings(refused: Refusals, draft: Draft): readonly SendFinding[] {
  return Object.entries(refused).map(([place, [sentence = ""]]) => {
    const [part = "", index, name = ""] = place.split(".");
    const [step, words] = PARTS[part] ?? (["documents", "Enveloppe"] as const);
    const row = part === "recipients" ? sentRecipients(draft.recipients)[Number(index)] : undefined;
    const field = part === "fields" ? draft.fields[Number(index)] : undefined;
    const kind = "blocking" as const;
    if (row)
      return {
        kind,
        step,
        text: said(
          `${ROW_WORDS[name] ?? "Destinataire"} ${ofName(row.fullName || row.email)}`,
          sentence,
        ),
        recipient: row.key,
      };
    if (field)
      return {
        kind,
        step,
        text: said(
          `Champ ${FIELD_KINDS[field.type].short} ${ofName(recipientName(draft, field.recipientKey))}`,
          sentence,
        ),
        field,
      };
    return { kind, step, text: said(words, sentence) };
  });
}

function said(place: string, sentence: string): string {
  return `${place}\u00a0: ${sentence.charAt(0).toLocaleLowerCase("fr")}${sentence.slice(1)}`;
}
