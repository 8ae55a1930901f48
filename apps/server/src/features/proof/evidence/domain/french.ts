/** `482 octets`, `12,4 Ko`, `3,1 Mo`. Units: powers of a thousand (IEC 80000-13). */
export function frenchSize(bytes: number): string {
  const [unit, divisor] =
    bytes < 1_000 ? ["octets", 1] : bytes < 1_000_000 ? ["Ko", 1_000] : ["Mo", 1_000_000];
  return `${new Intl.NumberFormat("fr-FR", { maximumFractionDigits: 1 }).format(bytes / divisor)}\u00a0${unit}`;
}

/** Account mails belong to no envelope and are absent. */
const KINDS: Readonly<Record<string, string>> = {
  invitation: "Invitation",
  code: "Code à usage unique",
  reminder: "Rappel",
  expiring: "Échéance proche",
  extended: "Nouvelle échéance",
  extension_requested: "Demande de prolongation",
  signed: "Avis de signature",
  completed: "Avis de fin, exemplaire signé",
  declined: "Avis de refus",
  cancelled: "Avis d’annulation",
  expired: "Avis d’expiration",
};

const STATES = {
  queued: "En attente d’envoi",
  sent: "Accepté par le serveur",
  delivered: "Accepté par le serveur, puis ouvert ou utilisé",
  refused: "Refusé",
  withdrawn: "Retiré avant envoi",
} as const;

export function messageKind(kind: string): string {
  return KINDS[kind] ?? kind;
}

export function messageState(state: keyof typeof STATES): string {
  return STATES[state];
}
