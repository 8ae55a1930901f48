import type { GuestEnvelope, SignPage, SignRequest } from "@paraphe/contracts";
import { useEffect, useMemo, useState } from "react";
import {
  type ChosenMark,
  type ChosenMarks,
  type MarkPurpose,
  NO_MARKS,
} from "../marks/chosen-mark.ts";
import {
  type Answers,
  type SigningField,
  fillsItself,
  initialsLeft,
  offeredFields,
  ownFields,
  prefilledValues,
  purposeOf,
  remainingFields,
  takesMark,
} from "./field-walk.ts";
import { forgetAnswers, readSavedAnswers, saveAnswers } from "./saved-answers.ts";
import { type SignOutcome, isUnanswered, readSignFailure } from "../sign-outcome.ts";
import type { SignAttempt, SigningCalls } from "../signing-calls.ts";

/** A request opened for signing: its documents and fields are there. */
export type OpenedRequest = (GuestEnvelope | SignPage) & {
  readonly documents: SignPage["documents"];
  readonly fields: readonly SigningField[];
};
type DeskPhase =
  | { readonly kind: "reading" | "signing" | "sealing" }
  | {
      readonly kind: "failed";
      readonly message: string;
      /** Which mark was refused: it is another one that may pass; null: neither was. */
      readonly needsMark: MarkPurpose | null;
    };
type DeskOptions = {
  readonly request: OpenedRequest;
  readonly calls: SigningCalls;
  readonly memory: DeskMemory;
  readonly onSigned: () => void;
  readonly onOutcome: (outcome: SignOutcome) => void;
};

const today = new Intl.DateTimeFormat("fr-FR", {
  day: "2-digit",
  month: "2-digit",
  year: "numeric",
  timeZone: "Europe/Paris",
});

/** The signer's answers and the act of signing. */
export function useDesk({ request, calls, memory, onSigned, onOutcome }: DeskOptions) {
  const own = useMemo(() => ownFields(request), [request]);
  const kept = useAnswers(own, { request, memory });
  const { values, setValues, marks, marked, consent, setConsent } = kept;
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [passed, setPassed] = useState<ReadonlySet<string>>(new Set());
  const [by, setBy] = useState<SignAttempt["by"]>("person");
  const answers: Answers = { values, marked };
  const remaining = remainingFields(own, answers);
  const marking = useMarking(own, { answers, ...kept });
  const { phase, sign, settle } = useAct({
    request,
    calls,
    memory,
    onSigned,
    onOutcome: (outcome) => {
      if (outcome.kind === "fields") setErrors(outcome.errors);
      onOutcome(outcome);
    },
  });
  return {
    own,
    documentCount: request.documents.length,
    values,
    /** The mark that a field takes, once it is made. */
    markOf: (field: Pick<SigningField, "type">) => marks[purposeOf(field)],
    marked,
    consent,
    errors,
    phase,
    answers,
    remaining,
    offered: offeredFields(own, answers, passed),
    /** Leaves a field that need not be filled as it is: it is not offered again. */
    pass: (id: string) => setPassed((before) => new Set([...before, id])),
    setConsent,
    setValue: (id: string, value: string) => {
      setValues((before) => ({ ...before, [id]: value }));
      const { [id]: fixed, ...others } = errors;
      setErrors(others);
      if (fixed !== undefined && Object.keys(others).length === 0) settle();
    },
    ...marking,
    useMark: (chosen: ChosenMark, fields: readonly SigningField[]) => {
      marking.useMark(chosen, fields);
      if (phase.kind === "failed" && phase.needsMark) settle();
    },
    /** With whose key it will be signed; null where there is no choice. */
    by: "hsm" in request && request.hsm ? by : null,
    setBy,
    settle,
    sign: () => {
      setErrors({});
      return sign(
        {
          ...signBody(own, answers, marksToSend(request, marks)),
          recipient_id: request.recipient.id,
        },
        by,
      );
    },
  };
}

type Marks = { readonly answers: Answers } & Pick<
  ReturnType<typeof useAnswers>,
  "marks" | "setMarks" | "marked" | "setMarked"
>;

/** Putting the mark in one place or in many, and taking the last gesture back. */
function useMarking(
  own: readonly SigningField[],
  { answers, marks, setMarks, marked, setMarked }: Marks,
) {
  const [last, setLast] = useState<readonly SigningField[]>([]);
  const useMark = (chosen: ChosenMark, fields: readonly SigningField[]) => {
    setMarks((before) => ({
      ...before,
      ...Object.fromEntries(fields.map((field) => [purposeOf(field), chosen])),
    }));
    setMarked((before) => new Set([...before, ...fields.map(({ id }) => id)]));
    setLast(fields.filter(({ id }) => !marked.has(id)));
  };
  return {
    useMark,
    /** What the last gesture marked in several places at once, until it is taken back or another follows; null for none. */
    applied:
      last.length > 1
        ? { count: last.length, isInitials: last.every((field) => field.type === "initials") }
        : null,
    applyInitials: () => marks.initials && useMark(marks.initials, initialsLeft(own, answers)),
    undoApplied: () => {
      const undone = new Set(last.map(({ id }) => id));
      setMarked((before) => new Set([...before].filter((id) => !undone.has(id))));
      setLast([]);
    },
  };
}

