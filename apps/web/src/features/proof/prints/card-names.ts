/** Headings of the cards whose content comes later: they stand from the first, for whoever goes by headings. */
export const PAPER_CARD = { id: "papier", title: "Comparer avec ma page imprimée" };
export const CERTIFICATE_CARD = { id: "certificat", title: "Certificat du signataire" };
export const LOG_CARD = { id: "journal", title: "Journal de transparence" };

/** The address of a print's proof, whole, as its code holds it. */
export function pageAddress(uuid: string, sig: string): string {
  return new URL(
    `/verify/${encodeURIComponent(uuid)}?sig=${encodeURIComponent(sig)}`,
    window.location.origin,
  ).href;
}
