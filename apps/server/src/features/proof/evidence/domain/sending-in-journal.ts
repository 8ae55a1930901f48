import type { PeopleEvent } from "./people-in-journal.ts";

/**
 * What a journal commits to of an envelope once nothing of it changes any more: at its sending, or, of what its owner alone signs, when it is made.
 * Null or undefined: it does not say, as those of before the sending committed to it. `parties`: the ids of all, those in copy too; `signers`: of those who must sign;
 * `deadline`: null where there was none; `uploaded` and `originals`: SHA-256 (hex) by document; `deposited`: those of every file that ever came, whose document is not told;
 * `acceptsCopy`: a corrected copy was accepted; `removed`: what it commits to and was taken out of it, in French.
 */
export type SendingInJournal = {
  readonly parties: ReadonlySet<string> | null;
  readonly signers: ReadonlySet<string> | null;
  readonly senderEmail: string | null;
  readonly deadline: Date | null | undefined;
  readonly uploaded: ReadonlyMap<string, string> | null;
  readonly originals: ReadonlyMap<string, string> | null;
  readonly deposited: ReadonlySet<string>;
  readonly acceptsCopy: boolean;
  readonly removed: readonly string[];
};

/** What is erased only with the whole envelope, which then gives no file any more. */
const KEPT: Readonly<Record<string, string>> = {
  title: "le titre",
  sender_email: "l’adresse de l’expéditeur",
  document_names: "les noms des documents",
  signer_names: "les noms des signataires",
  recipients: "les parties",
};

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((text): text is string => typeof text === "string") : [];

/** Gives what a journal that is whole says of the sending: its first event of it alone. */
export function sendingInJournal(events: readonly PeopleEvent[]): SendingInJournal {
  const sending = events.find(({ action, detail }) => action === "envelope_sent" || (action === "envelope_created" && "signers" in detail));
  const { detail, personal }: Pick<PeopleEvent, "detail" | "personal"> = sending ?? { detail: {}, personal: {} };
  const before = events.slice(0, sending === undefined ? events.length : events.indexOf(sending) + 1);
  const email = personal["sender_email"]?.value;
  const recipients = personal["recipients"]?.value;
  const commitments = Object.keys(Object(detail["commitments"]));
  return {
    parties: Array.isArray(recipients) ? new Set(textsOf(recipients).map((text) => String(JSON.parse(text).id))) : null,
    signers: Array.isArray(detail["signers"]) ? new Set(textsOf(detail["signers"])) : null,
    senderEmail: typeof email === "string" ? email : null,
    deadline: momentIn(detail["deadline_at"]),
    uploaded: hashesIn(detail["uploaded"]),
    originals: hashesIn(detail["originals"]),
    deposited: new Set(before.flatMap(depositsIn)),
    acceptsCopy:
      before.some(({ detail: said }) => textsOf(said["changed"]).includes("accept_normalised")) ||
      events.some(({ action, detail: said }) => action === "consent_given" && "copy_accepted_at" in said),
    removed: commitments.flatMap((name) => (name in KEPT && personal[name] === undefined ? [KEPT[name] as string] : [])),
  };
}

function momentIn(value: unknown): Date | null | undefined {
  return typeof value === "string" ? new Date(value) : value === null ? null : undefined;
}

/** The files that came, by their hashes; the sending names those that were prepared instead. */
function depositsIn({ action, detail }: PeopleEvent): readonly string[] {
  return action === "envelope_created" || action === "envelope_updated" ? textsOf(detail["documents"]) : [];
}

/** Texts `{document}:{SHA-256}`. */
function hashesIn(value: unknown): ReadonlyMap<string, string> | null {
  return Array.isArray(value) ? new Map(textsOf(value).map((text) => text.split(":") as [string, string])) : null;
}
