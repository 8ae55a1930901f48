import { createHash } from "node:crypto";
import {
  type AuditEvent,
  type ChainAnswer,
  EVENTS,
  type EventName,
  type EventsAnswer,
  type JournalKind,
  quotationOf,
} from "@paraphe/contracts";
import { toHex } from "@paraphe/kernel/bytes";
import { canonicalJson } from "@paraphe/kernel/canonical-json";
import { ofName } from "@paraphe/kernel/french-words";
import type { Reader } from "../../platform/database/database.ts";
import type { Write } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import {
  type AuditValue,
  type EventToInsert,
  type HashedEvent,
  type NewAuditEvent,
  type StoredEvent,
  actorKey,
  insertEvents,
  nameThen,
  selectEvents,
  selectEventsAfter,
  selectNamings,
} from "./store.ts";

/**
 * Appends in order, in the change's transaction. The caller's lock on the envelopes keeps numbers
 * dense.
 */
export function appendEvents(
  platform: Pick<Platform, "clock" | "random">,
  events: readonly NewAuditEvent[],
): Write | null {
  return insertEvents(events.map((event) => sealed(platform, event)));
}

function sealed(platform: Pick<Platform, "clock" | "random">, event: NewAuditEvent): EventToInsert {
  const personal = Object.entries(personalValues(event)).map(([name, value]) => ({
    name,
    value,
    salt: platform.random(SALT_BYTES),
  }));
  const commitments = Object.fromEntries(
    personal.map((item) => [item.name, toHex(commitment(item.salt, item.value))]),
  );
  const hashed = {
    envelope_id: event.envelopeId,
    at: platform.clock().toISOString(),
    actor: actorKey(event.actor),
    action: event.action,
    detail: { ...event.detail, ...(personal.length > 0 ? { commitments } : {}) },
  };
  return { hashed, canonical: canonicalEvent(hashed), personal };
}

function personalValues(event: NewAuditEvent): Record<string, AuditValue> {
  const { name, program, ip, userAgent } = event.actor;
  return {
    ...event.personal,
    ...(name ? { actor_name: name } : {}),
    ...(program ? { program } : {}),
    ...(ip ? { ip } : {}),
    ...(userAgent ? { user_agent: userAgent.slice(0, 400) } : {}),
  };
}

function canonicalEvent(event: HashedEvent): Uint8Array {
  return canonicalBytes(event);
}

/** `SHA-256(previous ‖ canonical JSON)`; the first event has no previous hash. */
export function eventHash(previous: Uint8Array | null, event: HashedEvent): Uint8Array {
  const hash = createHash("sha256");
  if (previous !== null) hash.update(previous);
  return new Uint8Array(hash.update(canonicalEvent(event)).digest());
}

/** Fixed, so that salt and value stay apart. */
const SALT_BYTES = 16;

/** `SHA-256(salt ‖ canonical JSON)`: an erased short value cannot be guessed. */
export function commitment(salt: Uint8Array, value: AuditValue): Uint8Array {
  return new Uint8Array(createHash("sha256").update(salt).update(canonicalBytes(value)).digest());
}

function canonicalBytes(value: unknown): Uint8Array {
  return new TextEncoder().encode(canonicalJson(value));
}

export type EventFault = "gap" | "previous_hash" | "hash" | "commitment";

type ExpectedEvent = {
  readonly envelopeId: string;
  readonly sequence: number;
  readonly previous: Uint8Array | null;
};

export function eventFault(event: StoredEvent, expected: ExpectedEvent): EventFault | null {
  if (event.sequence !== expected.sequence) return "gap";
  if (!same(event.previousHash, expected.previous)) return "previous_hash";
  const hashed = {
    envelope_id: expected.envelopeId,
    at: event.at.toISOString(),
    actor: event.actor,
    action: event.action,
    detail: event.detail,
  };
  if (event.isUneven || !same(event.hash, eventHash(expected.previous, hashed))) return "hash";
  const commitments = (event.detail["commitments"] ?? {}) as Record<string, string>;
  const kept = Object.entries(event.personal).every(
    ([name, item]) =>
      isSalt(item.salt) &&
      commitments[name] ===
        Buffer.from(commitment(Buffer.from(item.salt, "hex"), item.value)).toString("hex"),
  );
  return kept ? null : "commitment";
}

function isSalt(hex: string): boolean {
  return hex.length === 2 * SALT_BYTES && /^[0-9a-f]*$/.test(hex);
}

function same(left: Uint8Array | null, right: Uint8Array | null): boolean {
  if (left === null || right === null) return left === right;
  return Buffer.compare(left, right) === 0;
}

/** `sequence` is the first event that fails. */
type ChainVerdict =
  | { readonly ok: true; readonly count: number; readonly head: Uint8Array | null }
  | {
      readonly ok: false;
      readonly count: number;
      readonly sequence: number;
      readonly reason: EventFault;
    };

const BATCH = 1_000;

type ChainPlace = { readonly count: number; readonly head: Uint8Array | null };
const START: ChainPlace = { count: 0, head: null };

/**
 * Numbers are dense, each hash covers the previous one, and personal values match their
 * commitments.
 */
export async function verifyChain(reader: Reader, envelopeId: string): Promise<ChainVerdict> {
  return (await verifyChainFrom(reader, envelopeId, START)).verdict;
}

