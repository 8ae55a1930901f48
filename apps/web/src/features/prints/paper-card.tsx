import type { Proof } from "@paraphe/contracts";
import { useState } from "react";
import { formatLongDay } from "../../lib/format-dates.ts";
import { useLoaded } from "../../lib/use-loaded.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Button } from "../../ui/button/button.tsx";
import { SelectField } from "../../ui/field/select-field.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { checkStatement, type PaperCheck } from "./check-statement.ts";
import styles from "./proof-cards.module.css";
import type { SignedFile } from "./signed-file.ts";

/** A page of a file, by its place among those shown; from 1. */
export type PagePlace = { readonly index: number; readonly page: number };
type Props = {
  readonly uuid: string;
  readonly proof: Proof;
  readonly files: readonly SignedFile[];
  /** The address's fragment, without its `#`. */
  readonly fragment: string;
  readonly onOpen: (place: PagePlace) => void;
};

/** « Comparer avec ma page imprimée »: what the code of the page says, checked here, and the page itself, large, beside the paper. */
export function PaperCard({ uuid, proof, files, fragment, onOpen }: Props) {
  const checked = useLoaded(`${uuid} ${fragment}`, async () => (fragment === "" ? null : checkStatement(uuid, fragment, proof)));
  const paper = checked.status === "ready" ? checked.value : null;
  const index = paper?.state === "ours" ? files.findIndex(({ hash }) => hash === paper.document.hash_sha256) : -1;
  const held = paper?.state === "ours" && paper.page > 0 && index >= 0 ? { index, page: paper.page } : null;
  return (
    <section className={`card ${styles["paper"]}`} aria-labelledby="papier">
      <div className="card__head">
        <h2 className="h2" id="papier">
          Comparer avec ma page imprimée
        </h2>
      </div>
      <div className="card__body stack">
        {fragment === "" ? (
          <p className="ink2">
            Chaque code imprimé dit quelle page vous tenez{"\u00a0"}: scannez celui de votre page, ou choisissez-la ci-dessous.
          </p>
        ) : (
          <Said paper={paper} proof={proof} isAway={checked.status === "failed"} />
        )}
        {files.length > 0 && paper?.state !== "forged" ? (
          <PageChoice key={held === null ? "" : `${held.index}-${held.page}`} {...{ files, onOpen }} start={held} />
        ) : null}
      </div>
    </section>
  );
}

type SaidProps = { readonly paper: PaperCheck | null; readonly proof: Proof; readonly isAway: boolean };

function Said({ paper, proof, isAway }: SaidProps) {
  if (isAway) return <Alert tone="warning">Le contrôle du code n’a pas pu être chargé. Rechargez la page pour recommencer.</Alert>;
  if (paper === null)
    return (
      <p className="muted" role="status">
        Contrôle du code en cours…
      </p>
    );
  if (paper.state === "forged")
    return (
      <Alert tone="danger" title="Ce code n’est pas celui de ce document">
        Le service n’a pas signé le code de votre page pour cette impression{"\u00a0"}: il vient d’un autre document, ou il est falsifié. Ne
        vous fiez pas à ce papier.
      </Alert>
    );
  const page = paper.page === 0 ? "la page de preuve ajoutée au document" : `la page ${paper.page} sur ${paper.count}`;
  const made = `La copie a été faite le ${formatLongDay(`${paper.madeOn}T12:00:00Z`)}`;
  if (paper.state === "other")
    return (
      <Alert tone="warning" title={`Vous tenez ${page}, d’une autre version`}>
        {made}, d’une version du document qui n’est plus celle d’aujourd’hui{"\u00a0"}: une signature a pu s’y ajouter depuis.
      </Alert>
    );
  const name = proof.documents.length > 1 ? ` de «\u00a0${paper.document.name ?? "Document"}\u00a0»` : "";
  return (
    <Alert tone="success" title={`Vous tenez ${page}${name}`}>
      {made}, et son code est signé par le service. Comparez mot à mot{"\u00a0"}: seul le document affiché ici fait foi.
    </Alert>
  );
}

type ChoiceProps = Pick<Props, "files" | "onOpen"> & { readonly start: PagePlace | null };

function PageChoice({ files, onOpen, start }: ChoiceProps) {
  const [place, setPlace] = useState<PagePlace>(start ?? { index: 0, page: 1 });
  const pages = files[place.index]?.pageCount ?? 1;
  return (
    <div className={styles["choice"]}>
      {files.length > 1 ? (
        <SelectField label="Document" value={place.index} onChange={(event) => setPlace({ index: Number(event.target.value), page: 1 })}>
          {files.map((file, index) => (
            <option key={file.address} value={index}>
              {file.name}
            </option>
          ))}
        </SelectField>
      ) : null}
      <SelectField label="Page" value={place.page} onChange={(event) => setPlace({ ...place, page: Number(event.target.value) })}>
        {Array.from({ length: pages }, (_, index) => (
          <option key={index} value={index + 1}>
            {`Page ${index + 1} sur ${pages}`}
          </option>
        ))}
      </SelectField>
      <Button onClick={() => onOpen(place)}>
        <Icon name="eye" size="sm" />
        Voir cette page en grand
      </Button>
    </div>
  );
}
