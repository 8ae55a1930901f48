import {
  type FieldType,
  GUEST_TOKEN_AFTER_COMPLETION_DAYS,
  type Problem,
  type ProblemCode,
  type Result,
  type Role,
  STATUS_LABELS,
  LEFT_BLANK,
  type SignsBefore,
  type StoredStatus,
  compareMention,
  failure,
  isTickBox,
  isToCopy,
  mentionInWords,
  parseFieldValue,
  problem,
  problemSentence,
  success,
  takesMark,
  whenInWords,
} from "@paraphe/contracts";

export type SigningSituation = {
  readonly status: StoredStatus;
  readonly deadlineAt: Date | null;
  readonly role: Role;
  readonly recipientStatus: "waiting" | "notified" | "viewed" | "approved" | "signed" | "declined";
  readonly awaited: boolean;
  readonly before: SignsBefore;
  /** The recipient's recorded act: none, by this request, or by another. */
  readonly act: "none" | "same" | "other";
  readonly now: Date;
};

/**
 * A repeated request joins its act.
 * Errors: `viewer_cannot_sign`, `other_act_asked`, `already_signed`, `invalid_state`,
 * `deadline_passed`, `not_your_turn`.
 */
export function checkSigning(situation: SigningSituation): Result<null> {
  if (situation.role === "viewer") return failure(problem("viewer_cannot_sign"));
  if (situation.role === "visa")
    return failure(problem("other_act_asked", { params: { act: "un visa, non une signature" } }));
  if (situation.recipientStatus === "signed") return failure(problem("already_signed"));
  if (situation.status !== "sent" && situation.status !== "pending")
    return failure(
      problem("invalid_state", { params: { state: STATUS_LABELS[situation.status] } }),
    );
  if (situation.act === "other") return failure(problem("already_signed"));
  if (situation.act === "same") return success(null);
  if (situation.deadlineAt !== null && situation.deadlineAt <= situation.now)
    return failure(problem("deadline_passed"));
  if (!situation.awaited)
    return failure(problem("not_your_turn", { params: { when: whenInWords(situation.before) } }));
  return success(null);
}

export type GuestAccess = {
  readonly status: StoredStatus;
  readonly completedAt: Date | null;
  readonly deadlineAt: Date | null;
  readonly now: Date;
  readonly hasDeclined: boolean;
};

const CLOSED: Readonly<Partial<Record<StoredStatus, ProblemCode>>> = {
  cancelled: "envelope_cancelled",
  expired: "envelope_expired",
  declined: "envelope_declined",
};

/**
 * Errors: 410 when closed: `envelope_cancelled`, `envelope_expired` (`deadline_at`),
 * `envelope_declined` (`declined_by_you`); `not_found` for a draft, and 90 days after completion.
 */
export function checkGuestAccess(access: GuestAccess): Result<null> {
  if (access.status === "draft") return refused("not_found");
  const closed = CLOSED[access.status];
  if (closed === "envelope_expired") return expired(access.deadlineAt);
  if (closed === "envelope_declined")
    return failure(problem(closed, { extensions: { declined_by_you: access.hasDeclined } }));
  if (closed !== undefined) return refused(closed);
  if (access.status === "completed")
    return access.completedAt !== null && isOver(access.completedAt, access.now)
      ? refused("not_found")
      : success(null);
  // Binds before the job closes the envelope.
  if (access.deadlineAt !== null && access.deadlineAt <= access.now)
    return expired(access.deadlineAt);
  return success(null);
}

function isOver(completedAt: Date, now: Date): boolean {
  return now.getTime() - completedAt.getTime() > GUEST_TOKEN_AFTER_COMPLETION_DAYS * 86_400_000;
}

function expired(deadlineAt: Date | null): { readonly ok: false; readonly error: Problem } {
  return failure(
    problem(
      "envelope_expired",
      deadlineAt === null ? {} : { extensions: { deadline_at: deadlineAt.toISOString() } },
    ),
  );
}

function refused(code: ProblemCode): { readonly ok: false; readonly error: Problem } {
  return failure(problem(code));
}

export type OwnField = {
  readonly id: string;
  readonly type: FieldType;
  readonly required: boolean;
  readonly value: string | null;
};
type SubmittedValue = { readonly id: string; readonly value: string | null };
type PrintedValue = { readonly id: string; readonly value: string | null };

type FieldsToFill = {
  readonly own: readonly OwnField[];
  readonly submitted: readonly SubmittedValue[];
  readonly signerName: string;
  readonly today: string;
  /** Gives the first character without a glyph, or null. */
  readonly firstMissing: (text: string) => string | null;
};

