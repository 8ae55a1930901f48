import type { Proof } from "@paraphe/contracts";
import { useState } from "react";
import { Alert } from "../../ui/alert/alert.tsx";
import { Dropzone } from "../../ui/dropzone/dropzone.tsx";
import { hashFile } from "./hash-file.ts";
import styles from "./proof-cards.module.css";

type Known = Pick<Proof["documents"][number], "name" | "hash_sha256">;
/** A file that was brought; `known` is the signed one that it is, byte for byte. */
type Compared = { readonly name: string; readonly known: Known | null };

/** « Comparer avec mon fichier »: hashed here, sent to nobody. */
export function OwnFiles({ documents }: { documents: readonly Known[] }) {
  const [results, setResults] = useState<readonly Compared[] | null>(null);
  const compare = async (files: readonly File[]) => {
    setResults(null);
    const compared: Compared[] = [];
    // One at a time: each is held in memory whole.
    for (const file of files) {
      const hash = await hashFile(file);
      compared.push({ name: file.name, known: documents.find((document) => document.hash_sha256 === hash) ?? null });
    }
    setResults(compared);
  };
  const isOne = documents.length === 1 && results?.length === 1;
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
      {results?.map(({ name, known }, index) => (
        <Alert key={index} tone={known ? "success" : "danger"} {...(isOne ? {} : { title: name })}>
          {comparedWords(known, isOne)}
        </Alert>
      ))}
    </div>
  );
}

function comparedWords(known: Known | null, isOne: boolean): string {
  if (known === null) return "Empreinte différente\u00a0: votre fichier n’est pas celui qui a été signé.";
  const which = isOne || known.name === null ? "celui qui a été signé" : `«\u00a0${known.name}\u00a0», tel qu’il a été signé`;
  return `Empreinte identique\u00a0: votre fichier est ${which}.`;
}
