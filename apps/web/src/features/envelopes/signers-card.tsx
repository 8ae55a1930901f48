import type { Envelope, Recipient } from "@paraphe/contracts";
import { type RefObject, useEffect, useRef } from "react";
import { classNames } from "../../lib/class-names.ts";
import { formatPercent, plural } from "../../lib/format-numbers.ts";
import { Avatar } from "../../ui/avatar/avatar.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { ProgressBar } from "../../ui/progress/progress.tsx";
import { RecipientActions } from "./recipient-actions.tsx";
import { lastFailure, recipientState } from "./recipient-state.ts";
import styles from "./detail.module.css";

/**
 * Keeps the focus in a row whose button goes away once pressed: what is shown in its place is not the same control, and the browser would
 * leave the reader at the top of the page (WCAG 2.4.3). The row takes it, only after an action here and only if it is nowhere else.
 */
function useRowFocus(shown: unknown): {
  readonly row: RefObject<HTMLLIElement | null>;
  readonly onAct: () => void;
} {
  const row = useRef<HTMLLIElement>(null);
  const acted = useRef(false);
  useEffect(() => {
    const { activeElement, body } = document;
    if (!acted.current || (activeElement !== null && activeElement !== body)) return;
    acted.current = false;
    row.current?.focus();
  }, [shown]);
  return {
    row,
    onAct: () => {
      acted.current = true;
    },
  };
}

const ICONS = { signed: "check", waiting: "clock", declined: "cancel", none: undefined } as const;
type Props = { readonly envelope: Envelope; readonly recipient: Recipient; readonly color: number };

/** One recipient: who, how far, and for the sender whether the messages arrived and what to do when they did not. */
function SignerRow({ envelope, recipient, color }: Props) {
  const state = recipientState(recipient, envelope);
  const icon = ICONS[state.tone];
  const failure = lastFailure(recipient.deliveries);
  const { row, onAct } = useRowFocus(recipient);
  return (
    <li className={styles["signer"]} ref={row} tabIndex={-1}>
      <div className={styles["person"]}>
        <Avatar name={recipient.full_name} color={color} />
        <div>
          <b>{recipient.full_name}</b>
          {recipient.email !== "" && <small>{recipient.email}</small>}
        </div>
      </div>
      <div className={styles["state"]}>
        <span className={classNames(styles["mark"], styles[state.tone])}>
          {icon && <Icon name={icon} />}
          {state.label}
        </span>
        {failure === undefined &&
          state.notes?.map((note) => (
            <p className="num" key={note}>
              {note}
            </p>
          ))}
      </div>
      {failure === undefined && (
        <div className={styles["menu"]}>
          <RecipientActions
            envelope={envelope}
            recipient={recipient}
            failed={false}
            onAct={onAct}
          />
        </div>
      )}
      {failure !== undefined && (
        <div className={styles["delivery"]}>
          <p className={classNames(styles["mark"], styles["declined"])}>
            <Icon name="warning" />
            {failure}
          </p>
          <RecipientActions envelope={envelope} recipient={recipient} failed onAct={onAct} />
        </div>
      )}
    </li>
  );
}

/** Who signs, and how far they are. */
export function SignersCard({ envelope }: { readonly envelope: Envelope }) {
  const { signed, total, percent } = envelope.progress;
  return (
    <section className="card" aria-labelledby="signataires">
      <div className="card__head">
        <h2 className="h2 grow" id="signataires">
          Signataires
        </h2>
        {envelope.flow === "sequential" && (
          <span className="ink2 small">Signature dans l’ordre</span>
        )}
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
            <ProgressBar
              percent={percent}
              size="lg"
              label={`Progression : ${formatPercent(percent)}`}
            />
          </div>
        )}
        <ol>
          {envelope.recipients.map((recipient, index) => (
            <SignerRow
              key={recipient.id}
              envelope={envelope}
              recipient={recipient}
              color={index + 1}
            />
          ))}
        </ol>
      </div>
    </section>
  );
}
