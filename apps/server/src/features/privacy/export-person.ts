import { type PassThrough, Readable } from "node:stream";
import type { ProgramHolder } from "@paraphe/contracts";
import { toHex } from "@paraphe/kernel/bytes";
import yazl from "yazl";
import type { Platform } from "../../platform/platform.ts";
import {
  type AccountDeps,
  type ProfileCopy,
  type SessionUser,
  listFactors,
  listKeys,
  listSessions,
  readProfile,
} from "../accounts/public.ts";
import { type StoredDocument, downloadName, isSigned, slugify } from "../documents/public.ts";
import {
  contactsOf,
  type EnvelopeAggregate,
  listWebhooks,
  loadEnvelope,
  mailingsOf,
  presentTo,
  selectEnvelopesOf,
  selectLayouts,
  selectTemplates,
  viewerOf,
  ownJournal,
} from "../envelopes/public.ts";
import { listPushSubscriptions, selectPersonNotices } from "../notices/public.ts";
import { type PrintDeps, ownProofs } from "../proof/public.ts";
import {
  listBatches,
  listSignatures,
  pictureOf,
  presentBatch,
  readBatch,
} from "../signing/public.ts";

export type PersonalDataDeps = { readonly accounts: AccountDeps; readonly prints: PrintDeps };

async function* jsonArray(
  items: AsyncIterable<unknown> | Iterable<unknown>,
): AsyncGenerator<string, void> {
  let separator = "[\n";
  for await (const item of items) {
    yield `${separator}${JSON.stringify(item, null, 2)}`;
    separator = ",\n";
  }
  yield separator === "[\n" ? "[]\n" : "\n]\n";
}

/** Streams a zip; each addition waits for its bytes to leave. */
type Archive = {
  readonly output: Readable;
  addText(name: string, pieces: Iterable<string> | AsyncIterable<string>): Promise<void>;
  addFile(
    name: string,
    file: { readonly sizeBytes: number; open(): Promise<Readable> },
  ): Promise<void>;
  /** An error breaks the zip off, so that nothing looks complete. */
  end(error?: Error): void;
};

/** Source: APPNOTE 6.3.10 (zip64 where sizes require it). */
export function openArchive(now: Date): Archive {
  const zip = new yazl.ZipFile();
  // It is a PassThrough, though yazl's types only say readable.
  const output = zip.outputStream as PassThrough;
  zip.on("error", (error: Error) => output.destroy(error));
  // `end` reports failures; a departed reader is no outage.
  output.on("error", () => undefined);

  let current: { stream: Readable | null; reject: (error: Error) => void } | null = null;
  output.once("close", () => {
    current?.stream?.destroy();
    current?.reject(new ReaderGoneError("The reader left before the archive's end"));
  });

  async function add(
    name: string,
    open: () => Promise<Readable>,
    size: { readonly compress: boolean; readonly size?: number },
  ): Promise<void> {
    if (output.destroyed) throw new ReaderGoneError("The reader left before the archive's end");
    await new Promise<void>((resolve, reject) => {
      const entry: { stream: Readable | null; reject: (error: Error) => void } = {
        stream: null,
        reject,
      };
      current = entry;
      const breakOff = (error: unknown) => {
        reject(error as Error);
        output.destroy(error as Error);
      };
      zip.addReadStreamLazy(name, { ...size, mtime: now, mode: 0o100644 }, (give) => {
        open().then((stream) => {
          entry.stream = stream;
          if (output.destroyed) stream.destroy();
          stream.once("end", resolve);
          stream.once("error", breakOff);
          give(null, stream);
        }, breakOff);
      });
    });
  }

  return {
    output,
    addText: (name, pieces) =>
      add(name, async () => Readable.from(pieces, { objectMode: false }), { compress: true }),
    addFile: (name, file) =>
      add(name, () => file.open(), { compress: false, size: file.sizeBytes }),
    end(error) {
      if (error === undefined) zip.end();
      else output.destroy(error);
    },
  };
}

export class ReaderGoneError extends Error {
  override readonly name = "ReaderGoneError";
}

const BATCH_PAGE = 50;

/** Signed files are exported with their envelopes. */
async function* batchesOf({ db }: Pick<Platform, "db">, ownerId: string) {
  for (let page = 1; ; page += 1) {
    const { results } = await listBatches(db, { ownerId, page, page_size: BATCH_PAGE });
    for (const summary of results) {
      const read = await readBatch(db, { id: summary.id, ownerId });
      if (read.ok) yield { ...summary, items: presentBatch(read.value).items };
    }
    if (results.length < BATCH_PAGE) return;
  }
}

