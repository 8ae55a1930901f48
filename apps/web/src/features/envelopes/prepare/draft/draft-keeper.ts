import type { Envelope, UpdateEnvelopeRequest } from "@paraphe/contracts";
import { ApiError } from "../../../../lib/api/api-error.ts";
import { deadlineFault, deadlineInstant } from "../documents/deadline.ts";
import { fitsKeepalive } from "./envelope-calls.ts";
import { unprintedInField } from "../fields/field-warnings.ts";
import { type KeptEdits, type SentParts, UnansweredSaves } from "./kept-edits.ts";
import {
  type Draft,
  type DraftField,
  type DraftPart,
  type DraftState,
  NEW_DRAFT,
  type SaveStatus,
  canSaveRecipients,
  draftOf,
  isCrowded,
  isRight,
  sentRecipients,
  substanceOf,
} from "./draft.ts";

/** Takes the service's new ids, and drops fields whose document or recipient is gone. */
function adoptIds(draft: Draft, saved: { before: Draft; answer: Envelope }): Draft {
  const answered = draftOf(saved.answer, saved.before);
  const recipientIds = new Map(answered.recipients.map((row) => [row.key, row.id]));
  const fieldIds = new Map(answered.fields.map((field) => [field.key, field.id]));
  const recipients = draft.recipients.map((row) => {
    const id = recipientIds.get(row.key);
    if (id !== undefined) return { ...row, id };
    // The service deleted the emptied row: typed again, it is a new recipient.
    const { id: _gone, ...unsaved } = row;
    return unsaved;
  });
  const documents = new Set(saved.answer.documents.map((document) => document.id));
  const keys = new Set(recipients.map((row) => row.key));
  const fields = draft.fields
    .filter((field) => documents.has(field.documentId) && keys.has(field.recipientKey))
    .map((field) => {
      const id = fieldIds.get(field.key);
      if (id !== undefined) return { ...field, id };
      const { id: _gone, ...unsaved } = field;
      return unsaved;
    });
  return { ...draft, recipients, fields };
}

/** Another tab may have removed ids the service no longer knows. */
function onlyKnown(draft: Draft, envelope: Envelope): Draft {
  const recipientIds = new Set(envelope.recipients.map((row) => row.id));
  const fieldIds = new Set(envelope.fields.map((field) => field.id));
  const documents = new Set(envelope.documents.map((document) => document.id));
  const known = <T extends { readonly id?: string }>(row: T, ids: ReadonlySet<string>): T => {
    if (row.id === undefined || ids.has(row.id)) return row;
    const { id: _gone, ...rest } = row;
    return rest as T;
  };
  const people = new Set(draft.recipients.map((row) => row.key));
  const isPlaced = (field: Draft["fields"][number]) =>
    documents.has(field.documentId) && people.has(field.recipientKey);
  return {
    ...draft,
    recipients: draft.recipients.map((row) => known(row, recipientIds)),
    fields: draft.fields.filter(isPlaced).map((field) => known(field, fieldIds)),
  };
}

type DraftStart = {
  readonly state: DraftState;
  readonly dirty: readonly DraftPart[];
  readonly sent?: readonly SentParts[];
};

const ALL_PARTS: readonly DraftPart[] = [
  "title",
  "message",
  "deadline",
  "isSequential",
  "remindEveryDays",
  "proofOnly",
  "documentKind",
  "team",
  "recipients",
  "fields",
];

/** A new envelope, as typed before its first file. */
export function newStart(draft: Draft = NEW_DRAFT): DraftStart {
  const dirty = ALL_PARTS.filter((part) => draft[part] !== NEW_DRAFT[part]);
  return {
    state: { envelope: null, draft, status: { kind: dirty.length > 0 ? "dirty" : "clean" } },
    dirty,
  };
}

/**
 * Edits of another version are a conflict, unless this page's own unanswered save made that
 * version.
 */
export function draftStart(envelope: Envelope, kept?: KeptEdits): DraftStart {
  if (!kept)
    return { state: { envelope, draft: draftOf(envelope), status: { kind: "clean" } }, dirty: [] };
  const { draft, dirty, version, sent } = kept;
  if (version === envelope.version)
    return { state: { envelope, draft, status: { kind: "dirty" } }, dirty, sent };
  if (new UnansweredSaves(sent).explain(envelope, { version }))
    return {
      state: {
        envelope,
        draft: adoptIds(draft, { before: draft, answer: envelope }),
        status: { kind: "dirty" },
      },
      dirty,
    };
  return {
    state: { envelope, draft, status: { kind: "conflict", at: new Date(envelope.updated_at) } },
    dirty,
  };
}

