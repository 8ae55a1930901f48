import { sql } from "kysely";
import {
  EVENT_TIME,
  type EventFault,
  eventFault,
  type StoredEvent,
} from "../../../server/src/features/journal/public.ts";
import {
  type AuditNotes,
  type AuditOutcome,
  auditOutcome,
  type AuditPlatform,
} from "./audit-fault.ts";

const BATCH = 2_000;
const NOBODY = "00000000-0000-0000-0000-000000000000";

const WORDS: Readonly<Record<EventFault, string>> = {
  gap: "un événement manque avant celui-ci",
  previous_hash: "il ne suit pas l’événement qui le précède (déplacé, ou le précédent a changé)",
  hash: "son contenu n’est pas celui qui a été enregistré",
  commitment: "une donnée personnelle n’est pas celle qui a été enregistrée",
};

/** `leafHead`: the head of the event's leaf in the log. */
type Row = StoredEvent & { readonly envelopeId: string; readonly leafHead: Uint8Array | null };
type Place = {
  readonly envelopeId: string;
  readonly sequence: number;
  readonly hash: Uint8Array | null;
  readonly isInLog: boolean;
};
const START: Place = { envelopeId: NOBODY, sequence: 0, hash: null, isInLog: true };

/**
 * Numbers are dense, hashes chained, values match their commitments, and each event is in the log
 * or due to it.
 */
export function checkJournals({ db }: Pick<AuditPlatform, "db">): Promise<AuditOutcome> {
  return auditOutcome("Événements des journaux", async (notes) => {
    for (let last = START; ; ) {
      const rows = await readAfter(db, last);
      const ends: Place[] = [];
      for (const row of rows) {
        if (row.envelopeId !== last.envelopeId) ends.push(last);
        last = checkEvent(row, last, notes);
      }
      const isEnd = rows.length < BATCH;
      await checkEnds(db, isEnd ? [...ends, last] : ends, notes);
      notes.checked(rows.length);
      if (isEnd) return;
    }
  });
}

function checkEvent(row: Row, last: Place, { fault }: AuditNotes): Place {
  const { envelopeId, sequence, hash, leafHead } = row;
  const before = envelopeId === last.envelopeId ? last : { sequence: 0, hash: null };
  const found = eventFault(row, {
    envelopeId,
    sequence: before.sequence + 1,
    previous: before.hash,
  });
  if (found !== null) fault(nameOf(row), WORDS[found]);
  if (leafHead !== null && Buffer.compare(leafHead, hash) !== 0)
    fault(nameOf(row), "son empreinte n’est pas celle que le journal de transparence a reçue");
  return { envelopeId, sequence, hash, isInLog: leafHead !== null };
}

/**
 * The last event's transaction adds its leaf or makes it due. While the service runs, the leaf may
 * be newer, or of a later event, which `checkHeads` verifies.
 */
async function checkEnds(
  db: AuditPlatform["db"],
  ends: readonly Place[],
  { fault }: AuditNotes,
): Promise<void> {
  const out = ends.flatMap(({ envelopeId, sequence, hash, isInLog }) =>
    isInLog || hash === null ? [] : [{ envelopeId, sequence, hash: Buffer.from(hash) }],
  );
  if (out.length === 0) return;
  const { rows } = await sql<Pick<Place, "envelopeId" | "sequence">>`
    select e.envelope_id as "envelopeId", e.sequence from unnest(
      ${sql.val(out.map(({ envelopeId }) => envelopeId))}::uuid[], ${sql.val(out.map(({ sequence }) => sequence))}::int[],
      ${sql.val(out.map(({ hash }) => hash))}::bytea[]) as e (envelope_id, sequence, hash)
    where not exists (select from transparency_due w where w.envelope_id = e.envelope_id and w.sequence = e.sequence and w.head = e.hash)
      and not exists (select from transparency_leaves l where l.envelope_id = e.envelope_id and l.sequence >= e.sequence)`.execute(
    db,
  );
  for (const row of rows)
    fault(
      nameOf(row),
      "le journal de transparence n’a pas reçu cet événement, le dernier de son historique",
    );
}

function nameOf({ envelopeId, sequence }: Pick<Place, "envelopeId" | "sequence">): string {
  return `enveloppe ${envelopeId}, événement ${sequence}`;
}

/** A join would read the whole other table for each page. */
async function readAfter(
  db: AuditPlatform["db"],
  { envelopeId, sequence }: Place,
): Promise<readonly Row[]> {
  const { rows } = await sql<Row>`
    select e.envelope_id as "envelopeId", e.sequence, e.actor, e.action, e.detail, e.hash, e.previous_hash as "previousHash", ${EVENT_TIME},
      (select l.head from transparency_leaves l where l.envelope_id = e.envelope_id and l.sequence = e.sequence) as "leafHead",
      coalesce((
        select jsonb_object_agg(d.name, jsonb_build_object('value', d.value, 'salt', encode(d.salt, 'hex')))
        from audit_details d where d.envelope_id = e.envelope_id and d.sequence = e.sequence
      ), '{}') as personal
    from (
      select envelope_id, sequence, at, actor, action, detail, hash, previous_hash from audit_events
      where envelope_id >= ${envelopeId}::uuid and (envelope_id, sequence) > (${envelopeId}::uuid, ${sequence}::int) order by envelope_id, sequence limit ${BATCH}
    ) e order by e.envelope_id, e.sequence`.execute(db);
  return rows;
}

/** A journal cut short or removed leaves its heads in the log. */
export function checkHeads({ db }: Pick<AuditPlatform, "db">): Promise<AuditOutcome> {
  return auditOutcome("Têtes reçues par le journal de transparence", async ({ checked, fault }) => {
    const { rows: counted } = await sql<{ count: number }>`
      select (select count(*) from transparency_leaves) + (select count(*) from transparency_due) as count`.execute(
      db,
    );
    checked(counted[0]?.count ?? 0);
    for (let after = { envelopeId: NOBODY, sequence: 0 }; ; ) {
      const { rows } = await sql<{ envelopeId: string; sequence: number }>`
        select envelope_id as "envelopeId", sequence from (
          select envelope_id, sequence, head from transparency_leaves union all select envelope_id, sequence, head from transparency_due
        ) l where (envelope_id, sequence) > (${after.envelopeId}::uuid, ${after.sequence}::int)
          and not exists (select from audit_events e where e.envelope_id = l.envelope_id and e.sequence = l.sequence and e.hash = l.head)
        order by envelope_id, sequence limit ${BATCH}`.execute(db);
      for (const { envelopeId, sequence } of rows)
        fault(
          nameOf({ envelopeId, sequence }),
          "le journal de transparence l’a reçu\u202f; il n’est plus là, ou a changé",
        );
      const last = rows.at(-1);
      if (last === undefined || rows.length < BATCH) return;
      after = last;
    }
  });
}
