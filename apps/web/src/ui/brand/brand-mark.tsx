import styles from "./brand.module.css";

/** The name and its flourish. */
export function BrandMark({ markOnly = false }: { readonly markOnly?: boolean }) {
  return (
    <span className={styles["brand"]}>
      <BrandContent markOnly={markOnly} />
    </span>
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
