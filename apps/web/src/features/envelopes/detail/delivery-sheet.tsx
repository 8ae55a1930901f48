import type { Delivery, Envelope, Recipient } from "@paraphe/contracts";
import { formatShortInstant } from "../../../lib/format/format-dates.ts";
import { plural } from "../../../lib/format/format-numbers.ts";
import { ofName } from "@paraphe/kernel/french-words";
import { useServiceRules } from "../../../lib/api/service-rules.ts";
import { Badge } from "../../../ui/badge/badge.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Drawer } from "../../../ui/drawer/drawer.tsx";
import { OPEN_STATUSES } from "../envelope-calls.ts";
import {
  deliveryBadge,
  deliveryName,
  deliverySentence,
  isAwaited,
  isCorrectable,
  lastFailure,
} from "../recipient-state.ts";
import { isFixedIn } from "./signers-card.tsx";
import { RemindButton } from "./remind-button.tsx";
import styles from "./facts-card.module.css";

type SheetProps = {
  readonly envelope: Envelope;
  readonly title: string;
  readonly onCorrect: (recipient: Recipient) => void;
  readonly onClose: () => void;
};

export function DeliverySheet({ envelope, title, onCorrect, onClose }: SheetProps) {
  const { mail } = useServiceRules();
  const sent = messagesOf(envelope);
  const failed = sent.filter(({ delivery }) => delivery.state === "refused").length;
  const canRemind =
    envelope.is_owner &&
    mail &&
    OPEN_STATUSES.has(envelope.status) &&
    envelope.recipients.some(isAwaited);
  return (
    <Drawer
      side="right"
      isWide
      label={title}
      closeLabel="Fermer"
      onClose={onClose}
      heading={
        <>
          <h2 className="h2">{title}</h2>
          <p className="muted small num">
            {plural(sent.length, "message")}
            {failed > 0 && `, dont ${failed} non remis`}
          </p>
        </>
      }
      foot={canRemind && <RemindButton envelope={envelope} isNamed />}
    >
      <ul className={styles["messages"]}>
        {sent
          .toSorted((one, other) =>
            other.delivery.created_at.localeCompare(one.delivery.created_at),
          )
          .map(({ delivery, recipient, to }) => (
            <Message
              key={delivery.id}
              {...{ delivery, recipient, to }}
              onCorrect={
                recipient && isMendable(envelope, recipient, delivery)
                  ? () => onCorrect(recipient)
                  : undefined
              }
            />
          ))}
      </ul>
    </Drawer>
  );
}

function messagesOf({ recipients, former_deliveries: former = [] }: Envelope) {
  const own = recipients.flatMap((recipient) => [
    ...(recipient.deliveries ?? []).map((delivery) => ({
      delivery,
      recipient,
      to: ` à ${recipient.full_name}`,
    })),
    ...(recipient.delegate_deliveries ?? []).map((delivery) => ({
      delivery,
      recipient,
      to: ` au délégué ${ofName(recipient.full_name)}`,
    })),
  ]);
  const toRemoved = former.map((delivery) => ({
    delivery,
    recipient: undefined,
    to: ` à ${delivery.destination}`,
  }));
  return [...own, ...toRemoved];
}

/** True for the last message to somebody whose address can still be corrected. */
function isMendable(envelope: Envelope, recipient: Recipient, { id }: Delivery): boolean {
  const last = recipient.deliveries?.find(({ state }) => state !== "withdrawn");
  return (
    isCorrectable(envelope, recipient) &&
    !isFixedIn(envelope, recipient) &&
    last?.id === id &&
    lastFailure(recipient.deliveries) !== undefined
  );
}

type MessageProps = {
  readonly delivery: Delivery;
  readonly recipient: Recipient | undefined;
  /** After the message's name. */
  readonly to: string;
  readonly onCorrect: (() => void) | undefined;
};

function Message({ delivery, recipient, to, onCorrect }: MessageProps) {
  const { tone, label } = deliveryBadge(delivery);
  const { server_answer: words, state, subject, tries } = delivery;
  const isSaid = words && (state === "refused" || (state === "queued" && tries > 0));
  return (
    <li>
      <div className="row row--between row--nw">
        <b>{`${deliveryName(delivery)}${to}`}</b>
        <Badge tone={tone}>{label}</Badge>
      </div>
      {subject !== null && (
        <p>
          <span className="sr">Objet&nbsp;: </span>
          {subject}
        </p>
      )}
      <p className={styles["words"]}>{deliverySentence(delivery)}</p>
      {isSaid && (
        <p className={styles["words"]}>
          Réponse du serveur&nbsp;: «&nbsp;<span lang="und">{words}</span>&nbsp;»
        </p>
      )}
      <div className="row row--between">
        <small className="muted num">{formatShortInstant(delivery.created_at)}</small>
        {recipient && onCorrect && (
          <Button size="sm" onClick={onCorrect}>
            Corriger l’adresse<span className="sr"> {ofName(recipient.full_name)}</span>
          </Button>
        )}
      </div>
    </li>
  );
}
