import { createHash } from "node:crypto";
import { formatInstant } from "@paraphe/kernel/french-dates";
import { plural } from "@paraphe/kernel/french-numbers";
import { sql, type RawBuilder } from "kysely";
import { toHex } from "@paraphe/kernel/bytes";
import type {
  Reader,
  Database,
  Transaction,
} from "../../../server/src/platform/database/database.ts";
import type { Platform } from "../../../server/src/platform/platform.ts";
import { type Outcome, faultsOf, misused, tableOf } from "../outcome.ts";
import {
  type StoreOutcome,
  type StoreNotes,
  type StorePlatform,
  createStoreNotes,
  type Invariant,
} from "./store-outcome.ts";
import type { AuditOutcome } from "../audit/audit-fault.ts";
import { checkHeads, checkJournals } from "../audit/check-log.ts";
import { checkRevisions } from "./check-revisions.ts";
import { NAMED_FILES, createHashSet, isStillNeeded, namesOf } from "./named-files.ts";

/** French: a table, the faults, the verdict. */
export function describeStore(outcomes: readonly StoreOutcome[]): readonly string[] {
  const checks = outcomes.map(({ invariant, name, ...outcome }) => ({
    ...outcome,
    name: `${invariant}. ${name}`,
  }));
  const count = outcomes.reduce((sum, { faultCount }) => sum + faultCount, 0);
  const end = count === 0 ? "Tous les invariants tiennent." : `${plural(count, "défaut")}.`;
  return [...tableOf("Invariant", checks), ...faultsOf(checks), "", end];
}

/** `leaves`: number in the log when the check began. */
type SoundCheck = { readonly at: Date; readonly leaves: number };

async function readCheckStart(reader: Reader, at: Date): Promise<SoundCheck> {
  const { rows } = await sql<{
    leaves: number;
  }>`select coalesce(max(leaf_index) + 1, 0) as leaves from transparency_leaves`.execute(reader);
  return { at, leaves: rows[0]?.leaves ?? 0 };
}

async function lastSoundCheck(reader: Reader): Promise<SoundCheck | null> {
  const { rows } =
    await sql<SoundCheck>`select at, leaves from store_checks order by number desc limit 1`.execute(
      reader,
    );
  return rows[0] ?? null;
}

async function noteSoundCheck(reader: Reader, { at, leaves }: SoundCheck): Promise<void> {
  await sql`insert into store_checks (at, leaves) values (${at}, ${leaves})`.execute(reader);
}

export const USAGE: readonly string[] = [
  "Usage\u00a0: paraphe verify-store [--sweep | --since-last]",
  "",
  "Contrôle les huit invariants de ce qui est conservé. Rien n’est changé.",
  "--since-last\u00a0: seulement les enveloppes dont le journal a avancé depuis le dernier contrôle sans défaut. Un fichier altéré depuis,",
  "  d’une enveloppe qui n’a pas changé, n’est vu que par un contrôle entier.",
  "--sweep\u00a0: les fichiers que rien ne nomme sont confiés au ménage de la nuit, qui les retire après un jour.",
  "",
  "Code de sortie\u00a0: 0 tout tient, 1 au moins un défaut, 64 mauvais usage, 78 réglage refusé.",
];

export async function runVerifyStore(
  words: readonly string[],
  onService: (work: (platform: Platform) => Promise<Outcome>) => Promise<Outcome>,
): Promise<Outcome> {
  const [option, ...more] = words;
  if (
    more.length > 0 ||
    (option !== undefined && option !== "--sweep" && option !== "--since-last")
  )
    return misused(USAGE);
  return onService(async (platform) => {
    const start = await readCheckStart(platform.db, platform.clock());
    const last = option === "--since-last" ? await lastSoundCheck(platform.db) : null;
    const outcomes =
      last === null
        ? await verifyStore(platform, { orphans: option === "--sweep" ? "sweep" : "list" })
        : await verifyChanged(platform, last.leaves);
    const isSound = outcomes.every(({ faultCount }) => faultCount === 0);
    if (isSound) await noteSoundCheck(platform.db, start);
    return { code: isSound ? 0 : 1, lines: [...scopeOf(option, last), ...describeStore(outcomes)] };
  });
}

