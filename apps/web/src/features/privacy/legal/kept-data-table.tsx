import { RETENTION_RULES } from "@paraphe/contracts";
import styles from "./legal-page.module.css";

/** What is kept and why; on a small screen each row is read as a card. */
export function KeptDataTable() {
  return (
    <table className={styles["table"]}>
      <caption className="sr">Données conservées, raisons, fondements et durées</caption>
      <thead>
        <tr>
          <th scope="col">Données</th>
          <th scope="col">Pourquoi</th>
          <th scope="col">Fondement (RGPD)</th>
          <th scope="col">Durée</th>
        </tr>
      </thead>
      <tbody>
        {RETENTION_RULES.map(({ id, data, purpose, basis, duration }) => (
          <tr key={id}>
            <th scope="row">{data}</th>
            <td data-label="Pourquoi">{purpose}</td>
            <td data-label="Fondement">{basis}</td>
            <td data-label="Durée">{duration}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
