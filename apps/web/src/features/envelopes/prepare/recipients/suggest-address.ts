import type { KnownDomains } from "@paraphe/contracts";

/** A domain the sender has written to, and to how many addresses. */
type KnownDomain = KnownDomains["results"][number];

const PROVIDERS = [
  "gmail.com",
  "orange.fr",
  "wanadoo.fr",
  "free.fr",
  "laposte.net",
  "sfr.fr",
  "outlook.fr",
  "outlook.com",
  "hotmail.fr",
  "hotmail.com",
  "yahoo.fr",
  "yahoo.com",
  "icloud.com",
  "live.fr",
  "live.com",
  "bbox.fr",
  "numericable.fr",
  "neuf.fr",
  "club-internet.fr",
  "aliceadsl.fr",
  "protonmail.com",
  "proton.me",
  "msn.com",
  "aol.com",
] as const;
/** Real domains one letter away from those. */
const REAL_TOO: ReadonlySet<string> = new Set([
  "mail.com",
  "email.com",
  "ymail.com",
  "gmx.com",
  "gmx.fr",
  "aol.fr",
  "free.com",
  "yahoo.co",
  "outlook.co",
  "me.com",
  "mac.com",
]);
/** Endings that one provider lacks though another has them. */
const WRONG_ENDINGS: ReadonlyMap<string, string> = new Map([
  ["gmail.fr", "gmail.com"],
  ["gmail.net", "gmail.com"],
  ["icloud.fr", "icloud.com"],
  ["laposte.fr", "laposte.net"],
  ["laposte.com", "laposte.net"],
  ["wanadoo.com", "wanadoo.fr"],
  ["wanadoo.net", "wanadoo.fr"],
]);
/** Below this length one different letter proves no mistake (`afr.fr`, `fred.fr`). */
const SHORTEST_FOR_A_LETTER = 8;
/** From this length on, two mistakes still mean the same domain. */
const SHORTEST_FOR_TWO = 10;
/** A domain with several known addresses is right. */
const TRUSTED_FROM = 2;

/** The probable address, where the domain looks mistyped. */
export function suggestAddress(address: string, known: readonly KnownDomain[] = []): string | null {
  const at = address.trim().lastIndexOf("@");
  const local = address.trim().slice(0, at);
  const domain = address
    .trim()
    .slice(at + 1)
    .toLowerCase();
  if (
    at < 1 ||
    domain === "" ||
    REAL_TOO.has(domain) ||
    PROVIDERS.some((provider) => provider === domain)
  )
    return null;
  if (known.some((other) => other.domain === domain && other.people >= TRUSTED_FROM)) return null;
  const meant =
    WRONG_ENDINGS.get(domain) ?? nearest(domain, PROVIDERS) ?? nearestKnown(domain, known);
  return meant === null ? null : `${local}@${meant}`;
}

function nearestKnown(domain: string, known: readonly KnownDomain[]): string | null {
  if (known.some((other) => other.domain === domain)) return null;
  return nearest(
    domain,
    known.map((other) => other.domain),
  );
}

function nearest(domain: string, candidates: readonly string[]): string | null {
  const slips = candidates
    .map((candidate) => ({ candidate, count: slipsBetween(domain, candidate) }))
    .filter(({ candidate, count }) => isSlip(domain, candidate, count))
    .sort((one, other) => one.count - other.count);
  return slips[0]?.candidate ?? null;
}

function isSlip(domain: string, candidate: string, count: number): boolean {
  const { length } = candidate;
  if (count === 0 || count > 2) return false;
  if (count === 2) return length >= SHORTEST_FOR_TWO;
  const isSwap =
    domain.length === candidate.length &&
    [...domain].sort().join("") === [...candidate].sort().join("");
  return isSwap || length >= SHORTEST_FOR_A_LETTER;
}

/** Optimal string alignment distance. */
function slipsBetween(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 2) return Number.POSITIVE_INFINITY;
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const costs = [
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (isSame ? 0 : 1),
      ];
      if (isSwap) costs.push((before[j - 2] ?? 0) + 1);
      next.push(Math.min(...costs));
    }
    before = row;
    row = next;
  }
  return row[other.length] ?? 0;
}
