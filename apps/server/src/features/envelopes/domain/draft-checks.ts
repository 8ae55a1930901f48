import {
  failure,
  type FieldType,
  MAX_DEADLINE_YEARS,
  MAX_DOCUMENTS,
  MAX_ENVELOPE_SIZE_BYTES,
  problem,
  type Problem,
  problemSentence,
  type Result,
  type Role,
  success,
  type TeamRef,
} from "@paraphe/contracts";
import { type Flow, mustSign } from "./envelope.ts";
import type { Actor } from "./viewer.ts";

/** Two people may share an address, not its name too; one person may give a visa and sign. */
export function personKey({
  emailKey,
  fullName,
  role,
}: {
  readonly emailKey: string;
  readonly fullName: string;
  readonly role?: Role;
}): string {
  const visa = role === "visa" ? "\nvisa" : "";
  return `${emailKey}\n${fullName.normalize("NFKC").toLowerCase()}${visa}`;
}

/** Ranks from 1; without any, the position in a sequential list. A missing one is 1. */
export function ranksOf(
  flow: Flow,
  recipients: readonly { readonly order?: number | undefined }[],
): readonly number[] {
  const followsList = flow === "sequential" && recipients.every(({ order }) => order === undefined);
  return recipients.map(({ order }, index) => (followsList ? index + 1 : (order ?? 1)));
}

type Errors = Record<string, string[]>;

type DraftRecipient = {
  readonly emailKey: string;
  readonly fullName: string;
  readonly role: Role;
  readonly phoneNumber: string | null;
};
type DraftField = {
  readonly documentIndex: number;
  readonly recipientIndex: number;
  readonly page: number;
  readonly type: FieldType;
  readonly label: string | null;
  readonly value: string | null;
};
export type DraftToCheck = {
  readonly deadlineAt: Date | null;
  readonly pageCounts: readonly number[];
  readonly recipients: readonly DraftRecipient[];
  readonly fields: readonly DraftField[];
  /** How the request names a field's document and recipient. */
  readonly namedBy?: "index" | "id";
  readonly now: Date;
  readonly firstMissing: (text: string) => string | null;
  readonly isServed: (number: string) => boolean;
};

/** A family or an office may share a mailbox, which gets all messages. */
const MAX_OF_ONE_ADDRESS = 20;
export const OTHER_COUNTRY =
  "Ce service n’envoie pas de SMS vers ce pays. Indiquez un autre numéro, ou aucun";

/**
 * Errors: `validation`, every fault under its field.
 * Source: contract §4, 'Bounds'.
 */
export function checkDraft(draft: DraftToCheck): Result<null> {
  const errors: Errors = {
    ...deadlineErrors(draft),
    ...recipientErrors(draft),
    ...fieldErrors(draft),
  };
  if (draft.pageCounts.length === 0) errors["files"] = ["Au moins un fichier"];
  return Object.keys(errors).length === 0
    ? success(null)
    : failure(problem("validation", { errors }));
}

export function deadlineErrors({
  deadlineAt,
  now,
}: Pick<DraftToCheck, "deadlineAt" | "now">): Errors {
  if (deadlineAt === null) return {};
  if (deadlineAt <= now) return { deadline_at: ["L'échéance doit être dans le futur"] };
  const latest = new Date(now);
  latest.setUTCFullYear(latest.getUTCFullYear() + MAX_DEADLINE_YEARS);
  return deadlineAt > latest ? { deadline_at: ["L’échéance doit être dans les deux ans"] } : {};
}

function recipientErrors({
  recipients,
  firstMissing,
  isServed,
}: Pick<DraftToCheck, "recipients" | "firstMissing" | "isServed">): Errors {
  const seen = new Set<string>();
  const ofAddress = new Map<string, number>();
  const errors: Errors = {};
  for (const [index, recipient] of recipients.entries()) {
    const key = personKey(recipient);
    if (seen.has(key))
      errors[`recipients.${index}.email`] = ["Cette personne figure déjà parmi les destinataires"];
    seen.add(key);
    const count = (ofAddress.get(recipient.emailKey) ?? 0) + 1;
    ofAddress.set(recipient.emailKey, count);
    if (count > MAX_OF_ONE_ADDRESS)
      errors[`recipients.${index}.email`] = [
        `Cette adresse figure déjà ${MAX_OF_ONE_ADDRESS} fois, le maximum. Indiquez-en une autre`,
      ];
    if (recipient.phoneNumber !== null && !isServed(recipient.phoneNumber))
      errors[`recipients.${index}.phone_number`] = [OTHER_COUNTRY];
    const character = mustSign(recipient) ? firstMissing(recipient.fullName) : null;
    if (character !== null) errors[`recipients.${index}.full_name`] = [unprintable(character)];
  }
  return errors;
}

export function unprintable(character: string): string {
  return problemSentence(problem("unsupported_character", { params: { character } }));
}

