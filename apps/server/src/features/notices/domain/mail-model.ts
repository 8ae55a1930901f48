/**
 * A mail before it is laid out: the text part and the HTML part say the same words, because both are made from this.
 * Shape: `action.link` is written whole in both parts; `code` is shown large; `quote` is the sender's own message.
 */
export type MailModel = {
  readonly subject: string;
  /** Whose name stands before « via Paraphe »; null for the service's own mails. */
  readonly senderName: string | null;
  readonly replyTo: string | null;
  /** The sentence a mail program shows beside the subject. */
  readonly preview: string;
  readonly paragraphs: readonly string[];
  readonly quote: string | null;
  readonly code: string | null;
  /** What happened, one line each, with where to look. */
  readonly list?: readonly { readonly words: string; readonly moment: string | null; readonly link: string | null }[];
  readonly facts: readonly (readonly [label: string, value: string])[];
  readonly action: { readonly label: string; readonly link: string } | null;
  /** Small print under the message. */
  readonly notes: readonly string[];
};

/** The service's own mail, to be filled in: nobody to reply to, nothing but words. */
export const PLAIN_MAIL = {
  senderName: null,
  replyTo: null,
  quote: null,
  code: null,
  facts: [],
  action: null,
  notes: [],
} as const satisfies Partial<MailModel>;
