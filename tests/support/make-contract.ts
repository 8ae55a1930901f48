import { PDF } from "@libpdf/core";

const ARTICLES: readonly (readonly string[])[] = [
  [
    "CONTRAT DE PRESTATION DE SERVICES",
    "",
    "Entre la société Aubry-Lefèvre & Associés, 12 rue Haute, 69001 Lyon, représentée par Clémence Aubry-Lefèvre,",
    "et Monsieur Côme Œuvrard, exerçant à Nîmes sous le statut d'entrepreneur individuel.",
    "",
    "Article 1 – Objet. Le prestataire réalise la refonte du site « Pêche & Forêt », à compter du 1er décembre 2026.",
    "Article 2 – Prix. 12 450 € hors taxes, payables à trente jours fin de mois, par virement.",
    "Article 3 – Durée. Six mois, renouvelables une fois par accord écrit des deux parties.",
    "Article 4 – Confidentialité. Aucune des parties ne révèle ce qu'elle apprend de l'autre, même après le terme.",
  ],
  [
    "Article 5 – Résiliation. Chaque partie peut y mettre fin par lettre recommandée, avec un préavis d'un mois.",
    "Article 6 – Litiges. Le tribunal de commerce de Lyon est seul compétent.",
    "",
    "Fait à Lyon, en un exemplaire électronique, signé par les deux parties.",
    "",
    "La société                                             Le prestataire",
  ],
];

/** Makes a two-page French contract (A4), different for each `number`. */
export async function makeContract(number: string): Promise<Uint8Array> {
  const pdf = PDF.create();
  ARTICLES.forEach((lines, index) => {
    const page = pdf.addPage({ width: 595, height: 842 });
    lines.forEach((line, row) => {
      if (line !== "")
        page.drawText(line, {
          x: 56,
          y: 770 - row * 26,
          size: index === 0 && row === 0 ? 16 : 9.5,
        });
    });
    page.drawText(`Contrat n° ${number} – page ${index + 1} sur 2`, { x: 56, y: 40, size: 8 });
  });
  return pdf.save();
}
