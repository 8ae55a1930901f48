import { MAX_BATCH_FILES, MAX_BATCH_SIZE_BYTES } from "@paraphe/contracts";
import { useCallback, useEffect, useRef, useState } from "react";
import { announce } from "../../../lib/announce.ts";
import { plural } from "../../../lib/format-numbers.ts";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { checkFile } from "../../envelopes/prepare/check-file.ts";
import { type BatchFile, isReady, type ReadyFile } from "./batch-file.ts";
import { readFilePages } from "./read-file-pages.ts";

const TOO_MANY = "Le lot dépasse 500 fichiers ou 2\u00a0Go. Retirez des fichiers, puis réessayez.";
let lastKey = 0;

/** The chosen files: each is read, one after the other, in the order they were chosen. */
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
      const size = [...kept.map((file) => file.file), ...chosen].reduce((sum, file) => sum + file.size, 0);
      if (kept.length + chosen.length > MAX_BATCH_FILES || size > MAX_BATCH_SIZE_BYTES) {
        showToast("err", TOO_MANY);
        return;
      }
      setFiles((all) => [...all, ...chosen.map(newFile)]);
      announce(plural(chosen.length, "fichier ajouté", "fichiers ajoutés"));
    },
    [files],
  );
  const remove = useCallback((key: string) => setFiles((all) => all.filter((file) => file.key !== key)), []);
  const ready: readonly ReadyFile[] = files.filter(isReady);
  return { files, ready, refused: files.filter((file) => file.state.kind === "refused"), isReading: next !== null, add, remove };
}

function newFile(file: File): BatchFile {
  const reason = checkFile(file);
  lastKey += 1;
  return { key: `f${lastKey}`, file, state: reason === null ? { kind: "reading" } : { kind: "refused", reason } };
}
