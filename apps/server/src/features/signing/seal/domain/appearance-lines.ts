const PARIS = new Intl.DateTimeFormat("fr-FR", {
  timeZone: "Europe/Paris",
  day: "2-digit",
  month: "2-digit",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
  timeZoneName: "longOffset",
});

/** Gives what is printed under a person's mark: the name, when the person agreed, and the envelope. */
export function appearanceLines(act: {
  readonly fullName: string;
  readonly signedAt: Date;
  readonly envelopeId: string;
}): readonly string[] {
  return [act.fullName, `Signé électroniquement le ${frenchMoment(act.signedAt)}`, `Enveloppe ${act.envelopeId}`];
}

/** Gives `21/11/2026 à 15:16:04 (UTC+1)`: the clocks of Paris, and how far they are from UTC. */
export function frenchMoment(at: Date): string {
  const parts = Object.fromEntries(PARIS.formatToParts(at).map((part) => [part.type, part.value]));
  const offset = /([+-])0?(\d+):/.exec((parts["timeZoneName"] ?? "").replace("−", "-"));
  const zone = offset === null ? "UTC" : `UTC${offset[1]}${offset[2]}`;
  return `${parts["day"]}/${parts["month"]}/${parts["year"]} à ${parts["hour"]}:${parts["minute"]}:${parts["second"]} (${zone})`;
}
