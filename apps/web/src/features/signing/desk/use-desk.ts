import {
  type GuestEnvelope,
  type SignPage,
  type SignRequest,
  LEFT_BLANK,
  takesMark,
  fillsItself,
} from "@paraphe/contracts";
import { serviceRules } from "../../../lib/api/service-rules.ts";
import { parisDay } from "@paraphe/kernel/paris-days";
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
  initialsLeft,
  offeredFields,
  ownFields,
  prefilledValues,
  purposeOf,
  workOf,
} from "./field-walk.ts";
import { forgetAnswers, readSavedAnswers, saveAnswers } from "./saved-answers.ts";
import { type SignOutcome, isUnanswered, readSignFailure } from "../sign-outcome.ts";
import type { SignAttempt, SigningCalls } from "../signing-calls.ts";

export type OpenedRequest = (GuestEnvelope | SignPage) & {
  readonly documents: SignPage["documents"];
  readonly fields: readonly SigningField[];
};
type DeskPhase =
  | { readonly kind: "reading" | "signing" | "sealing" }
  | {
      readonly kind: "failed";
      readonly message: string;
      /** The mark that was refused; null: none was. */
      readonly needsMark: MarkPurpose | null;
    };
type DeskOptions = {
  readonly request: OpenedRequest;
  readonly calls: SigningCalls;
  readonly memory: DeskMemory;
  readonly onSigned: () => void;
  readonly onOutcome: (outcome: SignOutcome) => void;
};

export function useDesk({ request, calls, memory, onSigned, onOutcome }: DeskOptions) {
  const own = useMemo(() => ownFields(request), [request]);
  const kept = useAnswers(own, { request, memory });
  const { values, setValues, marks, marked, consent, setConsent } = kept;
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [passed, setPassed] = useState<ReadonlySet<string>>(new Set());
  const [by, setBy] = useState<SignAttempt["by"]>("person");
  const answers: Answers = { values, marked };
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
    isMailed: request.mail !== false && serviceRules().mail,
    delegation: "delegation" in request ? request.delegation : undefined,
    values,
    markOf: (field: Pick<SigningField, "type">) => marks[purposeOf(field)],
    marked,
    consent,
    errors,
    phase,
    isBusy: phase.kind === "signing" || phase.kind === "sealing",
    answers,
    ...workOf(own, answers),
    offered: offeredFields(own, answers, passed),
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
    /** Null where there is no choice of key. */
    by: "hsm" in request && request.hsm ? by : null,
    setBy,
    settle,
    sign: () => {
      setErrors({});
      const body = signBody(own, answers, marksToSend(request, marks));
      return sign({ ...body, recipient_id: request.recipient.id }, by);
    },
  };
}

type Marks = { readonly answers: Answers } & Pick<
  ReturnType<typeof useAnswers>,
  "marks" | "setMarks" | "marked" | "setMarked" | "consent"
>;

function useMarking(
  own: readonly SigningField[],
  { answers, marks, setMarks, marked, setMarked, consent }: Marks,
) {
  const [last, setLast] = useState<readonly SigningField[]>([]);
  const { values } = answers;
  useEffect(() => setLast([]), [values, consent]);
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
    /** Null once undone or followed by another gesture. */
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

/** From memory when a code is asked again, else from this tab's storage after a reload. */
function useAnswers(
  own: readonly SigningField[],
  { request, memory }: Pick<DeskOptions, "request" | "memory">,
) {
  const { id } = request;
  const recipientId = request.recipient.id;
  const [saved] = useState(() => readSavedAnswers(request));
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() => {
    const known = prefilledValues(own, {
      signerName: request.recipient.full_name,
      today: parisDay(new Date()),
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

/** Fields marked before a reload, where the mark itself was stored. */
function savedMarks(
  own: readonly SigningField[],
  { marks, marked }: ReturnType<typeof readSavedAnswers>,
) {
  const kept = own.filter((field) => marked.includes(field.id) && marks[purposeOf(field)] !== null);
  return { marks, marked: new Set(kept.map(({ id }) => id)) };
}

/** A retry sends the same body and key: no signature is lost or doubled. */
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
      // A refusal ends the attempt; silence repeats it.
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
  // The service would otherwise draw the optional initials left out.
  const blank = own.filter(
    (field) => field.type === "initials" && !field.required && !marked.has(field.id),
  );
  const fields = [
    ...typed.map((field) => ({ id: field.id, value: values[field.id]?.trim() || null })),
    ...blank.map((field) => ({ id: field.id, value: LEFT_BLANK })),
  ];
  return { fields, ...marks, consent: true };
}

export function signerNameOf(request: OpenedRequest): string {
  return (
    ("delegation" in request && request.delegation?.delegate_name) || request.recipient.full_name
  );
}

type MarksToSend = Pick<SignRequest, "signature" | "initials">;

/** Initials alone sign; without any mark, the signer's name is the signature. */
function marksToSend(request: OpenedRequest, { signature, initials }: ChosenMarks): MarksToSend {
  if (signature !== null && initials !== null)
    return { signature: signature.mark, initials: initials.mark };
  const only = signature ?? initials;
  return {
    signature: only?.mark ?? { kind: "typed", text: signerNameOf(request), font: "caveat" },
  };
}

/** « absent » may change, because the service may still be at work. */
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

/** A cut network only prolongs the wait, because the signature is recorded. */
async function untilSealed(calls: SigningCalls, recipientId: string): Promise<void> {
  let waitMs = FIRST_WAIT_MS;
  for (;;) {
    const state = await calls.load(undefined, recipientId).catch(() => null);
    if (state?.recipient.signed) return;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    waitMs = Math.min(waitMs * 1.6, LONGEST_WAIT_MS);
  }
}

/** What outlives the desk: a code asked again loses no answer. */
export type DeskMemory = {
  marks: ChosenMarks;
  marked: ReadonlySet<string>;
  consent: boolean;
  attempt: { body: string; key: string } | null;
};

export function createDeskMemory(): DeskMemory {
  return { marks: NO_MARKS, marked: new Set(), consent: false, attempt: null };
}
