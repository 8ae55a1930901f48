import { Link } from "react-router";
import { BrandContent, BrandMark } from "./brand-mark.tsx";
import styles from "./brand.module.css";

type Props = {
  /** Left out on guest pages, whose brand leads nowhere. */
  readonly to?: string;
  readonly markOnly?: boolean;
};

export function Brand({ to, markOnly = false }: Props) {
  if (to === undefined) return <BrandMark markOnly={markOnly} />;
  return (
    <Link className={styles["brand"]} to={to} aria-label="Paraphe, accueil">
      <BrandContent markOnly={markOnly} />
    </Link>
  );
}
