/** No sound time-stamp, or no word on its authority, can be had now. Nothing is signed without one: the act waits. */
export class TimestampUnavailableError extends Error {
  override readonly name = "TimestampUnavailableError";
}

/** The certificate of an outside authority bears no address that says whether it was revoked: asking again says nothing more. */
export class RevocationUnaskableError extends TimestampUnavailableError {}
