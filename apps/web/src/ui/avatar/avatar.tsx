import { classNames } from "../../lib/class-names.ts";
import { initials } from "./initials.ts";
import styles from "./avatar.module.css";

type Props = {
  readonly name: string;
  readonly image?: string | null | undefined;
  readonly size?: "sm" | "md" | "lg";
  /** Signer's number from 1: chooses among the six signer colours. */
  readonly color?: number;
};

/** A person's picture or initials; decorative, the name is beside it. */
export function Avatar({ name, image, size = "md", color = 1 }: Props) {
  return (
    <span className={classNames(styles["avatar"], size !== "md" && styles[size], `c${((color - 1) % 6) + 1}`)} aria-hidden="true">
      {/* Drawn by the style sheet: they are a picture of the name, not words of the button or the line that holds them (WCAG 2.5.3). */}
      {image ? <img src={image} alt="" /> : <span className={styles["letters"]} data-letters={initials(name)} />}
    </span>
  );
}
