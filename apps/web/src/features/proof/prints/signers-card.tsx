import { type Proof, type ReachShown, reachInWords } from "@paraphe/contracts";
import { formatInstant } from "../../../lib/format/format-dates.ts";
import { Avatar } from "../../../ui/avatar/avatar.tsx";
import { Card } from "../../../ui/card/card.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import styles from "./proof-cards.module.css";
import { Tick } from "./card-parts.tsx";

export function SignersCard({ proof }: { proof: Proof }) {
  return (
    <Card id="signataires" title="Signataires">
      <ul className={styles.signers}>
        {proof.signers.map((signer, index) => (
          <li key={index}>
            <Avatar name={signer.full_name} color={index + 1} />
            <div className="grow">
              <b className="break">{signer.full_name}</b>
              {signer.reach === undefined ? null : <Reached reach={signer.reach} />}
            </div>
            {signer.signed ? (
              <span className={styles.signed}>
                <span className={styles.tick} data-tone="good">
                  <Icon name="check" size="sm" />
                  Signé
                </span>
                <small className="num">
                  {signer.signed_at ? formatInstant(signer.signed_at) : "Non communiqué"}
                </small>
              </span>
            ) : (
              <Unsigned proof={proof} />
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** A confirmed contact has a mark of its own. */
function Reached({ reach }: { reach: ReachShown }) {
  const { way, confirmed } = reachInWords(reach);
  const isConfirmed = reach !== null && reach.confirmed.length > 0;
  return (
    <>
      <p className="muted small break">{way}</p>
      <p className={`small break ${styles.confirmed}`}>
        <Icon name={isConfirmed ? "check" : "info"} size="sm" />
        <span>{confirmed}</span>
      </p>
    </>
  );
}

/** Nobody is awaited after the envelope's end, or when the stored file is not the signed one. */
function Unsigned({
  proof: { completed, cancelled, declined, expired, verdict },
}: {
  proof: Proof;
}) {
  if (completed || verdict === "invalid")
    return <Tick word={{ tone: "bad", word: "Signature introuvable" }} />;
  if (cancelled || declined || expired) return <span className="muted">N’a pas signé</span>;
  return (
    <span className={styles.tick} data-tone="unsure">
      <Icon name="clock" size="sm" />
      En attente de signature
    </span>
  );
}
