import {
  EVENTS,
  type EventName,
  type AuditEvent,
  type ChainAnswer,
  type EventsAnswer,
  type JournalKind,
} from "@paraphe/contracts";
import { toHex } from "@paraphe/kernel/bytes";
import type { Reader } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { type ChainPlace, type ChainVerdict, verifyChain, verifyChainFrom } from "./event-hash.ts";
import { selectEvents, selectEventsAfter, type StoredEvent } from "./store.ts";

/** The whole of a chain is recomputed this often at least, as long as somebody reads it. */
const MAX_AGE_MS = 5 * 60_000;
const MAX_KEPT = 10_000;

type Kept = { readonly place: ChainPlace; readonly at: Date };
/**
 * How far this process has recomputed chains, and when it did so from their first event. Hashes
 * alone: nothing here needs to be erased.
 */
const kept = new Map<string, Kept>();

/**
 * Says whether a journal holds, as `verifyChain` does, without recomputing within a few minutes
 * what was recomputed: only its last event, and those
 * that came since, are read again. Other pages of it, its filters and every live change ask.
 * `afresh` recomputes it all.
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
  // Where it breaks first is for the whole to say.
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
  /** Whether the whole chain is recomputed even if it was a moment ago. */
  readonly verify?: "now" | undefined;
};

/**
 * Gives a page of an envelope's journal, newest first, as `eventsAnswer` has it, with what
 * recomputing the whole of it says, now or minutes ago.
 * Who may read it is the caller's business.
 */
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
    // An event added since is the next answer's: of a chain that holds, what is shown is what was
    // verified.
    upTo: verdict.ok ? verdict.count : null,
  });
  return {
    count,
    page: page.page,
    page_size: page.page_size,
    results: events.map(presentEvent),
    chain: presentChain(verdict),
  };
}

function actionsOf(kind: JournalKind): readonly EventName[] {
  return (Object.keys(EVENTS) as EventName[]).filter((name) => EVENTS[name].kind === kind);
}

/** An envelope has had an event since it exists: a journal without any has lost them. */
function presentChain(verdict: ChainVerdict): ChainAnswer {
  if (!verdict.ok)
    return { ok: false, count: verdict.count, head: null, broken_at: verdict.sequence };
  if (verdict.head === null) return { ok: false, count: 0, head: null, broken_at: 1 };
  return { ok: true, count: verdict.count, head: toHex(verdict.head), broken_at: null };
}

/** Gives an event as `eventsAnswer` has it. */
function presentEvent(event: StoredEvent): AuditEvent {
  const { actor_name, ip, user_agent, ...rest } = Object.fromEntries(
    Object.entries(event.personal).map(([name, item]) => [name, item.value]),
  );
  return {
    at: event.at.toISOString(),
    actor: typeof actor_name === "string" ? actor_name : actorLabel(event.actor),
    action: event.action,
    ip: typeof ip === "string" ? ip : null,
    user_agent: typeof user_agent === "string" ? user_agent : null,
    detail: { ...event.detail, ...rest },
    hash: toHex(event.hash),
    previous_hash: event.previousHash === null ? null : toHex(event.previousHash),
  };
}

function actorLabel(actor: string): string {
  return actor === "system" ? "Paraphe" : "Donnée effacée";
}

const PAGE = 200;

/**
 * Gives an envelope's journal as it is stored, salts and hashes, from its beginning; a page at a
 * time is read.
 */
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

/**
 * Gives an envelope's journal from its beginning, a page at a time; of these actors alone where
 * they are named (`user:{id}`, `recipient:{id}`).
 */
export async function* readJournal(
  reader: Reader,
  envelopeId: string,
  actors: ReadonlySet<string> | null = null,
): AsyncGenerator<AuditEvent, void> {
  for await (const event of readStoredJournal(reader, envelopeId))
    if (actors === null || actors.has(event.actor)) yield presentEvent(event);
}
