import * as z from "zod/mini";
import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import type { LinkPurpose } from "./link-store.ts";

/** The job that looks an address up and sends it a link. */
export const SEND_LINK_JOB = "accounts.send-link";

export const sendLinkPayload = z.strictObject({
  purpose: z.enum(["activation", "reset"]),
  address_wrapped: z.string(),
  registration_id: z.optional(z.uuid()),
});

const CONTEXT = "accounts.send-link";

/**
 * Asks, in the caller's transaction, for an address to be looked up and sent what it needs. The address is unreadable in the queue.
 * `registrationId`: the registration just asked for, which alone gets a link, unless the address has an account.
 */
export async function enqueueLink(
  trx: Transaction,
  platform: Platform,
  link: { readonly purpose: LinkPurpose; readonly email: string; readonly registrationId?: string },
): Promise<void> {
  const wrapped = platform.secrets.wrap(new TextEncoder().encode(link.email), CONTEXT);
  await platform.queue.enqueue(trx, SEND_LINK_JOB, {
    purpose: link.purpose,
    address_wrapped: Buffer.from(wrapped).toString("base64"),
    ...(link.registrationId === undefined ? {} : { registration_id: link.registrationId }),
  });
}

/** Gives the address of a job. */
export function unwrapAddress(secrets: SecretBox, wrapped: string): string {
  return new TextDecoder().decode(secrets.unwrap(Buffer.from(wrapped, "base64"), CONTEXT));
}
