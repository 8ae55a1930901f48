/** The sender of an envelope, as a mail names them; without an address once their account is erased. */
type Sender = { readonly senderName: string; readonly senderEmail: string };

export function senderOf({ senderName, senderEmail }: Sender): string {
  return senderEmail === "" ? senderName : `${senderName} (${senderEmail})`;
}

/** Where an answer goes: to nobody when there is nobody any more. An empty `Reply-To` is no address list (RFC 5322 §3.6.2). */
export function replyToOf({ senderEmail }: Pick<Sender, "senderEmail">): string | null {
  return senderEmail === "" ? null : senderEmail;
}
