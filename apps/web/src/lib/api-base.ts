/**
 * Gives the API base, or why the client may not start: the base must exist and use HTTPS (specification §7).
 * Without a configured base the client talks to the origin that served it.
 */
export function readApiBase(configured: string | undefined, origin: string): { ok: true; base: string } | { ok: false; reason: string } {
  const candidate = configured?.trim() || (origin === "null" ? "" : origin);
  if (candidate === "") return { ok: false, reason: "L’adresse du service est absente." };
  let url: URL;
  try {
    url = new URL(candidate);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    return { ok: false, reason: `L’adresse du service n’est pas valide : ${candidate}` };
  }
  if (url.protocol !== "https:") return { ok: false, reason: `L’adresse du service doit commencer par https:// (${candidate}).` };
  return { ok: true, base: url.origin };
}