const LONGEST_SLUG = 60;

async function exportSignatures(
  platform: Platform,
  { archive, userId }: { readonly archive: Archive; readonly userId: string },
): Promise<void> {
  for (const { id, name, kind, isDefault, createdAt, lastUsedAt, mark } of await listSignatures(
    platform,
    userId,
  )) {
    const file = `signatures/${slugify(name).slice(0, LONGEST_SLUG)}-${id}`;
    const made =
      mark.kind === "strokes"
        ? { strokes: mark.strokes }
        : mark.kind === "typed"
          ? { text: mark.text, hand: mark.hand }
          : {};
    const copy = {
      id,
      name,
      kind,
      is_default: isDefault,
      created_at: createdAt.toISOString(),
      last_used_at: lastUsedAt?.toISOString() ?? null,
    };
    await archive.addText(`${file}.json`, [`${JSON.stringify({ ...copy, ...made }, null, 2)}\n`]);
    const { type, bytes } = pictureOf(mark);
    if (type === "image/svg+xml")
      await archive.addText(`${file}.svg`, [new TextDecoder().decode(bytes)]);
    else
      await archive.addFile(`${file}.png`, {
        sizeBytes: bytes.length,
        open: async () => Readable.from([Buffer.from(bytes)]),
      });
  }
}

async function exportTemplates(
  platform: Platform,
  { archive, ownerId }: { readonly archive: Archive; readonly ownerId: string },
): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const { id, name, content, documents, createdAt, updatedAt } of await selectTemplates(
    platform.db,
    [ownerId],
  )) {
    const folder = `modeles/${slugify(name).slice(0, LONGEST_SLUG)}-${id}`;
    const copy = {
      id,
      name,
      ...content,
      created_at: createdAt.toISOString(),
      updated_at: updatedAt.toISOString(),
    };
    await archive.addText(`${folder}/modele.json`, [`${JSON.stringify(copy, null, 2)}\n`]);
    for (const [index, document] of documents.entries()) {
      const title = document.name.replace(/\.pdf$/i, "");
      const file = `${folder}/documents/${index + 1}-${downloadName({ title, signed: false, ending: "pdf" })}`;
      if ((await platform.files.size(document.sha256)) !== document.sizeBytes) missing.push(file);
      else
        await archive.addFile(file, {
          sizeBytes: document.sizeBytes,
          open: () => platform.files.stream(document.sha256),
        });
    }
  }
  const layouts = await selectLayouts(platform.db, [ownerId]);
  if (layouts.length > 0)
    await archive.addText("dispositions.json", [`${JSON.stringify(layouts, null, 2)}\n`]);
  return missing;
}

type Exported = {
  readonly archive: Archive;
  readonly user: SessionUser;
  readonly envelopeId: string;
};

/**
 * Exports what this person may see; a recipient's part of the journal, and signed files once
 * completed. Gives unreadable files' names.
 */
async function exportEnvelope(
  platform: Platform,
  { archive, user, envelopeId }: Exported,
): Promise<readonly string[]> {
  const aggregate = await loadEnvelope(platform.db, envelopeId);
  const viewer = aggregate === null ? null : viewerOf(aggregate, user);
  // The envelope was purged or withdrawn meanwhile.
  if (aggregate === null || viewer?.ok !== true) return [];
  const isOwner = viewer.value.kind === "owner";
  const folder = `enveloppes/${isOwner ? "envoyees" : "recues"}/${slugify(aggregate.envelope.title).slice(0, LONGEST_SLUG)}-${envelopeId}`;
  const presented = await presentTo(platform, aggregate, {
    viewer: viewer.value,
    emailKey: user.email_key,
  });
  const files = filesOf(aggregate, isOwner ? "owner" : "recipient");
  const described = {
    ...presented,
    documents: presented.documents.map((document) => withFiles(document, files)),
  };
  await archive.addText(`${folder}/enveloppe.json`, [`${JSON.stringify(described, null, 2)}\n`]);
  await archive.addText(
    `${folder}/journal.json`,
    jsonArray(ownJournal(platform, aggregate, { user, viewer: viewer.value })),
  );
  const missing: string[] = [];
  for (const file of files) {
    const name = `${folder}/documents/${file.name}`;
    if ((await platform.files.size(file.sha256)) !== file.sizeBytes) missing.push(name);
    else
      await archive.addFile(name, {
        sizeBytes: file.sizeBytes,
        open: () => platform.files.stream(file.sha256),
      });
  }
  return missing;
}