function fieldErrors({
  fields,
  recipients,
  pageCounts,
  firstMissing,
  namedBy = "id",
}: DraftToCheck): Errors {
  const errors: Errors = {};
  for (const [index, field] of fields.entries()) {
    const pageCount = pageCounts[field.documentIndex];
    const recipient = recipients[field.recipientIndex];
    if (pageCount === undefined)
      errors[`fields.${index}.document_${namedBy}`] = ["Ce document n’est pas dans l’enveloppe"];
    else if (field.page > pageCount)
      errors[`fields.${index}.page`] = [
        `Ce document n’a que ${pageCount} ${pageCount > 1 ? "pages" : "page"}`,
      ];
    if (recipient === undefined)
      errors[`fields.${index}.recipient_${namedBy}`] = [
        "Ce destinataire n’est pas dans l’enveloppe",
      ];
    else if (!mustSign(recipient))
      errors[`fields.${index}.recipient_${namedBy}`] = [
        `Une personne ${recipient.role === "visa" ? "qui vise" : "en copie"} ne remplit aucun champ`,
      ];
    for (const printed of ["label", "value"] as const) {
      const character = firstMissing(field[printed] ?? "");
      if (character !== null) errors[`fields.${index}.${printed}`] = [unprintable(character)];
    }
  }
  return errors;
}

type FoundField = {
  readonly role: string | null;
  readonly type: FieldType;
  readonly pageNumber: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly required: boolean;
  readonly label: string;
  readonly value: string | null;
};
type FormToPlace<R> = {
  readonly found: readonly FoundField[];
  /** Who fills in what each role names. */
  readonly chosen: readonly { readonly role: string | null; readonly recipient: R }[];
  readonly signers: readonly R[];
  readonly firstMissing: (text: string) => string | null;
  readonly path: string;
};

/**
 * The fields of a form, for those chosen, else the signer of the role's number, else, without a
 * role, the first.
 * Errors: `validation` for a role that nobody fills in, or who signs nothing.
 */
export function placeForm<R>({ found, chosen, signers, firstMissing, path }: FormToPlace<R>) {
  const stranger = chosen.findIndex(({ recipient }) => !signers.includes(recipient));
  if (stranger !== -1) {
    const member = typeof chosen[stranger]?.recipient === "number" ? "index" : "id";
    const reason = "Ce destinataire n’est pas dans l’enveloppe, ou ne signe pas";
    return failure<Problem>(
      problem("validation", { errors: { [`${path}.${stranger}.recipient_${member}`]: [reason] } }),
    );
  }
  const people = new Map(chosen.map(({ role, recipient }) => [roleKey(role), recipient]));
  const holderOf = (role: string | null): R | undefined => {
    const number = role === null ? 1 : Number(/^(?:\D{0,20}\s)?(\d{1,3})$/.exec(role)?.[1]);
    return people.get(roleKey(role)) ?? signers[number - 1];
  };
  const missing = found.find(({ role }) => holderOf(role) === undefined);
  if (missing)
    return failure<Problem>(
      problem("validation", { errors: { [path]: [unfilled(missing.role)] } }),
    );
  return success(
    found.map(({ role, type, pageNumber, x, y, width, height, required, label, value }) => ({
      recipient: holderOf(role) as R,
      type,
      page: pageNumber,
      x,
      y,
      width,
      height,
      required,
      label: printable(label, firstMissing) || null,
      value: value === null ? null : printable(value, firstMissing),
    })),
  );
}

const roleKey = (role: string | null): string => role?.normalize("NFKC").toLowerCase() ?? "";

const unfilled = (role: string | null): string =>
  role === null
    ? "Ajoutez d’abord un signataire"
    : `Le rôle «\u00a0${role}\u00a0» n’a pas de destinataire`;

function printable(text: string, firstMissing: (text: string) => string | null): string {
  let plain = text;
  for (let missing = firstMissing(plain); missing; missing = firstMissing(plain))
    plain = plain.replaceAll(missing, "");
  return plain.trim();
}

/** Errors: `envelope_too_large`. */
export function checkSize(sizesBytes: readonly number[]): Result<null, Problem> {
  const total = sizesBytes.reduce((sum, size) => sum + size, 0);
  return sizesBytes.length > MAX_DOCUMENTS || total > MAX_ENVELOPE_SIZE_BYTES
    ? failure(problem("envelope_too_large"))
    : success(null);
}

const noTeamNamed = (teams: Actor["user"]["teams"]) =>
  `Cette clé est celle de l’organisation\u00a0: indiquez dans «\u00a0team\u00a0» l’équipe qui aura ce que vous créez (${teams.map(({ id, name }) => `${name}\u00a0: ${id}`).join(", ") || "il n’y en a aucune"}).`;

/** Gives the team of what this person makes. Errors: `validation` on `team`. */
export function chooseTeam(
  user: Pick<Actor["user"], "teams" | "holder">,
  asked: string | null,
): Result<TeamRef | null, Problem> {
  const id = asked ?? (user.holder?.kind === "team" ? user.holder.id : null);
  if (id === null)
    return user.holder === undefined
      ? success(null)
      : failure(problem("validation", { errors: { team: [noTeamNamed(user.teams)] } }));
  const team = user.teams.find((one) => one.id === id);
  return team === undefined
    ? failure(problem("validation", { errors: { team: ["Choisissez une de vos équipes."] } }))
    : success({ id: team.id, name: team.name });
}

/** Errors: `validation` on `team` for a list of a team that the person is not in. */
export function checkListedTeam(
  user: Pick<Actor["user"], "teams" | "holder">,
  team: string | undefined,
): Result<null, Problem> {
  if (team === undefined || team === "mine") return success(null);
  const chosen = chooseTeam(user, team);
  return chosen.ok ? success(null) : chosen;
}
