import { classNames } from "../../../lib/class-names.ts";
import styles from "./legal-links.module.css";

const LINKS = [
  { to: "/conditions", label: "Conditions d’utilisation" },
  { to: "/confidentialite", label: "Confidentialité" },
  { to: "/politique-de-certification", label: "Certification" },
  { to: "/journal-de-transparence", label: "Journal de transparence" },
  { to: "/verifier", label: "Vérifier une preuve" },
] as const;

type Props = {
  /** Opens a new tab, so that the request stays open. */
  readonly newTab?: boolean;
  readonly className?: string | undefined;
};

export function LegalLinks({ newTab = false, className }: Props) {
  return (
    <nav className={classNames(styles["links"], className)} aria-label="Informations légales">
      {LINKS.map(({ to, label }) => (
        <a
          key={to}
          href={to}
          {...(newTab
            ? { target: "_blank", rel: "noopener", title: `${label} (nouvelle fenêtre)` }
            : {})}
        >
          {label}
        </a>
      ))}
    </nav>
  );
}
