/**
 * The outcome of a use case: a value, or an expected refusal. Outages and bugs are thrown instead.
 * Shape: discriminated on `ok`.
 */
export type Result<T, E> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E };

/** Gives a successful result. */
export function success<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

/** Gives a refused result. */
export function failure<E>(error: E): { readonly ok: false; readonly error: E } {
  return { ok: false, error };
}
