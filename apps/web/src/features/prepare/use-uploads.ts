import { type Envelope, MAX_DOCUMENTS, MAX_ENVELOPE_SIZE_BYTES } from "@paraphe/contracts";
import { useCallback, useRef, useState } from "react";
import { announce } from "../../lib/announce.ts";
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
};
export type Uploads = {
  readonly items: readonly UploadItem[];
  readonly isBusy: boolean;
  add(files: readonly File[]): void;
  remove(key: string): void;
};

/** Sends the chosen files one after the other: one refused file does not hold the others back, and each says how far it is. */
export function useUploads(keeper: DraftKeeper): Uploads {
  const [items, setItems] = useState<readonly UploadItem[]>([]);
  const aborts = useRef(new Map<string, AbortController>());
  const change = useCallback(
    (key: string, change: Partial<UploadItem>) => setItems((all) => all.map((item) => (item.key === key ? { ...item, ...change } : item))),
    [],
  );
  const drop = useCallback((key: string) => setItems((all) => all.filter((item) => item.key !== key)), []);

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
        await keeper.exclusively((envelope) => {
          abort.signal.throwIfAborted();
          change(key, { state: "sending" });
          return sendFile(keeper, { envelope, file, signal: abort.signal, onProgress });
        });
        drop(key);
        announce(`${file.name} ajouté`);
      } catch (error) {
        if (abort.signal.aborted) drop(key);
        else
          change(key, {
            state: "refused",
            error: callMessage(error, keeper.state().envelope ? "Erreur réseau ou serveur injoignable" : "Impossible de créer l'enveloppe"),
          });
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
        setItems((all) => [...all, { key, name: file.name, size: file.size, state: error ? "refused" : "queued", sentBytes: 0, error }]);
        if (error) announce(`${file.name}\u00a0: ${error}`);
        else void send(key, file);
      }
    },
    [keeper, send],
  );
  const remove = useCallback(
    (key: string) => {
      aborts.current.get(key)?.abort();
      drop(key);
    },
    [drop],
  );
  return { items, isBusy: items.some((item) => item.state !== "refused"), add, remove };
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
