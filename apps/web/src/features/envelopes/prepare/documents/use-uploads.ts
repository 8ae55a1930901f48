import {
  type Document,
  type Envelope,
  MAX_DOCUMENTS,
  MAX_ENVELOPE_SIZE_BYTES,
  MAX_FILE_SIZE_BYTES,
  MAX_TITLE_LENGTH,
  titleOfFile,
} from "@paraphe/contracts";
import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { announce } from "../../../../lib/browser/announce.ts";
import { ApiError, callMessage } from "../../../../lib/api/api-error.ts";
import { hashFile } from "../../../../lib/browser/hash-file.ts";
import type { DraftKeeper } from "../draft/draft-keeper.ts";
import { FirstUpload, envelopeCalls, mayBeMade } from "../draft/envelope-calls.ts";

/** A chosen file on its way, or refused and shown until removed. */
export type UploadItem = {
  readonly key: string;
  readonly name: string;
  readonly size: number;
  readonly state: "queued" | "sending" | "checking" | "refused";
  readonly sentBytes: number;
  readonly error: string | null;
  /** When the same file may be sent again. */
  readonly again: "never" | "on request" | "with the network";
};
export type Uploads = {
  readonly items: readonly UploadItem[];
  readonly isBusy: boolean;
  /** `replaced`: the document that the file replaces, with its fields. */
  add(files: readonly File[], replaced?: string): void;
  retry(key: string): void;
  remove(key: string): void;
};

/** One after the other: a refused one does not stop the others. */
export function useUploads(keeper: DraftKeeper, owner: string): Uploads {
  const { items, list, change, drop } = useItems();
  const aborts = useRef(new Map<string, AbortController>());
  const failed = useRef<Failed>(new Map());
  const [first] = useState(() => new FirstUpload(owner));

  const send = useCallback(
    async (key: string, file: File, known?: KnownDocuments) => {
      const abort = new AbortController();
      const { signal } = abort;
      aborts.current.set(key, abort);
      const onProgress = (fraction: number) => change(key, progressOf(file, fraction));
      const onStart = () => change(key, { state: "sending" });
      const before = known ?? idsOf(keeper);
      const stopAsking = askBeforeReload(signal);
      try {
        change(key, { state: "queued", error: null, again: "never" });
        await deliver(keeper, { file, first, known, before, signal, onProgress, onStart });
        drop(key);
      } catch (error) {
        if (signal.aborted) drop(key);
        else {
          const failure = failureOf(error, keeper);
          if (failure.again !== "never")
            failed.current.set(key, { file, again: failure.again, known: before });
          change(key, failure);
        }
      } finally {
        stopAsking();
        aborts.current.delete(key);
      }
    },
    [keeper, first, change, drop],
  );

  const add = useCallback(
    (files: readonly File[], replaced?: string) => {
      for (const file of files) {
        if (replaced !== undefined) replacedBy.set(file, replaced);
        const item = newItem(file, checkFile(file) ?? checkRoom(keeper.state().envelope, file));
        list(item);
        if (item.error) announce(`${file.name}\u00a0: ${item.error}`);
        else void send(item.key, file);
      }
    },
    [keeper, send, list],
  );
  const retry = useRetry({ failed, first }, send);
  const remove = useCallback(
    (key: string) => {
      const file = failed.current.get(key)?.file;
      if (file) first.end(file);
      failed.current.delete(key);
      aborts.current.get(key)?.abort();
      drop(key);
    },
    [first, drop],
  );
  return { items, isBusy: countOnTheirWay(items) > 0, add, retry, remove };
}

const replacedBy = new WeakMap<File, string>();

type Delivery = Omit<Sending, "envelope"> & {
  readonly before: KnownDocuments;
  readonly onStart: () => void;
};

async function deliver(keeper: DraftKeeper, { before, onStart, ...sending }: Delivery) {
  const { file, signal } = sending;
  const { documents } = await keeper.exclusively((envelope) => {
    signal.throwIfAborted();
    onStart();
    return sendFile(keeper, { envelope, ...sending });
  });
  const replaced = documents.find(({ id }) => id === replacedBy.get(file));
  const added = replaced && (await findArrived(documents, file, before));
  if (replaced && added) {
    const { replaceDocument } = await import("./replace-document.ts");
    await replaceDocument(keeper, { replaced, added });
  } else announce(`${file.name} ajouté`);
}

/** Files neither arrived nor refused. */
export function countOnTheirWay(items: readonly UploadItem[]): number {
  return items.filter((item) => item.state !== "refused").length;
}

/** Returns a function that ends the question, as `signal` does. */
function askBeforeReload(signal?: AbortSignal): () => void {
  const ask = (event: BeforeUnloadEvent) => event.preventDefault();
  const stop = () => window.removeEventListener("beforeunload", ask);
  window.addEventListener("beforeunload", ask);
  signal?.addEventListener("abort", stop);
  return stop;
}

function useItems() {
  const [items, setItems] = useState<readonly UploadItem[]>([]);
  const isWaiting = items.some((item) => item.again === "with the network");
  useEffect(() => (isWaiting ? askBeforeReload() : undefined), [isWaiting]);
  const list = useCallback((item: UploadItem) => setItems((all) => [...all, item]), []);
  const change = useCallback(
    (key: string, part: Partial<UploadItem>) =>
      setItems((all) => all.map((item) => (item.key === key ? { ...item, ...part } : item))),
    [],
  );
  const drop = useCallback(
    (key: string) => setItems((all) => all.filter((item) => item.key !== key)),
    [],
  );
  return { items, list, change, drop };
}

/** The envelope's documents when a file was first sent. */
type KnownDocuments = ReadonlySet<string>;
const idsOf = (keeper: DraftKeeper): KnownDocuments =>
  new Set(keeper.state().envelope?.documents.map(({ id }) => id));