function scopeOf(option: string | undefined, last: SoundCheck | null): readonly string[] {
  if (option !== "--since-last") return [];
  return last === null
    ? ["Aucun contrôle sans défaut n’a encore eu lieu\u00a0: tout est contrôlé.", ""]
    : [`Ce qui a changé depuis le contrôle du ${formatInstant(last.at)}.`, ""];
}

/** Each rule names at most this many; others are counted. */
const NAMED = 20;

/** Works row by row, in bounded memory; changes nothing unless `rules` asks. */
export async function verifyStore(
  platform: StorePlatform,
  rules: OrphanRules = { orphans: "list" },
): Promise<readonly StoreOutcome[]> {
  const notes = createStoreNotes();
  await checkEnvelopes(platform, notes);
  await notes.timed(2, () => checkOtherFiles(platform, notes));
  await notes.timed(8, () => checkOrphans(platform, notes, rules));
  return notes.outcomes();
}

/** Checks journals grown since the log had so many leaves. */
export async function verifyChanged(
  platform: StorePlatform,
  leaves: number,
): Promise<readonly StoreOutcome[]> {
  const notes = createStoreNotes();
  await onChangedSince(platform.db, leaves, (db) => checkEnvelopes({ ...platform, db }, notes));
  return notes.outcomes();
}

async function checkEnvelopes(platform: StorePlatform, notes: StoreNotes): Promise<void> {
  for (const { invariant, query } of LOOKED_AT)
    await notes.timed(invariant, async () =>
      notes.checked(invariant, Number((await query.execute(platform.db)).rows[0]?.count ?? 0)),
    );
  for (const rule of [...RULES, ...MESSAGE_RULES, stuckMessages(platform.clock())])
    await notes.timed(rule.invariant, () => checkRule(platform, rule, notes));
  await notes.timed(2, () => checkRevisions(platform, notes));
  await notes.timed(3, async () => {
    noteAudit(await checkJournals(platform), notes);
    noteAudit(await checkHeads(platform), notes);
  });
}

async function checkRule(
  { db }: StorePlatform,
  { invariant, what, query }: StoreRule,
  notes: StoreNotes,
): Promise<void> {
  const { rows } = await sql<{ subject: string; count: number }>`
    select subject, count(*) over () as count from (${query}) broken limit ${NAMED}`.execute(db);
  for (const [index, { subject, count }] of rows.entries())
    notes.fault(invariant, {
      subject,
      what,
      more: index + 1 === rows.length ? Number(count) - rows.length : 0,
    });
}

function noteAudit({ checked, faultCount, faults }: AuditOutcome, notes: StoreNotes): void {
  notes.checked(3, checked);
  for (const [index, fault] of faults.entries())
    notes.fault(3, {
      ...fault,
      more: index + 1 === faults.length ? faultCount - faults.length : 0,
    });
}

/** Each table, with the column that names the envelope. */
const SHOWN = {
  changed_envelopes: [
    ["envelopes", "id"],
    ["documents", "envelope_id"],
    ["signatures", "envelope_id"],
    ["signing_acts", "envelope_id"],
    ["notices", "envelope_id"],
    ["prints", "envelope_id"],
    ["transparency_leaves", "envelope_id"],
    ["transparency_due", "envelope_id"],
  ],
  changed_documents: [["document_revisions", "document_id"]],
} as const;

/** PostgreSQL then prefers index look-ups, cheap for few changed rows. */
const SETTINGS = {
  search_path: "pg_temp, public",
  random_page_cost: "1.1",
  idle_in_transaction_session_timeout: "0",
};

