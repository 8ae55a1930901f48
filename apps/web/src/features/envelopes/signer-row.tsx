import type { Envelope, Recipient } from "@paraphe/contracts";
import { classNames } from "../../lib/class-names.ts";
import { Avatar } from "../../ui/avatar/avatar.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { lastFailure } from "./delivery-words.ts";
import styles from "./detail.module.css";
import { RecipientActions } from "./recipient-actions.tsx";
import { recipientState } from "./recipient-state.ts";
import { useRowFocus } from "./use-row-focus.ts";

const ICONS = { signed: "check", waiting: "clock", declined: "cancel", none: undefined } as const;
type Props = { readonly envelope: Envelope; readonly recipient: Recipient; readonly color: number };

/** One recipient: who, how far, and for the sender whether the messages arrived and what to do when they did not. */
export function SignerRow({ envelope, recipient, color }: Props) {
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
          <RecipientActions envelope={envelope} recipient={recipient} failed={false} onAct={onAct} />
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
