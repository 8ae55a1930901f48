import { Brand } from "../../../ui/brand/brand.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import styles from "./guest-head.module.css";

export function GuestHead({ title }: { title?: string | undefined }) {
  return (
    <header className={styles.head}>
      <Brand />
      {title ? (
        <>
          <b className={`ge-rail truncate ${styles.title}`}>{title}</b>
          <span className={`ge-rail ${styles.personal}`}>
            <Icon name="lock" size="sm" />
            Lien personnel, ne le transférez pas
          </span>
        </>
      ) : null}
    </header>
  );
}
