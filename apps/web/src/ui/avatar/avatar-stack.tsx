import { plural } from "../../lib/format-numbers.ts";
import { Avatar } from "./avatar.tsx";
import styles from "./avatar.module.css";

/** The first three people of a list, and how many there are. */
export function AvatarStack({ names }: { readonly names: readonly string[] }) {
  return (
    <>
      <span className={styles["stack"]} title={names.join(", ")}>
        {names.slice(0, 3).map((name, index) => (
          <Avatar key={`${index}-${name}`} name={name} size="sm" color={index + 1} />
        ))}
      </span>
      {names.length > 3 && <span className="muted small num" aria-hidden="true">{`+${names.length - 3}`}</span>}
      <span className="sr">{plural(names.length, "signataire")}</span>
    </>
  );
}
