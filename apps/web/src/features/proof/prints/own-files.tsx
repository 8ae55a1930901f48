import { useRef, useState } from "react";
import { hashFile } from "../../../lib/browser/hash-file.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Dropzone } from "../../../ui/dropzone/dropzone.tsx";
import { type ComparedDocument, compareTitle } from "./proof-files.ts";
import styles from "./proof-cards.module.css";

type Known = ComparedDocument;
/** `same`: byte for byte; `other`: another file that has a signature. */
type Finding =
  | { readonly state: "same"; readonly known: Known }
  | { readonly state: "other" | "unsigned" | "unread" };
type Compared = { readonly name: string; readonly finding: Finding };

/** « Comparer avec mon fichier »: hashed in the browser. */
export function OwnFiles({ documents }: { documents: readonly Known[] }) {
  const [results, setResults] = useState<readonly Compared[]>([]);
  const [isBusy, setIsBusy] = useState(false);
  const asked = useRef(0);
  const compare = async (files: readonly File[]) => {
    const turn = ++asked.current;
    setResults([]);
    setIsBusy(true);
    const compared: Compared[] = [];
    // One at a time: each is in memory whole.
    for (const file of files)
      compared.push({ name: file.name, finding: await findIn(documents, file) });
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
        title={compareTitle(documents)}
        hint={
          "Recalcule l’empreinte dans votre navigateur\u00a0: identique, le document n’a pas changé d’un octet. Rien n’est envoyé."
        }
        accept=".pdf,application/pdf"
        onFiles={(files) => void compare(files)}
      />
      {/* The live region precedes its text: one inserted with it may stay silent. */}
      <div className="stack stack--sm" role="status" aria-label="Comparaison">
        {isBusy ? <p className="muted">Calcul de l’empreinte…</p> : null}
        {results.map(({ name, finding }, index) => (
          <Alert
            key={index}
            isAnnounced={false}
            tone={TONES[finding.state]}
            {...(isOne ? {} : { title: name })}
          >
            {comparedWords(finding, isOne)}
          </Alert>
        ))}
      </div>
    </div>
  );
}

async function findIn(documents: readonly Known[], file: File): Promise<Finding> {
  try {
    const hash = await hashFile(file);
    const known = documents.find((document) => document.hash_sha256 === hash);
    if (known !== undefined) return { state: "same", known };
    return {
      state: bearsSignature(new Uint8Array(await file.arrayBuffer())) ? "other" : "unsigned",
    };
  } catch (error) {
    console.warn("a file could not be read", error);
    return { state: "unread" };
  }
}

const TONES = { same: "success", other: "danger", unsigned: "danger", unread: "warning" } as const;

function comparedWords(finding: Finding, isOne: boolean): string {
  if (finding.state === "unread")
    return "Ce fichier n’a pas pu être lu. Vérifiez qu’il est toujours là, puis recommencez.";
  if (finding.state === "same") {
    const { name } = finding.known;
    const which =
      isOne || name === null
        ? "celui qui a été signé"
        : `«\u00a0${name}\u00a0», tel qu’il a été signé`;
    return `Empreinte identique\u00a0: votre fichier est ${which}.`;
  }
  const other = "Empreinte différente\u00a0: votre fichier n’est pas celui qui a été signé.";
  return finding.state === "other"
    ? other
    : `${other} Il ne porte aucune signature électronique\u00a0: une copie à imprimer, par exemple, n’est jamais le fichier signé.`;
}

const MARK = new TextEncoder().encode("/ByteRange");

/** A signed file has a plain `ByteRange` (ISO 32000-2 §12.8.1); a copy to print has none. */
export function bearsSignature(pdf: Uint8Array): boolean {
  const [first = 0] = MARK;
  for (let at = pdf.indexOf(first); at !== -1; at = pdf.indexOf(first, at + 1))
    if (MARK.every((byte, index) => pdf[at + index] === byte)) return true;
  return false;
}
