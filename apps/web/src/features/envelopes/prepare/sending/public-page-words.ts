/** What the public page may show. */
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
