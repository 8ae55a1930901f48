import { MAX_BATCH_FILES, MAX_BATCH_SIZE_BYTES } from "@paraphe/contracts";
import { useCallback, useEffect, useRef, useState } from "react";
import { announce } from "../../../lib/browser/announce.ts";
import { plural } from "../../../lib/format/format-numbers.ts";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { checkFile } from "../../envelopes/prepare/documents/use-uploads.ts";
import { type BatchFile, isReady, type ReadyFile } from "./batch-file.ts";

/** A file that fails here could not be signed either. */
async function readFilePages(file: File): Promise<BatchFile["state"]> {
  try {
    const [{ openPdf }, bytes] = await Promise.all([
      import("../../../pdf/open-pdf.ts"),
      file.arrayBuffer(),
    ]);
    const pdf = await openPdf(bytes, { worker: "shared" });
    try {
      const first = await pdf.pageSize(1);
      const last = pdf.pageCount === 1 ? first : await pdf.pageSize(pdf.pageCount);
      return { kind: "ready", pageCount: pdf.pageCount, first, last };
    } finally {
      pdf.close();
    }
  } catch (error) {
    const code = isProtected(error)
      ? "pdf_encrypted"
      : (await isForRecipients(file))
        ? "pdf_encrypted_for_recipients"
        : "pdf_damaged";
    const { problemSentence } = await import("@paraphe/contracts/problems");
    return { kind: "refused", reason: problemSentence({ code }) };
  }
}

/** pdf.js has no error for public-key encryption. Source: ISO 32000-2 §7.6.5. */
async function isForRecipients(file: File): Promise<boolean> {
  return new TextDecoder("latin1").decode(await file.arrayBuffer()).includes("/Adobe.PubSec");
}

/** pdf.js's error for a password. */
function isProtected(error: unknown): boolean {
  return (
    error instanceof Error &&
    error.cause instanceof Error &&
    error.cause.name === "PasswordException"
  );
}

const TOO_MANY = "Le lot dépasse 500 fichiers ou 2\u00a0Go. Retirez des fichiers, puis réessayez.";
let lastKey = 0;

export function useBatchFiles() {
  const [files, setFiles] = useState<readonly BatchFile[]>([]);
  const reading = useRef<string | null>(null);
  const next = files.find((file) => file.state.kind === "reading") ?? null;
  useEffect(() => {
    if (next === null || reading.current === next.key) return;
    reading.current = next.key;
    void readFilePages(next.file).then((state) => {
      reading.current = null;
      setFiles((all) => all.map((file) => (file.key === next.key ? { ...file, state } : file)));
    });
  }, [next]);
  const add = useCallback(
    (chosen: readonly File[]) => {
      const kept = files.filter((file) => file.state.kind !== "refused");
      const size = [...kept.map((file) => file.file), ...chosen].reduce(
        (sum, file) => sum + file.size,
        0,
      );
      if (kept.length + chosen.length > MAX_BATCH_FILES || size > MAX_BATCH_SIZE_BYTES) {
        showToast("err", TOO_MANY);
        return;
      }
      setFiles((all) => [...all, ...chosen.map(newFile)]);
      announce(plural(chosen.length, "fichier ajouté", "fichiers ajoutés"));
    },
    [files],
  );
  const remove = useCallback(
    (key: string) => setFiles((all) => all.filter((file) => file.key !== key)),
    [],
  );
  const ready: readonly ReadyFile[] = files.filter(isReady);
  return {
    files,
    ready,
    refused: files.filter((file) => file.state.kind === "refused"),
    isReading: next !== null,
    add,
    remove,
  };
}

function newFile(file: File): BatchFile {
  const reason = checkFile(file);
  lastKey += 1;
  return {
    key: `f${lastKey}`,
    file,
    state: reason === null ? { kind: "reading" } : { kind: "refused", reason },
  };
}