/**
 * Gives all of a signer's fields; blanks are null, so that each is redrawn. The client does not
 * decide date (`dd/mm/yyyy`) and name (the sender's, else the signer's). A checkbox is `Oui` or
 * `Non`. Signatures and initials take the mark; optional initials left blank are `Non`. A mention
 * equals the sender's sentence.
 * Errors: `validation`, `field_required`, `mention_differs`, `unsupported_character`.
 */
export function checkFieldValues({
  own,
  submitted,
  ...filling
}: FieldsToFill): Result<readonly PrintedValue[]> {
  const known = new Set(own.map((field) => field.id));
  const given = new Map(submitted.map((entry) => [entry.id, entry.value]));
  if (given.size !== submitted.length)
    return failure(invalid({ fields: ["Un champ est rempli deux fois."] }));
  if (submitted.some((entry) => !known.has(entry.id)))
    return failure(invalid({ fields: ["Ce champ ne vous appartient pas."] }));

  const wrong: Record<string, string[]> = {};
  const missing: Record<string, string[]> = {};
  const differing: Record<string, string[]> = {};
  const unprintable: UnprintableValue[] = [];
  const printed: PrintedValue[] = [];
  for (const field of own) {
    const parsed = parseFieldValue(
      field.type,
      given.has(field.id) ? (given.get(field.id) ?? null) : preparedAnswer(field),
      { ...filling, prepared: field.value },
    );
    const character = "wrong" in parsed ? null : filling.firstMissing(parsed.value ?? "");
    const difference = "wrong" in parsed ? null : mentionDifference(field, parsed.value);
    if ("wrong" in parsed) wrong[`fields.${field.id}`] = [parsed.wrong];
    else if (field.required && isBlank(field, parsed.value))
      missing[`fields.${field.id}`] = ["Champ obligatoire"];
    else if (difference !== null) differing[`fields.${field.id}`] = [difference];
    else if (character !== null) unprintable.push({ id: field.id, character });
    else if (!takesMark(field) || parsed.value === LEFT_BLANK)
      printed.push({ id: field.id, value: parsed.value });
  }
  if (Object.keys(wrong).length > 0) return failure(invalid(wrong));
  if (Object.keys(missing).length > 0)
    return failure(problem("field_required", { errors: missing }));
  if (Object.keys(differing).length > 0)
    return failure(problem("mention_differs", { errors: differing }));
  return unprintable[0] === undefined
    ? success(printed)
    : failure(unsupported(unprintable[0].character, unprintable));
}

/** A mention is copied by the signer, not prepared. */
function preparedAnswer(field: OwnField): string | null {
  return isToCopy(field) ? null : field.value;
}

function mentionDifference(field: OwnField, value: string | null): string | null {
  if (!isToCopy(field) || value === null) return null;
  const comparison = compareMention(field.value ?? "", value);
  return comparison.kind === "same" ? null : mentionInWords(comparison);
}

type UnprintableValue = { readonly id: string; readonly character: string };

/** Names the first character: one error per field. */
function unsupported(character: string, values: readonly UnprintableValue[]): Problem {
  const sentenceOf = (value: UnprintableValue) =>
    problemSentence(problem("unsupported_character", { params: value }));
  return problem("unsupported_character", {
    params: { character },
    errors: Object.fromEntries(values.map((value) => [`fields.${value.id}`, [sentenceOf(value)]])),
  });
}

function isBlank(field: OwnField, value: string | null): boolean {
  if (takesMark(field)) return value === LEFT_BLANK;
  return value === null || (isTickBox(field) && value === LEFT_BLANK);
}

function invalid(errors: Readonly<Record<string, readonly string[]>>): Problem {
  return problem("validation", { errors });
}

/** Fractions of the displayed page, origin top left. */
type OwnPlace = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};
export type OwnPlacement = OwnPlace & { readonly page: number | "all" };

/** Errors: `validation` for a missing page. */
export function ownPlaces(
  { page, ...place }: OwnPlacement,
  pageCount: number,
): Result<readonly (OwnPlace & { readonly page: number })[]> {
  if (page === "all")
    return success(
      Array.from({ length: pageCount }, (_, index) => ({ ...place, page: index + 1 })),
    );
  const number = page === -1 ? pageCount : page;
  if (number >= 1 && number <= pageCount) return success([{ ...place, page: number }]);
  const message = `Ce document n’a que ${pageCount} ${pageCount > 1 ? "pages" : "page"}`;
  return failure(problem("validation", { errors: { placement: [message] } }));
}
