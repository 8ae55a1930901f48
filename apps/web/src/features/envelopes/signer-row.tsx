import type { Envelope, Recipient } from "@paraphe/contracts";
import { classNames } from "../../lib/class-names.ts";
import { Avatar } from "../../ui/avatar/avatar.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { DeliveryList } from "./delivery-list.tsx";
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
  const deliveries = recipient.deliveries ?? [];
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
        {state.note !== undefined && failure === undefined && <p className="num">{state.note}</p>}
      </div>
      {failure === undefined && (
        <div className={styles["menu"]}>
          <RecipientActions envelope={envelope} recipient={recipient} failed={false} onAct={onAct} />
        </div>
      )}
      {deliveries.length > 0 && (
        <div className={styles["delivery"]}>
          {failure !== undefined && (
            <p className={classNames(styles["mark"], styles["declined"])}>
              <Icon name="warning" />
              {failure}
            </p>
          )}
          {failure !== undefined && <RecipientActions envelope={envelope} recipient={recipient} failed onAct={onAct} />}
          {deliveries.length > 0 && <DeliveryList name={recipient.full_name} deliveries={deliveries} />}
        </div>
      )}
    </li>
  );
}
