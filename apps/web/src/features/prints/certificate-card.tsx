import type { Proof } from "@paraphe/contracts";
import { formatExactInstant, formatLongDay } from "../../lib/format-dates.ts";
import { Icon } from "../../ui/icon/icon.tsx";
import { KeyValue } from "../../ui/key-value/key-value.tsx";
import styles from "./proof-cards.module.css";
import { formatSerial, type RevocationWord, revocationWord } from "./revocation-word.ts";

const NONE = "Non communiqué";

/** The certificate behind the signature: whose, until when, revoked or not, dated by whom. */
export function CertificateCard({ certificate, level }: { certificate: NonNullable<Proof["certificate"]>; level: Proof["level"] }) {
  const { subject, revocation, timestamp } = certificate;
  const ocsp = revocationWord(revocation.ocsp_status, "ocsp");
  const crl = revocationWord(revocation.crl_status, "crl");
  return (
    <section className="card" aria-labelledby="certificat">
      <div className="card__head">
        <h2 className="h2 grow" id="certificat">
          Certificat du signataire
        </h2>
        <Summary words={[ocsp, crl]} />
      </div>
      <div className="card__body">
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
              <span
                key="validity"
                className="num"
              >{`du ${formatLongDay(certificate.valid_from)} au ${formatLongDay(certificate.valid_to)}`}</span>,
            ],
            ["OCSP", <Answer key="ocsp" word={ocsp} url={revocation.ocsp_url} />],
            ["CRL", <Answer key="crl" word={crl} url={revocation.crl_url} />],
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
            ["Autorité (TSA)", timestamp?.tsa ?? NONE],
            ["Niveau", level ? `PAdES ${level}` : NONE],
          ]}
        />
      </div>
    </section>
  );
}

function Summary({ words }: { words: readonly RevocationWord[] }) {
  if (words.some((word) => word.tone === "bad")) return <Tick word={{ tone: "bad", word: "Révoqué" }} />;
  if (words.some((word) => word.tone === "good")) return <Tick word={{ tone: "good", word: "Non révoqué" }} />;
  return null;
}

function Answer({ word, url }: { word: RevocationWord; url: string | null }) {
  return (
    <>
      {word.word === NONE ? NONE : <Tick word={word} />}
      {url ? <span className={`mono break ${styles.url}`}>{url}</span> : null}
    </>
  );
}

function Tick({ word }: { word: RevocationWord }) {
  return (
    <span className={styles.tick} data-tone={word.tone}>
      <Icon name={word.tone === "good" ? "check" : word.tone === "bad" ? "alert" : "help"} size="sm" />
      {word.word}
    </span>
  );
}