type Failed = Map<
  string,
  { readonly file: File; readonly again: UploadItem["again"]; readonly known: KnownDocuments }
>;

function useRetry(
  { failed, first }: { readonly failed: RefObject<Failed>; readonly first: FirstUpload },
  send: (key: string, file: File, known: KnownDocuments) => Promise<void>,
): (key: string) => void {
  const resend = useCallback(
    (key: string) => {
      const last = failed.current.get(key);
      if (last && failed.current.delete(key)) void send(key, last.file, last.known);
    },
    [failed, send],
  );
  const retry = useCallback(
    (key: string) => {
      // The file that may already have made the draft goes first.
      for (const [other, { file }] of failed.current)
        if (file === first.waitingFor()) resend(other);
      resend(key);
    },
    [failed, first, resend],
  );
  useEffect(() => {
    const goOn = () => {
      for (const [key, { again }] of failed.current) if (again === "with the network") retry(key);
    };
    window.addEventListener("online", goOn);
    return () => window.removeEventListener("online", goOn);
  }, [failed, retry]);
  return retry;
}

function newItem({ name, size }: File, error: string | null): UploadItem {
  const state = error ? "refused" : "queued";
  const key = crypto.randomUUID();
  return { key, name, size, state, sentBytes: 0, error, again: "never" };
}

function progressOf({ size }: File, fraction: number): Pick<UploadItem, "state" | "sentBytes"> {
  return fraction >= 1
    ? { state: "checking", sentBytes: size }
    : { state: "sending", sentBytes: Math.round(fraction * size) };
}

function failureOf(
  error: unknown,
  keeper: DraftKeeper,
): Pick<UploadItem, "state" | "again" | "sentBytes" | "error"> {
  const fallback = keeper.state().envelope
    ? "Erreur réseau ou serveur injoignable"
    : "Impossible de créer l'enveloppe";
  return {
    state: "refused",
    again: againAfter(error),
    sentBytes: 0,
    error: callMessage(error, fallback),
  };
}

/** A file the service read and refused would be refused again. */
function againAfter(error: unknown): UploadItem["again"] {
  if (!(error instanceof ApiError)) return "never";
  if (error.isUnreachable) return "with the network";
  return mayBeMade(error) ? "on request" : "never";
}

type Sending = {
  readonly envelope: Envelope | null;
  readonly file: File;
  readonly first: FirstUpload;
  /** Set when its first answer may have been lost. */
  readonly known: KnownDocuments | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: (fraction: number) => void;
};

async function sendFile(keeper: DraftKeeper, sending: Sending): Promise<Envelope> {
  const { envelope, file, first, known, ...options } = sending;
  if (!envelope) return createDraft(keeper, sending);
  first.end(file);
  return known && (await findArrived(envelope.documents, file, known))
    ? envelope
    : envelopeCalls.addFile(envelope, file, options);
}

/** The newer document that has the file's bytes. */
async function findArrived(
  documents: readonly Document[],
  file: File,
  known: KnownDocuments,
): Promise<Document | undefined> {
  const since = documents.filter(({ id }) => !known.has(id));
  if (since.length === 0) return undefined;
  const sha256 = await hashFile(file);
  return since.find((document) => document.sha256 === sha256);
}

async function createDraft(
  keeper: DraftKeeper,
  { file, first, signal, onProgress }: Sending,
): Promise<Envelope> {
  const awaited = first.waitingFor();
  // This file would make a second draft beside the first file's.
  if (awaited !== null && awaited !== file) throw new ApiError({ status: 0 });
  const { draft } = keeper.state();
  const title = draft.title.trim() || proposeTitle(file.name);
  try {
    const request = await first.requestFor(file, { title, remindEveryDays: draft.remindEveryDays });
    const created = await envelopeCalls.create(file, { first: request, signal, onProgress });
    first.end(file);
    const { draft: now } = keeper.state();
    if (now.title.trim() === "") keeper.update("title", { title: created.title });
    // The title changed since the draft was asked for.
    else if (now.title.trim() !== created.title) keeper.update("title", { title: now.title });
    if (now.remindEveryDays !== request.remindEveryDays)
      keeper.update("remindEveryDays", { remindEveryDays: now.remindEveryDays });
    return created;
  } catch (error) {
    if (signal.aborted || !mayBeMade(error)) first.end(file);
    throw error;
  }
}

function checkRoom(envelope: Envelope | null, file: File): string | null {
  const documents = envelope?.documents ?? [];
  const total = documents.reduce((sum, document) => sum + document.size, file.size);
  const isTooMuch = documents.length >= MAX_DOCUMENTS || total > MAX_ENVELOPE_SIZE_BYTES;
  return isTooMuch
    ? "L’enveloppe dépasse 50 Mo ou 20 documents. Retirez un fichier, puis réessayez."
    : null;
}

/** Why a file is refused before it is sent, in the specification's words (§5). */
export function checkFile(file: { readonly name: string; readonly size: number }): string | null {
  if (!/\.pdf$/i.test(file.name)) return "Seuls les fichiers PDF sont autorisés";
  if (file.size === 0) return "Le fichier est vide";
  if (file.size > MAX_FILE_SIZE_BYTES) return "Le fichier est trop volumineux (max 10MB)";
  return null;
}

/** « contrat_v2-final.pdf » becomes « Contrat v2 final ». */
export function proposeTitle(fileName: string): string {
  const words =
    titleOfFile(fileName.normalize("NFC"))
      .replace(/[\s_-]+/g, " ")
      .trim() || "Document";
  return (words[0] ?? "").toLocaleUpperCase("fr") + words.slice(1, MAX_TITLE_LENGTH);
}
