import { passwordStrength } from "./password-strength.ts";
import styles from "./strength-meter.module.css";

/** How strong the typed password is, in a word and four bars. */
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