/**
 * Temporary views, named like the tables, show only such envelopes. One transaction stays on one
 * connection.
 */
export async function onChangedSince<T>(
  whole: Database,
  leaves: number,
  work: (changed: Database) => Promise<T>,
): Promise<T> {
  return whole.transaction().execute(async (db) => {
    for (const [name, value] of Object.entries(SETTINGS))
      await sql`select set_config(${name}, ${value}, true)`.execute(db);
    const envelopes = sql`select envelope_id as id from transparency_leaves where leaf_index >= ${leaves} union select envelope_id from transparency_due`;
    await list(db, "changed_envelopes", envelopes);
    await list(
      db,
      "changed_documents",
      sql`select d.id from documents d join changed_envelopes c on c.id = d.envelope_id`,
    );
    for (const [changed, tables] of Object.entries(SHOWN))
      for (const [table, key] of tables) await show(db, { table, key, changed });
    await showJournals(db);
    return work(db);
  });
}

async function list(db: Transaction, name: string, ids: RawBuilder<unknown>): Promise<void> {
  await sql`create temporary table ${sql.table(name)} on commit drop as ${ids}`.execute(db);
  await sql`alter table ${sql.table(name)} add primary key (id)`.execute(db);
  await sql`analyze ${sql.table(name)}`.execute(db);
}

/** A page after an id reads nothing before it. */
async function show(
  db: Transaction,
  { table, key, changed }: Readonly<Record<"table" | "key" | "changed", string>>,
): Promise<void> {
  await sql`create temporary view ${sql.table(table)} as
    select * from (select id as ${sql.ref(key)} from ${sql.table(changed)}) c join public.${sql.table(table)} using (${sql.ref(key)})`.execute(
    db,
  );
}

/** `offset 0` forces look-ups by envelope: PostgreSQL would read every journal. */
async function showJournals(db: Transaction): Promise<void> {
  await sql`create temporary view audit_events as select * from (select id as envelope_id from changed_envelopes) c
    join lateral (select * from public.audit_events v where v.envelope_id = c.envelope_id offset 0) v using (envelope_id)`.execute(
    db,
  );
}

const DAY_MS = 86_400_000;

/** In a restored database, the sweep cannot find them. */
type OrphanRules = { readonly orphans: "list" | "sweep" };

/** Invariant 8: an orphan is a day old at most. */
async function checkOrphans(
  platform: StorePlatform,
  notes: StoreNotes,
  { orphans }: OrphanRules,
): Promise<void> {
  const now = platform.clock();
  const dayAgo = new Date(now.getTime() - DAY_MS);
  const known = createHashSet();
  for (const named of NAMED_FILES)
    for await (const names of namesOf(platform.db, named, "all"))
      for (const sha256 of names) known.add(sha256);
  for await (const { sha256, writtenAt } of platform.files.list()) {
    notes.checked(8, 1);
    if (writtenAt >= dayAgo || known.has(sha256)) continue;
    // The sweep leaves files of the last day.
    const recent = platform.db
      .selectFrom("loose_files")
      .select("at")
      .where("sha256", "=", sha256)
      .where("at", ">", dayAgo);
    if ((await recent.executeTakeFirst()) !== undefined) continue;
    notes.fault(8, {
      subject: toHex(sha256),
      what: "un fichier que rien ne désigne a plus d’un jour",
    });
    if (orphans === "sweep")
      await sql`insert into loose_files (sha256, at) values (${sha256}, ${now}) on conflict do nothing`.execute(
        platform.db,
      );
  }
}

const OTHERS = NAMED_FILES.filter(({ table }) => table !== "document_revisions");