function withFiles<
  T extends { readonly id: string; readonly sha256: string; readonly size: number },
>({ sha256: _sha256, size: _size, ...document }: T, files: readonly FileToAdd[]) {
  const own = files.filter((file) => file.documentId === document.id);
  return {
    ...document,
    files: own.map((file) => ({
      name: `documents/${file.name}`,
      sha256: toHex(file.sha256),
      size: file.sizeBytes,
    })),
  };
}

type FileToAdd = {
  readonly documentId: string;
  readonly name: string;
  readonly sha256: Uint8Array;
  readonly sizeBytes: number;
};

function filesOf(
  { envelope, documents }: EnvelopeAggregate,
  reader: "owner" | "recipient",
): readonly FileToAdd[] {
  if (reader === "recipient" && envelope.status !== "completed") return [];
  return documents.flatMap((document, index) => {
    const signed = isSigned(document) ? [fileOf(document, { index, which: "current" })] : [];
    return reader === "owner"
      ? [fileOf(document, { index, which: "original" }), ...signed]
      : signed;
  });
}

function fileOf(
  document: StoredDocument,
  { index, which }: { index: number; which: "original" | "current" },
): FileToAdd {
  const name = downloadName({
    title: document.name.replace(/\.pdf$/i, ""),
    signed: which === "current",
    ending: "pdf",
  });
  return {
    documentId: document.id,
    name: `${index + 1}-${name}`,
    sha256: document[which].sha256,
    sizeBytes: document[which].sizeBytes,
  };
}

const PAGE = 100;

export async function exportPerson(
  deps: PersonalDataDeps,
  user: SessionUser,
): Promise<Readable | null> {
  const { platform } = deps.accounts;
  const copy = await readProfile(platform.db, user.id);
  if (copy === null) return null;
  const archive = openArchive(platform.clock());
  void fill(deps, { archive, user, copy }).then(
    () => archive.end(),
    (error: unknown) => {
      if (!(error instanceof ReaderGoneError))
        platform.log.error({ userId: user.id, err: error }, "an export of personal data broke off");
      archive.end(error instanceof Error ? error : new Error(String(error)));
    },
  );
  return archive.output;
}

type Filling = {
  readonly archive: Archive;
  readonly user: SessionUser;
  readonly copy: ProfileCopy;
};

async function fill(deps: PersonalDataDeps, { archive, user, copy }: Filling): Promise<void> {
  const { platform } = deps.accounts;
  await archive.addText("LISEZ-MOI.txt", [README]);
  await archive.addText("profil.json", [json(copy.profile)]);
  const browsers = await listPushSubscriptions(platform.db, user.id);
  await archive.addText("preferences.json", [
    json({ notifications: copy.notifications, push_subscriptions: browsers }),
  ]);
  await archive.addText("sessions.json", [json((await listSessions(platform, user)).results)]);
  await archive.addText("connexion.json", [json(await listFactors(platform, user))]);
  await archive.addText("programmes.json", [json(await programsOf(platform, user))]);
  await archive.addText("messages.json", jsonArray(messagesOf(platform, user)));
  await archive.addText("lots.json", jsonArray(batchesOf(platform, user.id)));
  await archive.addText("envois-par-fichier.json", jsonArray(mailingsOf(platform, user)));
  await archive.addText("contacts.json", jsonArray(contactsOf(platform.db, [user.id])));
  const missing: string[] = [];
  if (copy.avatarSha256 !== null)
    await addAvatar(platform, { archive, sha256: copy.avatarSha256, missing });
  for await (const envelopeId of envelopesOf(platform, user))
    missing.push(...(await exportEnvelope(platform, { archive, user, envelopeId })));
  await exportSignatures(platform, { archive, userId: user.id });
  missing.push(...(await exportTemplates(platform, { archive, ownerId: user.id })));
  for await (const proof of ownProofs(deps.prints, user.id)) {
    // A proof that fails is listed; the export goes on.
    const sealed = await proof.seal().catch(() => null);
    const name = `preuves/${proof.id}/preuve.json`;
    if (sealed === null) missing.push(name);
    else if (sealed.ok) await archive.addText(name, [json(sealed.value)]);
  }
  if (missing.length > 0) await archive.addText("fichiers-indisponibles.json", [json(missing)]);
}

