import type { Proof, ProofFile } from "@paraphe/contracts";
import { type ReactNode, useState } from "react";
import { callMessage } from "../../../lib/api/api-error.ts";
import { formatExactInstant, formatLongDay } from "../../../lib/format/format-dates.ts";
import { plural } from "../../../lib/format/format-numbers.ts";
import { formatServedDate } from "../../../lib/format/format-validity.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Card } from "../../../ui/card/card.tsx";
import { useOpenOnPaper } from "../../../ui/fold/fold.tsx";
import { KeyValue } from "../../../ui/key-value/key-value.tsx";
import {
  CERTIFICATE_CARD,
  formatSerial,
  type RevocationWord,
  revocationWord,
  Tick,
} from "./card-parts.tsx";
import { loadProofFile } from "./proof-calls.ts";
import styles from "./proof-cards.module.css";

type Signatures = ProofFile["proof"]["signatures"];
type State =
  | { readonly step: "none" | "loading" }
  | { readonly step: "done"; readonly signatures: Signatures }
  | { readonly step: "failed"; readonly text: string };

/** Loaded on request with the whole proof. */
export function AllCertificates({ uuid, sig }: { readonly uuid: string; readonly sig: string }) {
  const [state, setState] = useState<State>({ step: "none" });
  const load = async () => {
    setState({ step: "loading" });
    setState(
      await loadProofFile(uuid, sig).then(
        ({ proof }): State => ({ step: "done", signatures: oneEach(proof.signatures) }),
        (error: unknown): State => ({
          step: "failed",
          text: callMessage(error, "Les certificats n’ont pas pu être chargés. Réessayez."),
        }),
      ),
    );
  };
  return (
    <>
      {state.step === "failed" ? <Alert tone="warning">{state.text}</Alert> : null}
      {state.step === "done" ? (
        <div className={styles["technical"]}>
          {state.signatures.map((signature) => (
            <OneCertificate key={signature.serial_number} signature={signature} />
          ))}
        </div>
      ) : (
        <div className={styles["tool"]}>
          <Button size="sm" loading={state.step === "loading"} onClick={() => void load()}>
            Voir tous les certificats
          </Button>
        </div>
      )}
    </>
  );
}

/** Lists each certificate once, though it may sign several files. */
function oneEach(signatures: Signatures): Signatures {
  return signatures.filter(
    ({ serial_number }, index) =>
      signatures.findIndex((other) => other.serial_number === serial_number) === index,
  );
}

const WORDS = { valid: "Valide", indeterminate: "Indéterminé", invalid: "Non valide" } as const;

function OneCertificate({ signature }: { readonly signature: Signatures[number] }) {
  const { signer_name, verdict, reason, serial_number, level, timestamp } = signature;
  const ref = useOpenOnPaper();
  return (
    <details ref={ref}>
      <summary>
        <span className="grow break">{signer_name}</span>
        <span className="ink2">{WORDS[verdict]}</span>
      </summary>
      <div className={styles["facts"]}>
        <KeyValue
          entries={[
            ["Verdict", reason],
            [
              "Numéro de série",
              <span key="serial" className="mono break">
                {formatSerial(serial_number)}
              </span>,
            ],
            ["Niveau", level === null ? "Non établi" : `PAdES ${level}`],
            [
              "Horodatage",
              timestamp === null
                ? "Aucun"
                : `${formatExactInstant(timestamp.time)}, par ${timestamp.tsa} (non qualifié)`,
            ],
          ]}
        />
      </div>
    </details>
  );
}

const NONE = "Non communiqué";
const NO_PAPERS =
  "Non contrôlée sur une pièce\u00a0: c’est une signature électronique «\u00a0simple\u00a0», au sens du règlement eIDAS.";

type Props = {
  readonly certificate: NonNullable<Proof["certificate"]>;
  readonly proof: Proof;
  readonly uuid: string;
  readonly sig: string;
};

