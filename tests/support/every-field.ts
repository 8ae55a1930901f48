/** Gives one field as the create call takes it. */
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
