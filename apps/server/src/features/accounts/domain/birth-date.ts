/** Gives what is wrong with a birth date, or null: in the past, and of somebody alive. */
export function checkBirthDate(date: string, now: Date): string | null {
  const today = now.toISOString().slice(0, 10);
  if (date > today) return "La date de naissance doit être dans le passé";
  return Number(date.slice(0, 4)) < now.getUTCFullYear() - 130 ? "Date invalide" : null;
}