export function CertificateCard({ certificate, proof, uuid, sig }: Props) {
  const { level, signers } = proof;
  const isOneOfSeveral = signers.filter(({ signed }) => signed).length > 1;
  const { revocation } = certificate;
  const ocsp = revocationWord(revocation.ocsp_status, "ocsp");
  const crl = revocationWord(revocation.crl_status, "crl");
  return (
    <Card {...CERTIFICATE_CARD} isInner aside={<Summary words={[ocsp, crl]} />}>
      <KeyValue entries={inPlainWords(proof, [ocsp, crl])} />
      <div className={styles["pairs"]}>
        <KeyValue entries={inExpertTerms(certificate, { ocsp, crl })} />
      </div>
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

function inExpertTerms(
  { subject, revocation, timestamp, ...certificate }: Props["certificate"],
  { ocsp, crl }: Readonly<Record<"ocsp" | "crl", RevocationWord>>,
): readonly (readonly [string, ReactNode])[] {
  return [
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
        {`du ${formatLongDay(certificate.valid_from)} au ${formatLongDay(certificate.valid_to)}`}
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
  ];
}

/** Plain words first, then the expert's term. */
function inPlainWords(
  { level, certificate }: Proof,
  words: readonly RevocationWord[],
): readonly (readonly [string, ReactNode])[] {
  if (certificate === null) return [];
  const { subject, issuers, timestamp } = certificate;
  const isKept = level === "B-LT" || level === "B-LTA";
  const [issuer] = issuers;
  const isRevoked = words.some(({ tone }) => tone === "bad");
  const isGood =
    !isRevoked &&
    words.some(({ tone }) => tone === "good") &&
    words.every(({ word }) => word !== "Inconnu");
  const revocation: RevocationWord = isRevoked
    ? { tone: "bad", word: "Révoqué" }
    : { tone: "good", word: "Oui" };
  return [
    ["Identité", NO_PAPERS],
    [
      "Conservation longue durée",
      <span key="kept">
        <Tick
          word={
            isKept
              ? { tone: "good", word: "Oui" }
              : { tone: "unsure", word: level === null ? "Non établie" : "Non" }
          }
        />{" "}
        {level === null ? null : <span className="muted">(PAdES {level})</span>}
      </span>,
    ],
    [
      "Certificat",
      <span key="certificate">
        {subject.CN || NONE}
        {issuer === undefined ? "" : `, établi par ${issuer}`}
        {timestamp === null ? null : (
          <span className={`muted ${styles.once}`}>{servedAt(certificate, timestamp.time)}</span>
        )}
      </span>,
    ],
    [
      "Non révoqué",
      <span key="revocation">
        {isRevoked || isGood ? (
          <Tick word={revocation} />
        ) : (
          <Tick word={{ tone: "unsure", word: "Non établi" }} />
        )}{" "}
        <span className="muted">(OCSP et liste CRL)</span>
      </span>,
    ],
  ];
}

function servedAt(certificate: NonNullable<Proof["certificate"]>, time: string): string {
  const served = formatServedDate(certificate, time);
  return served === null
    ? `Il a servi le ${formatLongDay(time)}. Sa validité se juge à cet instant.`
    : `Ce certificat ${served}.`;
}

function Summary({ words }: { words: readonly RevocationWord[] }) {
  if (words.some((word) => word.tone === "bad"))
    return <Tick word={{ tone: "bad", word: "Révoqué" }} />;
  if (words.some((word) => word.tone === "good"))
    return <Tick word={{ tone: "good", word: "Non révoqué" }} icon="shield" />;
  return null;
}

const AT_SIGNING = { true: "Oui", false: "Non", null: "Indéterminé" } as const;

function Technical({
  certificate,
  level,
}: {
  certificate: NonNullable<Proof["certificate"]>;
  level: Proof["level"];
}) {
  const { issuers, hash_algorithm, valid_at_signing, timestamp } = certificate;
  const rows: readonly TermRow[] = [
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
      issuers.length === 0
        ? "Aucune autorité connue ici."
        : [certificate.subject.CN, ...issuers].join(" ← "),
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
      {rows.map((row) => (
        <Term key={row[0]} row={row} />
      ))}
    </div>
  );
}

/** Name, value, meaning. */
type TermRow = readonly [string, string, string];

function Term({ row: [name, value, meaning] }: { readonly row: TermRow }) {
  const ref = useOpenOnPaper();
  return (
    <details ref={ref}>
      <summary>
        <span className="grow">{name}</span>
        <span className="ink2 num">{value}</span>
      </summary>
      <p className="muted small break">{meaning}</p>
    </details>
  );
}

/** Source: EN 319 142-1 §6. */
const LEVELS = {
  "B-B": "Signature de base, sans date prouvée.",
  "B-T": "Signature dont la date est prouvée par un horodatage.",
  "B-LT": "Le fichier contient de quoi la vérifier plus tard, sans demander à personne.",
  "B-LTA":
    "Le fichier contient de quoi la vérifier plus tard, protégé par un horodatage d’archive.",
  none: "Le niveau n’a pas pu être établi.",
} as const;

type AnswerProps = {
  readonly word: RevocationWord;
  readonly url: string | null;
  readonly at: string | null;
  /** A person can open the address; an OCSP responder answers programs alone. */
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
