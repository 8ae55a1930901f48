import type { Envelope } from "@paraphe/contracts";
import type { Answer, TestBrowser } from "../browser.ts";
import { ELOISE, PAUL, createDraft } from "../envelope.ts";
import { makePdf } from "../pdf.ts";

export const TEMPLATES = "/api/signature/templates/";
let tag = 0;

export const ownPdf = () => makePdf({ text: `Bail ${++tag}` });

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

/** Two files, three people (two of the first rank, one in copy), three fields. */
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

export function saveTemplate(
  who: TestBrowser,
  envelope: string,
  more: object = {},
): Promise<Answer> {
  return who.post(TEMPLATES, { envelope, name: `Modèle ${++tag}`, ...more });
}
