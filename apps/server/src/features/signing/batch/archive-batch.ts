import { createHash } from "node:crypto";
import canonicalize from "canonicalize";
import { failure, problem, type Result, success } from "@paraphe/contracts";
import { archiveFiles, archiveNames, downloadName, type StoredFile } from "../../documents/public.ts";
import type { SealingDeps } from "../seal/deps.ts";
import { signJws } from "../../trust/public.ts";
import type { Batch, BatchItem } from "./domain/batch.ts";
import { batchStatus } from "./domain/batch-status.ts";
import { reportCsv } from "./domain/report-csv.ts";
import type { BatchDeps } from "./create-batches.ts";
import { type BatchWithItems, countItems, type OwnBatch, readBatch } from "./read-batches.ts";
import { saveManifest, selectManifest, selectPurged } from "./store.ts";

export type BatchArchive = { readonly name: string; readonly stream: NodeJS.ReadableStream };

/** A file of the batch with its entry in the archive; null without one: it was not signed, or its envelope was purged since. */
type Entry = { readonly item: BatchItem; readonly file: StoredFile | null };

/**
 * Gives the archive of a batch that has ended: its signed files, `rapport.csv`, and `manifeste.json` signed by the organisation's seal.
 * Shape: the same bytes each time, as long as none of its envelopes is purged. One file is read at a time.
 * Errors: `not_found`, `batch_running`, `stored_file_lost`.
 */
export async function archiveBatch(deps: BatchDeps, of: OwnBatch): Promise<Result<BatchArchive>> {
  const { platform } = deps;
  const read = await readBatch(platform.db, of);
  if (!read.ok) return read;
  if (read.value.batch.finishedAt === null) return failure(problem("batch_running"));
  const entries = await entriesOf(deps, read.value.items);
  const files = entries.flatMap(({ file }) => (file === null ? [] : [file]));
  for (const file of files) if ((await platform.files.size(file.sha256)) !== file.sizeBytes) return failure(problem("stored_file_lost"));
  const manifest = await manifestOf(deps, read.value, entries);
  const texts = [
    { name: "rapport.csv", text: reportCsv(entries.map(reportLine)) },
    { name: "manifeste.json", text: manifest },
  ];
  const name = downloadName({ title: read.value.batch.title ?? "Signature masse", signed: true, ending: "zip" });
  return success({ name, stream: archiveFiles(platform, files, texts) });
}

async function entriesOf({ platform }: BatchDeps, items: readonly BatchItem[]): Promise<readonly Entry[]> {
  const purged = await selectPurged(
    platform.db,
    items.flatMap(({ envelopeId }) => (envelopeId === null ? [] : [envelopeId])),
  );
  const names = archiveNames(items.map(({ name }) => ({ name, signed: true })));
  return items.map((item, index) => {
    const isThere = item.signed !== null && item.envelopeId !== null && !purged.has(item.envelopeId);
    return { item, file: isThere && item.signed !== null ? { name: names[index] ?? item.id, ...item.signed } : null };
  });
}

function reportLine({ item, file }: Entry) {
  const isGone = item.status === "done" && file === null;
  return {
    name: item.name,
    status: item.status,
    detail: isGone ? "L’enveloppe a été supprimée depuis" : item.detail,
    file: file?.name ?? null,
    sha256: file === null ? null : hex(file.sha256),
    envelopeId: item.envelopeId,
  };
}

/** Signed once for one content: a signature made anew would make other bytes. */
async function manifestOf({ platform, sealing }: BatchDeps, batch: BatchWithItems, entries: readonly Entry[]): Promise<string> {
  const content = manifestContent(batch.batch, entries);
  const canonical = canonicalize(content);
  if (canonical === undefined) throw new Error("The manifest has no canonical form");
  const key = createHash("sha256").update(canonical).digest("hex");
  const known = await selectManifest(platform.db, batch.batch.id, key);
  if (known !== null) return known;
  const text = await signedManifest(sealing, { content, canonical });
  await saveManifest(platform.db, { batchId: batch.batch.id, key, text });
  // Of two downloads at once, both answer what was kept last.
  return (await selectManifest(platform.db, batch.batch.id, key)) ?? text;
}

/** Source: RFC 8785 (the payload is the content in canonical form), RFC 7515. */
async function signedManifest({ trust }: SealingDeps, manifest: { readonly content: object; readonly canonical: string }): Promise<string> {
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
      sha256: file === null ? null : hex(file.sha256),
      size: file?.sizeBytes ?? null,
    })),
  };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
