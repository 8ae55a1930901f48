/** Some weeks of an ordinary service, in a megabyte or two. */
const KEPT = 10_000;

/**
 * The uploads that were rehearsed and can be finished, by the SHA-256 of their bytes: a verdict on nothing but them, and of this version of the
 * code alone, so it is kept in memory and by each process for itself. The oldest is the first to go.
 */
const rehearsed = new Set<string>();

export function wasRehearsed(sha256: Uint8Array): boolean {
  return rehearsed.has(nameOf(sha256));
}

export function noteRehearsed(sha256: Uint8Array): void {
  rehearsed.add(nameOf(sha256));
  const [oldest] = rehearsed;
  if (rehearsed.size > KEPT && oldest !== undefined) rehearsed.delete(oldest);
}

function nameOf(sha256: Uint8Array): string {
  return Buffer.from(sha256).toString("base64");
}
