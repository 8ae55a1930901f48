import type { Dashboard } from "@paraphe/contracts";
import { Link } from "react-router";
import { formatInstant } from "../../../lib/format-dates.ts";
import { Icon } from "../../../ui/icon/icon.tsx";
import styles from "./dashboard.module.css";

/** What was completed lately. */
export function Notifications({ notifications }: { readonly notifications: Dashboard["notifications"] }) {
  return (
    <section className="card" aria-labelledby="notifications">
      <div className="card__head">
        <h2 className="h2" id="notifications">
          Notifications récentes
        </h2>
      </div>
      {notifications.length === 0 ? (
        <p className="card__body muted">Aucune notification pour le moment.</p>
      ) : (
        <ul>
          {notifications.map((notification) => (
            <li key={notification.envelope_id} className={styles["notification"]}>
              <Icon name="check-circle" />
              <Link to={`/signature/detail/${notification.envelope_id}`}>{`Document "${notification.title}" complété`}</Link>
              <small className="num">
                <time dateTime={notification.completed_at}>{formatInstant(notification.completed_at)}</time>
              </small>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
