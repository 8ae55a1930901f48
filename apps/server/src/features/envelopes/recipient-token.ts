import { createHash } from "node:crypto";
import type { Reader, Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import type { EnvelopeRecipient } from "./domain/envelope.ts";
import type { EnvelopeAggregate } from "./load-envelope.ts";
import { insertTokenRows } from "./recipient-store.ts";
import { selectEnvelopeByToken } from "./store.ts";

const TOKEN_BYTES = 32;

/** Makes a link token for each recipient, in order: 256 random bits, base64url, stored as their SHA-256. Earlier tokens keep working. */
export async function mintRecipientTokens(
  trx: Transaction,
  platform: Pick<Platform, "random" | "clock">,
  recipientIds: readonly string[],
): Promise<readonly string[]> {
  const tokens = recipientIds.map((recipientId) => ({
    recipientId,
    token: Buffer.from(platform.random(TOKEN_BYTES)).toString("base64url"),
  }));
  await insertTokenRows(
    trx,
    tokens.map(({ recipientId, token }) => ({ recipientId, sha256: tokenSha256(token) })),
    platform.clock(),
  );
  return tokens.map(({ token }) => token);
}

/** Makes one recipient's link token. */
export async function mintRecipientToken(
  trx: Transaction,
  platform: Pick<Platform, "random" | "clock">,
  recipientId: string,
): Promise<string> {
  const [token = ""] = await mintRecipientTokens(trx, platform, [recipientId]);
  return token;
}

/** Gives the address a recipient opens: on the configured origin, whatever the request said. */
export function recipientLink(
  platform: Pick<Platform, "settings">,
  envelopeId: string,
  token: string,
): string {
  return `${platform.settings.publicUrl}/sign/${envelopeId}?token=${token}`;
}

/** Gives what a token is stored and looked up as. */
export function tokenSha256(token: string): Uint8Array {
  return new Uint8Array(createHash("sha256").update(token).digest());
}

const TOKEN_FORM = /^[A-Za-z0-9_-]{43}$/;

type RecognisedRecipient = {
  readonly recipient: EnvelopeRecipient;
  readonly aggregate: EnvelopeAggregate;
};

/** Gives the recipient of this envelope that a link token belongs to, whatever the envelope's state; null for any other token, envelope, or a purged one. */
export async function findRecipientByToken(
  reader: Reader,
  envelopeId: string,
  token: string,
): Promise<RecognisedRecipient | null> {
  if (!TOKEN_FORM.test(token)) return null;
  const found = await selectEnvelopeByToken(reader, envelopeId, tokenSha256(token));
  const recipient = found?.aggregate.recipients.find(
    (candidate) => candidate.id === found.recipientId,
  );
  return found === null || recipient === undefined
    ? null
    : { recipient, aggregate: found.aggregate };
}
