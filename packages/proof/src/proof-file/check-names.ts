import type { ProofCheckName } from "./types.ts";

/** French names of the checks. */
export const CHECK_NAMES: Readonly<Record<ProofCheckName, string>> = {
  form: "Fichier de preuve",
  seal: "Signature du cachet",
  content: "Contenu scellé",
  seal_key: "Clé du cachet",
  stamp: "Horodatage du cachet",
  seal_chain: "Certificat du cachet",
  root: "Racine",
  completion: "Signatures réunies",
  file: "Fichier",
  signatures: "Signatures du fichier",
  link: "Fichier et preuve",
  cards: "Fiches de la preuve",
  journal: "Historique",
  journal_files: "Historique et fichiers",
  journal_facts: "Historique et preuve",
  personal: "Valeurs de l’historique",
  inclusion: "Journal de transparence",
  checkpoint: "Point de contrôle",
  statement: "QR code",
  paper: "Papier et fichier",
};
