import { Link } from "react-router";
import { BrandContent, BrandMark } from "./brand-mark.tsx";
import styles from "./brand.module.css";

type Props = {
  /** Where it leads; without it the brand is no link (guest pages lead nowhere). */
  readonly to?: string;
  readonly markOnly?: boolean;
};

/** The name and its flourish, as a link where it leads somewhere. */
export function Brand({ to, markOnly = false }: Props) {
  if (to === undefined) return <BrandMark markOnly={markOnly} />;
  return (
    <Link className={styles["brand"]} to={to} aria-label="Paraphe, accueil">
      <BrandContent markOnly={markOnly} />
    </Link>
  );
}
