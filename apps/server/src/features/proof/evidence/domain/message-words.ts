/** What a message of the register was for. Account mails never bear an envelope: they have no word here. */
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

/** Gives what a message was for, in French. */
export function messageKind(kind: string): string {
  return KINDS[kind] ?? kind;
}

/** Gives what became of a message, in French. */
export function messageState(state: keyof typeof STATES): string {
  return STATES[state];
}
