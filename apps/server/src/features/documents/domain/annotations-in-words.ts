/** What people call an annotation of which a file says only how to draw it. */
const WORDS: Readonly<Record<string, string>> = {
  FreeText: "zone de texte",
  Stamp: "tampon",
  Line: "ligne légendée",
  Redact: "marque de caviardage",
};

/** Names annotations and their pages: « zone de texte, page 2\u202f; tampon, page 5 ». */
export function annotationsInWords(annotations: readonly { readonly kind: string; readonly pageNumber: number }[]): string {
  const named = annotations.map(({ kind, pageNumber }) => `${WORDS[kind] ?? "annotation"}, page ${pageNumber}`);
  return [...new Set(named)].join("\u202f; ");
}
