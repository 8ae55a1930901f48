import { classNames } from "../../lib/class-names.ts";
import { plural } from "../../lib/format/format-numbers.ts";
import styles from "./avatar.module.css";

/** « Clémence Aubry-Lefèvre » → « CA ». */
export function initials(fullName: string): string {
  const words = fullName.trim().split(/\s+/u).filter(Boolean);
  const first = words[0];
  const last = words.length > 1 ? words.at(-1) : undefined;
  return [first, last]
    .filter((word) => word !== undefined)
    .map((word) => [...word][0]?.toLocaleUpperCase("fr-FR") ?? "")
    .join("");
}

type Props = {
  readonly name: string;
  readonly image?: string | null | undefined;
  readonly size?: "sm" | "md" | "lg";
  /** Signer's number from 1, for one of six colours. */
  readonly color?: number;
};

/** Decorative: the name is beside it. */
export function Avatar({ name, image, size = "md", color = 1 }: Props) {
  return (
    <span
      className={classNames(
        styles["avatar"],
        size !== "md" && styles[size],
        `c${((color - 1) % 6) + 1}`,
      )}
      aria-hidden="true"
    >
      {/* Drawn by CSS, so that they are no part of the accessible name (WCAG 2.5.3). */}
      {image ? (
        <img src={image} alt="" />
      ) : (
        <span className={styles["letters"]} data-letters={initials(name)} />
      )}
    </span>
  );
}

export function AvatarStack({ names }: { readonly names: readonly string[] }) {
  return (
    <>
      <span className={styles["stack"]} title={names.join(", ")}>
        {names.slice(0, 3).map((name, index) => (
          <Avatar key={`${index}-${name}`} name={name} size="sm" color={index + 1} />
        ))}
      </span>
      {names.length > 3 && (
        <span className="muted small num" aria-hidden="true">{`+${names.length - 3}`}</span>
      )}
      <span className="sr">{plural(names.length, "personne")}</span>
    </>
  );
}
