import { sql } from "kysely";
import type { Platform } from "../apps/server/src/platform/platform.ts";
import { createMember } from "../apps/server/testing/member.ts";
import type { TestPlatform } from "../apps/server/testing/platform.ts";
import { describeStore } from "../apps/cli/src/store/describe-store.ts";
import { verifyStore } from "../apps/cli/src/store/find-store-faults.ts";
import { CHUNK, EVENTS_PER_ENVELOPE, insertJournals, watchMemory, withBenchPlatform } from "./journal-stage.ts";
import type { BenchRow } from "./row.ts";
import { samplePdf } from "./sample-pdf.ts";

/** `STORE_SIZE`: fewer events, to try the bench itself. */
const EVENTS = Number(process.env["STORE_SIZE"] ?? 1_000_000);
const ENVELOPES = EVENTS / EVENTS_PER_ENVELOPE;

/** `paraphe verify-store` at a million events: what it takes, and in which memory. */
export function benchStore(): Promise<BenchRow[]> {
  return withBenchPlatform(async (platform) => {
    await fillStore(platform);
    const watch = watchMemory();
    const started = performance.now();
    const outcomes = await verifyStore(platform);
    const seconds = (performance.now() - started) / 1_000;
    const peakMb = watch.stop();
    for (const line of describeStore(outcomes)) console.log(line);
    if (outcomes.some(({ faultCount }) => faultCount > 0)) throw new Error("faults were found in what the bench made");
    const name = `${EVENTS.toLocaleString("en")} events of ${ENVELOPES.toLocaleString("en")} envelopes`;
    const row = (what: string, value: number, unit: string): BenchRow => ({ part: "store", what, value, unit, goal: null });
    return [
      row(`the eight invariants, ${name}, as many files of 50 KB read`, seconds, "s"),
      row("memory that it takes beside what the process held", peakMb.more, "MB"),
      row("memory of the process at most", peakMb.most, "MB"),
    ];
  });
}

/** Sent envelopes, each with a signer, a message, a document of one and the same file, and a journal. */
async function fillStore(platform: Platform): Promise<void> {
  const { id: ownerId } = await createMember(platform as TestPlatform);
  const file = await samplePdf();
  const sha256 = Buffer.from(await platform.files.put(file));
  for (let made = 0; made < ENVELOPES; made += CHUNK) {
    const count = Math.min(CHUNK, ENVELOPES - made);
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
  for (let made = 0; made < ENVELOPES; made += CHUNK)
    await insertJournals(platform, sql`select id from envelopes order by id limit ${CHUNK} offset ${made}`);
  console.log(`… ${EVENTS.toLocaleString("en")} events made`);
}