/** Invariant 2 outside revisions: templates, avatars, waiting batch files. */
async function checkOtherFiles({ db, files }: StorePlatform, notes: StoreNotes): Promise<void> {
  for (const named of OTHERS)
    for await (const names of namesOf(db, named, "needed"))
      for (const sha256 of names) {
        notes.checked(2, 1);
        const subject = toHex(sha256);
        try {
          const found = createHash("sha256")
            .update(await files.get(sha256))
            .digest("hex");
          if (found !== subject)
            notes.fault(2, { subject, what: `ce fichier a l’empreinte ${found}` });
        } catch (error) {
          const name = error instanceof Error ? error.name : "inconnu";
          if (await isStillNeeded(db, named, sha256))
            notes.fault(2, { subject, what: `ce fichier ne peut pas être lu (${name})` });
        }
      }
}

type Row = { readonly subject: string };
type StoreRule = {
  readonly invariant: Invariant;
  readonly what: string;
  readonly query: ReturnType<typeof sql<Row>>;
};

const LOOKED_AT: readonly {
  readonly invariant: Invariant;
  readonly query: ReturnType<typeof sql<{ count: number }>>;
}[] = [
  { invariant: 1, query: sql`select count(*) as count from signatures` },
  {
    invariant: 4,
    query: sql`select count(*) as count from envelopes where status = 'completed' and purged_at is null`,
  },
  { invariant: 6, query: sql`select count(*) as count from notices` },
  {
    invariant: 7,
    query: sql`select count(*) as count from audit_events where action = 'envelope_cancelled'`,
  },
];

/** A purged envelope keeps its journal and hashes alone. */
const LIVING = sql`e.purged_at is null`;

const SIGNATURES: readonly StoreRule[] = [
  {
    invariant: 1,
    what: "un destinataire a signé sans acte scellé",
    query: sql<Row>`select r.id as subject from recipients r join envelopes e on e.id = r.envelope_id and ${LIVING}
      where r.status = 'signed' and not exists (select from signing_acts a where a.recipient_id = r.id and a.sealed_at is not null)`,
  },
  {
    invariant: 1,
    what: "un acte scellé n’a pas exactement une signature dans un document de son enveloppe",
    query: sql<Row>`select a.id as subject from signing_acts a join documents d on d.envelope_id = a.envelope_id
      where a.sealed_at is not null and 1 <> (select count(*) from signatures s where s.act_id = a.id and s.document_id = d.id)`,
  },
  {
    invariant: 1,
    what: "l’historique ne dit pas une signature, ou la dit d’un autre certificat",
    query: sql<Row>`select distinct s.envelope_id as subject from signatures s join envelopes e on e.id = s.envelope_id and ${LIVING}
      where not exists (select from audit_events v where v.envelope_id = s.envelope_id and v.action = 'recipient_signed'
        and v.detail->>'recipient' = s.recipient_id::text and v.detail->>'certificate_serial' = s.serial_number)`,
  },
  {
    invariant: 1,
    what: "l’historique dit une signature qui n’est plus dans la base",
    query: sql<Row>`select distinct v.envelope_id as subject from audit_events v join envelopes e on e.id = v.envelope_id and ${LIVING}
      where v.action = 'recipient_signed' and not exists (select from signatures s where s.envelope_id = v.envelope_id
        and s.recipient_id::text = v.detail->>'recipient')
        and not exists (select from audit_events b where b.envelope_id = v.envelope_id and b.action = 'step_sent_back'
          and b.sequence > v.sequence)`,
  },
  {
    invariant: 1,
    what: "une signature sans consentement dans l’historique",
    query: sql<Row>`select a.envelope_id as subject from signing_acts a join envelopes e on e.id = a.envelope_id and ${LIVING}
      group by a.envelope_id
      having count(*) > (select count(*) from audit_events v where v.envelope_id = a.envelope_id and v.action = 'consent_given')`,
  },
];

