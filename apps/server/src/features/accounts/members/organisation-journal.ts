import type { JournalEntry, OrganisationJournal } from "@paraphe/contracts";
import { formatExactInstant } from "@paraphe/kernel/french-dates";
import { csvLines, csvText } from "../../../platform/csv.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import type { Platform } from "../../../platform/platform.ts";
import { eventSentence, noteEvent, selectEvents } from "../../organisations/public.ts";
import { selectNames } from "./member-store.ts";

const PAGE = 50;
const CONSOLE = "Console du serveur";

export async function readOrganisationJournal(
  { db }: Pick<Platform, "db">,
  page: { readonly before: string | null; readonly limit?: number },
): Promise<OrganisationJournal> {
  const limit = page.limit ?? PAGE;
  const rows = await selectEvents(db, { before: page.before, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const names = await selectNames(
    db,
    shown.flatMap(({ actorId, subjectId }) => [actorId ?? [], subjectId ?? []].flat()),
  );
  const nameOf = (id: string | null) => (id === null ? undefined : names.get(id));
  const entries = shown.map(({ id, at, kind, actorId, subjectId, detail }) => ({
    id,
    at: at.toISOString(),
    kind,
    actor: nameOf(actorId) ?? CONSOLE,
    sentence: eventSentence(kind, { subject: nameOf(subjectId) ?? "Une personne", detail }),
  }));
  return { entries, next: rows.length > limit ? (entries.at(-1)?.id ?? null) : null };
}

type Export = { readonly format: "csv" | "json"; readonly actorId: string };

/** With its own export; read in parts to bound memory. */
export async function exportOrganisationJournal(
  platform: Platform,
  { format, actorId }: Export,
): Promise<AsyncGenerator<string>> {
  await inTransaction(platform.db, (trx) =>
    noteEvent(trx, platform, { kind: "journal_exported", actorId, detail: { format } }),
  );
  return format === "csv" ? csvOf(platform) : jsonOf(platform);
}

async function* everyEntry(platform: Platform): AsyncGenerator<JournalEntry> {
  let before: string | null = null;
  do {
    const page: OrganisationJournal = await readOrganisationJournal(platform, {
      before,
      limit: 500,
    });
    yield* page.entries;
    before = page.next;
  } while (before !== null);
}

async function* csvOf(platform: Platform): AsyncGenerator<string> {
  yield csvText([["Date (heure de Paris)", "Instant (UTC)", "Par", "Événement", "Type"]]);
  for await (const { at, actor, sentence, kind } of everyEntry(platform))
    yield csvLines([[formatExactInstant(at), at, actor, sentence, kind]]);
}

async function* jsonOf(platform: Platform): AsyncGenerator<string> {
  let separator = "[\n";
  for await (const entry of everyEntry(platform)) {
    yield `${separator}${JSON.stringify(entry)}`;
    separator = ",\n";
  }
  yield "\n]\n";
}
