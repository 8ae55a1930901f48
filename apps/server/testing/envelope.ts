import type { Transaction } from "../src/platform/database/database.ts";
import type { Platform } from "../src/platform/platform.ts";
import { drawTokens, insertTokens } from "../src/features/envelopes/invitations.ts";
import { writeTogether } from "../src/platform/database/in-transaction.ts";
import {
  type CreateEnvelopeRequest,
  type Envelope,
  failure,
  type FieldType,
  problem,
  type Result,
} from "@paraphe/contracts";
import { addRevisions } from "../src/features/documents/public.ts";
import { loadDocuments } from "../src/features/documents/store.ts";
import { loadEnvelope, lockEnvelope, recordSignature } from "../src/features/envelopes/public.ts";
import { type Answer, multipart, type TestBrowser } from "./browser.ts";
import { makePdf } from "./pdf.ts";
import type { TestPlatform } from "./platform.ts";

export const ENVELOPES = "/api/signature/envelopes/";
export type EnvelopeValues = Partial<Omit<CreateEnvelopeRequest, "recipients" | "fields">> & {
  readonly files?: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  readonly recipients?: readonly object[];
  readonly fields?: readonly object[];
};

export const PAUL = { email: "paul.morel@exemple.fr", full_name: "Paul Morel" };
export const ELOISE = {
  email: "eloise.lefevre@exemple.fr",
  full_name: "Éloïse Lefèvre",
  phone_number: "06 12 34 56 78",
};

export function envelopeForm({
  files = [{ name: "Bail.pdf", bytes: makePdf() }],
  recipients = [PAUL, ELOISE],
  fields,
  ...texts
}: EnvelopeValues = {}) {
  const values = Object.entries({ title: "Bail d’habitation", ...texts }).flatMap(
    ([name, value]) =>
      value === null || value === undefined
        ? []
        : [[name, typeof value === "object" ? JSON.stringify(value) : String(value)] as const],
  );
  return multipart(
    {
      ...Object.fromEntries(values),
      recipients: JSON.stringify(recipients),
      ...(fields === undefined ? {} : { fields: JSON.stringify(fields) }),
    },
    files.map((file) => ({
      field: "files",
      name: file.name,
      type: "application/pdf",
      bytes: file.bytes,
    })),
  );
}

export async function createDraft(
  browser: TestBrowser,
  values: EnvelopeValues = {},
): Promise<Envelope> {
  const answer = await browser.send("POST", ENVELOPES, envelopeForm(values));
  if (answer.status !== 201) throw new Error(`the envelope was refused: ${answer.text}`);
  return answer.body;
}

export async function createSent(
  browser: TestBrowser,
  values: EnvelopeValues = {},
): Promise<Envelope> {
  const draft = await createDraft(browser, values);
  const answer = await browser.post(`${ENVELOPES}${draft.id}/send/`);
  if (answer.status !== 200) throw new Error(`the envelope was not sent: ${answer.text}`);
  return answer.body;
}

/** For `createDraft`: a field of the first person on the first page of the first file. */
export function fieldAt(type: FieldType, y: number, more: object = {}) {
  return {
    document_index: 0,
    recipient_index: 0,
    type,
    page: 1,
    x: 0.1,
    y,
    width: 0.4,
    height: 0.06,
    ...more,
  };
}

export function fieldOf(envelope: Envelope, type: FieldType): string {
  const field = envelope.fields.find((one) => one.type === type);
  if (field === undefined) throw new Error(`no field ${type}`);
  return field.id;
}

/**
 * Commits what sealing commits (revisions and record), without a signature, for tests of what
 * follows one.
 */
export async function recordTestSignature(
  platform: TestPlatform,
  envelopeId: string,
  recipientId: string,
): Promise<Result<null>> {
  const documents = await loadDocuments(platform.db, envelopeId);
  const revisions = await Promise.all(
    documents.map(async (document) => {
      const bytes = new Uint8Array(
        Buffer.concat([
          await platform.files.get(document.current.sha256),
          Buffer.from(`\n%${recipientId}\n`),
        ]),
      );
      return {
        documentId: document.id,
        previousNumber: document.current.number,
        sizeBytes: bytes.length,
        sha256: await platform.files.put(bytes),
      };
    }),
  );
  return platform.db.transaction().execute(async (trx) => {
    await lockEnvelope(trx, envelopeId);
    const signed = { kind: "signed", recipientId } as const;
    const added = revisions.map((revision) => ({ ...revision, ...signed }));
    await writeTogether(trx, [addRevisions(platform, added)]);
    const aggregate = await loadEnvelope(trx, envelopeId);
    if (aggregate === null) return failure(problem("not_found"));
    const client = { ip: "192.0.2.9", userAgent: "Safari" };
    return recordSignature(trx, platform, {
      aggregate,
      recipientId,
      signedAt: platform.clock(),
      level: "B-T",
      client,
      writes: [],
    });
  });
}

/** Makes and stores a link token for each recipient, in order. Earlier tokens keep working. */
export async function mintRecipientTokens(
  trx: Transaction,
  platform: Pick<Platform, "random" | "clock">,
  recipientIds: readonly string[],
): Promise<readonly string[]> {
  const tokens = drawTokens(platform, recipientIds);
  await writeTogether(trx, [insertTokens(tokens, platform.clock())]);
  return tokens.map(({ token }) => token);
}

/** Records the signature of an envelope's nth recipient, from 0. */
export function signNth(
  platform: TestPlatform,
  { id, recipients }: { readonly id: string; readonly recipients: readonly { id: string }[] },
  index = 0,
): Promise<Result<null>> {
  return recordTestSignature(platform, id, recipients[index]?.id ?? "");
}

/** Gives an envelope's answer as this browser's account sees it. */
export async function readEnvelope(browser: TestBrowser, id: string): Promise<Answer["body"]> {
  return (await browser.get(`${ENVELOPES}${id}/`)).body;
}

/** Changes an envelope's draft by this browser's account. */
export function patchEnvelope(browser: TestBrowser, id: string, body: unknown): Promise<Answer> {
  return browser.send("PATCH", `${ENVELOPES}${id}/`, { body });
}

/** Posts an action without a body on an envelope. */
export function actOn(
  browser: TestBrowser,
  id: string,
  action: "cancel" | "duplicate" | "remind" | "restore" | "send",
): Promise<Answer> {
  return browser.post(`${ENVELOPES}${id}/${action}/`);
}

/** Gives the events of an envelope's journal, the newest first. */
export async function eventsOf(browser: TestBrowser, id: string): Promise<Answer["body"]> {
  return (await browser.get(`${ENVELOPES}${id}/events/`)).body.results;
}
