import { sql } from "kysely";
import { verifyChain } from "../../apps/server/src/features/audit/index.ts";
import type { Platform } from "../../apps/server/src/platform/platform.ts";
import { signaturesIn } from "./signatures-in.ts";

/** One broken invariant, by its number in ARCHITECTURE.md. `subject` is an id or a hash, never a name. */
export type StoreFault = { readonly invariant: number; readonly subject: string; readonly what: string };
export type StorePlatform = Pick<Platform, "db" | "files" | "clock">;

const DAY_MS = 86_400_000;
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

type Row = { readonly subject: string };

/** Faults that the database alone can show: each query gives the ids of what breaks the rule. */
const QUERIES: readonly { readonly invariant: number; readonly what: string; readonly query: ReturnType<typeof sql<Row>> }[] = [
  {
    invariant: 1,
    what: "a recipient is signed without a sealed act",
    query: sql<Row>`select r.id as subject from recipients r join envelopes e on e.id = r.envelope_id and e.purged_at is null
      where r.status = 'signed' and not exists (select from signing_acts a where a.recipient_id = r.id and a.sealed_at is not null)`,
  },
  {
    invariant: 1,
    what: "a sealed act has no signature in one of its envelope's documents, or more than one",
    query: sql<Row>`select a.id as subject from signing_acts a join documents d on d.envelope_id = a.envelope_id
      where a.sealed_at is not null and 1 <> (select count(*) from signatures s where s.act_id = a.id and s.document_id = d.id)`,
  },
  {
    invariant: 1,
    what: "a signature is not in the audit chain",
    query: sql<Row>`select distinct s.envelope_id as subject from signatures s join envelopes e on e.id = s.envelope_id and e.purged_at is null
      where not exists (select from audit_events v where v.envelope_id = s.envelope_id and v.action = 'recipient_signed'
        and v.detail->>'recipient' = s.recipient_id::text)`,
  },
  {
    invariant: 4,
    what: "an envelope is completed with a signer who has not signed",
    query: sql<Row>`select e.id as subject from envelopes e where e.status = 'completed' and e.purged_at is null
      and exists (select from recipients r where r.envelope_id = e.id and r.role <> 'viewer' and r.status <> 'signed')`,
  },
  {
    invariant: 4,
    what: "a document of a completed envelope has no document time-stamp",
    query: sql<Row>`select d.id as subject from documents d join envelopes e on e.id = d.envelope_id
      where e.status = 'completed' and e.purged_at is null and not exists (select from document_archives a where a.document_id = d.id)`,
  },
  {
    invariant: 3,
    what: "an envelope has no audit chain that begins with its creation",
    query: sql<Row>`select e.id as subject from envelopes e
      where not exists (select from audit_events v where v.envelope_id = e.id and v.sequence = 1 and v.action = 'envelope_created')`,
  },
  {
    invariant: 3,
    what: "an audit chain lacks the events that its envelope's state says there were",
    query: sql<Row>`select e.id as subject from envelopes e cross join lateral (values
        (e.sent_at is not null, 'envelope_sent'), (e.completed_at is not null, 'envelope_completed'),
        (e.status = 'cancelled', 'envelope_cancelled'), (e.purged_at is not null, 'envelope_purged')) as said (happened, action)
      where said.happened and not exists (select from audit_events v where v.envelope_id = e.id and v.action = said.action)`,
  },
  {
    invariant: 6,
    what: "two messages that one address is to get once",
    query: sql<Row>`select envelope_id as subject from notices where kind = 'completed' and envelope_id is not null
      group by envelope_id, channel, lower(destination) having count(*) > 1`,
  },
  {
    invariant: 6,
    what: "two messages bear one Message-ID",
    query: sql<Row>`select min(id::text) as subject from notices group by message_id having count(*) > 1`,
  },
  {
    invariant: 6,
    what: "a completed envelope of which its sender was never told",
    // Nobody is told of what somebody signed alone, with a document of their own.
    query: sql<Row>`select e.id as subject from envelopes e where e.status = 'completed' and e.purged_at is null
      and not exists (select from signing_acts a where a.envelope_id = e.id and a.method in ('self', 'bulk'))
      and not exists (select from notices n where n.envelope_id = e.id and n.kind = 'completed' and n.user_id = e.owner_id)`,
  },
  {
    invariant: 7,
    what: "a cancelled envelope gained a signature",
    // In the journal's own order: a signature is dated when its person agreed, which is before it was sealed.
    query: sql<Row>`select distinct v.envelope_id as subject from audit_events v where v.action = 'recipient_signed' and 'envelope_cancelled' = (
        select w.action from audit_events w where w.envelope_id = v.envelope_id and w.sequence < v.sequence
          and w.action in ('envelope_cancelled', 'envelope_restored') order by w.sequence desc limit 1)`,
  },
];

