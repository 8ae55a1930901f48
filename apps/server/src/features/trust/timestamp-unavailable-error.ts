/** No sound time-stamp, or no word on its authority, can be had now. Nothing is signed without one: the act waits. */
export class TimestampUnavailableError extends Error {
  override readonly name = "TimestampUnavailableError";
}
