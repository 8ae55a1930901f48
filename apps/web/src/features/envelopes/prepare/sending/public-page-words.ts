import type { PrintChoice } from "../../../../lib/browser/signing-preferences.ts";

export const PUBLIC_PAGE = {
  visible: {
    label: "Document visible",
    words: "Une personne qui scanne le QR code voit le document signé et sa preuve.",
  },
  proofOnly: {
    label: "Ne pas montrer le document sur la page publique",
    words: "Une personne qui scanne le QR code voit la preuve, mais pas le document.",
  },
} as const;

/** Where a printed copy bears the code that leads to the public page. */
export const PRINT_CHOICES: readonly {
  readonly value: PrintChoice;
  readonly label: string;
  readonly words: string;
}[] = [
  {
    value: "page",
    label: "Sur chaque page",
    words:
      "Chaque page se vérifie seule. Le code est placé sur un espace libre, jamais sur le texte.",
  },
  {
    value: "last",
    label: "Sur la dernière page",
    words: "Un seul code, sur un espace libre de la dernière page.",
  },
  {
    value: "certificate",
    label: "Sur une page de preuve ajoutée",
    words:
      "Les pages du document restent telles quelles\u00a0; la dernière dit qui a signé, quand, et où le vérifier.",
  },
  { value: "none", label: "Aucun", words: "Le fichier signé, tel quel." },
];
