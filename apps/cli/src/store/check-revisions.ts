import { createHash } from "node:crypto";
import { toHex } from "@paraphe/kernel/bytes";
import { sql } from "kysely";
import { type FoundSignature, signaturesIn } from "./signatures-in.ts";
import type { StoreNotes, StorePlatform } from "./store-outcome.ts";

const BATCH = 500;

/** One state of a document, as its row has it. `certificates`: of every signature of the document that rows know, where this is its current state. */
type StoredRevision = {
  readonly documentId: string;
  readonly envelopeId: string;
  readonly number: number;
  readonly sha256: Uint8Array;
  readonly originalSha256: Uint8Array;
  readonly size: number;
  readonly certificates: readonly Uint8Array[] | null;
};

/** Invariants 1, 2, 4 and 5, from the bytes as they are stored now, one file after the other. Signatures that the file came with are not ours to count. */
export async function checkRevisions(platform: StorePlatform, notes: StoreNotes): Promise<void> {
  for (let after = { documentId: "00000000-0000-0000-0000-000000000000", number: -1 }; ; ) {
    const revisions = await readAfter(platform.db, after);
    for (const revision of revisions) {
      const bytes = await readRevision(platform, revision, notes);
      if (bytes !== null && revision.certificates !== null)
        await checkSigned(platform, { revision, bytes, notes });
    }
    const last = revisions.at(-1);
    if (last === undefined || revisions.length < BATCH) return;
    after = last;
  }
}

/** The original is looked up (`offset 0`): joined, the whole table would be read again for each page. */
async function readAfter(
  db: StorePlatform["db"],
  after: Pick<StoredRevision, "documentId" | "number">,
): Promise<readonly StoredRevision[]> {
  const { rows } = await sql<StoredRevision>`
    select r.document_id as "documentId", d.envelope_id as "envelopeId", r.number, r.blob_sha256 as sha256, o.blob_sha256 as "originalSha256", r.size::int as size,
      case when r.number = d.current_revision then (select array_agg(s.certificate_der) from signatures s where s.document_id = d.id) end as certificates
    from (
      select document_id, number, blob_sha256, size from document_revisions
      where document_id >= ${after.documentId}::uuid and (document_id, number) > (${after.documentId}::uuid, ${after.number}::int) order by document_id, number limit ${BATCH}
    ) r join documents d on d.id = r.document_id
    cross join lateral (select blob_sha256 from document_revisions where document_id = r.document_id and number = 0 offset 0) o
    order by r.document_id, r.number`.execute(db);
  return rows;
}

/** Invariant 2: the bytes are there, their hash is computed anew and is the row's, and so is their number. */
async function readRevision(
  { files, db }: StorePlatform,
  revision: StoredRevision,
  notes: StoreNotes,
): Promise<Uint8Array | null> {
  const subject = revision.documentId;
  let bytes: Uint8Array;
  try {
    bytes = await files.get(revision.sha256);
  } catch (error) {
    // A purge takes the bytes and leaves the row; it may have come since the row was read.
    const { rows } = await sql<{ purged: boolean }>`
      select e.purged_at is not null as purged from documents d join envelopes e on e.id = d.envelope_id where d.id = ${subject}::uuid`.execute(
      db,
    );
    if (rows[0]?.purged !== false) return null;
    notes.checked(2, 1);
    const name = error instanceof Error ? error.name : "inconnu";
    notes.fault(2, {
      subject,
      what: `son fichier ${toHex(revision.sha256)} ne peut pas être lu (${name})`,
    });
    return null;
  }
  notes.checked(2, 1);
  const found = createHash("sha256").update(bytes).digest();
  if (Buffer.compare(found, revision.sha256) !== 0)
    notes.fault(2, {
      subject,
      what: `son fichier ${toHex(revision.sha256)} a l’empreinte ${toHex(found)}`,
    });
  if (bytes.length !== revision.size)
    notes.fault(2, {
      subject,
      what: `sa ligne dit ${revision.size} octets, son fichier en a ${bytes.length}`,
    });
  return bytes;
}

type Signed = {
  readonly revision: StoredRevision;
  readonly bytes: Uint8Array;
  readonly notes: StoreNotes;
};

async function checkSigned(
  { files }: StorePlatform,
  { revision, bytes, notes }: Signed,
): Promise<void> {
  const subject = revision.documentId;
  const certificates = revision.certificates ?? [];
  const found = signaturesIn(bytes);
  await notes.timed(4, async () => {
    if (found.at(-1)?.revisionLength !== bytes.length)
      notes.fault(4, { subject, what: "sa dernière signature ne couvre pas tout le fichier" });
  });
  await notes.timed(1, async () =>
    checkContents(subject, { certificates, found: own(found), notes }),
  );
  await notes.timed(5, async () => {
    notes.checked(5, certificates.length);
    // An original that cannot be read is told as such, by its own revision.
    const original = await files.get(revision.originalSha256).catch(() => null);
    if (original === null) return;
    if (Buffer.compare(original, bytes.subarray(0, original.length)) !== 0)
      notes.fault(2, {
        subject,
        what: "son fichier signé ne commence pas par l’original que sa ligne désigne",
      });
    const made = own(found).length - own(signaturesIn(original)).length;
    if (made !== certificates.length)
      notes.fault(5, {
        subject,
        what: `${certificates.length} signatures dans la base, ${made} dans le fichier`,
      });
    if (isOfAnother(bytes.subarray(original.length), revision.envelopeId))
      notes.fault(5, { subject, what: "ses signatures ont été faites pour une autre enveloppe" });
  });
}

/**
 * Says whether what was added to an original bears signatures made for another envelope: our fields are named after theirs (`pdfFieldPrefix`), and each signature covers
 * their names.
 */
export function isOfAnother(added: Uint8Array, envelopeId: string): boolean {
  const named = Buffer.from(added)
    .toString("latin1")
    .matchAll(/\b([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})_signature_/g);
  return [...named].some(([, id]) => id !== envelopeId);
}

/** Those of people and of the seal; a document time-stamp is not one. */
const own = (found: readonly FoundSignature[]): readonly FoundSignature[] =>
  found.filter(({ subFilter }) => subFilter === "ETSI.CAdES.detached");

/** Invariant 1: each signature of the rows stands in the file, by its certificate, over the bytes that the file still has. */
function checkContents(
  subject: string,
  {
    certificates,
    found,
    notes,
  }: {
    readonly certificates: readonly Uint8Array[];
    readonly found: readonly FoundSignature[];
    readonly notes: StoreNotes;
  },
): void {
  const left = [...found];
  for (const certificate of certificates) {
    // The organisation's key may have signed for several: each of its signatures stands for one.
    const place = left.findIndex(({ contents }) =>
      Buffer.from(contents).includes(Buffer.from(certificate)),
    );
    const [signature] = place === -1 ? [] : left.splice(place, 1);
    if (signature === undefined) {
      notes.fault(1, {
        subject,
        what: "une signature de la base n’est pas dans le fichier conservé",
      });
      continue;
    }
    // The signed attribute message-digest, whole: RFC 5652 §11.2. Ours is SHA-256.
    const digest = createHash("sha256").update(signature.signedBytes).digest();
    if (!Buffer.from(signature.contents).includes(digest))
      notes.fault(1, {
        subject,
        what: "le fichier conservé n’est plus celui qu’une de ses signatures a signé",
      });
  }
}
