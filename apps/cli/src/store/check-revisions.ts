import { createHash } from "node:crypto";
import { fromHex, toHex } from "@paraphe/kernel/bytes";
import { sql } from "kysely";
import type { StoreNotes, StorePlatform } from "./store-outcome.ts";

const BATCH = 500;

type StoredRevision = {
  readonly documentId: string;
  readonly envelopeId: string;
  readonly number: number;
  readonly sha256: Uint8Array;
  readonly originalSha256: Uint8Array;
  readonly size: number;
  readonly certificates: readonly Uint8Array[] | null;
};

/** Checks invariants 1, 2, 4 and 5 on stored bytes; not the upload's signatures. */
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

/** `offset 0`: a join would read the whole table for each page. */
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

/** Invariant 2: hash and size of the bytes are the row's. */
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

/** Our field names, under the signature, have the envelope (`pdfFieldPrefix`). */
export function isOfAnother(added: Uint8Array, envelopeId: string): boolean {
  const named = Buffer.from(added)
    .toString("latin1")
    .matchAll(/\b([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})_signature_/g);
  return [...named].some(([, id]) => id !== envelopeId);
}

const own = (found: readonly FoundSignature[]): readonly FoundSignature[] =>
  found.filter(({ subFilter }) => subFilter === "ETSI.CAdES.detached");

/** Invariant 1: each is in the file, by certificate, over unchanged bytes. */
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
    // The organisation's key may sign several times.
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
    // Signed attribute message-digest (RFC 5652 §11.2), SHA-256.
    const digest = createHash("sha256").update(signature.signedBytes).digest();
    if (!Buffer.from(signature.contents).includes(digest))
      notes.fault(1, {
        subject,
        what: "le fichier conservé n’est plus celui qu’une de ses signatures a signé",
      });
  }
}

export type FoundSignature = {
  readonly subFilter: string;
  readonly byteRange: readonly [number, number, number, number];
  /** DER of CMS or token, without padding. */
  readonly contents: Uint8Array;
  readonly signedBytes: Uint8Array;
  readonly revisionLength: number;
};

function derLength(bytes: Uint8Array): number {
  const first = bytes[1] ?? 0;
  if (first < 0x80) return first + 2;
  const count = first & 0x7f;
  let length = 0;
  for (const byte of bytes.subarray(2, 2 + count)) length = length * 256 + byte;
  return length + 2 + count;
}

export function signaturesIn(pdf: Uint8Array): FoundSignature[] {
  const text = Buffer.from(pdf).toString("latin1");
  const found = [...text.matchAll(/\/ByteRange\s*\[\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s*\]/g)].map(
    (match): FoundSignature => {
      const [a = 0, b = 0, c = 0, d = 0] = match.slice(1).map(Number);
      const padded = fromHex(text.slice(a + b + 1, c - 1).replace(/[\s<>]/g, ""));
      const object = text.slice(
        Math.max(0, text.lastIndexOf(" obj", match.index)),
        text.indexOf("endobj", match.index),
      );
      return {
        subFilter: /\/SubFilter\s*\/([\w.]+)/.exec(object)?.[1] ?? "",
        byteRange: [a, b, c, d],
        contents: padded.subarray(0, derLength(padded)),
        signedBytes: Buffer.concat([pdf.subarray(a, a + b), pdf.subarray(c, c + d)]),
        revisionLength: c + d,
      };
    },
  );
  return found.sort((one, other) => one.revisionLength - other.revisionLength);
}
