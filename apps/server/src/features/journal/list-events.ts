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

/** A chain that is being read is recomputed whole this often. */
const MAX_AGE_MS = 5 * 60_000;
const MAX_KEPT = 10_000;

type Kept = { readonly place: ChainPlace; readonly at: Date };
/** Hashes only: nothing to erase. */
const kept = new Map<string, Kept>();

/**
 * Rereads only the last event and newer ones within some minutes of a whole verification: pages,
 * filters and live changes ask often. `afresh` recomputes it all.
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
  // The whole verification finds the first break.
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
  /** Recomputes the whole chain. */
  readonly verify?: "now" | undefined;
};

/** A page, newest first, with the chain's verification. The caller checks who may read it. */
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
    // What is shown is what was verified; newer events wait for the next answer.
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

/** Every envelope has an event: a journal without any has lost them. */
function presentChain(verdict: ChainVerdict): ChainAnswer {
  if (!verdict.ok)
    return { ok: false, count: verdict.count, head: null, broken_at: verdict.sequence };
  if (verdict.head === null) return { ok: false, count: 0, head: null, broken_at: 1 };
  return { ok: true, count: verdict.count, head: toHex(verdict.head), broken_at: null };
}

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

/** With salts and hashes, a page at a time. */
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

/** A page at a time; `actors`: `user:{id}`, `recipient:{id}`. */
export async function* readJournal(
  reader: Reader,
  envelopeId: string,
  actors: ReadonlySet<string> | null = null,
): AsyncGenerator<AuditEvent, void> {
  for await (const event of readStoredJournal(reader, envelopeId))
    if (actors === null || actors.has(event.actor)) yield presentEvent(event);
}
