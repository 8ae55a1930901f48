import { type Envelope, MAX_DOCUMENTS, MAX_ENVELOPE_SIZE_BYTES } from "@paraphe/contracts";
import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { announce } from "../../lib/announce.ts";
import { ApiError } from "../../lib/api-error.ts";
import { callMessage } from "../../lib/call-message.ts";
import { checkFile } from "./check-file.ts";
import type { DraftKeeper } from "./draft-keeper.ts";
import { envelopeCalls } from "./envelope-calls.ts";
import { proposeTitle } from "./propose-title.ts";

/** A chosen file that is not a document of the envelope yet: on its way, or refused and shown until removed. */
export type UploadItem = {
  readonly key: string;
  readonly name: string;
  readonly size: number;
  readonly state: "queued" | "sending" | "checking" | "refused";
  readonly sentBytes: number;
  readonly error: string | null;
  /** Whether trying again as it stands may do: never, on request, or by itself too once the network is back. */
  readonly again: "never" | "on request" | "with the network";
};
export type Uploads = {
  readonly items: readonly UploadItem[];
  readonly isBusy: boolean;
  add(files: readonly File[]): void;
  retry(key: string): void;
  remove(key: string): void;
};

/** Sends the chosen files one after the other: one refused file does not hold the others back, and each says how far it is. */
export function useUploads(keeper: DraftKeeper): Uploads {
  const { items, list, change, drop } = useItems();
  const aborts = useRef(new Map<string, AbortController>());
  const failed = useRef<Failed>(new Map());

  const send = useCallback(
    async (key: string, file: File) => {
      const abort = new AbortController();
      aborts.current.set(key, abort);
      const onProgress = (fraction: number) =>
        change(
          key,
          fraction >= 1 ? { state: "checking", sentBytes: file.size } : { state: "sending", sentBytes: Math.round(fraction * file.size) },
        );
      try {
        change(key, { state: "queued", error: null, again: "never" });
        await keeper.exclusively((envelope) => {
          abort.signal.throwIfAborted();
          change(key, { state: "sending" });
          return sendFile(keeper, { envelope, file, signal: abort.signal, onProgress });
        });
        drop(key);
        announce(`${file.name} ajouté`);
      } catch (error) {
        if (abort.signal.aborted) drop(key);
        else {
          const failure = failureOf(error, keeper);
          if (failure.again !== "never") failed.current.set(key, { file, again: failure.again });
          change(key, failure);
        }
      } finally {
        aborts.current.delete(key);
      }
    },
    [keeper, change, drop],
  );

  const add = useCallback(
    (files: readonly File[]) => {
      for (const file of files) {
        const key = crypto.randomUUID();
        const error = checkFile(file) ?? checkRoom(keeper.state().envelope, file);
        list({ key, name: file.name, size: file.size, state: error ? "refused" : "queued", sentBytes: 0, error, again: "never" });
        if (error) announce(`${file.name}\u00a0: ${error}`);
        else void send(key, file);
      }
    },
    [keeper, send, list],
  );
  const retry = useRetry(failed, send);
  const remove = useCallback(
    (key: string) => {
      failed.current.delete(key);
      aborts.current.get(key)?.abort();
      drop(key);
    },
    [drop],
  );
  return { items, isBusy: items.some((item) => item.state !== "refused"), add, retry, remove };
}

function useItems() {
  const [items, setItems] = useState<readonly UploadItem[]>([]);
  const list = useCallback((item: UploadItem) => setItems((all) => [...all, item]), []);
  const change = useCallback(
    (key: string, part: Partial<UploadItem>) => setItems((all) => all.map((item) => (item.key === key ? { ...item, ...part } : item))),
    [],
  );
  const drop = useCallback((key: string) => setItems((all) => all.filter((item) => item.key !== key)), []);
  return { items, list, change, drop };
}

/** The files whose sending failed and may be tried again. */
type Failed = Map<string, { readonly file: File; readonly again: UploadItem["again"] }>;

/** Sends a failed file again when asked, and those the network cut once it is back. */
function useRetry(failed: RefObject<Failed>, send: (key: string, file: File) => Promise<void>): (key: string) => void {
  const retry = useCallback(
    (key: string) => {
      const file = failed.current.get(key)?.file;
      if (file && failed.current.delete(key)) void send(key, file);
    },
    [failed, send],
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

function failureOf(error: unknown, keeper: DraftKeeper): Pick<UploadItem, "state" | "again" | "sentBytes" | "error"> {
  const fallback = keeper.state().envelope ? "Erreur réseau ou serveur injoignable" : "Impossible de créer l'enveloppe";
  return { state: "refused", again: againAfter(error), sentBytes: 0, error: callMessage(error, fallback) };
}

/** What the service read and refused would be refused again. */
function againAfter(error: unknown): UploadItem["again"] {
  if (!(error instanceof ApiError)) return "never";
  if (error.isUnreachable) return "with the network";
  return error.status >= 500 || error.status === 429 ? "on request" : "never";
}

async function sendFile(
  keeper: DraftKeeper,
  sending: { envelope: Envelope | null; file: File; signal: AbortSignal; onProgress: (fraction: number) => void },
): Promise<Envelope> {
  const { envelope, file, ...options } = sending;
  if (envelope) return envelopeCalls.addFile(envelope, file, options);
  const { draft } = keeper.state();
  const typed = draft.title.trim();
  const title = typed || proposeTitle(file.name) || "Document";
  const created = await envelopeCalls.create(file, { start: { title, remindEveryDays: draft.remindEveryDays }, ...options });
  if (!typed) keeper.update("title", { title: created.title });
  return created;
}

function checkRoom(envelope: Envelope | null, file: File): string | null {
  const documents = envelope?.documents ?? [];
  const total = documents.reduce((sum, document) => sum + document.size, file.size);
  const isTooMuch = documents.length >= MAX_DOCUMENTS || total > MAX_ENVELOPE_SIZE_BYTES;
  return isTooMuch ? "L’enveloppe dépasse 50 Mo ou 20 documents. Retirez un fichier, puis réessayez." : null;
}
