import type { Reader } from "../../platform/database/database.ts";
import type { EnvelopeRecipient } from "./domain/envelope.ts";
import type { EnvelopeAggregate } from "./load-envelope.ts";
import { tokenSha256 } from "./mint-recipient-token.ts";
import { selectEnvelopeByToken } from "./store.ts";

const TOKEN_FORM = /^[A-Za-z0-9_-]{43}$/;

export type RecognisedRecipient = { readonly recipient: EnvelopeRecipient; readonly aggregate: EnvelopeAggregate };

/** Gives the recipient of this envelope that a link token belongs to, whatever the envelope's state; null for any other token, envelope, or a purged one. */
export async function findRecipientByToken(reader: Reader, envelopeId: string, token: string): Promise<RecognisedRecipient | null> {
  if (!TOKEN_FORM.test(token)) return null;
  const found = await selectEnvelopeByToken(reader, envelopeId, tokenSha256(token));
  const recipient = found?.aggregate.recipients.find((candidate) => candidate.id === found.recipientId);
  return found === null || recipient === undefined ? null : { recipient, aggregate: found.aggregate };
}
