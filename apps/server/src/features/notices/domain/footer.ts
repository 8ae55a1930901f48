/** The last line of every mail. No address: a mail with a code must hold nothing that a mail program would turn into a link. */
export const FOOTER = "Paraphe, signature électronique. Message envoyé automatiquement.";
