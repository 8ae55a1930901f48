const MINUTE_S = 60;
const HOUR_S = 3_600;

/** Says in French how long a wait is, never less than it is: « 45 secondes », « 20 minutes », « 2 h 49 min ». */
export function waitInWords(seconds: number): string {
  const whole = Math.max(1, Math.ceil(seconds));
  if (whole < MINUTE_S) return counted(whole, "seconde");
  const minutes = Math.ceil(whole / MINUTE_S);
  if (whole <= HOUR_S - MINUTE_S) return counted(minutes, "minute");
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return rest === 0 ? counted(hours, "heure") : `${hours}\u00a0h\u00a0${String(rest).padStart(2, "0")}\u00a0min`;
}

function counted(count: number, unit: string): string {
  return `${count}\u00a0${unit}${count > 1 ? "s" : ""}`;
}
