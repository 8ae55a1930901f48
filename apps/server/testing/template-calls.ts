import type { Envelope } from "@paraphe/contracts";
import type { Answer, TestBrowser } from "./browser.ts";
import { createDraft, ELOISE, PAUL } from "./envelope.ts";
import { makePdf } from "./pdf.ts";

export const TEMPLATES = "/api/signature/templates/";
let tag = 0;

/** A PDF that no other test has. */
export const ownPdf = () => makePdf({ text: `Bail ${++tag}` });

/** A signature of one of the people on the first file, unless told otherwise. */
export const templateField = (recipient: number, more: object = {}) => ({
  document_index: 0,
  recipient_index: recipient,
  type: "signature",
  page: 1,
  x: 0.1,
  y: 0.7,
  width: 0.3,
  height: 0.06,
  ...more,
});

/** A draft of two files and three people, two of the first rank and one in copy, with three fields. */
export function prepareBail(who: TestBrowser, bytes = ownPdf()): Promise<Envelope> {
  return createDraft(who, {
    title: "Bail d’habitation",
    message: "Merci de signer avant lundi.",
    flow: "sequential",
    files: [
      { name: "Bail.pdf", bytes },
      { name: "Annexe.pdf", bytes: ownPdf() },
    ],
    recipients: [
      { ...PAUL, order: 1 },
      { ...ELOISE, order: 1 },
      { email: "agence@exemple.fr", full_name: "Agence", role: "viewer", order: 2 },
    ],
    fields: [
      templateField(0),
      templateField(1, { y: 0.8, type: "text", label: "Fait à", value: "Dijon" }),
      templateField(1, { document_index: 1 }),
    ],
  });
}

/** Keeps an envelope as a template, by a name of its own. */
export function saveTemplate(
  who: TestBrowser,
  envelope: string,
  more: object = {},
): Promise<Answer> {
  return who.post(TEMPLATES, { envelope, name: `Modèle ${++tag}`, ...more });
}
