import { createHash } from "node:crypto";
import {
  BATCH_ARCHIVE_DAYS,
  type BatchItemStatus,
  type BatchJob,
  type BatchSummary,
  type CorrectionAnswer,
  type Result,
  failure,
  problem,
  success,
} from "@paraphe/contracts";
import { toHex } from "@paraphe/kernel/bytes";
import { canonicalJson } from "@paraphe/kernel/canonical-json";
import { csvText } from "../../../platform/csv.ts";
import type { Reader } from "../../../platform/database/database.ts";
import type { Platform } from "../../../platform/platform.ts";
import {
  type StoredFile,
  archiveFiles,
  archiveNames,
  compareCopy,
  downloadName,
  pdfAccess,
  receiveDocument,
} from "../../documents/public.ts";
import type { Actor } from "../../envelopes/public.ts";
import { signJws } from "../../trust/public.ts";
import type { SealingDeps } from "../seal/create-sealing.ts";
import type { BatchDeps } from "./create-batches.ts";
import {
  type Batch,
  type BatchCounts,
  type BatchItem,
  batchStatus,
  shownStatuses,
} from "./domain/batch.ts";
import {
  type CountedBatch,
  saveManifest,
  selectBatch,
  selectBatches,
  selectItems,
  selectManifest,
  selectPurged,
  selectSource,
} from "./store.ts";

export type OwnBatch = { readonly id: string; readonly ownerId: string };
export type BatchWithItems = { readonly batch: Batch; readonly items: readonly BatchItem[] };

export async function readBatch(reader: Reader, of: OwnBatch): Promise<Result<BatchWithItems>> {
  const batch = await selectBatch(reader, of);
  return batch === null
    ? failure(problem("not_found"))
    : success({ batch, items: await selectItems(reader, batch.id) });
}

function countItems(items: readonly BatchItem[]): BatchCounts {
  const count = (status: BatchItem["status"]) =>
    items.filter((item) => item.status === status).length;
  return {
    total: items.length,
    done: count("done"),
    failed: count("failed"),
    cancelled: count("cancelled"),
  };
}

export function presentBatch({ batch, items }: BatchWithItems): BatchJob {
  const counts = countItems(items);
  const shown = shownStatuses(
    batch,
    items.map((item) => item.status),
  );
  return {
    id: batch.id,
    status: batchStatus(batch, counts),
    total: counts.total,
    done: counts.done,
    failed: counts.failed,
    items: items.map((item, index) => ({
      name: item.name,
      status: shown[index] ?? item.status,
      detail: item.detail,
      code: item.status === "failed" ? item.failureCode : null,
      envelope_id: item.envelopeId,
    })),
  };
}

type BatchPage = { readonly ownerId: string; readonly page: number; readonly page_size: number };

export async function listBatches(reader: Reader, { ownerId, page, page_size }: BatchPage) {
  const { count, rows } = await selectBatches(reader, {
    ownerId,
    limit: page_size,
    offset: (page - 1) * page_size,
  });
  return { count, page, page_size, results: rows.map(presentSummary) };
}

function presentSummary({ batch, counts }: CountedBatch): BatchSummary {
  const end = batch.finishedAt;
  return {
    id: batch.id,
    title: batch.title,
    status: batchStatus(batch, counts),
    total: counts.total,
    done: counts.done,
    failed: counts.failed,
    created_at: batch.createdAt.toISOString(),
    finished_at: end?.toISOString() ?? null,
    available_until:
      end === null ? null : new Date(end.getTime() + BATCH_ARCHIVE_DAYS * 86_400_000).toISOString(),
  };
}

type ItemToCompare = OwnBatch & {
  readonly position: number;
  readonly actor: Actor;
  readonly from: number;
};

/**
 * Errors: `not_found`, also without a pending acceptance; those of `receiveDocument` and
 * `compareCopy`.
 */
export async function compareItem(
  platform: Platform,
  { position, actor, from, ...of }: ItemToCompare,
): Promise<Result<CorrectionAnswer>> {
  const batch = await readBatch(platform.db, of);
  if (!batch.ok) return batch;
  const source = await selectSource(platform.db, { batchId: of.id, position });
  if (source === null) return failure(problem("not_found"));
  const access = pdfAccess(platform, { actor, haste: "patient" });
  const received = await receiveDocument(access, {
    name: source.name,
    bytes: await platform.files.get(source.sha256),
  });
  if (!received.ok) return received;
  const { name, bytes, pageCount } = received.value;
  return compareCopy(access, { name, bytes, pageCount, from });
}

type BatchArchive = { readonly name: string; readonly stream: NodeJS.ReadableStream };

/** `file` is null when not signed, or purged. */
type Entry = { readonly item: BatchItem; readonly file: StoredFile | null };

/**
 * Gives signed files, `rapport.csv`, and `manifeste.json` signed by the organisation's seal.
 * Shape: the same bytes until a purge; files are read one at a time.
 * Errors: `not_found`, `batch_running`, `stored_file_lost`.
 */
