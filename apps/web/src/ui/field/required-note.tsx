const WORDS = {
  all: "Tous les champs sont obligatoires.",
  most: "Les champs sont obligatoires, sauf ceux marqués «\u00a0facultatif\u00a0».",
} as const;

/** Says once for a form which of its fields must be filled. */
export function RequiredNote({ fields }: { readonly fields: keyof typeof WORDS }) {
  return <p className="muted small">{WORDS[fields]}</p>;
}
