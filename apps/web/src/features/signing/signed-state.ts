/** What a signing page leaves to the success page through the navigation. */
type SignedState = { readonly id: string | null; readonly title: string | null };

/** Reads the navigation state, which anything may have written. */
export function readSignedState(state: unknown): SignedState {
  const record = typeof state === "object" && state !== null ? (state as Record<string, unknown>) : {};
  const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : null);
  return { id: text(record["id"]), title: text(record["title"]) };
}
