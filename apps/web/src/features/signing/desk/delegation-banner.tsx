import { periodInWords, type SignPage } from "@paraphe/contracts";
import { formatLongDay } from "../../../lib/format/format-dates.ts";
import { Link } from "react-router";
import styles from "../signing-desk.module.css";

export function DelegationBanner({ request }: { readonly request: SignPage }) {
  const { delegation, recipient } = request;
  if (delegation === undefined) return null;
  const isVisa = recipient.role === "visa";
  return (
    <section className={styles["delegation"]} aria-label="Délégation">
      <span>
        {isVisa ? "Vous donnez un visa" : "Vous signez"}{" "}
        <b>pour {recipient.full_name}, par délégation</b>, jusqu’au{" "}
        {formatLongDay(delegation.ends_on)}.{isVisa ? "" : " Le certificat est à votre nom."}
      </span>
      <small className="ge-rail">
        Délégation {periodInWords(delegation)}, {delegation.scope}.{" "}
        <Link to="/settings/delegations">Voir</Link>
      </small>
    </section>
  );
}
