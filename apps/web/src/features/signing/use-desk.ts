import type { GuestEnvelope, SignPage, SignRequest } from "@paraphe/contracts";
import { useEffect, useMemo, useState } from "react";
import type { ChosenMark } from "./chosen-mark.ts";
import type { DeskMemory } from "./desk-memory.ts";
import {
  type Answers,
  fillsItself,
  initialsLeft,
  nextField,
  ownFields,
  prefilledValues,
  remainingFields,
  type SigningField,
  takesMark,
} from "./field-walk.ts";
import { forgetAnswers, readSavedAnswers, saveAnswers } from "./saved-answers.ts";
import { isUnanswered, readSignFailure, type SignOutcome } from "./sign-outcome.ts";
import type { SigningCalls } from "./signing-calls.ts";

/** A request opened for signing: its documents and fields are there. */
export type OpenedRequest = (GuestEnvelope | SignPage) & {
  readonly documents: SignPage["documents"];
  readonly fields: readonly SigningField[];
};
export type DeskPhase =
  | { readonly kind: "reading" | "signing" | "sealing" }
  | {
      readonly kind: "failed";
      readonly message: string;
      /** The mark was refused: it is another one that may pass. */
      readonly needsMark: boolean;
    };
type DeskOptions = {
  readonly request: OpenedRequest;
  readonly calls: SigningCalls;
  readonly memory: DeskMemory;
  readonly onSigned: () => void;
  readonly onOutcome: (outcome: SignOutcome) => void;
};

const today = new Intl.DateTimeFormat("fr-FR", { day: "2-digit", month: "2-digit", year: "numeric", timeZone: "Europe/Paris" });

/** The signer's answers and the act of signing. */
export function useDesk({ request, calls, memory, onSigned, onOutcome }: DeskOptions) {
  const own = useMemo(
    () =>
      ownFields(
        request.fields,
        request.documents.map((document) => document.id),
      ),
    [request],
  );
  const kept = useAnswers(own, { request, memory });
  const { values, setValues, mark, marked, consent, setConsent } = kept;
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const answers: Answers = { values, hasMark: mark !== null, marked };
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
    values,
    mark,
    marked,
    consent,
    errors,
    phase,
    answers,
    remaining,
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
    settle,
    next: (currentId: string | null) => nextField(own, answers, currentId),
    sign: () => {
      setErrors({});
      return sign({ ...signBody(own, answers, mark?.mark ?? nameAsMark(request)), recipient_id: request.recipient.id });
    },
  };
}

type Marks = { readonly answers: Answers } & Pick<ReturnType<typeof useAnswers>, "mark" | "setMark" | "marked" | "setMarked">;

/** Putting the mark in one place or in many, and taking the last gesture back. */
function useMarking(own: readonly SigningField[], { answers, mark, setMark, marked, setMarked }: Marks) {
  const [last, setLast] = useState<readonly SigningField[]>([]);
  const useMark = (chosen: ChosenMark, fields: readonly SigningField[]) => {
    setMark(chosen);
    setMarked((before) => new Set([...before, ...fields.map(({ id }) => id)]));
    setLast(fields.filter(({ id }) => !marked.has(id)));
  };
  return {
    useMark,
    /** What the last gesture marked in several places at once, until it is taken back or another follows; null for none. */
    applied: last.length > 1 ? { count: last.length, isInitials: last.every((field) => field.type === "initials") } : null,
    applyInitials: () => mark && useMark(mark, initialsLeft(own, answers)),
    undoApplied: () => {
      const undone = new Set(last.map(({ id }) => id));
      setMarked((before) => new Set([...before].filter((id) => !undone.has(id))));
      setLast([]);
    },
  };
}

/** The answers, as they were left: on the same screen (a code asked again), or in the same tab (a reload). */
function useAnswers(own: readonly SigningField[], { request, memory }: Pick<DeskOptions, "request" | "memory">) {
  const { id } = request;
  const recipientId = request.recipient.id;
  const [saved] = useState(() => readSavedAnswers(request));
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() => {
    const known = prefilledValues(own, { fullName: request.recipient.full_name, today: today.format(new Date()) });
    const typed = own.filter((field) => !fillsItself(field)).map((field) => [field.id, saved.values[field.id] ?? known[field.id] ?? ""]);
    return { ...known, ...Object.fromEntries(typed) };
  });
  const [mark, setMark] = useState(memory.mark ?? saved.mark);
  const [marked, setMarked] = useState(memory.mark ? memory.marked : new Set(saved.marked));
  const [consent, setConsent] = useState(memory.consent);
  useEffect(() => {
    Object.assign(memory, { mark, marked, consent });
  }, [memory, mark, marked, consent]);
  useEffect(
    () => saveAnswers({ id, recipient: { id: recipientId } }, { values, mark, marked: [...marked] }),
    [id, recipientId, values, mark, marked],
  );
  return { values, setValues, mark, setMark, marked, setMarked, consent, setConsent };
}

/** The act itself: the same request goes again under the same key, so that a cut network neither loses nor doubles a signature. */
function useAct({ request, calls, memory, onSigned, onOutcome }: DeskOptions) {
  const [phase, setPhase] = useState<DeskPhase>({ kind: "reading" });
  const sign = async (body: SignRequest) => {
    if (phase.kind === "signing" || phase.kind === "sealing") return;
    const text = JSON.stringify(body);
    if (memory.attempt?.body !== text) memory.attempt = { body: text, key: crypto.randomUUID() };
    setPhase({ kind: "signing" });
    try {
      await calls.sign(body, memory.attempt.key);
      await finish();
    } catch (error) {
      const found = isUnanswered(error) ? await lookForSignature(calls, request.recipient.id) : "unknown";
      if (found === "there") return finish();
      const outcome = readSignFailure(error, { isAbsent: found === "absent" });
      // A refusal is an answer: the next try is another request. Only silence is tried again as it was.
      if (!isUnanswered(error)) memory.attempt = null;
      const isHere = outcome.kind === "retry" || outcome.kind === "fields" || outcome.kind === "mark";
      setPhase(isHere ? { kind: "failed", message: outcome.message, needsMark: outcome.kind === "mark" } : { kind: "reading" });
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

function signBody(own: readonly SigningField[], { values, marked }: Answers, mark: SignRequest["signature"]): SignRequest {
  const typed = own.filter((field) => !takesMark(field) && !fillsItself(field));
  // Initials that nobody must put and that the signer did not are said to be left blank: they would be drawn otherwise.
  const blank = own.filter((field) => field.type === "initials" && !field.required && !marked.has(field.id));
  const fields = [
    ...typed.map((field) => ({ id: field.id, value: values[field.id]?.trim() || null })),
    ...blank.map((field) => ({ id: field.id, value: "Non" })),
  ];
  return { fields, signature: mark, consent: true };
}

/** Who marked nothing, having nothing that must be, still signs: the name stands for the mark. */
function nameAsMark(request: OpenedRequest): SignRequest["signature"] {
  return { kind: "typed", text: request.recipient.full_name, font: "caveat" };
}

/** Says whether a signature whose answer was lost is recorded. Read while the service may still be at work: « absent » is of that moment. */
async function lookForSignature(calls: SigningCalls, recipientId: string): Promise<"there" | "absent" | "unknown"> {
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