async function programsOf(platform: Platform, user: SessionUser) {
  const isOwn = ({ holder }: { readonly holder: ProgramHolder }) => holder.id === user.id;
  const { keys } = await listKeys(platform, user);
  const { webhooks } = await listWebhooks(platform, user);
  return { keys: keys.filter(isOwn), webhooks: webhooks.filter(isOwn) };
}

async function addAvatar(
  platform: Platform,
  {
    archive,
    sha256,
    missing,
  }: { readonly archive: Archive; readonly sha256: Uint8Array; readonly missing: string[] },
): Promise<void> {
  const sizeBytes = await platform.files.size(sha256);
  if (sizeBytes === null) missing.push("photo.webp");
  else
    await archive.addFile("photo.webp", { sizeBytes, open: () => platform.files.stream(sha256) });
}

async function* envelopesOf(platform: Platform, user: SessionUser) {
  for (let afterId: string | null = null; ; ) {
    const page = await selectEnvelopesOf(platform.db, {
      userId: user.id,
      emailKey: user.recipient_key,
      afterId,
      limit: PAGE,
    });
    yield* page;
    afterId = page.at(-1) ?? null;
    if (page.length < PAGE) return;
  }
}

async function* messagesOf(platform: Platform, user: SessionUser) {
  for (let afterId: string | null = null; ; ) {
    const page = await selectPersonNotices(platform.db, {
      userId: user.id,
      emailKey: user.recipient_key,
      afterId,
      limit: PAGE,
    });
    for (const notice of page)
      yield {
        kind: notice.kind,
        channel: notice.channel,
        destination: notice.destination,
        envelope_id: notice.envelopeId,
        state: notice.state,
        server_answer: notice.serverAnswer,
        created_at: notice.createdAt.toISOString(),
        sent_at: notice.sentAt?.toISOString() ?? null,
      };
    afterId = page.at(-1)?.id ?? null;
    if (page.length < PAGE) return;
  }
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

const README = `Vos données dans Paraphe
========================

Ce dossier contient ce que le service conserve à votre sujet (RGPD, articles 15 et 20).
N’y figurent pas les enveloppes que l’on vous a adressées et que leur expéditeur a annulées ou supprimées :
elles sont effacées sous dix jours, mais les messages qui vous en parlaient y sont.

profil.json                  votre profil
photo.webp                   votre photo, si vous en avez une
preferences.json             vos canaux de notification, et les navigateurs qui y sont abonnés
sessions.json                où vous êtes connecté
connexion.json               vos clés d’accès, votre application, vos codes restants, sans secret
programmes.json              vos clés d’API et vos webhooks, sans secret
messages.json                les messages envoyés à votre compte, à votre adresse ou, pour une enveloppe, à votre
                             numéro : leur contenu est effacé dès l’envoi
lots.json                    vos signatures en masse des sept derniers jours : chaque fichier, et ce qu’il est devenu
enveloppes/envoyees/         les enveloppes que vous avez envoyées, ou qui sont en préparation
enveloppes/recues/           les enveloppes que l’on vous a adressées
  …/enveloppe.json           titre, destinataires, champs et leurs valeurs, empreinte (SHA-256) de chaque fichier
  …/journal.json             qui a fait quoi, et quand
  …/documents/               de celles que vous avez envoyées, les fichiers d’origine, et les fichiers signés (_signe.pdf) dès
                             qu’une personne a signé ; de celles que l’on vous a adressées, les fichiers signés, une fois
                             l’enveloppe terminée : absent tant qu’elle est ouverte
signatures/                  vos signatures enregistrées : de quoi chacune est faite, et son image
modeles/                     vos modèles, avec leurs fichiers
dispositions.json            les places de champs que vous avez gardées
envois-par-fichier.json      vos envois par fichier (CSV) : chaque ligne, et ce qu’elle est devenue
contacts.json                vos contacts, gardés de vos envois, importés ou ajoutés
preuves/                     les preuves des impressions que vous avez créées (preuve.json) : absent s’il n’y en a aucune
fichiers-indisponibles.json  présent seulement si un fichier n’a pas pu être lu

Les fichiers .json se lisent avec un éditeur de texte, ou avec tout logiciel qui traite des données.
Les fichiers signés se vérifient avec tout lecteur de PDF qui reconnaît les signatures électroniques.
`;
