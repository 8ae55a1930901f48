import type { Delivery } from "@paraphe/contracts";
import { Icon } from "../../ui/icon/icon.tsx";
import styles from "./delivery-list.module.css";
import { deliveryName, deliveryState, isUnsent } from "./delivery-words.ts";

/** The messages to one recipient, newest first: what became of each, and the server's own words when it said no. */
export function DeliveryList({ name, deliveries }: { readonly name: string; readonly deliveries: readonly Delivery[] }) {
  return (
    <details className={styles["messages"]}>
      <summary>
        <Icon name="chevron-down" size="sm" />
        {deliveries.every(isUnsent) ? "Messages" : "Messages envoyés"}
        <span className="sr"> à {name}</span>
      </summary>
      <ul>
        {deliveries.map((delivery) => (
          <li key={delivery.id}>
            <b>{deliveryName(delivery)}</b>
            <span className={styles["to"]}>{delivery.destination}</span>
            <span className={delivery.state === "refused" ? styles["refused"] : "num"}>{deliveryState(delivery)}</span>
            {(delivery.state === "refused" || (delivery.state === "queued" && delivery.tries > 0)) && delivery.server_answer && (
              <span className={styles["words"]}>
                Réponse du serveur : « <span lang="und">{delivery.server_answer}</span> »
              </span>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}
