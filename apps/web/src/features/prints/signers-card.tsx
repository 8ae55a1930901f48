import type { Proof } from "@paraphe/contracts";
import { formatInstant } from "../../lib/format-dates.ts";
import { Avatar } from "../../ui/avatar/avatar.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import styles from "./proof-cards.module.css";

/** Who signed, when; who is still awaited. */
export function SignersCard({ signers }: { signers: Proof["signers"] }) {
  return (
    <section className="card" aria-labelledby="signataires">
      <div className="card__head">
        <h2 className="h2" id="signataires">
          Signataires
        </h2>
      </div>
      <ul className={`card__body ${styles.signers}`}>
        {signers.map((signer, index) => (
          <li key={index}>
            <Avatar name={signer.full_name} color={index + 1} />
            <b className="grow break">{signer.full_name}</b>
            {signer.signed ? (
              <span className={styles.signed}>
                <span className={styles.tick} data-tone="good">
                  <Icon name="check" size="sm" />
                  Signé
                </span>
                <small className="num">{signer.signed_at ? formatInstant(signer.signed_at) : "Non communiqué"}</small>
              </span>
            ) : (
              <span className={styles.tick} data-tone="unsure">
                <Icon name="clock" size="sm" />
                En attente de signature
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