/** The answers, as they were left: on the same screen (a code asked again), or in the same tab (a reload). */
function useAnswers(
  own: readonly SigningField[],
  { request, memory }: Pick<DeskOptions, "request" | "memory">,
) {
  const { id } = request;
  const recipientId = request.recipient.id;
  const [saved] = useState(() => readSavedAnswers(request));
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() => {
    const known = prefilledValues(own, {
      fullName: request.recipient.full_name,
      today: today.format(new Date()),
    });
    const typed = own
      .filter((field) => !fillsItself(field))
      .map((field) => [field.id, saved.values[field.id] ?? known[field.id] ?? ""]);
    return { ...known, ...Object.fromEntries(typed) };
  });
  const [{ marks: first, marked: firstMarked }] = useState(() =>
    memory.marks === NO_MARKS ? savedMarks(own, saved) : memory,
  );
  const [marks, setMarks] = useState<ChosenMarks>(first);
  const [marked, setMarked] = useState<ReadonlySet<string>>(firstMarked);
  const [consent, setConsent] = useState(memory.consent);
  useEffect(() => {
    Object.assign(memory, { marks, marked, consent });
  }, [memory, marks, marked, consent]);
  useEffect(
    () =>
      saveAnswers({ id, recipient: { id: recipientId } }, { values, marks, marked: [...marked] }),
    [id, recipientId, values, marks, marked],
  );
  return { values, setValues, marks, setMarks, marked, setMarked, consent, setConsent };
}

/** What was marked before a reload, where the mark itself could be kept: one of the account's is chosen again. */
function savedMarks(
  own: readonly SigningField[],
  { marks, marked }: ReturnType<typeof readSavedAnswers>,
) {
  const kept = own.filter((field) => marked.includes(field.id) && marks[purposeOf(field)] !== null);
  return { marks, marked: new Set(kept.map(({ id }) => id)) };
}

/** The act itself: the same request goes again under the same key, so that a cut network neither loses nor doubles a signature. */
function useAct({ request, calls, memory, onSigned, onOutcome }: DeskOptions) {
  const [phase, setPhase] = useState<DeskPhase>({ kind: "reading" });
  const sign = async (body: SignRequest, by: SignAttempt["by"]) => {
    if (phase.kind === "signing" || phase.kind === "sealing") return;
    const text = JSON.stringify([by, body]);
    if (memory.attempt?.body !== text) memory.attempt = { body: text, key: crypto.randomUUID() };
    setPhase({ kind: "signing" });
    try {
      await calls.sign(body, { key: memory.attempt.key, by });
      await finish();
    } catch (error) {
      const found = isUnanswered(error)
        ? await lookForSignature(calls, request.recipient.id)
        : "unknown";
      if (found === "there") return finish();
      const outcome = readSignFailure(error, { isAbsent: found === "absent" });
      // A refusal is an answer: the next try is another request. Only silence is tried again as it was.
      if (!isUnanswered(error)) memory.attempt = null;
      const isHere =
        outcome.kind === "retry" || outcome.kind === "fields" || outcome.kind === "mark";
      setPhase(
        isHere
          ? {
              kind: "failed",
              message: outcome.message,
              needsMark: outcome.kind === "mark" ? outcome.purpose : null,
            }
          : { kind: "reading" },
      );
      onOutcome(outcome);
    }
  };
  const finish = async () => {
    setPhase({ kind: "sealing" });
    await untilSealed(calls, request.recipient.id);
    forgetAnswers(request);
    onSigned();
  };
  return { phase, sign, settle: () => setPhase({ kind: "reading" }) };
}

export type Desk = ReturnType<typeof useDesk>;

function signBody(
  own: readonly SigningField[],
  { values, marked }: Answers,
  marks: MarksToSend,
): SignRequest {
  const typed = own.filter((field) => !takesMark(field) && !fillsItself(field));
  // Initials that nobody must put and that the signer did not are said to be left blank: they would be drawn otherwise.
  const blank = own.filter(
    (field) => field.type === "initials" && !field.required && !marked.has(field.id),
  );
  const fields = [
    ...typed.map((field) => ({ id: field.id, value: values[field.id]?.trim() || null })),
    ...blank.map((field) => ({ id: field.id, value: "Non" })),
  ];
  return { fields, ...marks, consent: true };
}

type MarksToSend = Pick<SignRequest, "signature" | "initials">;

/** Who has initials alone signs with them; who marked nothing, having nothing that must be, still signs: the name stands for the mark. */
function marksToSend(request: OpenedRequest, { signature, initials }: ChosenMarks): MarksToSend {
  if (signature !== null && initials !== null)
    return { signature: signature.mark, initials: initials.mark };
  const only = signature ?? initials;
  return {
    signature: only?.mark ?? { kind: "typed", text: request.recipient.full_name, font: "caveat" },
  };
}

/** Says whether a signature whose answer was lost is recorded. Read while the service may still be at work: « absent » is of that moment. */
async function lookForSignature(
  calls: SigningCalls,
  recipientId: string,
): Promise<"there" | "absent" | "unknown"> {
  const state = await calls.load(undefined, recipientId).catch(() => null);
  if (state === null) return "unknown";
  return state.recipient.signed || state.recipient.status === "sealing" ? "there" : "absent";
}

const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 5_000;

/** Waits until the signature is in the document. It is recorded already: a cut network here only makes the wait longer. */
async function untilSealed(calls: SigningCalls, recipientId: string): Promise<void> {
  let waitMs = FIRST_WAIT_MS;
  for (;;) {
    const state = await calls.load(undefined, recipientId).catch(() => null);
    if (state?.recipient.signed) return;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    waitMs = Math.min(waitMs * 1.6, LONGEST_WAIT_MS);
  }
}

/** What a signer has done that must outlive the screen: a code asked again half-way loses neither the mark nor the answers. */
export type DeskMemory = {
  marks: ChosenMarks;
  marked: ReadonlySet<string>;
  consent: boolean /** The last request tried and its key: the same request goes again under the same key. */;
  attempt: { body: string; key: string } | null;
};

/** Gives an empty memory. */
export function createDeskMemory(): DeskMemory {
  return { marks: NO_MARKS, marked: new Set(), consent: false, attempt: null };
}
