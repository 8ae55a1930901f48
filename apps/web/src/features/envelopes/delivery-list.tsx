import type { Delivery, Envelope } from "@paraphe/contracts";
import { useState } from "react";
import { plural } from "../../lib/format-numbers.ts";
import { Drawer } from "../../ui/drawer/drawer.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import styles from "./delivery-list.module.css";
import { deliveryName, deliveryState, isUnsent } from "./recipient-state.ts";

type Sent = Delivery & { readonly to: string };

/** The messages to all recipients, on a sheet at the side: on the page they would push the document out of sight. */
export function DeliveryList({ recipients }: Pick<Envelope, "recipients">) {
  const [isOpen, setIsOpen] = useState(false);
  const sent = recipients.flatMap(({ full_name: to, deliveries = [] }) =>
    deliveries.map((delivery): Sent => ({ ...delivery, to })),
  );
  if (sent.length === 0) return null;
  const title = sent.every(isUnsent) ? "Messages" : "Messages envoyés";
  const failed = sent.filter(({ state }) => state === "refused").length;
  return (
    <>
      <button
        type="button"
        className={`off-paper ${styles["open"] ?? ""}`}
        aria-haspopup="dialog"
        onClick={() => setIsOpen(true)}
      >
        <Icon name="mail" size="sm" />
        <b>{title}</b>
        <span className="num">{sent.length}</span>
        <Icon name="chevron-right" size="sm" />
      </button>
      {isOpen && (
        <Drawer
          side="right"
          isWide
          label={title}
          closeLabel="Fermer"
          onClose={() => setIsOpen(false)}
          heading={
            <>
              <h2 className="h2">{title}</h2>
              <p className="muted small">
                {plural(sent.length, "message")}
                {failed > 0 && `, dont ${failed} non remis`}
              </p>
            </>
          }
        >
          <Messages sent={sent} />
        </Drawer>
      )}
    </>
  );
}

/** Newest first: what became of each, and the server's own words when it said no. */
function Messages({ sent }: { readonly sent: readonly Sent[] }) {
  return (
    <ul className={styles["messages"]}>
      {sent
        .toSorted((one, other) => other.created_at.localeCompare(one.created_at))
        .map((delivery) => (
          <li key={delivery.id}>
            <b>{`${deliveryName(delivery)} à ${delivery.to}`}</b>
            <span className={styles["to"]}>{delivery.destination}</span>
            <span className={delivery.state === "refused" ? styles["refused"] : "num"}>
              {deliveryState(delivery)}
            </span>
            {(delivery.state === "refused" ||
              (delivery.state === "queued" && delivery.tries > 0)) &&
              delivery.server_answer && (
                <span className={styles["words"]}>
                  Réponse du serveur : « <span lang="und">{delivery.server_answer}</span> »
                </span>
              )}
          </li>
        ))}
    </ul>
  );
}