/** `beforeLast`: only the last event is read again. */
async function verifyChainFrom(
  reader: Reader,
  envelopeId: string,
  from: ChainPlace = START,
): Promise<{ readonly verdict: ChainVerdict; readonly beforeLast: ChainPlace }> {
  let [place, beforeLast] = [from, from];
  for (;;) {
    const events: readonly StoredEvent[] = await selectEventsAfter(reader, envelopeId, {
      afterSequence: place.count,
      limit: BATCH,
    });
    for (const event of events) {
      const sequence = place.count + 1;
      const reason = eventFault(event, { envelopeId, sequence, previous: place.head });
      if (reason !== null)
        return { verdict: { ok: false, count: sequence, sequence, reason }, beforeLast };
      [beforeLast, place] = [place, { count: sequence, head: event.hash }];
    }
    if (events.length < BATCH) return { verdict: { ok: true, ...place }, beforeLast };
  }
}

/** After this time the whole chain is recomputed. */
const MAX_AGE_MS = 5 * 60_000;
const MAX_KEPT = 10_000;

type Kept = { readonly place: ChainPlace; readonly at: Date };
/** Holds hashes only, so there is nothing to erase. */
const kept = new Map<string, Kept>();

/**
 * Within minutes of a whole verification, reads only the last event and newer ones: pages and live
 * changes ask often. `afresh` reads all.
 */
async function verifyKept(
  { db, clock }: Pick<Platform, "db" | "clock">,
  envelopeId: string,
  how: "afresh" | "kept",
): Promise<ChainVerdict> {
  const now = clock();
  const known = how === "afresh" ? undefined : kept.get(envelopeId);
  const isKnown =
    known !== undefined && now.getTime() - known.at.getTime() < MAX_AGE_MS && known.at <= now;
  const { verdict, beforeLast } = await verifyChainFrom(
    db,
    envelopeId,
    isKnown ? known.place : undefined,
  );
  kept.delete(envelopeId);
  if (verdict.ok) remember(envelopeId, { place: beforeLast, at: isKnown ? known.at : now });
  // The whole chain shows the first break.
  return verdict.ok || !isKnown ? verdict : verifyChain(db, envelopeId);
}

function remember(envelopeId: string, item: Kept): void {
  const [oldest] = kept.keys();
  if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  kept.set(envelopeId, item);
}

export type EventsPage = {
  readonly page: number;
  readonly page_size: number;
  readonly kind?: JournalKind | undefined;
  readonly verify?: "now" | undefined;
};

/** Gives the newest first, with the chain's verification. The caller checks who may read. */
export async function listEvents(
  platform: Pick<Platform, "db" | "clock">,
  envelopeId: string,
  page: EventsPage,
): Promise<EventsAnswer> {
  const verdict = await verifyKept(platform, envelopeId, page.verify === "now" ? "afresh" : "kept");
  const { count, events } = await selectEvents(platform.db, envelopeId, {
    limit: page.page_size,
    offset: (page.page - 1) * page.page_size,
    actions: page.kind === undefined ? null : actionsOf(page.kind),
    // Only verified events are shown; newer ones wait.
    upTo: verdict.ok ? verdict.count : null,
  });
  const namings = await selectNamings(platform.db, envelopeId);
  return {
    count,
    page: page.page,
    page_size: page.page_size,
    results: events.map((event) => {
      const name = nameThen(namings, event.detail["recipient"], event.sequence);
      return { ...presentEvent(event), ...(name === undefined ? {} : { recipient_name: name }) };
    }),
    chain: presentChain(verdict),
  };
}

function actionsOf(kind: JournalKind): readonly EventName[] {
  return (Object.keys(EVENTS) as EventName[]).filter((name) => EVENTS[name].kind === kind);
}

/** A journal without any event has lost them. */
function presentChain(verdict: ChainVerdict): ChainAnswer {
  if (!verdict.ok)
    return { ok: false, count: verdict.count, head: null, broken_at: verdict.sequence };
  if (verdict.head === null) return { ok: false, count: 0, head: null, broken_at: 1 };
  return { ok: true, count: verdict.count, head: toHex(verdict.head), broken_at: null };
}

function presentEvent(event: StoredEvent): AuditEvent {
  const { actor_name, program, ip, user_agent, ...rest } = Object.fromEntries(
    Object.entries(event.personal).map(([name, item]) => [name, item.value]),
  );
  return {
    at: event.at.toISOString(),
    actor:
      typeof actor_name === "string" ? actorName(actor_name, program) : actorLabel(event.actor),
    action: event.action,
    ip: typeof ip === "string" ? ip : null,
    user_agent: typeof user_agent === "string" ? user_agent : null,
    detail: { ...event.detail, ...rest },
    hash: toHex(event.hash),
    previous_hash: event.previousHash === null ? null : toHex(event.previousHash),
  };
}

export function actorName(name: string, program: unknown): string {
  return typeof program === "string"
    ? `le programme ${quotationOf(program)}, clé ${ofName(name)}`
    : name;
}

function actorLabel(actor: string): string {
  return actor === "system" ? "Paraphe" : "Donnée effacée";
}

const PAGE = 200;

/** Gives salts and hashes too, a page at a time. */
export async function* readStoredJournal(
  reader: Reader,
  envelopeId: string,
): AsyncGenerator<StoredEvent, void> {
  for (let afterSequence = 0; ; ) {
    const events = await selectEventsAfter(reader, envelopeId, { afterSequence, limit: PAGE });
    yield* events;
    if (events.length < PAGE) return;
    afterSequence = events.at(-1)?.sequence ?? afterSequence;
  }
}

/** Reads page by page; `actors`: after which number each, as `user:{id}`, `recipient:{id}`. */
export async function* readJournal(
  reader: Reader,
  envelopeId: string,
  actors: ReadonlyMap<string, number> | null = null,
): AsyncGenerator<AuditEvent, void> {
  for await (const event of readStoredJournal(reader, envelopeId))
    if (actors === null || event.sequence > (actors.get(event.actor) ?? Infinity))
      yield presentEvent(event);
}
