import type { AuditAction, AuditEvent, ChainAnswer, EventsAnswer, JournalKind } from "@paraphe/contracts";
import { AUDIT_ACTIONS } from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import { verifyKept } from "./keep-verified.ts";
import { selectEvents, type StoredEvent } from "./store.ts";
import type { ChainVerdict } from "./verify-chain.ts";

export type EventsPage = {
  readonly page: number;
  readonly page_size: number;
  readonly kind?: JournalKind | undefined;
  /** Whether the whole chain is recomputed even if it was a moment ago. */
  readonly verify?: "now" | undefined;
};

/**
 * Gives a page of an envelope's journal, newest first, as `eventsAnswer` has it, with what recomputing the whole of it says, now or minutes ago.
 * Who may read it is the caller's business.
 */
export async function listEvents(platform: Pick<Platform, "db" | "clock">, envelopeId: string, page: EventsPage): Promise<EventsAnswer> {
  const verdict = await verifyKept(platform, envelopeId, page.verify === "now" ? "afresh" : "kept");
  const { count, events } = await selectEvents(platform.db, envelopeId, {
    limit: page.page_size,
    offset: (page.page - 1) * page.page_size,
    actions: page.kind === undefined ? null : actionsOf(page.kind),
    // An event added since is the next answer's: of a chain that holds, what is shown is what was verified.
    upTo: verdict.ok ? verdict.count : null,
  });
  return { count, page: page.page, page_size: page.page_size, results: events.map(presentEvent), chain: presentChain(verdict) };
}

function actionsOf(kind: JournalKind): readonly AuditAction[] {
  return (Object.keys(AUDIT_ACTIONS) as AuditAction[]).filter((action) => AUDIT_ACTIONS[action] === kind);
}

/** An envelope has had an event since it exists: a journal without any has lost them. */
function presentChain(verdict: ChainVerdict): ChainAnswer {
  if (!verdict.ok) return { ok: false, count: verdict.count, head: null, broken_at: verdict.sequence };
  if (verdict.head === null) return { ok: false, count: 0, head: null, broken_at: 1 };
  return { ok: true, count: verdict.count, head: hex(verdict.head), broken_at: null };
}

/** Gives an event as `eventsAnswer` has it. */
export function presentEvent(event: StoredEvent): AuditEvent {
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
    hash: hex(event.hash),
    previous_hash: event.previousHash === null ? null : hex(event.previousHash),
  };
}

function actorLabel(actor: string): string {
  return actor === "system" ? "Paraphe" : "Donnée effacée";
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
