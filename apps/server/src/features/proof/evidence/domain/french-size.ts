/** Gives a size as French writes it: `482 octets`, `12,4 Ko`, `3,1 Mo`. Units: powers of a thousand (IEC 80000-13). */
export function frenchSize(bytes: number): string {
  const [unit, divisor] = bytes < 1_000 ? ["octets", 1] : bytes < 1_000_000 ? ["Ko", 1_000] : ["Mo", 1_000_000];
  return `${new Intl.NumberFormat("fr-FR", { maximumFractionDigits: 1 }).format(bytes / divisor)}\u00a0${unit}`;
}
