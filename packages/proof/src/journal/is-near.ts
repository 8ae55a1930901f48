/** Two writings of one moment are made in one transaction: further apart than this, one of them was changed. */
export const CLOCK_MARGIN_MS = 10 * 60_000;

/** Says whether two moments (ISO 8601) may be one, as two clocks have it. */
export function isNear(one: string | null, other: string | null): boolean {
  if (one === null || other === null) return one === other;
  return Math.abs(Date.parse(one) - Date.parse(other)) <= CLOCK_MARGIN_MS;
}
