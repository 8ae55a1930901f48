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

/** A two-page French contract (A4), different for each `number`. */
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

/** A file as an input of a page takes it. */
export const pdfFile = (name: string, bytes: Uint8Array | string) => ({
  name,
  mimeType: "application/pdf",
  buffer: Buffer.from(bytes),
});

/** A sound page of exactly this size, padded inside a stream. */
export function makePdfOfSize(sizeBytes: number): Uint8Array {
  const build = (padding: number): string => {
    const objects = [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << >> >>",
      `<< /Length ${String(padding).padStart(10)} >>\nstream\n${" ".repeat(padding)}\nendstream`,
    ];
    let text = "%PDF-1.7\n";
    const offsets = objects.map((body, index) => {
      const offset = text.length;
      text += `${index + 1} 0 obj\n${body}\nendobj\n`;
      return offset;
    });
    const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
    const start = String(text.length).padStart(10);
    return `${text}xref\n0 5\n0000000000 65535 f \n${rows}trailer\n<< /Size 5 /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  };
  const bytes = new TextEncoder().encode(build(sizeBytes - build(0).length));
  if (bytes.byteLength !== sizeBytes)
    throw new Error(`${bytes.byteLength} bytes made where ${sizeBytes} were asked`);
  return bytes;
}

export function place(type: string, recipient: number, more: object): object {
  return {
    document_index: 0,
    recipient_index: recipient,
    type,
    page: 1,
    width: 0.2,
    height: 0.05,
    ...more,
  };
}

/** One field of each kind, in this person's column. */
export function everyField(document: number, recipient: number): object[] {
  const x = 0.05 + 0.31 * recipient;
  return ["signature", "initials", "text", "date", "name", "checkbox", "mention"].map((type, row) =>
    place(type, recipient, {
      document_index: document,
      x,
      y: 0.3 + 0.09 * row,
      ...(type === "text" ? { label: "Mention", required: true } : {}),
      ...(type === "mention" ? { value: "Bon pour caution, à hauteur de 12 000 €" } : {}),
    }),
  );
}
