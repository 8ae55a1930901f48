import type { Platform } from "../../platform/platform.ts";
import type { SessionUser } from "../accounts/public.ts";
import { downloadName, isSigned, slugify, type StoredDocument } from "../documents/public.ts";
import { type EnvelopeAggregate, loadEnvelope, presentTo, viewerOf } from "../envelopes/public.ts";
import { readJournal } from "../journal/public.ts";
import { jsonArray } from "./json-array.ts";
import type { Archive } from "./open-archive.ts";

const LONGEST_SLUG = 60;

type Exported = { readonly archive: Archive; readonly user: SessionUser; readonly envelopeId: string };

/**
 * Adds an envelope as this person may see it: itself with its fields, its journal (a recipient's own part of it), its files (of another's envelope,
 * the signed ones once it is completed). Gives the names of the files that could not be read.
 */
export async function exportEnvelope(platform: Platform, { archive, user, envelopeId }: Exported): Promise<readonly string[]> {
  const aggregate = await loadEnvelope(platform.db, envelopeId);
  const viewer = aggregate === null ? null : viewerOf(aggregate, user);
  // Purged or withdrawn since it was listed.
  if (aggregate === null || viewer?.ok !== true) return [];
  const isOwner = viewer.value.kind === "owner";
  const folder = `enveloppes/${isOwner ? "envoyees" : "recues"}/${slugify(aggregate.envelope.title).slice(0, LONGEST_SLUG)}-${envelopeId}`;
  const presented = await presentTo(platform, aggregate, { viewer: viewer.value, emailKey: user.email_key });
  const files = filesOf(aggregate, isOwner ? "owner" : "recipient");
  const described = { ...presented, documents: presented.documents.map((document) => withFiles(document, files)) };
  await archive.addText(`${folder}/enveloppe.json`, [`${JSON.stringify(described, null, 2)}\n`]);
  const actors = isOwner ? null : ownActors(aggregate, user);
  await archive.addText(`${folder}/journal.json`, jsonArray(readJournal(platform.db, envelopeId, actors)));
  const missing: string[] = [];
  for (const file of files) {
    const name = `${folder}/documents/${file.name}`;
    if ((await platform.files.size(file.sha256)) !== file.sizeBytes) missing.push(name);
    else await archive.addFile(name, { sizeBytes: file.sizeBytes, open: () => platform.files.stream(file.sha256) });
  }
  return missing;
}

function ownActors({ recipients }: EnvelopeAggregate, user: SessionUser): ReadonlySet<string> {
  const own = recipients.filter((recipient) => recipient.emailKey === user.recipient_key);
  return new Set([`user:${user.id}`, ...own.map((recipient) => `recipient:${recipient.id}`)]);
}

/** A document's hash and size are those of the service's present bytes, which may not be here: each file that is here is told by its own. */
function withFiles<T extends { readonly id: string; readonly sha256: string; readonly size: number }>(
  { sha256: _sha256, size: _size, ...document }: T,
  files: readonly FileToAdd[],
) {
  const own = files.filter((file) => file.documentId === document.id);
  return {
    ...document,
    files: own.map((file) => ({ name: `documents/${file.name}`, sha256: Buffer.from(file.sha256).toString("hex"), size: file.sizeBytes })),
  };
}

type FileToAdd = { readonly documentId: string; readonly name: string; readonly sha256: Uint8Array; readonly sizeBytes: number };

function filesOf({ envelope, documents }: EnvelopeAggregate, reader: "owner" | "recipient"): readonly FileToAdd[] {
  if (reader === "recipient" && envelope.status !== "completed") return [];
  return documents.flatMap((document, index) => {
    const signed = isSigned(document) ? [fileOf(document, { index, which: "current" })] : [];
    return reader === "owner" ? [fileOf(document, { index, which: "original" }), ...signed] : signed;
  });
}

function fileOf(document: StoredDocument, { index, which }: { index: number; which: "original" | "current" }): FileToAdd {
  const name = downloadName({ title: document.name.replace(/\.pdf$/i, ""), signed: which === "current", ending: "pdf" });
  return { documentId: document.id, name: `${index + 1}-${name}`, sha256: document[which].sha256, sizeBytes: document[which].sizeBytes };
}
