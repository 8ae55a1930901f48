import type { Proof } from "@paraphe/contracts";
import { Card } from "../../../ui/card/card.tsx";
import { CopyField } from "../../../ui/copy-field/copy-field.tsx";
import { plural } from "../../../lib/format/format-numbers.ts";
import { FINGERPRINTS_CARD } from "./card-parts.tsx";
import { comparedDocuments } from "./proof-files.ts";
import styles from "./proof-cards.module.css";

export function FingerprintsCard({ proof }: { proof: Proof }) {
  const documents = comparedDocuments(proof);
  return (
    <Card {...FINGERPRINTS_CARD} isInner>
      {documents.length === 0 ? <p className="muted">Non communiqué</p> : null}
      {documents.map((document, index) => (
        <div key={index} className="stack">
          {document.name ? (
            <p className={styles["file"]}>
              <b className="break">{document.name}</b>
              {document.page_count === null ? null : (
                <span className="muted num nowrap">{plural(document.page_count, "page")}</span>
              )}
            </p>
          ) : null}
          <CopyField label="SHA-256" value={document.hash_sha256} />
          {document.hash_md5 ? (
            <div className={`stack stack--sm ${styles["historic"]}`}>
              <CopyField label="MD5" value={document.hash_md5} />
              <p className="muted small">Empreinte historique, sans valeur de sécurité.</p>
            </div>
          ) : null}
        </div>
      ))}
      <p className="muted small">
        Recalculez l’empreinte de votre fichier{"\u00a0"}: si elle est identique, le document n’a
        pas changé d’un octet.
      </p>
    </Card>
  );
}
