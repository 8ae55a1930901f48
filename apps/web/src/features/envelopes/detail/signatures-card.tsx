import type { Envelope, Signature } from "@paraphe/contracts";
import { useQuery } from "@tanstack/react-query";
import { serverSentence } from "../../../lib/api/api-error.ts";
import { formatExactInstant } from "../../../lib/format/format-dates.ts";
import { formatValidity } from "../../../lib/format/format-validity.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { CopyField } from "../../../ui/copy-field/copy-field.tsx";
import { Fold } from "../../../ui/fold/fold.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { KeyValue } from "../../../ui/key-value/key-value.tsx";
import { Skeleton } from "../../../ui/skeleton/skeleton.tsx";
import { envelopeCalls } from "../envelope-calls.ts";

const VERDICTS = {
  valid: { word: "Valide", icon: "check-circle" },
  indeterminate: { word: "Résultat indéterminé", icon: "info" },
  invalid: { word: "Non valide", icon: "alert" },
} as const;
const FAILURE = "Les signatures n’ont pas pu être vérifiées.";

export function SignaturesCard({ envelope }: { readonly envelope: Envelope }) {
  // Validity changes with signatures, time and revocations: each opening asks anew.
  const { data, error, refetch } = useQuery({
    queryKey: ["signatures", envelope.id, envelope.progress.signed],
    queryFn: ({ signal }) => envelopeCalls.signatures(envelope.id, signal),
  });
  const isSeveral = envelope.documents.length > 1;
  return (
    <>
      <section className="card" aria-labelledby="signatures">
        <div className="card__head">
          <h2 className="h2 grow" id="signatures">
            Signatures
          </h2>
        </div>
        <div className="card__body stack">
          {data === undefined && error === null && <Waiting />}
          {data === undefined && error !== null && (
            <Alert tone="danger" title={FAILURE}>
              {serverSentence(error) !== undefined && <div>{serverSentence(error)}</div>}
              <Button size="sm" onClick={() => void refetch()}>
                <Icon name="refresh" size="sm" />
                Réessayer
              </Button>
            </Alert>
          )}
          {data !== undefined && data.count === 0 && (
            <p className="muted">Aucune signature pour le moment</p>
          )}
          {data !== undefined && data.count > 0 && (
            <ul className="stack stack--lg">
              {data.results.map((signature) => (
                <SignatureItem
                  key={signature.id}
                  signature={signature}
                  isOneOfSeveral={isSeveral}
                />
              ))}
            </ul>
          )}
        </div>
      </section>
      {data !== undefined && data.count > 0 && (
        <Fold
          id="details-signatures"
          title="Détails techniques"
          hint="Niveau, certificat et horodatage de chaque signature, empreintes des fichiers"
          icon="shield"
        >
          {data.results.map((signature) => (
            <SignatureTerms key={signature.id} signature={signature} isOneOfSeveral={isSeveral} />
          ))}
          {envelope.status === "completed" && <FileHashes documents={envelope.documents} />}
        </Fold>
      )}
    </>
  );
}

/** On paper the hashes stand with the files instead. */
function FileHashes({ documents }: Pick<Envelope, "documents">) {
  return (
    <div className="stack off-paper">
      {documents.map(({ id, name, sha256 }) => (
        <CopyField key={id} label={`SHA-256 de ${name}`} value={sha256} />
      ))}
    </div>
  );
}

function Waiting() {
  return (
    <div aria-busy="true">
      <span className="sr" role="status">
        Vérification des signatures
      </span>
      <Skeleton width="100%" height={96} />
    </div>
  );
}

type ItemProps = { readonly signature: Signature; readonly isOneOfSeveral: boolean };

function SignatureTerms({ signature, isOneOfSeveral }: ItemProps) {
  const { certificate, timestamp } = signature;
  const entries: readonly (readonly [string, string])[] = [
    ["Niveau", signature.level === null ? "Non établi" : `PAdES ${signature.level}`],
    [
      "Certificat",
      `${certificate.subject}\u00a0: ce certificat ${formatValidity(certificate, timestamp?.time)}`,
    ],
    [
      "Horodatage",
      timestamp === null ? "Aucun" : `${formatExactInstant(timestamp.time)}, par ${timestamp.tsa}`,
    ],
  ];
  return (
    <div className="stack stack--sm">
      <h3 className="h3 break">
        {isOneOfSeveral
          ? `${signature.signer_name}, ${signature.document_name}`
          : signature.signer_name}
      </h3>
      <KeyValue entries={entries} />
    </div>
  );
}

function SignatureItem({ signature, isOneOfSeveral }: ItemProps) {
  const verdict = VERDICTS[signature.verdict];
  return (
    <li className="stack stack--sm">
      <div className="row">
        <b className="grow break">{signature.signer_name}</b>
        <span className="row small">
          <Icon name={verdict.icon} size="sm" />
          {verdict.word}
        </span>
      </div>
      {isOneOfSeveral && <p className="muted small break">{signature.document_name}</p>}
      {signature.verdict !== "valid" && <p className="small">{signature.reason}</p>}
    </li>
  );
}
