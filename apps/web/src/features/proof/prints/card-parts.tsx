import { Icon, type IconName } from "../../../ui/icon/icon.tsx";
import styles from "./proof-cards.module.css";

export const PAPER_CARD = { id: "papier", title: "Comparer avec ma page imprimée" };
export const FINGERPRINTS_CARD = { id: "empreintes", title: "Empreintes du document" };
export const CERTIFICATE_CARD = { id: "certificat", title: "Certificat du signataire" };
export const LOG_CARD = { id: "journal", title: "Journal de transparence" };

/** `tone` chooses the look. */
export type RevocationWord = { readonly tone: "good" | "bad" | "unsure"; readonly word: string };

/** An unknown status is unsure, never good. */
export function revocationWord(status: string | null, source: "ocsp" | "crl"): RevocationWord {
  if (status === null) return { tone: "unsure", word: "Non communiqué" };
  if (status === "good")
    return { tone: "good", word: source === "ocsp" ? "Valide" : "Absent de la liste" };
  if (status === "revoked") return { tone: "bad", word: "Révoqué" };
  return { tone: "unsure", word: "Inconnu" };
}

export function formatSerial(serial: string): string {
  const hex = serial.replace(/[^0-9a-f]/gi, "").toUpperCase();
  return (hex.length % 2 === 1 ? `0${hex}` : hex).replace(/(..)(?=.)/g, "$1:");
}

const SIGNS = { good: "check", bad: "alert", unsure: "help" } as const;
type TickProps = {
  readonly word: RevocationWord;
  readonly icon?: IconName;
};

export function Tick({ word, icon }: TickProps) {
  return (
    <span className={styles["tick"]} data-tone={word.tone}>
      <Icon name={icon ?? SIGNS[word.tone]} size="sm" />
      {word.word}
    </span>
  );
}