/** `parts` leaves out what cannot be saved whole: a half-typed address stays dirty. */
type DraftChanges = {
  readonly body: UpdateEnvelopeRequest;
  readonly parts: ReadonlySet<DraftPart>;
  readonly written: ReadonlySet<DraftPart>;
  readonly draft: Draft;
};
type Now = {
  readonly dirty: ReadonlySet<DraftPart>;
  readonly now: Date;
  readonly envelope?: Envelope;
};

/** What can be saved now; null when nothing can. `envelope`: the service's version. */
export function draftChanges(draft: Draft, { dirty, now, envelope }: Now): DraftChanges | null {
  const parts = new Set<DraftPart>();
  const body: UpdateEnvelopeRequest = {};
  const take = (part: DraftPart, savable: boolean, write: () => void) => {
    if (!dirty.has(part) || !savable) return;
    write();
    parts.add(part);
  };
  take("title", draft.title.trim() !== "", () => Object.assign(body, { title: draft.title }));
  take("message", true, () =>
    Object.assign(body, { message: draft.message.trim() === "" ? null : draft.message }),
  );
  take("deadline", deadlineFault(draft.deadline, now) === undefined, () =>
    Object.assign(body, {
      deadline_at: draft.deadline === "" ? null : deadlineInstant(draft.deadline, now),
    }),
  );
  take("isSequential", true, () =>
    Object.assign(body, { flow: draft.isSequential ? "sequential" : "parallel" }),
  );
  take("remindEveryDays", true, () =>
    Object.assign(body, { reminders: { every_days: draft.remindEveryDays } }),
  );
  take("proofOnly", true, () => Object.assign(body, { proof_only: draft.proofOnly }));
  take("documentKind", true, () => Object.assign(body, { document_kind: draft.documentKind }));
  take("team", true, () => Object.assign(body, { team: draft.team }));
  // Ranks are saved in parallel mode too, for a later switch to an order.
  const saved = envelope ? draftOf(envelope) : null;
  const people = { ...draft, recipients: savableRecipients(draft, saved) };
  const isWhole = canSaveRecipients(draft.recipients);
  const isPartial =
    !isWhole &&
    !isCrowded(draft.recipients) &&
    saved !== null &&
    differs(people, saved, "recipients");
  take("recipients", isWhole || isPartial, () =>
    Object.assign(body, { recipients: recipientRows(people) }),
  );
  // A field names its recipient by the service's id.
  const canSaveField = (field: DraftField) =>
    recipientId(draft, field.recipientKey) !== undefined && unprintedInField(field) === null;
  take("fields", draft.fields.every(canSaveField) && !parts.has("recipients"), () =>
    Object.assign(body, { fields: fieldRows(draft) }),
  );
  if (parts.size === 0) return null;
  return {
    body,
    parts: new Set([...parts].filter((part) => part !== "recipients" || isWhole)),
    written: parts,
    draft: people,
  };
}

const differs = (one: Draft, other: Draft, part: DraftPart) =>
  substanceOf(one, part) !== substanceOf(other, part);

/** A row with faults is sent as the service has it. */
function savableRecipients(draft: Draft, saved: Draft | null): Draft["recipients"] {
  return sentRecipients(draft.recipients).flatMap((row) => {
    if (isRight(row, draft.recipients)) return [row];
    const known = saved?.recipients.find((other) => other.id === row.id);
    return known ? [{ ...known, rank: row.rank }] : [];
  });
}

function recipientRows(draft: Draft) {
  return draft.recipients.map((row) => ({
    ...(row.id ? { id: row.id } : {}),
    email: row.email.trim(),
    full_name: row.fullName.trim(),
    phone_number: row.phoneNumber,
    role: row.role,
    order: row.rank,
  }));
}

function fieldRows(draft: Draft) {
  return draft.fields.map(({ key: _key, id, documentId, recipientKey, ...rest }) => ({
    ...(id ? { id } : {}),
    document_id: documentId,
    recipient_id: recipientId(draft, recipientKey) ?? "",
    ...rest,
  }));
}

function recipientId(draft: Draft, key: string): string | undefined {
  return draft.recipients.find((row) => row.key === key)?.id;
}

