import type { Envelope } from "@paraphe/contracts";
import { formatPercent, plural } from "../../lib/format-numbers.ts";
import { ProgressBar } from "../../ui/progress/progress-bar.tsx";
import styles from "./detail.module.css";
import { SignerRow } from "./signer-row.tsx";

/** Who signs, and how far they are. */
export function SignersCard({ envelope }: { readonly envelope: Envelope }) {
  const { signed, total, percent } = envelope.progress;
  return (
    <section className="card" aria-labelledby="signataires">
      <div className="card__head">
        <h2 className="h2 grow" id="signataires">
          Signataires
        </h2>
        {envelope.flow === "sequential" && <span className="ink2 small">Signature dans l’ordre</span>}
      </div>
      <div className="card__body stack">
        {total === 0 ? (
          <p className="muted">Aucun signataire</p>
        ) : (
          <div>
            <div className={styles["percent"]}>
              <b className="num">{`${plural(signed, "signature")} sur ${total}`}</b>
              <span className="num ink2">{formatPercent(percent)}</span>
            </div>
            <ProgressBar percent={percent} size="lg" label={`Progression : ${formatPercent(percent)}`} />
          </div>
        )}
        <ol>
          {envelope.recipients.map((recipient, index) => (
            <SignerRow key={recipient.id} envelope={envelope} recipient={recipient} color={index + 1} />
          ))}
        </ol>
      </div>
    </section>
  );
}
