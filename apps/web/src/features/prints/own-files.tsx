import type { Proof } from "@paraphe/contracts";
import { useRef, useState } from "react";
import { Alert } from "../../ui/alert/alert.tsx";
import { Dropzone } from "../../ui/dropzone/dropzone.tsx";
import { hashFile } from "./hash-file.ts";
import styles from "./proof-cards.module.css";

type Known = Pick<Proof["documents"][number], "name" | "hash_sha256">;
/** A file that was brought; `known` is the signed one that it is, byte for byte; null: none of them; undefined: the file could not be read. */
type Compared = { readonly name: string; readonly known: Known | null | undefined };

/** « Comparer avec mon fichier »: hashed here, sent to nobody. */
export function OwnFiles({ documents }: { documents: readonly Known[] }) {
  const [results, setResults] = useState<readonly Compared[]>([]);
  const [isBusy, setIsBusy] = useState(false);
  const asked = useRef(0);
  const compare = async (files: readonly File[]) => {
    const turn = ++asked.current;
    setResults([]);
    setIsBusy(true);
    const compared: Compared[] = [];
    // One at a time: each is held in memory whole.
    for (const file of files) compared.push({ name: file.name, known: await findKnown(file, documents) });
    // Of files that were given since, the answer comes later.
    if (turn !== asked.current) return;
    setResults(compared);
    setIsBusy(false);
  };
  const isOne = documents.length === 1 && results.length === 1;
  return (
    <div className={`stack stack--sm ${styles["tool"]}`}>
      <Dropzone
        compact
        multiple={documents.length > 1}
        title={documents.length > 1 ? "Comparer avec mes fichiers" : "Comparer avec mon fichier"}
        hint={"Le calcul se fait dans votre navigateur\u00a0: votre fichier n’est envoyé à personne."}
        accept=".pdf,application/pdf"
        onFiles={(files) => void compare(files)}
      />
      {/* There before what it tells: a region that comes with its words may stay silent. */}
      <div className="stack stack--sm" role="status" aria-label="Comparaison">
        {isBusy ? <p className="muted">Calcul de l’empreinte…</p> : null}
        {results.map(({ name, known }, index) => (
          <Alert key={index} isAnnounced={false} tone={toneOf(known)} {...(isOne ? {} : { title: name })}>
            {comparedWords(known, isOne)}
          </Alert>
        ))}
      </div>
    </div>
  );
}

async function findKnown(file: File, documents: readonly Known[]): Promise<Compared["known"]> {
  try {
    const hash = await hashFile(file);
    return documents.find((document) => document.hash_sha256 === hash) ?? null;
  } catch (error) {
    console.warn("a file could not be read", error);
    return undefined;
  }
}

function toneOf(known: Compared["known"]): "success" | "danger" | "warning" {
  if (known === undefined) return "warning";
  return known === null ? "danger" : "success";
}

function comparedWords(known: Compared["known"], isOne: boolean): string {
  if (known === undefined) return "Ce fichier n’a pas pu être lu. Vérifiez qu’il est toujours là, puis recommencez.";
  if (known === null) return "Empreinte différente\u00a0: votre fichier n’est pas celui qui a été signé.";
  const which = isOne || known.name === null ? "celui qui a été signé" : `«\u00a0${known.name}\u00a0», tel qu’il a été signé`;
  return `Empreinte identique\u00a0: votre fichier est ${which}.`;
}