const JOURNALS: readonly StoreRule[] = [
  {
    invariant: 3,
    what: "l’historique de cette enveloppe ne commence pas par sa création",
    query: sql<Row>`select e.id as subject from envelopes e
      where not exists (select from audit_events v where v.envelope_id = e.id and v.sequence = 1 and v.action = 'envelope_created')`,
  },
  {
    invariant: 3,
    what: "il manque à l’historique un événement que l’état de l’enveloppe suppose",
    query: sql<Row>`select e.id as subject from envelopes e cross join lateral (values
        (e.sent_at is not null, 'envelope_sent'), (e.completed_at is not null, 'envelope_completed'),
        (e.status = 'declined', 'envelope_declined'), (e.status = 'expired', 'envelope_expired'),
        (e.status = 'cancelled', 'envelope_cancelled'), (e.purged_at is not null, 'envelope_purged')) as said (happened, action)
      where said.happened and not exists (select from audit_events v where v.envelope_id = e.id and v.action = said.action)`,
  },
  {
    invariant: 3,
    what: "l’historique de son enveloppe ne dit pas cette impression, ou la dit autre",
    query: sql<Row>`select p.id as subject from prints p where not exists (select from audit_events v where v.envelope_id = p.envelope_id
      and v.action = 'print_generated' and v.detail->>'print' = p.id::text and v.detail->>'qr_type' = p.qr_type
      and v.at between p.created_at - interval '10 minutes' and p.created_at + interval '10 minutes')`,
  },
  {
    invariant: 3,
    what: "l’historique dit une impression qui n’est plus dans la base",
    query: sql<Row>`select v.envelope_id as subject from audit_events v join envelopes e on e.id = v.envelope_id and ${LIVING}
      where v.action = 'print_generated' and not exists (select from prints p where p.id::text = v.detail->>'print')`,
  },
];

const COMPLETIONS: readonly StoreRule[] = [
  {
    invariant: 4,
    what: "une enveloppe terminée a un signataire qui n’a pas signé, ou un visa non donné",
    query: sql<Row>`select e.id as subject from envelopes e where e.status = 'completed' and ${LIVING}
      and exists (select from recipients r where r.envelope_id = e.id and r.role <> 'viewer'
        and r.status <> case r.role when 'visa' then 'approved' else 'signed' end)`,
  },
  {
    invariant: 4,
    what: "une enveloppe terminée n’a aucun document",
    query: sql<Row>`select e.id as subject from envelopes e where e.status = 'completed' and ${LIVING}
      and not exists (select from documents d where d.envelope_id = e.id)`,
  },
  {
    invariant: 4,
    what: "un document d’une enveloppe terminée n’est ni signé, ni horodaté pour l’archivage",
    query: sql<Row>`select d.id as subject from documents d join envelopes e on e.id = d.envelope_id
      where e.status = 'completed' and ${LIVING} and not (exists (select from document_archives a where a.document_id = d.id)
        and exists (select from signatures s where s.document_id = d.id))`,
  },
  {
    invariant: 5,
    what: "les signatures d’un document ne sont pas celles des destinataires qui ont signé",
    query: sql<Row>`select d.id as subject from documents d join envelopes e on e.id = d.envelope_id and ${LIVING} and e.status <> 'draft'
      where exists (select from recipients r where r.envelope_id = e.id and r.status = 'signed'
          and not exists (select from signatures s where s.document_id = d.id and s.recipient_id = r.id))
        or exists (select from signatures s where s.document_id = d.id
          and not exists (select from recipients r where r.id = s.recipient_id and r.envelope_id = e.id and r.status = 'signed'))`,
  },
];

const CANCELLATIONS: readonly StoreRule[] = [
  {
    invariant: 7,
    what: "une enveloppe annulée a gagné une signature, d’après l’historique",
    // A signature has the date of its consent, before the seal.
    query: sql<Row>`select distinct v.envelope_id as subject from audit_events v where v.action = 'recipient_signed' and 'envelope_cancelled' = (
        select w.action from audit_events w where w.envelope_id = v.envelope_id and w.sequence < v.sequence
          and w.action in ('envelope_cancelled', 'envelope_restored') order by w.sequence desc limit 1)`,
  },
  {
    invariant: 7,
    what: "une enveloppe annulée a gagné une signature, dans la base",
    query: sql<Row>`select distinct e.id as subject from envelopes e join signing_acts a on a.envelope_id = e.id
      where e.status = 'cancelled' and ${LIVING} and a.sealed_at > e.cancelled_at`,
  },
];

