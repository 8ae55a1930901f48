import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { openPlatform } from "../apps/server/src/platform/open-platform.ts";
import type { Platform } from "../apps/server/src/platform/platform.ts";
import { readSettings } from "../apps/server/src/platform/settings/read-settings.ts";
import { createMember } from "../apps/server/testing/member.ts";
import type { TestPlatform } from "../apps/server/testing/platform.ts";
import { describeStore } from "../scripts/store/describe-store.ts";
import { verifyStore } from "../scripts/store/find-store-faults.ts";
import type { BenchRow } from "./row.ts";
import { samplePdf } from "./sample-pdf.ts";

/** `STORE_SIZE`: fewer events, to try the bench itself. */
const EVENTS = Number(process.env["STORE_SIZE"] ?? 1_000_000);
const EVENTS_PER_ENVELOPE = 10;
const CHUNK = 10_000;
const MB = 2 ** 20;

/** `npm run verify-store` at a million events: what it takes, and in which memory. */
export async function benchStore(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), "paraphe-bench-"));
  const { platform, close } = await openPlatform(readSettings({ DATA_DIR: folder }, folder));
  try {
    await fillStore(platform);
    const watch = watchMemory();
    const started = performance.now();
    const outcomes = await verifyStore(platform);
    const seconds = (performance.now() - started) / 1_000;
    const peakMb = watch.stop();
    for (const line of describeStore(outcomes)) console.log(line);
    if (outcomes.some(({ faultCount }) => faultCount > 0)) throw new Error("faults were found in what the bench made");
    const envelopes = (EVENTS / EVENTS_PER_ENVELOPE).toLocaleString("en");
    const row = (what: string, value: number, unit: string): BenchRow => ({ part: "store", what, value, unit, goal: null });
    return [
      row(
        `the eight invariants, ${EVENTS.toLocaleString("en")} events of ${envelopes} envelopes, as many files of 50 KB read`,
        seconds,
        "s",
      ),
      row("memory that it takes beside what the process held", peakMb.more, "MB"),
      row("memory of the process at most", peakMb.most, "MB"),
    ];
  } finally {
    await close();
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Sent envelopes, each with a signer, a message, a document of one and the same file, and a journal of ten events of the service itself, whose canonical form
 * SQL can write: the chains are sound, and are checked as such.
 */
async function fillStore(platform: Platform): Promise<void> {
  const { id: ownerId } = await createMember(platform as TestPlatform);
  const file = await samplePdf();
  const sha256 = Buffer.from(await platform.files.put(file));
  const envelopes = EVENTS / EVENTS_PER_ENVELOPE;
  for (let made = 0; made < envelopes; made += CHUNK) {
    const count = Math.min(CHUNK, envelopes - made);
    await sql`
      with made as (
        insert into envelopes (id, owner_id, created_by_name, title, search_text, status, flow, signer_count, created_at, updated_at, sent_at)
        select uuidv7(), ${ownerId}::uuid, 'Camille Roux', 'Bail', 'bail', 'sent', 'parallel', 1, now(), now(), now() from generate_series(1, ${count}) returning id
      ), person as (
        insert into recipients (id, envelope_id, position, routing_order, role, email, email_key, full_name, status, awaited, notified_at)
        select uuidv7(), id, 0, 1, 'signer', id || '@exemple.fr', id || '@exemple.fr', 'Paul Morel', 'notified', true, now() from made returning id, envelope_id
      ), message as (
        insert into notices (id, dedupe_key, kind, channel, destination, message_id, envelope_id, recipient_id, state, created_at, sent_at)
        select uuidv7(), 'invitation:' || id, 'invitation', 'email', envelope_id || '@exemple.fr', '<' || id || '>', envelope_id, id, 'sent', now(), now() from person
      ), paper as (
        insert into documents (id, envelope_id, position, name, page_count, pages, control, uploaded_sha256, uploaded_size, current_revision, created_at)
        select uuidv7(), id, 0, 'bail.pdf', 1, '[{"width":595,"height":842,"rotation":0}]', '{"result":"ok","findings":[]}', ${sha256}::bytea, ${file.length}, 0, now()
        from made returning id
      )
      insert into document_revisions (document_id, number, kind, blob_sha256, size, created_at)
      select id, 0, 'original', ${sha256}::bytea, ${file.length}, now() from paper`.execute(platform.db);
  }
  for (let made = 0; made < envelopes; made += CHUNK) {
    await sql`
      with recursive event (envelope_id, sequence, action, hash, previous_hash) as (
        select id, 1, 'envelope_created', sha256(convert_to('{"action":"' || 'envelope_created' || '","actor":"system","at":"2026-11-21T10:00:00.000Z","detail":{},"envelope_id":"' || id || '"}', 'UTF8')), null::bytea
        from (select id from envelopes order by id limit ${CHUNK} offset ${made}) chosen
        union all
        select envelope_id, sequence + 1, next.action, sha256(hash || convert_to('{"action":"' || next.action || '","actor":"system","at":"2026-11-21T10:00:00.000Z","detail":{},"envelope_id":"' || envelope_id || '"}', 'UTF8')), hash
        from event, lateral (select case when sequence = 1 then 'envelope_sent' else 'envelope_updated' end as action) next
        where sequence < ${EVENTS_PER_ENVELOPE}
      )
      insert into audit_events (envelope_id, sequence, at, actor, action, detail, hash, previous_hash)
      select envelope_id, sequence, '2026-11-21T10:00:00Z', 'system', action, '{}', hash, previous_hash from event`.execute(platform.db);
  }
  console.log(`… ${EVENTS.toLocaleString("en")} events made`);
}

/** Gives how much more memory than at its start this process held at most, and how much in all, in MB. */
function watchMemory(): { stop(): { readonly more: number; readonly most: number } } {
  const before = process.memoryUsage().rss;
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 50);
  return {
    stop() {
      clearInterval(timer);
      return { more: (peak - before) / MB, most: peak / MB };
    },
  };
}
