import type { Proof } from "@paraphe/contracts";
import { formatExactInstant } from "../../lib/format-dates.ts";
import { plural } from "../../lib/format-numbers.ts";
import { validityWords } from "../../lib/validity-words.ts";
import { Card } from "../../ui/card/card.tsx";
import { KeyValue } from "../../ui/key-value/key-value.tsx";
import { AllCertificates } from "./all-certificates.tsx";
import { CERTIFICATE_CARD } from "./card-names.ts";
import styles from "./proof-cards.module.css";
import { formatSerial, type RevocationWord, revocationWord } from "./revocation-word.ts";
import { Tick } from "./tick.tsx";

const NONE = "Non communiqué";

type Props = {
  readonly certificate: NonNullable<Proof["certificate"]>;
  readonly proof: Proof;
  readonly uuid: string;
  readonly sig: string;
};

/** The certificate behind the signature: whose, until when, revoked or not, dated by whom. */
export function CertificateCard({ certificate, proof, uuid, sig }: Props) {
  const { level, signers } = proof;
  const isOneOfSeveral = signers.filter(({ signed }) => signed).length > 1;
  const { subject, revocation, timestamp } = certificate;
  const ocsp = revocationWord(revocation.ocsp_status, "ocsp");
  const crl = revocationWord(revocation.crl_status, "crl");
  return (
    <Card {...CERTIFICATE_CARD} aside={<Summary words={[ocsp, crl]} />}>
      <KeyValue
        entries={[
          ["Nom (CN)", subject.CN || NONE],
          ["Organisation (O)", subject.O ?? NONE],
          ["Pays (C)", subject.C ?? NONE],
          [
            "Numéro de série",
            <span key="serial" className="mono break">
              {formatSerial(certificate.serial_number)}
            </span>,
          ],
          [
            "Validité",
            <span key="validity" className="num">
              {`Ce certificat ${validityWords(certificate, timestamp?.time)}`}
            </span>,
          ],
          ["OCSP", <Answer key="ocsp" word={ocsp} url={revocation.ocsp_url} at={revocation.ocsp_at} />],
          ["CRL", <Answer key="crl" word={crl} url={revocation.crl_url} at={revocation.crl_at} isRead />],
          [
            "Horodatage",
            timestamp ? (
              <span key="time" className="num">
                {formatExactInstant(timestamp.time)}
              </span>
            ) : (
              NONE
            ),
          ],
          ["Autorité (TSA)", timestamp ? `${timestamp.tsa} (non qualifié)` : NONE],
        ]}
      />
      <Technical certificate={certificate} level={level} />
      {isOneOfSeveral ? (
        <>
          <p className="muted small">Ce certificat est celui de la dernière signature.</p>
          <AllCertificates uuid={uuid} sig={sig} />
        </>
      ) : null}
    </Card>
  );
}

function Summary({ words }: { words: readonly RevocationWord[] }) {
  if (words.some((word) => word.tone === "bad")) return <Tick word={{ tone: "bad", word: "Révoqué" }} />;
  if (words.some((word) => word.tone === "good")) return <Tick word={{ tone: "good", word: "Non révoqué" }} icon="shield" />;
  return null;
}

const AT_SIGNING = { true: "Oui", false: "Non", null: "Indéterminé" } as const;

/** What a technician asks for, one row at a time. */
function Technical({ certificate, level }: { certificate: NonNullable<Proof["certificate"]>; level: Proof["level"] }) {
  const { issuers, hash_algorithm, valid_at_signing, timestamp } = certificate;
  const rows: readonly (readonly [string, string, string])[] = [
    [
      "Valide au moment de la signature",
      AT_SIGNING[`${valid_at_signing}`],
      timestamp
        ? `Le certificat est jugé au moment que l’horodatage prouve\u00a0: ${formatExactInstant(timestamp.time)}.`
        : "Sans horodatage, rien ne prouve le moment de la signature.",
    ],
    [
      "Chaîne de certification",
      issuers.length === 0 ? NONE : plural(issuers.length, "autorité"),
      issuers.length === 0 ? "Aucune autorité connue ici." : [certificate.subject.CN, ...issuers].join(" ← "),
    ],
    ["Niveau", level ? `PAdES ${level}` : NONE, LEVELS[level ?? "none"]],
    [
      "Algorithme de hachage",
      hash_algorithm ?? NONE,
      "Il donne l’empreinte que la signature protège\u00a0: un octet changé dans le document donne une autre empreinte.",
    ],
  ];
  return (
    <div className={styles.technical}>
      {rows.map(([name, value, meaning]) => (
        <details key={name}>
          <summary>
            <span className="grow">{name}</span>
            <span className="ink2 num">{value}</span>
          </summary>
          <p className="muted small break">{meaning}</p>
        </details>
      ))}
    </div>
  );
}

/** Source: EN 319 142-1 §6. */
const LEVELS = {
  "B-B": "Signature de base, sans date prouvée.",
  "B-T": "Signature dont la date est prouvée par un horodatage.",
  "B-LT": "Le fichier contient de quoi la vérifier plus tard, sans demander à personne.",
  "B-LTA": "Le fichier contient de quoi la vérifier plus tard, protégé par un horodatage d’archive.",
  none: "Le niveau n’a pas pu être établi.",
} as const;

type AnswerProps = {
  readonly word: RevocationWord;
  readonly url: string | null;
  readonly at: string | null;
  /** The address gives a file to whoever follows it; a responder answers programs alone. */
  readonly isRead?: boolean;
};

function Answer({ word, url, at, isRead = false }: AnswerProps) {
  return (
    <>
      {word.word === NONE ? NONE : <Tick word={word} />}
      {at ? <span className="muted small num"> Données du {formatExactInstant(at)}</span> : null}
      {url && isRead ? (
        <a className={`mono break ${styles.url}`} href={url} rel="noreferrer">
          {url}
        </a>
      ) : null}
      {url && !isRead ? <span className={`mono break ${styles.url}`}>{url}</span> : null}
    </>
  );
}
