import styles from "./brand.module.css";

type Props = {
  readonly markOnly?: boolean;
  readonly href?: string | undefined;
};

export function BrandMark({ markOnly = false, href }: Props) {
  if (href === undefined)
    return (
      <span className={styles["brand"]}>
        <BrandContent markOnly={markOnly} />
      </span>
    );
  return (
    <a className={styles["brand"]} href={href} aria-label="Paraphe, accueil">
      <BrandContent markOnly={markOnly} />
    </a>
  );
}

export function BrandContent({ markOnly }: { readonly markOnly: boolean }) {
  return (
    <>
      <span className={styles["mark"]} aria-hidden="true" />
      {!markOnly && <span>Paraphe</span>}
    </>
  );
}
