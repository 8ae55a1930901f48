/** `fraction` from 0 to 1. */
export function percentile(values: readonly number[], fraction: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN;
}
