import { Dialog } from "../../../ui/dialog/dialog.tsx";
import styles from "./glossary.module.css";

/** In alphabetical order. */
const GLOSSARY: readonly (readonly [word: string, meaning: string])[] = [
  ["Annulation", "L’expéditeur met fin à l’enveloppe\u00a0: plus personne ne peut la signer."],
  [
    "Autorité de certification",
    "Celle qui établit les certificats, et dit lesquels ne valent plus. Son certificat, la racine, sert à vérifier tous les autres.",
  ],
  [
    "Cachet",
    "La signature du service lui-même, sur une preuve ou sur un point du journal de transparence.",
  ],
  [
    "Certificat",
    "La carte qui lie une signature à un nom. Celui d’un signataire sert une seule fois\u00a0: sa validité se juge à l’instant de la signature.",
  ],
  [
    "Conservation longue durée",
    "Le fichier contient tout ce qu’il faut pour le vérifier plus tard, sans rien demander à personne. Terme technique\u00a0: PAdES B-LT ou B-LTA.",
  ],
  [
    "Empreinte",
    "Une suite de chiffres et de lettres calculée sur un fichier. Qu’une virgule change, elle change aussi. Terme technique\u00a0: SHA-256.",
  ],
  ["Horodatage", "L’attestation, par une autorité, qu’un fichier existait à un instant donné."],
  [
    "Journal de transparence",
    "Le registre public des empreintes. Toute modification du passé se verrait, même si elle venait du service.",
  ],
  [
    "Preuve (preuve.json)",
    "Le fichier qui raconte l’enveloppe\u00a0: qui a signé, quand, avec quel certificat. Le service le scelle\u202f; il se vérifie sans lui.",
  ],
  [
    "Révocation",
    "L’annonce qu’un certificat ne vaut plus. Termes techniques\u00a0: OCSP (réponse à une question) et CRL (liste).",
  ],
];

export function GlossaryDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Les mots de cette page" size="lg" onClose={onClose}>
      <dl className={styles["words"]}>
        {GLOSSARY.map(([word, meaning]) => (
          <div key={word}>
            <dt>{word}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