export type DraftKeeperPorts = {
  patch(envelope: Envelope, body: UpdateEnvelopeRequest): Promise<Envelope>;
  load(id: string): Promise<Envelope>;
  now(): Date;
};
const SAVE_DELAY_MS = 800;
const RETRY_DELAY_MS = 8_000;

/** One queue: a save and an upload never race for the version. */
export class DraftKeeper {
  readonly #ports: DraftKeeperPorts;
  readonly #dirty = new Map<DraftPart, number>();
  readonly #listeners = new Set<() => void>();
  readonly #unanswered: UnansweredSaves;
  #state: DraftState;
  #edits = 0;
  #turns = 0;
  #leftWith = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  /** `start`: unsaved edits. */
  constructor(
    initial: Envelope | null,
    ports: DraftKeeperPorts,
    start: DraftStart = initial ? draftStart(initial) : newStart(),
  ) {
    this.#ports = ports;
    for (const part of start.dirty) this.#dirty.set(part, this.#edits);
    this.#unanswered = new UnansweredSaves(start.sent);
    this.#state = start.state;
  }

  readonly state = (): DraftState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Null when the service has all edits, or never will. */
  readonly edits = (): KeptEdits | null => {
    const { envelope, draft, status } = this.#state;
    if (!envelope || this.#dirty.size === 0 || status.kind === "gone" || status.kind === "sent")
      return null;
    return {
      version: envelope.version,
      draft,
      dirty: [...this.#dirty.keys()],
      sent: this.#unanswered.list(),
    };
  };

  readonly isBusy = (): boolean => this.#turns > 0;

  readonly update = (part: DraftPart, change: Partial<Draft>): void => {
    this.#edits += 1;
    this.#dirty.set(part, this.#edits);
    const status = this.#isHeld() ? this.#state.status : ({ kind: "dirty" } as const);
    this.#set({ draft: { ...this.#state.draft, ...change }, status });
    this.#schedule(SAVE_DELAY_MS);
  };

  /** Saves at once; true when nothing is left to save. */
  readonly flush = (): Promise<boolean> => {
    clearTimeout(this.#timer);
    return this.#inTurn(() => this.#save());
  };

  /** The page may be closing: a keepalive call. False when an edit would be lost. */
  readonly leave = (): boolean => {
    const { envelope, draft } = this.#state;
    if (this.#dirty.size === 0) return true;
    if (!envelope) return draft.title.trim() === "" && draft.deadline === "";
    if (this.#turns > 0) return Math.max(...this.#dirty.values()) <= this.#leftWith;
    const changes = this.#isHeld() ? null : this.#changes(draft);
    void this.flush();
    return (
      changes !== null && changes.parts.size === this.#dirty.size && fitsKeepalive(changes.body)
    );
  };

  readonly exclusively = (
    call: (envelope: Envelope | null) => Promise<Envelope>,
  ): Promise<Envelope> => this.#inTurn(() => this.#exchange(call));

  /** After a conflict: takes the service's version and drops the edits. */
  readonly reload = (): Promise<void> =>
    this.#inTurn(async () => {
      if (!this.#state.envelope) return;
      const envelope = await this.#ports.load(this.#state.envelope.id);
      this.#dirty.clear();
      this.#unanswered.clear();
      this.#set({ envelope, draft: draftOf(envelope), status: { kind: "clean" } });
    });

  /** After a conflict: saves the parts this page changed over the service's. */
  readonly keepMine = async (): Promise<void> => {
    await this.#inTurn(async () => {
      if (!this.#state.envelope) return;
      const envelope = await this.#ports.load(this.#state.envelope.id);
      this.#unanswered.clear();
      const { draft } = this.#state;
      const mine = Object.fromEntries(
        Array.from(this.#dirty.keys(), (part) => [part, draft[part]]),
      ) as Partial<Draft>;
      const kind = this.#dirty.size === 0 ? "clean" : "dirty";
      this.#set({
        envelope,
        draft: onlyKnown({ ...draftOf(envelope, draft), ...mine }, envelope),
        status: { kind },
      });
    });
    await this.flush();
  };

  readonly stop = (): void => clearTimeout(this.#timer);

  #changes(draft: Draft): DraftChanges | null {
    const { envelope } = this.#state;
    return draftChanges(draft, {
      dirty: new Set(this.#dirty.keys()),
      now: this.#ports.now(),
      ...(envelope ? { envelope } : {}),
    });
  }

  async #exchange(call: (envelope: Envelope | null) => Promise<Envelope>): Promise<Envelope> {
    try {
      const { envelope, draft } = this.#state;
      const answer = await call(envelope);
      const known = envelope
        ? adoptIds(this.#state.draft, { before: draft, answer })
        : this.#state.draft;
      this.#unanswered.clear();
      this.#set({
        envelope: answer,
        draft: known,
        status: { kind: "saved", at: this.#ports.now() },
      });
      if (this.#dirty.size > 0) this.#schedule(SAVE_DELAY_MS);
      return answer;
    } catch (error) {
      if (isUnanswered(error)) this.#unanswered.addFiles();
      if (statusOf(error).kind === "failed" || !(await this.#isOwnDoing(error))) throw error;
      return this.#exchange(call);
    }
  }

  /** `last` is the body just saved: a row that the service normalises would be saved for ever. */
  async #save(last: string | null = null): Promise<boolean> {
    const { envelope, draft, status } = this.#state;
    const changes = envelope && !this.#isHeld() ? this.#changes(draft) : null;
    const text = JSON.stringify(changes?.body);
    if (!envelope || !changes || text === last) return this.#dirty.size === 0;
    const startedAt = this.#edits;
    if (changes.parts.size === this.#dirty.size && fitsKeepalive(changes.body))
      this.#leftWith = startedAt;
    const sent = this.#unanswered.add(changes.draft, changes.written);
    this.#set({
      status: { kind: "saving", ...(status.kind === "failed" ? { failure: status.error } : {}) },
    });
    try {
      const answer = await this.#ports.patch(envelope, changes.body);
      for (const part of changes.parts)
        if ((this.#dirty.get(part) ?? 0) <= startedAt) this.#dirty.delete(part);
      this.#take(answer, draft);
    } catch (error) {
      if (statusOf(error).kind === "failed" && !isUnanswered(error)) this.#unanswered.remove(sent);
      const isOurs = await this.#isOwnDoing(error);
      if (error instanceof ApiError && error.isUnreachable) this.#schedule(RETRY_DELAY_MS);
      return isOurs && this.#save();
    }
    // New recipients now have ids: their fields can follow.
    return this.#dirty.size === 0 || this.#save(text);
  }

  /** Continues from the service's answer; `before`: the draft it was made of. */
  #take(answer: Envelope, before: Draft): void {
    this.#unanswered.clear();
    const status: SaveStatus =
      this.#dirty.size === 0 ? { kind: "saved", at: this.#ports.now() } : { kind: "dirty" };
    this.#set({ envelope: answer, draft: adoptIds(this.#state.draft, { before, answer }), status });
  }

  /** True when this page's own unanswered save made the version. */
  async #isOwnDoing(cause: unknown): Promise<boolean> {
    const status = statusOf(cause);
    const { envelope } = this.#state;
    const isElsewhere = status.kind === "conflict" || status.kind === "sent";
    const found =
      envelope && isElsewhere ? await this.#ports.load(envelope.id).catch(() => null) : null;
    if (status.kind !== "conflict") this.#set({ envelope: found ?? envelope, status });
    else if (
      envelope &&
      found &&
      this.#unanswered.explain(found, { version: envelope.version, draft: draftOf(envelope) })
    ) {
      const [{ draft }, stored] = [this.#state, draftOf(found)];
      for (const part of this.#dirty.keys())
        if (substanceOf(draft, part) === substanceOf(stored, part)) this.#dirty.delete(part);
      this.#take(found, draft);
      return true;
    } else
      this.#set({ status: { kind: "conflict", at: found ? new Date(found.updated_at) : null } });
    return false;
  }

  /** True when the same save would be refused again: the user decides first. */
  #isHeld(): boolean {
    return ["conflict", "gone", "sent"].includes(this.#state.status.kind);
  }

  #set(change: Partial<DraftState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }

  #schedule(delayMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), delayMs);
  }

  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    this.#turns += 1;
    const result = this.#queue.then(task);
    this.#queue = result.catch(() => undefined).finally(() => (this.#turns -= 1));
    return result;
  }
}

/** No answer, or a gateway's: the call may have been made. */
function isUnanswered(error: unknown): boolean {
  return !(error instanceof ApiError) || error.isUnreachable || error.status >= 500;
}

function statusOf(error: unknown): SaveStatus {
  if (error instanceof ApiError) {
    if (error.code === "version_conflict") return { kind: "conflict", at: null };
    if (error.code === "invalid_state") return { kind: "sent" };
    if (error.status === 404) return { kind: "gone" };
  }
  return { kind: "failed", error };
}
