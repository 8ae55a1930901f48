/** A page with one line. */
const PDF = [
  "JVBERi0xLjcKJeLjz9MKMSAwIG9iago8PC9UeXBlL0NhdGFsb2cvUGFnZXMgMiAwIFI+PgplbmRvYmoKMiAw",
  "IG9iago8PC9UeXBlL1BhZ2VzL0tpZHNbNCAwIFJdL0NvdW50IDE+PgplbmRvYmoKMyAwIG9iago8PC9UeXBl",
  "L0ZvbnQvU3VidHlwZS9UeXBlMS9CYXNlRm9udC9IZWx2ZXRpY2E+PgplbmRvYmoKNCAwIG9iago8PC9UeXBl",
  "L1BhZ2UvUGFyZW50IDIgMCBSL01lZGlhQm94WzAgMCA1OTUgODQyXS9SZXNvdXJjZXM8PC9Gb250PDwvRjEg",
  "MyAwIFI+Pj4+L0NvbnRlbnRzIDUgMCBSPj4KZW5kb2JqCjUgMCBvYmoKPDwvTGVuZ3RoIDU5Pj4Kc3RyZWFt",
  "CkJUIC9GMSAxOCBUZiA2MCA3NjIgVGQgKENvbnRyYXQgZGUgbG9jYXRpb24gLSBwYWdlIDEpIFRqIEVUCmVu",
  "ZHN0cmVhbQplbmRvYmoKeHJlZgowIDYKMDAwMDAwMDAwMCA2NTUzNSBmIAowMDAwMDAwMDE1IDAwMDAwIG4g",
  "CjAwMDAwMDAwNjAgMDAwMDAgbiAKMDAwMDAwMDExMSAwMDAwMCBuIAowMDAwMDAwMTc0IDAwMDAwIG4gCjAw",
  "MDAwMDAyODYgMDAwMDAgbiAKdHJhaWxlcgo8PC9TaXplIDYvUm9vdCAxIDAgUj4+CnN0YXJ0eHJlZgozOTMK",
  "JSVFT0YK",
].join("");

/** Whoever sends an example puts its own ids there. */
export const EXAMPLE_IDS = {
  envelope: "01990000-0000-7000-8000-0000000000e1",
  recipient: "01990000-0000-7000-8000-0000000000d1",
} as const;

const place = { page: 1, x: 0.1, y: 0.7, width: 0.35, height: 0.08 };
const file = (name: string) => ({ name, content: PDF });

/** By operation, in an order in which a program may send them; a test does. */
export const API_EXAMPLES: Readonly<Record<string, object>> = {
  createEnvelope: {
    title: "Bail d’habitation",
    message: "Merci de signer avant la remise des clés.",
    recipients: [{ email: "camille.durand@exemple.fr", full_name: "Camille Durand" }],
    fields: [{ document_index: 0, recipient_index: 0, type: "signature", ...place }],
    files: [file("Bail.pdf")],
  },
  updateEnvelope: { title: "Bail d’habitation, rue des Lilas", files: [file("Annexe.pdf")] },
  createTemplate: {
    envelope: EXAMPLE_IDS.envelope,
    name: "Bail meublé",
    roles: [{ recipient: EXAMPLE_IDS.recipient, label: "Locataire" }],
  },
  updateTemplate: { name: "Bail meublé, un locataire" },
  useTemplate: {
    title: "Bail de Camille Durand",
    people: [{ role_index: 0, email: "camille.durand@exemple.fr", full_name: "Camille Durand" }],
  },
  createLayout: {
    name: "Signature en bas",
    fields: [{ document_rank: 1, person_rank: 1, type: "signature", ...place }],
  },
  setEnvelopePublicPage: { proof_only: true },
  sendEnvelope: { message: "Bonjour, voici le bail." },
  setEnvelopeReminders: { every_days: 3 },
  setEnvelopeDeadline: { deadline_at: "2027-01-15T12:00:00Z" },
  extendEnvelope: { deadline_at: "2027-01-31T12:00:00Z" },
  correctRecipient: { email: "camille.durand@exemple.org" },
  resendInvitation: { channel: "email" },
  generatePrint: { envelope: EXAMPLE_IDS.envelope, qr_type: "page" },
};
