import styles from "./strength-meter.module.css";

type Strength = { readonly score: 0 | 1 | 2 | 3 | 4; readonly label: string };

const LABELS = ["", "Faible", "Moyen", "Bon", "Excellent"] as const;

/**
 * Advice only: the server's rule decides. Repeated and consecutive characters count for nothing.
 */
export function passwordStrength(password: string): Strength {
  if (password === "") return { score: 0, label: LABELS[0] };
  const characters = [...password];
  const useful = characters.filter((character, index) => {
    const distance =
      index === 0
        ? 2
        : (character.codePointAt(0) ?? 0) - (characters[index - 1]?.codePointAt(0) ?? 0);
    return Math.abs(distance) > 1;
  }).length;
  const kinds = [/\p{Ll}/u, /\p{Lu}/u, /\p{N}/u, /[^\p{L}\p{N}]/u].filter((kind) =>
    kind.test(password),
  ).length;
  const bits = useful * (1.6 + kinds * 0.9);
  const score = bits < 16 ? 1 : bits < 28 ? 2 : bits < 44 ? 3 : 4;
  return { score, label: LABELS[score] };
}

export function StrengthMeter({ password }: { readonly password: string }) {
  const { score, label } = passwordStrength(password);
  if (score === 0) return null;
  return (
    <div className={styles["meter"]}>
      <div className={styles["bars"]} aria-hidden="true">
        {[1, 2, 3, 4].map((bar) => (
          <i key={bar} className={bar <= score ? styles[`on${score}`] : undefined} />
        ))}
      </div>
      <span role="status">
        <span className="sr">Solidité du mot de passe : </span>
        {label}
      </span>
    </div>
  );
}
