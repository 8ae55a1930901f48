import type { FieldPlacement } from "@paraphe/pades";

export function contractPdf(): Uint8Array {
  const content =
    "BT /F1 20 Tf 72 740 Td (Bail du 12, rue des Lilas) Tj 0 -40 Td /F1 11 Tf (Loyer mensuel : 850 euros.) Tj ET";
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
    `<</Length ${content.length}>>\nstream\n${content}\nendstream`,
    "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
  ];
  let text = "%PDF-1.7\n";
  const rows = objects.map((syntax, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${syntax}\nendobj\n`;
    return `${String(offset).padStart(10, "0")} 00000 n\r\n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f\r\n${rows.join("")}`;
  return new TextEncoder().encode(
    `${text}${table}trailer\n<</Size ${size}/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`,
  );
}

/** Sets our fields apart from those of the file, for example an envelope's id. */
export const PREFIX = "bail-2026";

/**
 * Where the two sign, and what the tenant writes.
 * Units: fractions of the displayed page, from its top left.
 */
export const PLACES: readonly FieldPlacement[] = [
  place("mention", {
    ownerKey: "locataire",
    type: "text",
    label: "Mention manuscrite",
    x: 0.1,
    y: 0.3,
    height: 0.05,
  }),
  place("signature-locataire", {
    ownerKey: "locataire",
    type: "signature",
    label: "Le locataire",
    x: 0.1,
    y: 0.75,
    height: 0.12,
  }),
  place("signature-bailleur", {
    ownerKey: "bailleur",
    type: "signature",
    label: "Le bailleur",
    x: 0.55,
    y: 0.75,
    height: 0.12,
  }),
];

function place(
  name: string,
  rest: Omit<FieldPlacement, "name" | "pageNumber" | "width" | "tooltip">,
): FieldPlacement {
  return { name, pageNumber: 1, width: 0.35, tooltip: rest.label, ...rest };
}
