/** The signed-in person who acts, and from where. */
export type Actor = {
  readonly user: {
    readonly id: string;
    readonly email: string;
    readonly email_key: string;
    readonly recipient_key: string | null;
    readonly full_name: string;
  };
  readonly client: { readonly ip: string; readonly userAgent: string };
  /** Aborted when the person no longer waits for the answer. */
  readonly gone?: AbortSignal;
};

/** An action of a signed-in person on one envelope. */
export type EnvelopeCommand = { readonly envelopeId: string; readonly actor: Actor };