export async function archiveBatch(deps: BatchDeps, of: OwnBatch): Promise<Result<BatchArchive>> {
  const { platform } = deps;
  const read = await readBatch(platform.db, of);
  if (!read.ok) return read;
  const { finishedAt } = read.value.batch;
  if (finishedAt === null) return failure(problem("batch_running"));
  const entries = await entriesOf(deps, read.value.items);
  const files = entries.flatMap(({ file }) => (file === null ? [] : [file]));
  for (const file of files)
    if ((await platform.files.size(file.sha256)) !== file.sizeBytes)
      return failure(problem("stored_file_lost"));
  const manifest = await manifestOf(deps, read.value, entries);
  const texts = [
    { name: "rapport.csv", text: reportCsv(entries.map(reportLine)) },
    { name: "manifeste.json", text: manifest },
  ];
  const name = downloadName({
    title: read.value.batch.title ?? "Signature masse",
    signed: true,
    ending: "zip",
  });
  return success({ name, stream: archiveFiles(platform, files, { at: finishedAt, texts }) });
}

async function entriesOf(
  { platform }: BatchDeps,
  items: readonly BatchItem[],
): Promise<readonly Entry[]> {
  const purged = await selectPurged(
    platform.db,
    items.flatMap(({ envelopeId }) => (envelopeId === null ? [] : [envelopeId])),
  );
  const names = archiveNames(items.map(({ name }) => ({ name, signed: true })));
  return items.map((item, index) => {
    const isThere =
      item.signed !== null && item.envelopeId !== null && !purged.has(item.envelopeId);
    return {
      item,
      file:
        isThere && item.signed !== null ? { name: names[index] ?? item.id, ...item.signed } : null,
    };
  });
}

function reportLine({ item, file }: Entry) {
  const isGone = item.status === "done" && file === null;
  return {
    name: item.name,
    status: item.status,
    detail: isGone ? "L’enveloppe a été supprimée depuis" : item.detail,
    file: file?.name ?? null,
    sha256: file === null ? null : toHex(file.sha256),
    envelopeId: item.envelopeId,
  };
}

/** The manifest is signed once per content: a second signature would change the bytes. */
async function manifestOf(
  { platform, sealing }: BatchDeps,
  batch: BatchWithItems,
  entries: readonly Entry[],
): Promise<string> {
  const content = manifestContent(batch.batch, entries);
  const canonical = canonicalJson(content);
  const key = createHash("sha256").update(canonical).digest("hex");
  const known = await selectManifest(platform.db, batch.batch.id, key);
  if (known !== null) return known;
  const text = await signedManifest(sealing, { content, canonical });
  await saveManifest(platform.db, { batchId: batch.batch.id, key, text });
  // Concurrent downloads all get the one stored.
  return (await selectManifest(platform.db, batch.batch.id, key)) ?? text;
}

/** Source: RFC 8785 (canonical payload), RFC 7515. */
async function signedManifest(
  { trust }: SealingDeps,
  manifest: { readonly content: object; readonly canonical: string },
): Promise<string> {
  const jws = await signJws(trust.seal, new TextEncoder().encode(manifest.canonical));
  return `${JSON.stringify({ manifeste: manifest.content, jws }, null, 2)}\n`;
}

function manifestContent(batch: Batch, entries: readonly Entry[]) {
  const counts = countItems(entries.map(({ item }) => item));
  return {
    batch: batch.id,
    title: batch.title,
    status: batchStatus(batch, counts),
    consented_at: batch.createdAt.toISOString(),
    finished_at: batch.finishedAt?.toISOString() ?? null,
    total: counts.total,
    done: counts.done,
    failed: counts.failed,
    files: entries.map(({ item, file }) => ({
      name: item.name,
      status: item.status,
      detail: item.detail,
      envelope_id: item.envelopeId,
      file: file?.name ?? null,
      sha256: file === null ? null : toHex(file.sha256),
      size: file?.sizeBytes ?? null,
    })),
  };
}

type ReportLine = {
  readonly name: string;
  readonly status: BatchItemStatus;
  readonly detail: string | null;
  /** The name in the archive; null when the file is absent. */
  readonly file: string | null;
  readonly sha256: string | null;
  readonly envelopeId: string | null;
};

const STATUS_WORDS: Readonly<Record<BatchItemStatus, string>> = {
  queued: "En file",
  running: "En cours",
  done: "Signé",
  failed: "Échec",
  cancelled: "Annulé",
};
const HEADINGS = ["Fichier", "État", "Motif", "Fichier signé", "SHA-256", "Enveloppe"];
export function reportCsv(lines: readonly ReportLine[]): string {
  const rows = lines.map((line) => [
    line.name,
    STATUS_WORDS[line.status],
    line.detail ?? "",
    line.file ?? "",
    line.sha256 ?? "",
    line.envelopeId ?? "",
  ]);
  return csvText([HEADINGS, ...rows]);
}
