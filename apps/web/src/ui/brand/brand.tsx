import { Link } from "react-router";
import styles from "./brand.module.css";

type Props = {
  /** Where it leads; without it the brand is no link (guest pages lead nowhere). */
  readonly to?: string;
  readonly markOnly?: boolean;
};

/** The name and its flourish. */
export function Brand({ to, markOnly = false }: Props) {
  const content = (
    <>
      <span className={styles["mark"]} aria-hidden="true" />
      {!markOnly && <span>Paraphe</span>}
    </>
  );
  if (to === undefined) return <span className={styles["brand"]}>{content}</span>;
  return (
    <Link className={styles["brand"]} to={to} aria-label="Paraphe, accueil">
      {content}
    </Link>
  );
}
