import type { Proof } from "@paraphe/contracts";
import { formatLongDay } from "../../../lib/format/format-dates.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Card } from "../../../ui/card/card.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { lazyPart } from "../../../ui/lazy-step/lazy-step.tsx";
import { PAPER_CARD } from "./card-parts.tsx";
import styles from "./proof-cards.module.css";
import type { PagePlace, SignedFile } from "./proof-files.ts";
import type { PaperCheck, PaperState } from "./check-paper.ts";

// Not needed where a scanned code names the page.
const PageChoice = lazyPart(async () => (await import("./page-choice.tsx")).PageChoice, null);

type Props = {
  readonly paper: PaperState;
  readonly proof: Proof;
  readonly files: readonly SignedFile[];
  readonly onOpen: (place: PagePlace) => void;
};

export function PaperCard(props: Props) {
  return (
    <Card {...PAPER_CARD} className={styles["paper"]}>
      <PaperComparison {...props} />
    </Card>
  );
}

/** Without a heading, because the fold has it. */
export function PaperComparison({ paper, proof, files, onOpen }: Props) {
  const index =
    paper.state === "ours"
      ? files.findIndex(({ hash }) => hash === paper.document.hash_sha256)
      : -1;
  const hasPages = paper.state !== "checking" && paper.state !== "forged" && paper.state !== "cut";
  const named =
    paper.state === "ours" && paper.page > 0 && index >= 0 ? { index, page: paper.page } : null;
  return (
    <>
      {paper.state === "none" ? (
        <p className="ink2">
          Chaque code imprimé dit quelle page vous tenez&nbsp;: scannez celui de votre page
          {files.length > 0 ? ", ou choisissez-la ci-dessous." : "."}
        </p>
      ) : (
        // The live region precedes its text: one inserted with it may stay silent.
        <div role="status" aria-label="Contrôle du code">
          <PaperSaid paper={paper} proof={proof} />
        </div>
      )}
      {named === null ? null : <SeeLarge onClick={() => onOpen(named)} />}
      {named === null && files.length > 0 && hasPages ? (
        <PageChoice files={files}>
          {(place) => <SeeLarge onClick={() => onOpen(place)} />}
        </PageChoice>
      ) : null}
    </>
  );
}

function PaperSaid({ paper, proof }: Pick<Props, "paper" | "proof">) {
  if (paper.state === "ours" || paper.state === "other" || paper.state === "revoked")
    return <PageSaid paper={paper} proof={proof} />;
  if (paper.state === "away")
    return (
      <Alert isAnnounced={false} tone="warning">
        Le contrôle du code n’a pas pu être chargé. Rechargez la page pour recommencer.
      </Alert>
    );
  if (paper.state === "forged")
    return <p className="ink2">Aucune page de ce document ne porte ce code.</p>;
  return paper.state === "cut" ? (
    <p className="ink2">Ce n’est le code entier d’aucune page.</p>
  ) : (
    <p className="muted">Contrôle du code en cours…</p>
  );
}

type PageSaidProps = {
  readonly paper: Extract<PaperCheck, { readonly page: number }>;
  readonly proof: Proof;
};

function PageSaid({ paper, proof }: PageSaidProps) {
  const page =
    paper.page === 0
      ? "la page de preuve ajoutée au document"
      : `la page ${paper.page} sur ${paper.count}`;
  const made = `La copie a été faite le ${formatLongDay(`${paper.madeOn}T12:00:00Z`)}`;
  if (paper.state === "other")
    return (
      <Alert isAnnounced={false} tone="warning" title={`Vous tenez ${page}, d’une autre version`}>
        {made}, d’une version du document qui n’est plus celle d’aujourd’hui&nbsp;: une signature a
        pu s’y ajouter depuis.
      </Alert>
    );
  if (paper.state === "revoked")
    return (
      <Alert isAnnounced={false} tone="warning" title={`Votre page se dit ${page}`}>
        La clé du service qui l’a signé a été révoquée depuis. Ce code, et la date du{" "}
        {formatLongDay(`${paper.madeOn}T12:00:00Z`)} qu’il se donne, ne prouvent rien&nbsp;:
        comparez les mots.
      </Alert>
    );
  return <Ours paper={paper} proof={proof} page={page} made={made} />;
}

type OursProps = {
  readonly paper: Extract<PaperCheck, { readonly state: "ours" }>;
  readonly proof: Proof;
  readonly page: string;
  readonly made: string;
};

/** A genuine code; the document may still be invalid or not shown. */
function Ours({ paper, proof, page, made }: OursProps) {
  const name =
    proof.documents.length > 1 ? ` de «\u00a0${paper.document.name ?? "Document"}\u00a0»` : "";
  const isShown = paper.document.document_url !== null;
  return (
    <Alert
      isAnnounced={false}
      tone={proof.verdict === "invalid" ? "warning" : "success"}
      title={`Vous tenez ${page}${name}`}
    >
      {made}, et son code est signé par le service.{" "}
      {isShown
        ? "Comparez mot à mot\u00a0: seul le document affiché ici fait foi."
        : "Le document n’est pas montré ici\u00a0: rien ne dit que votre papier porte les mêmes mots."}
    </Alert>
  );
}

function SeeLarge({ onClick }: { readonly onClick: () => void }) {
  return (
    <div>
      <Button onClick={onClick}>
        <Icon name="eye" size="sm" />
        Voir cette page en grand
      </Button>
    </div>
  );
}
