/** « 06 12 34 56 78 » for a French number kept as `+33612345678`; another country's as it is kept. */
export function formatPhone(number: string): string {
  const french = /^\+33([1-9])(\d{2})(\d{2})(\d{2})(\d{2})$/.exec(number);
  return french ? `0${french.slice(1).join(" ")}` : number;
}
