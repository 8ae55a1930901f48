const COUNT = new Intl.NumberFormat("fr-FR");

/** A number with its noun: in French, what is counted below two is singular. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${COUNT.format(count)} ${Math.abs(count) < 2 ? one : many}`;
}