type StoredRevision = {
  readonly envelopeId: string;
  readonly documentId: string;
  readonly originalSha256: Uint8Array;
  readonly sha256: Uint8Array;
  readonly size: number;
  readonly isCurrent: boolean;
  readonly status: string;
  readonly signatureCount: number;
};

async function loadRevisions({ db }: StorePlatform): Promise<readonly StoredRevision[]> {
  const { rows } = await sql<StoredRevision>`
    select d.envelope_id as "envelopeId", d.id as "documentId", r.blob_sha256 as sha256, o.blob_sha256 as "originalSha256", r.size::int as size, r.number = d.current_revision as "isCurrent",
      e.status, (select count(*)::int from signatures s where s.document_id = d.id and s.revision <= r.number) as "signatureCount"
    from document_revisions r join documents d on d.id = r.document_id join document_revisions o on o.document_id = d.id and o.number = 0 join envelopes e on e.id = d.envelope_id where e.purged_at is null`.execute(
    db,
  );
  return rows;
}

/** Invariants 2, 4 and 5, from the bytes as they are stored now. Signatures that the file came with are not ours to count. */
async function faultsOfRevision({ files }: StorePlatform, revision: StoredRevision): Promise<StoreFault[]> {
  const subject = revision.documentId;
  let bytes: Uint8Array;
  try {
    bytes = await files.get(revision.sha256);
  } catch (error) {
    return [
      {
        invariant: 2,
        subject,
        what: `its file ${hex(revision.sha256)} cannot be read: ${error instanceof Error ? error.name : "unknown"}`,
      },
    ];
  }
  const faults: StoreFault[] = [];
  if (bytes.length !== revision.size)
    faults.push({ invariant: 2, subject, what: `its row says ${revision.size} bytes, its file has ${bytes.length}` });
  if (!revision.isCurrent || revision.signatureCount === 0) return faults;
  return [...faults, ...faultsOfSignatures(revision, { bytes, original: await files.get(revision.originalSha256).catch(() => null) })];
}

/** Invariants 4 and 5. */
function faultsOfSignatures(
  { documentId: subject, signatureCount }: StoredRevision,
  { bytes, original }: { readonly bytes: Uint8Array; readonly original: Uint8Array | null },
): StoreFault[] {
  const faults: StoreFault[] = [];
  if (signaturesIn(bytes).at(-1)?.revisionLength !== bytes.length)
    faults.push({ invariant: 4, subject, what: "its last signature does not cover the whole file" });
  // An original that cannot be read is told as such, by its own revision.
  if (original === null) return faults;
  const made = countOwn(bytes) - countOwn(original);
  if (made !== signatureCount) faults.push({ invariant: 5, subject, what: `${signatureCount} signatures in rows, ${made} in the file` });
  return faults;
}

function countOwn(bytes: Uint8Array): number {
  return signaturesIn(bytes).filter(({ subFilter }) => subFilter === "ETSI.CAdES.detached").length;
}

async function faultsOfChains({ db }: StorePlatform): Promise<StoreFault[]> {
  const { rows } = await sql<Row>`select distinct envelope_id as subject from audit_events`.execute(db);
  const faults: StoreFault[] = [];
  for (const { subject } of rows) {
    const verdict = await verifyChain(db, subject);
    if (!verdict.ok) faults.push({ invariant: 3, subject, what: `its audit chain breaks at event ${verdict.sequence}: ${verdict.reason}` });
  }
  return faults;
}

async function faultsOfOrphans({ db, files, clock }: StorePlatform): Promise<StoreFault[]> {
  const { rows } = await sql<{ sha256: Uint8Array }>`
    select blob_sha256 as sha256 from document_revisions union select uploaded_sha256 from documents
    union select avatar_sha256 from users where avatar_sha256 is not null`.execute(db);
  const known = new Set(rows.map(({ sha256 }) => hex(sha256)));
  const faults: StoreFault[] = [];
  for await (const { sha256, writtenAt } of files.list()) {
    const isOld = clock().getTime() - writtenAt.getTime() > DAY_MS;
    if (isOld && !known.has(hex(sha256)))
      faults.push({ invariant: 8, subject: hex(sha256), what: "a file that no row points to is older than a day" });
  }
  return faults;
}

/** Gives every broken invariant of ARCHITECTURE.md in what is stored; nothing is changed. */
export async function findStoreFaults(platform: StorePlatform): Promise<StoreFault[]> {
  const faults: StoreFault[] = [];
  for (const { invariant, what, query } of QUERIES) {
    const { rows } = await query.execute(platform.db);
    faults.push(...rows.map(({ subject }) => ({ invariant, subject, what })));
  }
  for (const revision of await loadRevisions(platform)) faults.push(...(await faultsOfRevision(platform, revision)));
  faults.push(...(await faultsOfChains(platform)), ...(await faultsOfOrphans(platform)));
  return faults;
}