const RULES: readonly StoreRule[] = [...SIGNATURES, ...JOURNALS, ...COMPLETIONS, ...CANCELLATIONS];

const HAS_MESSAGES = sql`e.purged_at is null and not exists (select from signing_acts a where a.envelope_id = e.id and a.method in ('self', 'bulk'))`;
/** Messages to members go with their account. */
const OWNER_STAYS = sql`exists (select from users u where u.id = e.owner_id and u.erased_at is null)`;
const noneErasedSince = (at: "completed_at" | "updated_at") =>
  sql`not exists (select from users u where u.erased_at >= ${sql.ref(`e.${at}`)})`;

/** A mail per event and recipient, with one Message-ID; one per address. */
const MESSAGE_RULES: readonly StoreRule[] = [
  {
    invariant: 6,
    what: "deux messages de fin pour une même adresse",
    query: sql<Row>`select envelope_id as subject from notices where kind = 'completed' and envelope_id is not null
      group by envelope_id, channel, lower(destination) having count(*) > 1`,
  },
  {
    invariant: 6,
    what: "deux messages portent le même Message-ID",
    query: sql<Row>`select min(id::text) as subject from notices group by message_id having count(*) > 1`,
  },
  {
    invariant: 6,
    what: "l’expéditeur n’a pas reçu de message de fin, de refus ou d’expiration",
    query: sql<Row>`select e.id as subject from envelopes e where e.status in ('completed', 'declined', 'expired') and ${HAS_MESSAGES} and ${OWNER_STAYS}
      and not exists (select from notices n where n.envelope_id = e.id and n.kind = e.status and n.user_id = e.owner_id)`,
  },
  {
    invariant: 6,
    what: "un destinataire n’a pas reçu de message de fin",
    // Recipients of one address share it; the sender's goes to the sender.
    query: sql<Row>`select r.id as subject from recipients r join envelopes e on e.id = r.envelope_id
      where e.status = 'completed' and ${HAS_MESSAGES} and ${noneErasedSince("completed_at")}
        and r.email_key <> (select u.email_key from users u where u.id = e.owner_id)
        and not exists (select from notices n join recipients o on o.id = n.recipient_id
          where n.envelope_id = e.id and n.kind = 'completed' and o.email_key = r.email_key)`,
  },
  {
    invariant: 6,
    what: "l’historique dit une demande dont le message n’existe pas",
    query: sql<Row>`select distinct v.envelope_id as subject from audit_events v join envelopes e on e.id = v.envelope_id and e.purged_at is null
      where v.action in ('recipient_invited', 'recipient_reminded') and v.detail ? 'message'
        and not exists (select from notices n where n.id = (v.detail->>'message')::uuid)`,
  },
  {
    invariant: 6,
    what: "l’historique dit plus de codes envoyés qu’il n’y a de messages",
    query: sql<Row>`select v.envelope_id as subject from audit_events v join envelopes e on e.id = v.envelope_id and e.purged_at is null
      where v.action = 'code_sent' group by v.envelope_id
      having count(*) > (select count(*) from notices n where n.envelope_id = v.envelope_id and n.kind = 'code')`,
  },
];

/**
 * Attempts end after two days: a message older than that, unless delayed to a morning, is stuck.
 */
const stuckMessages = (now: Date): StoreRule => ({
  invariant: 6,
  what: "un message attend depuis plus de trois jours",
  query: sql<Row>`select id as subject from notices
    where state = 'queued' and coalesce(not_before, created_at) < ${new Date(now.getTime() - 3 * 86_400_000)}`,
});
