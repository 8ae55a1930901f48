/** What the public page may show, and what that means for whoever comes from the paper. */
export const PUBLIC_PAGE = {
  visible: {
    label: "Document visible",
    words: "Qui scanne le QR code d’une copie imprimée voit le document signé et sa preuve.",
  },
  proofOnly: {
    label: "Preuve seule",
    words:
      "Qui scanne le QR code d’une copie imprimée voit le titre, le nom des fichiers et des signataires, les dates et les empreintes, mais pas le document.",
  },
} as const;
