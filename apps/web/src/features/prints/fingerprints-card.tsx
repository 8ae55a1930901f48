import type { Proof } from "@paraphe/contracts";
import { useState } from "react";
import { Alert } from "../../ui/alert/alert.tsx";
import { CopyField } from "../../ui/copy-field/copy-field.tsx";
import { Dropzone } from "../../ui/dropzone/dropzone.tsx";
import { hashFile } from "./hash-file.ts";

/** The signed file's fingerprints, and the comparison with one's own copy. */
export function FingerprintsCard({ proof }: { proof: Proof }) {
  const documents =
    proof.documents.length > 0
      ? proof.documents
      : proof.hash_sha256
        ? [{ name: null, hash_sha256: proof.hash_sha256, hash_md5: proof.hash_md5 }]
        : [];
  return (
    <section className="card" aria-labelledby="empreintes">
      <div className="card__head">
        <h2 className="h2" id="empreintes">
          Empreintes du document
        </h2>
      </div>
      <div className="card__body stack">
        {documents.length === 0 ? <p className="muted">Non communiqué</p> : null}
        {documents.map((document) => (
          <div key={document.hash_sha256} className="stack">
            {documents.length > 1 && document.name ? <h3 className="h3 break">{document.name}</h3> : null}
            <CopyField label="SHA-256" value={document.hash_sha256} />
            {document.hash_md5 ? (
              <div className="stack stack--sm">
                <CopyField label="MD5" value={document.hash_md5} />
                <p className="muted small">Empreinte historique, sans valeur de sécurité.</p>
              </div>
            ) : null}
          </div>
        ))}
        <p className="muted small">
          Recalculez l’empreinte de votre fichier{"\u00a0"}: si elle est identique, le document n’a pas changé d’un octet.
        </p>
        {documents.length > 0 ? <OwnFile hashes={documents.map((document) => document.hash_sha256)} /> : null}
      </div>
    </section>
  );
}

function OwnFile({ hashes }: { hashes: readonly string[] }) {
  const [result, setResult] = useState<"same" | "different" | null>(null);
  const compare = async (files: readonly File[]) => {
    const file = files[0];
    setResult(null);
    if (file) setResult(hashes.includes(await hashFile(file)) ? "same" : "different");
  };
  return (
    <div className="stack stack--sm">
      <Dropzone
        compact
        title="Comparer avec mon fichier"
        hint={"Le calcul se fait dans votre navigateur\u00a0: votre fichier n’est envoyé à personne."}
        accept=".pdf,application/pdf"
        onFiles={(files) => void compare(files)}
      />
      {result === "same" ? <Alert tone="success">Empreinte identique{"\u00a0"}: votre fichier est celui qui a été signé.</Alert> : null}
      {result === "different" ? (
        <Alert tone="danger">Empreinte différente{"\u00a0"}: votre fichier n’est pas celui qui a été signé.</Alert>
      ) : null}
    </div>
  );
}
