// Generated from /api/openapi.json by generate-api.ts; `vitest run api-document -u` renews it.

/** A file's bytes; a text is base64. */
export type FileContent = string | Uint8Array | Blob;
type NoInput = { readonly [name in never]: never };

export type AccountAnswer = {
  /** The account; null for a visitor. */
  readonly user: User;
  /** The key, without its secret. */
  readonly key?: {
    /** Identifier (UUID). */
    readonly id: string;
    /** Name. */
    readonly name: string;
    /** Who has it: the caller's person, a team or the organisation. */
    readonly holder: ProgramHolder;
    /** What the key may do. */
    readonly scopes: readonly ("envelopes:read" | "envelopes:write" | "envelopes:send" | "proof:read" | "contacts:read" | "webhooks:write")[];
  };
};

export type AuditEvent = {
  /** When it happened. */
  readonly at: string;
  /** Who did it. */
  readonly actor: string;
  /** What happened, as a word of the journal. */
  readonly action: string;
  /** The name that the recipient had then. */
  readonly recipient_name?: string;
  /** IP address of the caller; null when not kept. */
  readonly ip: string | null;
  /** Browser or program of the caller; null when not kept. */
  readonly user_agent: string | null;
  /** Further facts, which depend on `action`. */
  readonly detail: Readonly<Record<string, unknown>>;
  /** Hash of this event, which includes the one before. */
  readonly hash: string;
  /** Hash of the event before. */
  readonly previous_hash: string | null;
};

export type Chain = {
  /** Whether everything follows. */
  readonly ok: boolean;
  /** How many there are. */
  readonly count: number;
  /** Hash of the last event. */
  readonly head: string | null;
  /** Number of the first event that does not follow the one before; null when none. */
  readonly broken_at: number | null;
};

export type ChangedEnvelopeRequest = {
  /** Title; a site's address in it (`Bail.final`), mark-up or mixed alphabets are refused. */
  readonly title?: string;
  /** Words to the recipients, several lines. */
  readonly message?: string | null;
  /** Until when recipients may answer; null: without end. */
  readonly deadline_at?: string | null;
  /** `parallel`: all at once; `sequential`: by `order`. */
  readonly flow?: FlowInput;
  /** Automatic reminders. */
  readonly reminders?: Reminders;
  /** The public page shows the proof and not the document. */
  readonly proof_only?: boolean;
  /** Kind of document, one of the `kinds` that `listOrganisationCircuits` gives; another is kept and imposes no circuit. */
  readonly document_kind?: string | null;
  /** The team that holds it, named by its id in a request; null: none. */
  readonly team?: string | null;
  /** Who signs, approves, gives a visa or gets a copy. */
  readonly recipients?: readonly RecipientRequest[];
  /** Fields to fill in, on the pages of the documents. */
  readonly fields?: readonly FieldRequest[];
  /** Ids of documents to remove. */
  readonly remove_documents?: readonly string[];
  /** Ids of all documents, in their new order. */
  readonly order?: readonly string[];
  /** Ids of documents whose corrected copy is accepted; in a self-signature, true. */
  readonly accept_normalised?: readonly string[];
  /** Makes fields of the file's form and text tags. */
  readonly use_forms?: readonly {
    /** Id of the document. */
    readonly document_id: string;
    /** Who fills in the fields of each role. */
    readonly recipients?: readonly {
      /** What the person does; in `use_forms`, the role that the text tags name (null: none). */
      readonly role: string | null;
      /** Id of the recipient. */
      readonly recipient_id: string;
    }[];
    /** Covers the text tags in what is shown and signed. */
    readonly erase_tags?: boolean;
  }[];
  /** New names of documents. */
  readonly document_names?: readonly {
    /** Identifier (UUID). */
    readonly id: string;
    /** Name. */
    readonly name: string;
  }[];
  /** The PDFs: in base64 (`name`, `content`), or sent ahead (`upload_id`); in a form, file parts. */
  readonly files?: readonly ({
    /** Name of the file, which ends in `.pdf`; of one sent ahead, its own by default. */
    readonly name: string;
    /** The PDF in base64 (RFC 4648 §4: `+` and `/`, padded, without line breaks), at most 10 485 760 bytes once decoded. */
    readonly content: FileContent;
  } | {
    /** Id of a file sent ahead (`POST /api/signature/uploads/`), which serves once. */
    readonly upload_id: string;
    /** Name of the file, which ends in `.pdf`; of one sent ahead, its own by default. */
    readonly name?: string;
  })[];
};

export type Checkpoint = {
  /** Size of the log, in leaves. */
  readonly size: number;
  /** Hash of the log's tree. */
  readonly root: string;
  /** When it happened. */
  readonly at: string;
  /** Which key signed. */
  readonly key_id: string;
  /** Signature of the head (RFC 7515), by the service's seal. */
  readonly signature: string;
  /** Time-stamp of the signature (RFC 3161), DER in base64. */
  readonly timestamp: string;
};

export type CheckpointListAnswer = {
  /** How many there are. */
  readonly count: number;
  /** True when there are more than `count`, which stops at 10 000. */
  readonly count_capped?: boolean;
  /** Number of the page, from 1. */
  readonly page: number;
  /** How many rows a page of the list has. */
  readonly page_size: number;
  /** The rows of this page. */
  readonly results: readonly Checkpoint[];
};

export type Consistency = {
  /** The first of two: an id, or the smaller size. */
  readonly first: number;
  /** The second of two: an id, or the larger size. */
  readonly second: number;
  /** Hashes of the proof, in base64 (RFC 9162). */
  readonly path: readonly string[];
};

export type Contact = {
  /** Identifier (UUID). */
  readonly id: string;
  /** First and last name, as printed beside the signature; a site's address in it is refused. */
  readonly full_name: string;
  /** Mail address. */
  readonly email: string;
  /** Another mail address. */
  readonly second_email: string | null;
  /** Mobile number, as `+33612345678` or `06 12 34 56 78`; null or empty: none. */
  readonly phone_number: string | null;
  /** Company. */
  readonly company: string | null;
  /** Where it comes from. */
  readonly origin: ContactOrigin;
  /** How many envelopes this person was sent. */
  readonly sent_count: number;
  /** When this person was last written to; null: never. */
  readonly last_sent_at: string | null;
  /** When it was made. */
  readonly created_at: string;
  /** The team that holds it, named by its id in a request; null: none. */
  readonly team?: TeamRef;
};

export type ContactOrigin = "sent" | "imported" | "added";

export type ContactOriginInput = "sent" | "imported" | "added";

export type ContactsAnswer = {
  /** How many there are. */
  readonly count: number;
  /** True when there are more than `count`, which stops at 10 000. */
  readonly count_capped?: boolean;
  /** Number of the page, from 1. */
  readonly page: number;
  /** How many rows a page of the list has. */
  readonly page_size: number;
  /** The rows of this page. */
  readonly results: readonly Contact[];
};

export type CorrectRecipientRequest = {
  /** First and last name, as printed beside the signature; a site's address in it is refused. */
  readonly full_name?: string;
  /** Mail address. */
  readonly email?: string;
  /** Mobile number, as `+33612345678` or `06 12 34 56 78`; null or empty: none. */
  readonly phone_number?: string | null;
};

export type CorrectionAnswer = {
  /** How many pages the document has. */
  readonly page_count: number;
  /** Where the next part begins; null: the end. */
  readonly next: number | null;
  /** Pages that could not be compared. */
  readonly unread: readonly number[];
  /** How the corrected copy differs; null: it looks the same. */
  readonly difference: PageDifference | null;
};

export type CountsAnswer = {
  /** How many are drafts. */
  readonly draft: number;
  /** How many were sent. */
  readonly sent: number;
  /** How many are completed: everybody has signed. */
  readonly completed: number;
  /** Envelopes that wait for this person. */
  readonly action_required: number;
  /** How many are cancelled. */
  readonly cancelled: number;
};

export type DashboardAnswer = {
  /** How many there are, by state. */
  readonly counts: {
    /** How many are drafts. */
    readonly draft: number;
    /** How many were sent. */
    readonly sent: number;
    /** How many are completed: everybody has signed. */
    readonly completed: number;
    /** Envelopes that wait for this person. */
    readonly actionRequired: number;
  };
  /** Envelopes sent this month. */
  readonly totalThisMonth: number;
  /** Envelopes sent in the period. */
  readonly periodTotal: number;
  /** Envelopes completed in the period. */
  readonly periodCompleted: number;
  /** Part of the sent envelopes that are completed, from 0 to 1. */
  readonly completionRate: number;
  /** Mean time from sending to completion, in seconds. */
  readonly avgSigningTime: number;
  /** Sent envelopes by day. */
  readonly sparklines: {
    /** The last 7 days. */
    readonly last7: readonly {
      /** Day (YYYY-MM-DD). */
      readonly date: string;
      /** How many there are. */
      readonly count: number;
    }[];
    /** The last 30 days. */
    readonly last30: readonly {
      /** Day (YYYY-MM-DD). */
      readonly date: string;
      /** How many there are. */
      readonly count: number;
    }[];
  };
  /** What waits. */
  readonly standing: {
    /** When the last draft was changed. */
    readonly lastDraftAt: string | null;
    /** Sent envelopes that came back to be corrected. */
    readonly toCorrect: number;
    /** Sent envelopes whose deadline is near. */
    readonly expiringSoon: number;
    /** The nearest deadline. */
    readonly mostUrgentAt: string | null;
  };
  /** The latest envelopes. */
  readonly recent: readonly Envelope[];
  /** Envelopes completed lately. */
  readonly notifications: readonly {
    /** Id of the envelope; null before there is one. */
    readonly envelope_id: string;
    /** Title; a site's address in it (`Bail.final`), mark-up or mixed alphabets are refused. */
    readonly title: string;
    /** When the last signer had signed. */
    readonly completed_at: string;
  }[];
};

export type DeadlineRequest = {
  /** Until when recipients may answer; null: without end. */
  readonly deadline_at: string | null;
};

export type Delivery = {
  /** Identifier (UUID). */
  readonly id: string;
  /** Of which kind it is. */
  readonly kind: string;
  /** By mail or by text. */
  readonly channel: string;
  /** Where it went, partly hidden. */
  readonly destination: string;
  /** Subject: of a mail, or of a certificate. */
  readonly subject: string | null;
  /** How far it is. */
  readonly state: DeliveryState;
  /** When it was made. */
  readonly created_at: string;
  /** When it ended; null before. */
  readonly ended_at: string | null;
  /** When it was opened; null: not seen. */
  readonly opened_at: string | null;
  /** Tries so far. */
  readonly tries: number;
  /** What the mail server answered; null: nothing. */
  readonly server_answer: string | null;
  /** Why it failed; null otherwise. */
  readonly failure: {
    /** A word for programs, which never changes. */
    readonly code: string;
    /** A sentence in French. */
    readonly detail: string;
  } | null;
};

export type DeliveryState = "queued" | "sent" | "delivered" | "refused" | "withdrawn";

export type Document = {
  /** Identifier (UUID). */
  readonly id: string;
  /** Name. */
  readonly name: string;
  /** Size in bytes. */
  readonly size: number;
  /** How many pages the document has. */
  readonly page_count: number;
  /** SHA-256 of the file, in hexadecimal. */
  readonly sha256: string;
  /** Size of each page as displayed. */
  readonly pages: readonly {
    /** Width of the page as displayed, in points. */
    readonly width: number;
    /** Height of the page as displayed, in points. */
    readonly height: number;
    /** Degrees clockwise by which the page is turned. */
    readonly rotation: number;
  }[];
  /** Rank of the document, from 1. */
  readonly order: number;
  /** What the check of the file found. */
  readonly control: {
    /** `ok`: to sign as it is; `fixable`: after its corrected copy was accepted. */
    readonly result: "ok" | "fixable";
    /** What was found, with a French sentence each. */
    readonly findings: readonly Finding[];
    /** Whether the corrected copy was accepted. */
    readonly accepted: boolean;
  };
};

export type DownloadAnswer = {
  /** Address of the file on this service, for five minutes: call it without the key's header, which is refused there. */
  readonly download_url: string;
  /** Name of the file. */
  readonly file_name: string;
};

export type EmptyAnswer = Readonly<Record<string, never>>;

export type Envelope = {
  /** Identifier (UUID). */
  readonly id: string;
  /** Grows with each change: send it back (`If-Match` for an envelope). */
  readonly version: number;
  /** Title; a site's address in it (`Bail.final`), mark-up or mixed alphabets are refused. */
  readonly title: string;
  /** Words to the recipients, several lines. */
  readonly message: string | null;
  /** How far it is. */
  readonly status: Status;
  /** `parallel`: all at once; `sequential`: by `order`. */
  readonly flow: Flow;
  /** When it was made. */
  readonly created_at: string;
  /** When it was last changed. */
  readonly updated_at: string;
  /** When it was sent; null before. */
  readonly sent_at: string | null;
  /** When the last signer had signed. */
  readonly completed_at: string | null;
  /** Until when recipients may answer; null: without end. */
  readonly deadline_at: string | null;
  /** When it was cancelled. */
  readonly cancelled_at: string | null;
  /** Who made it. */
  readonly created_by_name: string;
  /** Whether the reader is its sender. */
  readonly is_owner: boolean;
  /** For whom the reader signs, by delegation. */
  readonly on_behalf_of?: {
    /** Id of the recipient. */
    readonly recipient_id: string;
    /** First and last name, as printed beside the signature; a site's address in it is refused. */
    readonly full_name: string;
  };
  /** For whom the reader signed, by delegation. */
  readonly signed_for?: readonly string[];
  /** The team that holds it, named by its id in a request; null: none. */
  readonly team?: TeamRef;
  /** The reader sees what its sender sees, without acting. */
  readonly read_only?: true;
  /** True for a draft that came back to be corrected. */
  readonly returned?: {
    /** Who does the step, and how they are found. */
    readonly by: string | null;
    /** When it happened. */
    readonly at: string | null;
    /** Why; null when there is nothing to say. */
    readonly reason: string | null;
    /** Who corrects it: whoever has the envelope now. */
    readonly corrected_by?: string;
  };
  /** Who sent it again, after its last return to its sender. */
  readonly resent_by?: string;
  /** Documents, in their order. */
  readonly documents: readonly Document[];
  /** The same as `documents`. */
  readonly files: readonly Document[];
  /** Who signs, approves, gives a visa or gets a copy. */
  readonly recipients: readonly Recipient[];
  /** Messages to recipients removed since, newest first. */
  readonly former_deliveries?: readonly Delivery[];
  /** Fields to fill in, on the pages of the documents. */
  readonly fields: readonly Field[];
  /** How many fields there are. */
  readonly field_count?: number;
  /** How many have signed. */
  readonly progress: {
    /** How many have signed. */
    readonly signed: number;
    /** How many there are in all. */
    readonly total: number;
    /** Part done, in per cent. */
    readonly percent: number;
  };
  /** Days until the deadline; null without one. */
  readonly days_remaining: number | null;
  /** The status that restoring gives back; absent unless it can be restored. */
  readonly restores_to?: StoredStatus;
  /** PAdES level: B-T or B-LTA; null before the first signature. */
  readonly level: "B-B" | "B-T" | "B-LT" | "B-LTA" | null;
  /** Address of the signed file in a session; a key uses `getEnvelopeDownload`. Null before the first signature. */
  readonly download_url: string | null;
  /** The approval circuit; absent or null without one. */
  readonly circuit?: {
    /** Name. */
    readonly name: string;
    /** Whether the kind of document imposes this circuit. */
    readonly imposed: boolean;
    /** Ranks of signers whom the sender names. */
    readonly open: readonly number[];
  };
  /** Kind of document, one of the `kinds` that `listOrganisationCircuits` gives; another is kept and imposes no circuit. */
  readonly document_kind?: string;
  /** False when no message has reached anybody. */
  readonly reached?: boolean;
  /** Automatic reminders. */
  readonly reminders?: {
    /** Days between two automatic reminders; null: none. */
    readonly every_days: number | null;
    /** Whether only business days count; always true. */
    readonly business_days: true;
    /** When the next automatic reminder leaves; null: none. */
    readonly next_at: string | null;
  };
  /** The public page shows the proof and not the document. */
  readonly proof_only?: boolean;
  /** From when on the sender may remind; null: at once, or nobody is awaited. */
  readonly remind_at?: string | null;
  /** What to look at; `page_covered` alone prevents sending. */
  readonly warnings?: readonly Warning[];
};

export type EnvelopeListAnswer = {
  /** How many there are. */
  readonly count: number;
  /** True when there are more than `count`, which stops at 10 000. */
  readonly count_capped?: boolean;
  /** Number of the page, from 1. */
  readonly page: number;
  /** How many rows a page of the list has. */
  readonly page_size: number;
  /** The rows of this page. */
  readonly results: readonly Envelope[];
  /** A similar text that has results. */
  readonly near?: string;
};

export type EventsAnswer = {
  /** How many there are. */
  readonly count: number;
  /** True when there are more than `count`, which stops at 10 000. */
  readonly count_capped?: boolean;
  /** Number of the page, from 1. */
  readonly page: number;
  /** How many rows a page of the list has. */
  readonly page_size: number;
  /** The rows of this page. */
  readonly results: readonly AuditEvent[];
  /** Whether each event follows the one before. */
  readonly chain: Chain;
};

export type ExtendRequest = {
  /** The new deadline; left out: the seventh day in Paris after the deadline, or after today once it has passed. */
  readonly deadline_at?: string;
};

export type Field = {
  /** Identifier (UUID). */
  readonly id: string;
  /** Id of the document. */
  readonly document_id: string;
  /** Id of the recipient. */
  readonly recipient_id: string;
  /** Of which type it is. */
  readonly type: FieldType;
  /** Number of the page, from 1. */
  readonly page: number;
  /** Left edge: part of the page's width, from 0 to 1. */
  readonly x: number;
  /** Top edge: part of the page's height, from 0 to 1. */
  readonly y: number;
  /** Width: part of the page, from 0 to 1. */
  readonly width: number;
  /** Height: part of the page, from 0 to 1. */
  readonly height: number;
  /** Whether the field must be filled in. */
  readonly required: boolean;
  /** What to write there, shown to the signer. */
  readonly label: string | null;
  /** What the field has; of a mention, the sentence to copy; null: nothing. */
  readonly value: string | null;
};

export type FieldRequest = {
  /** Identifier (UUID). */
  readonly id?: string;
  /** Id of the document. */
  readonly document_id: string;
  /** Id of the recipient. */
  readonly recipient_id: string;
  /** Of which type it is. */
  readonly type: FieldTypeInput;
  /** Number of the page, from 1. */
  readonly page: number;
  /** Left edge: part of the page's width, from 0 to 1. */
  readonly x: number;
  /** Top edge: part of the page's height, from 0 to 1. */
  readonly y: number;
  /** Width: part of the page, from 0 to 1. */
  readonly width: number;
  /** Height: part of the page, from 0 to 1. */
  readonly height: number;
  /** Whether the field must be filled in. */
  readonly required?: boolean;
  /** What to write there, shown to the signer. */
  readonly label?: string | null;
  /** What the field has; of a mention, the sentence to copy; null: nothing. */
  readonly value?: string | null;
};

export type FieldType = "signature" | "initials" | "date" | "name" | "text" | "checkbox" | "mention";

export type FieldTypeInput = "signature" | "initials" | "date" | "name" | "text" | "checkbox" | "mention";

export type Finding = {
  /** A word for programs, which never changes. */
  readonly code: string;
  /** A sentence in French. */
  readonly detail: string;
};

export type Flow = "parallel" | "sequential";

export type FlowInput = "parallel" | "sequential";

export type FormAnswer = {
  /** Documents, in their order. */
  readonly documents: readonly {
    /** Id of the document. */
    readonly document_id: string;
    /** Why its fields cannot be used; null: they can. */
    readonly refused: "signed" | "copy_to_accept" | "too_many" | null;
    /** What was found, with a French sentence each. */
    readonly findings: readonly Finding[];
    /** Fields to fill in, on the pages of the documents. */
    readonly fields: readonly {
      /** From a form's field or from a text tag. */
      readonly source: "form" | "tag";
      /** Name of the form's field, or of the tag. */
      readonly name: string;
      /** The role that the text tag names; null: none. */
      readonly role: string | null;
      /** Of which type it is. */
      readonly type: FieldType;
      /** Number of the page, from 1. */
      readonly page: number;
      /** Left edge: part of the page's width, from 0 to 1. */
      readonly x: number;
      /** Top edge: part of the page's height, from 0 to 1. */
      readonly y: number;
      /** Width: part of the page, from 0 to 1. */
      readonly width: number;
      /** Height: part of the page, from 0 to 1. */
      readonly height: number;
      /** Whether the field must be filled in. */
      readonly required: boolean;
      /** What to write there, shown to the signer. */
      readonly label: string | null;
      /** What the field has; of a mention, the sentence to copy; null: nothing. */
      readonly value: string | null;
      /** Longest text that the form allowed; null: none. */
      readonly max_length: number | null;
    }[];
  }[];
};

export type GeneratePrintRequest = {
  /** Id of the envelope. */
  readonly envelope: string;
  /** What the QR code opens. */
  readonly qr_type: QrTypeInput;
};

export type Inclusion = {
  /** Place in the log, from 0. */
  readonly leaf_index: number;
  /** Size of the log, in leaves. */
  readonly size: number;
  /** Hashes of the proof, in base64 (RFC 9162). */
  readonly path: readonly string[];
  /** The log's entry. */
  readonly entry: LogEntry;
  /** A signed head of the public log. */
  readonly checkpoint: Checkpoint;
};

export type JournalKind = "signatures" | "sends" | "changes";

export type KnownDomainsAnswer = {
  /** The rows of this page. */
  readonly results: readonly {
    /** Domain of mail addresses. */
    readonly domain: string;
    /** How many people have such an address. */
    readonly people: number;
  }[];
};

export type Layout = {
  /** Identifier (UUID). */
  readonly id: string;
  /** Name. */
  readonly name: string;
  /** The team that holds it, named by its id in a request; null: none. */
  readonly team?: TeamRef;
  /** Fields to fill in, on the pages of the documents. */
  readonly fields: readonly LayoutField[];
  /** When it was made. */
  readonly created_at: string;
};

export type LayoutField = {
  /** Which of the documents, from 0. */
  readonly document_rank: number;
  /** Which of the people, from 0. */
  readonly person_rank: number;
  /** Of which type it is. */
  readonly type: FieldType;
  /** Number of the page, from 1; -1: the last. */
  readonly page: -1 | number;
  /** Left edge: part of the page's width, from 0 to 1. */
  readonly x: number;
  /** Top edge: part of the page's height, from 0 to 1. */
  readonly y: number;
  /** Width: part of the page, from 0 to 1. */
  readonly width: number;
  /** Height: part of the page, from 0 to 1. */
  readonly height: number;
  /** Whether the field must be filled in. */
  readonly required: boolean;
  /** What to write there, shown to the signer. */
  readonly label: string | null;
  /** What the field has; of a mention, the sentence to copy; null: nothing. */
  readonly value: string | null;
};

export type LayoutsAnswer = {
  /** How many there are. */
  readonly count: number;
  /** The rows of this page. */
  readonly results: readonly Layout[];
};

export type Leaves = {
  /** Where to begin. */
  readonly from: number;
  /** Where it ends. */
  readonly to: number;
  /** Size of the log, in leaves. */
  readonly size: number;
  /** Hashes of the log's leaves, in base64. */
  readonly hashes: readonly string[];
};

export type LogAuthorities = {
  /** Root certificates, in PEM. */
  readonly roots: readonly string[];
  /** Certificates of time-stamp authorities. */
  readonly timestamps: readonly string[];
  /** Certificates, in PEM or base64 DER. */
  readonly certificates: readonly string[];
  /** Revocation lists. */
  readonly crls?: readonly string[];
};

export type LogEntry = {
  /** Id of the envelope; null before there is one. */
  readonly envelope_id: string;
  /** Number in order, from 1. */
  readonly sequence: number;
  /** Hash of the last event. */
  readonly head: string;
};

export type Mailing = {
  /** Identifier (UUID). */
  readonly id: string;
  /** The template: its id, or null once deleted. */
  readonly template: string | null;
  /** Name of the template. */
  readonly template_name: string;
  /** Name of the file. */
  readonly file_name: string;
  /** Character between two cells. */
  readonly separator: "," | ";" | "tab";
  /** Character set of the file. */
  readonly encoding: "utf-8" | "windows-1252" | "utf-16";
  /** How far it is. */
  readonly state: MailingState;
  /** Why it rests, and until when; null otherwise. */
  readonly pause: {
    /** Until when. */
    readonly until: string;
    /** A sentence in French. */
    readonly detail: string;
  } | null;
  /** The columns of the file. */
  readonly columns: readonly {
    /** Heading of the column. */
    readonly heading: string;
    /** The column's first cells. */
    readonly samples: readonly string[];
    /** What the column becomes; null: nothing. */
    readonly target: string | null;
  }[];
  /** People, by role of the template. */
  readonly people: readonly {
    /** Which of the template's roles, from 0. */
    readonly role_index: number;
    /** Mail address. */
    readonly email: string;
    /** First and last name, as printed beside the signature; a site's address in it is refused. */
    readonly full_name: string;
    /** Mobile number, as `+33612345678` or `06 12 34 56 78`; null or empty: none. */
    readonly phone_number: string | null;
  }[];
  /** Days from sending to the deadline; null: none. */
  readonly deadline_days: number | null;
  /** What the columns lack, in French; nothing leaves before. */
  readonly faults: readonly string[];
  /** How many there are in all. */
  readonly total: number;
  /** Lines that can be sent. */
  readonly ready: number;
  /** Lines to correct. */
  readonly refused: number;
  /** Lines that repeat a person of another line. */
  readonly doubles: number;
  /** Lines that stay out: left out, or stopped. */
  readonly left: number;
  /** Those of `left` that a stop left, which `retry` sends. */
  readonly stopped: number;
  /** How many were sent. */
  readonly sent: number;
  /** How many failed. */
  readonly failed: number;
  /** When it was made. */
  readonly created_at: string;
  /** When it was started; null before. */
  readonly started_at: string | null;
  /** When it finished; null before. */
  readonly finished_at: string | null;
  /** When this is forgotten. */
  readonly available_until: string | null;
};

export type MailingPlanRequest = {
  /** What each column of the file becomes: `title`, `name:0`, `first:0`, `email:0`, `phone:0`, `text:0` or null. */
  readonly columns: readonly (string | null)[];
  /** People, by role of the template. */
  readonly people?: readonly {
    /** Which of the template's roles, from 0. */
    readonly role_index: number;
    /** Mail address. */
    readonly email: string;
    /** First and last name, as printed beside the signature; a site's address in it is refused. */
    readonly full_name: string;
    /** Mobile number, as `+33612345678` or `06 12 34 56 78`; null or empty: none. */
    readonly phone_number?: string | null;
  }[];
  /** Days from sending to the deadline; null: none. */
  readonly deadline_days?: number | null;
};

export type MailingPreview = {
  /** Title; a site's address in it (`Bail.final`), mark-up or mixed alphabets are refused. */
  readonly title: string;
  /** Words to the recipients, several lines. */
  readonly message: string | null;
  /** Until when recipients may answer; null: without end. */
  readonly deadline_at: string | null;
  /** Who signs, approves, gives a visa or gets a copy. */
  readonly recipients: readonly {
    /** First and last name, as printed beside the signature; a site's address in it is refused. */
    readonly full_name: string;
    /** Mail address. */
    readonly email: string;
    /** What the person does; in `use_forms`, the role that the text tags name (null: none). */
    readonly role: Role;
  }[];
  /** Fields to fill in, on the pages of the documents. */
  readonly fields: readonly {
    /** Of which type it is. */
    readonly type: FieldType;
    /** Number of the page, from 1. */
    readonly page: number;
    /** Left edge: part of the page's width, from 0 to 1. */
    readonly x: number;
    /** Top edge: part of the page's height, from 0 to 1. */
    readonly y: number;
    /** Width: part of the page, from 0 to 1. */
    readonly width: number;
    /** Height: part of the page, from 0 to 1. */
    readonly height: number;
    /** Whether the field must be filled in. */
    readonly required: boolean;
    /** What to write there, shown to the signer. */
    readonly label: string | null;
    /** What the field has; of a mention, the sentence to copy; null: nothing. */
    readonly value: string | null;
    /** Which of `files`, from 0. */
    readonly document_index: number;
    /** Which of `recipients`, from 0. */
    readonly recipient_index: number;
  }[];
};

export type MailingRequest = {
  /** Id of the template. */
  readonly template: string;
  /** The file. */
  readonly file: {
    /** Name. */
    readonly name: string;
    /** The CSV in base64 (RFC 4648 §4), at most 5 242 880 bytes once decoded. */
    readonly content: FileContent;
  };
};

export type MailingRow = {
  /** Number of the line in the file. */
  readonly line: number;
  /** The line's cells, in the order of the columns. */
  readonly cells: readonly string[];
  /** How far it is. */
  readonly state: MailingRowState;
  /** Why, in French; null: nothing to say. */
  readonly note: string | null;
  /** Index of the column that is wrong, from 0; null: none. */
  readonly column: number | null;
  /** Id of the envelope; null before there is one. */
  readonly envelope_id: string | null;
};

export type MailingRowRequest = {
  /** The line's cells, in the order of the columns. */
  readonly cells?: readonly string[];
  /** `send`: a line of state `double` leaves all the same (it mends no `refused` one); `leave`: the line stays out; null: neither. */
  readonly choice?: "send" | "leave" | null;
};

export type MailingRowState = "ready" | "refused" | "double" | "left" | "sent" | "failed";

export type MailingRowStateInput = "ready" | "refused" | "double" | "left" | "sent" | "failed";

export type MailingRowsAnswer = {
  /** How many there are. */
  readonly count: number;
  /** True when there are more than `count`, which stops at 10 000. */
  readonly count_capped?: boolean;
  /** Number of the page, from 1. */
  readonly page: number;
  /** How many rows a page of the list has. */
  readonly page_size: number;
  /** The rows of this page. */
  readonly results: readonly MailingRow[];
};

export type MailingState = "ready" | "running" | "paused" | "done";

export type MailingsAnswer = {
  /** How many there are. */
  readonly count: number;
  /** True when there are more than `count`, which stops at 10 000. */
  readonly count_capped?: boolean;
  /** Number of the page, from 1. */
  readonly page: number;
  /** How many rows a page of the list has. */
  readonly page_size: number;
  /** The rows of this page. */
  readonly results: readonly Mailing[];
};

export type NewEnvelopeRequest = {
  /** Title; a site's address in it (`Bail.final`), mark-up or mixed alphabets are refused. */
  readonly title: string;
  /** Words to the recipients, several lines. */
  readonly message?: string | null;
  /** Until when recipients may answer; null: without end. */
  readonly deadline_at?: string | null;
  /** `parallel`: all at once; `sequential`: by `order`. */
  readonly flow?: FlowInput;
  /** Automatic reminders. */
  readonly reminders?: Reminders;
  /** The public page shows the proof and not the document. */
  readonly proof_only?: boolean;
  /** Kind of document, one of the `kinds` that `listOrganisationCircuits` gives; another is kept and imposes no circuit. */
  readonly document_kind?: string | null;
  /** The team that holds it, named by its id in a request; null: none. */
  readonly team?: string | null;
  /** Who signs, approves, gives a visa or gets a copy. */
  readonly recipients?: readonly RecipientRequest[];
  /** Fields to fill in, on the pages of the documents. */
  readonly fields?: readonly NewFieldRequest[];
  /** Makes fields of the file's form and text tags. */
  readonly use_forms?: readonly {
    /** Which of `files`, from 0. */
    readonly document_index: number;
    /** Who fills in the fields of each role. */
    readonly recipients?: readonly {
      /** What the person does; in `use_forms`, the role that the text tags name (null: none). */
      readonly role: string | null;
      /** Which of `recipients`, from 0. */
      readonly recipient_index: number;
    }[];
    /** Covers the text tags in what is shown and signed. */
    readonly erase_tags?: boolean;
  }[];
  /** Sends it in the same call; what cannot be sent is not created. Needs `envelopes:send` too. */
  readonly send?: boolean;
  /** The PDFs: in base64 (`name`, `content`), or sent ahead (`upload_id`); in a form, file parts. */
  readonly files: readonly ({
    /** Name of the file, which ends in `.pdf`; of one sent ahead, its own by default. */
    readonly name: string;
    /** The PDF in base64 (RFC 4648 §4: `+` and `/`, padded, without line breaks), at most 10 485 760 bytes once decoded. */
    readonly content: FileContent;
  } | {
    /** Id of a file sent ahead (`POST /api/signature/uploads/`), which serves once. */
    readonly upload_id: string;
    /** Name of the file, which ends in `.pdf`; of one sent ahead, its own by default. */
    readonly name?: string;
  })[];
};

export type NewFieldRequest = {
  /** Which of `files`, from 0. */
  readonly document_index: number;
  /** Which of `recipients`, from 0. */
  readonly recipient_index: number;
  /** Of which type it is. */
  readonly type: FieldTypeInput;
  /** Number of the page, from 1. */
  readonly page: number;
  /** Left edge: part of the page's width, from 0 to 1. */
  readonly x: number;
  /** Top edge: part of the page's height, from 0 to 1. */
  readonly y: number;
  /** Width: part of the page, from 0 to 1. */
  readonly width: number;
  /** Height: part of the page, from 0 to 1. */
  readonly height: number;
  /** Whether the field must be filled in. */
  readonly required?: boolean;
  /** What to write there, shown to the signer. */
  readonly label?: string | null;
  /** What the field has; of a mention, the sentence to copy; null: nothing. */
  readonly value?: string | null;
};

export type PageDifference = {
  /** Number of the page, from 1. */
  readonly page: number;
  /** Where on the page they differ. */
  readonly place: {
    /** Left edge: part of the page's width, from 0 to 1. */
    readonly x: number;
    /** Top edge: part of the page's height, from 0 to 1. */
    readonly y: number;
    /** Width: part of the page, from 0 to 1. */
    readonly width: number;
    /** Height: part of the page, from 0 to 1. */
    readonly height: number;
  };
  /** The page as it was uploaded, as a picture. */
  readonly original: string;
  /** The page in the corrected copy, as a picture. */
  readonly corrected: string;
};

export type Print = {
  /** Identifier (UUID). */
  readonly id: string;
  /** Id of the envelope. */
  readonly envelope: string;
  /** What the QR code opens. */
  readonly qr_type: QrType;
  /** Signature of the printed address. */
  readonly sig: string;
  /** Address of the public proof page. */
  readonly verify_url: string;
  /** The QR code, as SVG. */
  readonly qr_svg: string;
  /** Address of the document. */
  readonly document_url: string;
  /** Address of the copy to print. */
  readonly printable_url: string;
  /** Address of the proof file. */
  readonly proof_url: string;
  /** When it was made. */
  readonly created_at: string;
};

export type PrintListAnswer = {
  /** How many there are. */
  readonly count: number;
  /** True when there are more than `count`, which stops at 10 000. */
  readonly count_capped?: boolean;
  /** Number of the page, from 1. */
  readonly page: number;
  /** How many rows a page of the list has. */
  readonly page_size: number;
  /** The rows of this page. */
  readonly results: readonly Print[];
};

/** RFC 9457. `detail` is a French sentence, `code` a word for programs; further members depend on the code. */
export type Problem = {
  /** Always `about:blank`. */
  readonly type: string;
  /** What the status says, in French. */
  readonly title: string;
  /** Status of the answer. */
  readonly status: number;
  /** A sentence in French. */
  readonly detail: string;
  /** A word for programs, which never changes. */
  readonly code: string;
  /** Names this call in the service's log. */
  readonly request_id: string;
  /** Messages by field (`recipients.0.email`). */
  readonly errors?: Readonly<Record<string, readonly string[]>>;
};

export type ProgramHolder = {
  /** Of which kind it is. */
  readonly kind: "person" | "team" | "organisation";
  /** Identifier (UUID). */
  readonly id: string;
  /** Name. */
  readonly name: string | null;
};

export type Proof = {
  /** Title; a site's address in it (`Bail.final`), mark-up or mixed alphabets are refused. */
  readonly title: string | null;
  /** Whether everybody has signed. */
  readonly completed: boolean;
  /** When the last signer had signed. */
  readonly completed_at: string | null;
  /** Address of the document. */
  readonly document_url: string | null;
  /** SHA-256 of the file. */
  readonly hash_sha256: string | null;
  /** MD5 of the file, for older tools. */
  readonly hash_md5: string | null;
  /** Who signed. */
  readonly signers: readonly {
    /** First and last name, as printed beside the signature; a site's address in it is refused. */
    readonly full_name: string;
    /** Whether this person has signed. */
    readonly signed: boolean;
    /** When it was signed; null before. */
    readonly signed_at: string | null;
    /** How the link and the code reached this signer. */
    readonly reach?: {
      /** Whether the signer came by the mailed link or by an account. */
      readonly by: "link" | "account";
      /** How the link reached this person. */
      readonly link: {
        /** By mail or by text. */
        readonly channel: "email" | "sms" | "either";
        /** Where it went, partly hidden. */
        readonly destination: string | null;
      } | null;
      /** How the code reached this person; null: not known. */
      readonly code: {
        /** By mail or by text. */
        readonly channel: "email" | "sms" | "either";
        /** Where it went, partly hidden. */
        readonly destination: string | null;
      } | null;
      /** Which of the contacts answered: they alone are certified. */
      readonly confirmed: readonly ("email" | "phone")[];
    } | null;
  }[];
  /** Visas that were given. */
  readonly visas?: readonly {
    /** First and last name, as printed beside the signature; a site's address in it is refused. */
    readonly full_name: string;
    /** When it was given. */
    readonly given_at: string;
  }[];
  /** The certificate of the signature. */
  readonly certificate: {
    /** Subject: of a mail, or of a certificate. */
    readonly subject: {
      /** Common name. */
      readonly CN: string;
      /** Organisation. */
      readonly O: string | null;
      /** Country. */
      readonly C: string | null;
    };
    /** Serial number of the certificate. */
    readonly serial_number: string;
    /** First instant at which the certificate is valid. */
    readonly valid_from: string;
    /** Last instant at which the certificate is valid. */
    readonly valid_to: string;
    /** What says that the certificate was not revoked. */
    readonly revocation: {
      /** What the OCSP answer says. */
      readonly ocsp_status: "good" | "revoked" | "unknown" | null;
      /** Address of the OCSP service. */
      readonly ocsp_url: string | null;
      /** What the revocation list says. */
      readonly crl_status: "good" | "revoked" | null;
      /** Address of the revocation list. */
      readonly crl_url: string | null;
      /** When the OCSP answer was made. */
      readonly ocsp_at: string | null;
      /** When the revocation list was read. */
      readonly crl_at: string | null;
    };
    /** When, by the service's clock or a time-stamp authority. */
    readonly timestamp: {
      /** Time of the time-stamp. */
      readonly time: string;
      /** Name of the time-stamp authority. */
      readonly tsa: string;
    } | null;
    /** Certificates above it, in order. */
    readonly issuers: readonly string[];
    /** Algorithm of the hash. */
    readonly hash_algorithm: string | null;
    /** Whether the certificate was valid then. */
    readonly valid_at_signing: boolean | null;
  } | null;
  /** What the check says. */
  readonly verdict: Verdict;
  /** Why; null when there is nothing to say. */
  readonly reason: string;
  /** What to look at. */
  readonly warnings: readonly string[];
  /** Whether files and journal are unchanged. */
  readonly integrity: boolean;
  /** PAdES level: B-T or B-LTA; null before the first signature. */
  readonly level: "B-B" | "B-T" | "B-LT" | "B-LTA" | null;
  /** Documents, in their order. */
  readonly documents: readonly {
    /** Name. */
    readonly name: string | null;
    /** SHA-256 of the file. */
    readonly hash_sha256: string;
    /** MD5 of the file, for older tools. */
    readonly hash_md5: string | null;
    /** Address of the document. */
    readonly document_url: string | null;
    /** How many pages the document has. */
    readonly page_count: number | null;
  }[];
  /** When the check ran. */
  readonly checked_at: string;
  /** Whether its files were removed. */
  readonly purged: boolean;
  /** When its files were removed. */
  readonly purged_at: string | null;
  /** Whether it was cancelled. */
  readonly cancelled: boolean;
  /** Whether a recipient declined. */
  readonly declined?: boolean;
  /** Whether the deadline passed first. */
  readonly expired?: boolean;
  /** The public page shows the proof and not the document. */
  readonly proof_only: boolean;
  /** Whether each event follows the one before. */
  readonly chain: {
    /** Whether nothing was changed. */
    readonly intact: boolean;
    /** How many there are. */
    readonly count: number;
  };
  /** Proof that the public log includes the event. */
  readonly inclusion: Inclusion | null;
  /** Whether the completion is in the public log. */
  readonly completion_logged?: boolean;
  /** Keys that sign statements of the service. */
  readonly statement_keys: readonly FileContent[];
  /** Keys of statements that are no longer trusted. */
  readonly revoked_statement_keys?: readonly FileContent[];
};

export type ProofContent = {
  /** Version or kind of the file. */
  readonly format: "preuve-1";
  /** Which service made it. */
  readonly service: string;
  /** Title; a site's address in it (`Bail.final`), mark-up or mixed alphabets are refused. */
  readonly title: string | null;
  /** Whether everybody has signed. */
  readonly completed: boolean;
  /** When the last signer had signed. */
  readonly completed_at: string | null;
  /** Address of the document. */
  readonly document_url: string | null;
  /** SHA-256 of the file. */
  readonly hash_sha256: string | null;
  /** MD5 of the file, for older tools. */
  readonly hash_md5: string | null;
  /** Who signed. */
  readonly signers: readonly {
    /** First and last name, as printed beside the signature; a site's address in it is refused. */
    readonly full_name: string;
    /** Whether this person has signed. */
    readonly signed: boolean;
    /** When it was signed; null before. */
    readonly signed_at: string | null;
    /** How the link and the code reached this signer. */
    readonly reach?: {
      /** Whether the signer came by the mailed link or by an account. */
      readonly by: "link" | "account";
      /** How the link reached this person. */
      readonly link: {
        /** By mail or by text. */
        readonly channel: "email" | "sms" | "either";
        /** Where it went, partly hidden. */
        readonly destination: string | null;
      } | null;
      /** How the code reached this person; null: not known. */
      readonly code: {
        /** By mail or by text. */
        readonly channel: "email" | "sms" | "either";
        /** Where it went, partly hidden. */
        readonly destination: string | null;
      } | null;
      /** Which of the contacts answered: they alone are certified. */
      readonly confirmed: readonly ("email" | "phone")[];
    } | null;
  }[];
  /** Visas that were given. */
  readonly visas?: readonly {
    /** First and last name, as printed beside the signature; a site's address in it is refused. */
    readonly full_name: string;
    /** When it was given. */
    readonly given_at: string;
  }[];
  /** The certificate of the signature. */
  readonly certificate: {
    /** Subject: of a mail, or of a certificate. */
    readonly subject: {
      /** Common name. */
      readonly CN: string;
      /** Organisation. */
      readonly O: string | null;
      /** Country. */
      readonly C: string | null;
    };
    /** Serial number of the certificate. */
    readonly serial_number: string;
    /** First instant at which the certificate is valid. */
    readonly valid_from: string;
    /** Last instant at which the certificate is valid. */
    readonly valid_to: string;
    /** What says that the certificate was not revoked. */
    readonly revocation: {
      /** What the OCSP answer says. */
      readonly ocsp_status: "good" | "revoked" | "unknown" | null;
      /** Address of the OCSP service. */
      readonly ocsp_url: string | null;
      /** What the revocation list says. */
      readonly crl_status: "good" | "revoked" | null;
      /** Address of the revocation list. */
      readonly crl_url: string | null;
      /** When the OCSP answer was made. */
      readonly ocsp_at: string | null;
      /** When the revocation list was read. */
      readonly crl_at: string | null;
    };
    /** When, by the service's clock or a time-stamp authority. */
    readonly timestamp: {
      /** Time of the time-stamp. */
      readonly time: string;
      /** Name of the time-stamp authority. */
      readonly tsa: string;
    } | null;
    /** Certificates above it, in order. */
    readonly issuers: readonly string[];
    /** Algorithm of the hash. */
    readonly hash_algorithm: string | null;
    /** Whether the certificate was valid then. */
    readonly valid_at_signing: boolean | null;
  } | null;
  /** What the check says. */
  readonly verdict: Verdict;
  /** Why; null when there is nothing to say. */
  readonly reason: string;
  /** What to look at. */
  readonly warnings: readonly string[];
  /** Whether files and journal are unchanged. */
  readonly integrity: boolean;
  /** PAdES level: B-T or B-LTA; null before the first signature. */
  readonly level: "B-B" | "B-T" | "B-LT" | "B-LTA" | null;
  /** Documents, in their order. */
  readonly documents: readonly {
    /** Name. */
    readonly name: string | null;
    /** SHA-256 of the file. */
    readonly hash_sha256: string;
    /** MD5 of the file, for older tools. */
    readonly hash_md5: string | null;
    /** Address of the document. */
    readonly document_url: string | null;
    /** How many pages the document has. */
    readonly page_count: number | null;
  }[];
  /** When the check ran. */
  readonly checked_at: string;
  /** Whether its files were removed. */
  readonly purged: boolean;
  /** When its files were removed. */
  readonly purged_at: string | null;
  /** Whether it was cancelled. */
  readonly cancelled: boolean;
  /** Whether a recipient declined. */
  readonly declined?: boolean;
  /** Whether the deadline passed first. */
  readonly expired?: boolean;
  /** The public page shows the proof and not the document. */
  readonly proof_only: boolean;
  /** Whether each event follows the one before. */
  readonly chain: {
    /** Whether nothing was changed. */
    readonly intact: boolean;
    /** How many there are. */
    readonly count: number;
  };
  /** Proof that the public log includes the event. */
  readonly inclusion: Inclusion | null;
  /** Whether the completion is in the public log. */
  readonly completion_logged?: boolean;
  /** Keys that sign statements of the service. */
  readonly statement_keys: readonly FileContent[];
  /** Keys of statements that are no longer trusted. */
  readonly revoked_statement_keys?: readonly FileContent[];
  /** Id of the envelope. */
  readonly envelope: string;
  /** The printed copy. */
  readonly print: {
    /** Identifier (UUID). */
    readonly id: string;
    /** What the QR code opens. */
    readonly qr_type: QrType;
    /** When it was made. */
    readonly created_at: string;
  } | null;
  /** Files whose hashes the proof states. */
  readonly files: readonly {
    /** Id of the document. */
    readonly document: string;
    /** Name of the file, which ends in `.pdf`; of one sent ahead, its own by default. */
    readonly name: string | null;
    /** Size in bytes. */
    readonly size_bytes: number | null;
    /** SHA-256 of the file, in hexadecimal. */
    readonly sha256: string;
  }[];
  /** The signatures in the files. */
  readonly signatures: readonly {
    /** Id of the document. */
    readonly document: string;
    /** Name in the certificate. */
    readonly signer_name: string;
    /** Name of the signature field in the PDF. */
    readonly field: string | null;
    /** PAdES level: B-T or B-LTA; null before the first signature. */
    readonly level: "B-B" | "B-T" | "B-LT" | "B-LTA" | null;
    /** When it was signed; null before. */
    readonly signed_at: string;
    /** When, by the service's clock or a time-stamp authority. */
    readonly timestamp: {
      /** Time of the time-stamp. */
      readonly time: string;
      /** Name of the time-stamp authority. */
      readonly tsa: string;
    } | null;
    /** Serial number of the certificate. */
    readonly serial_number: string;
    /** The certificate of the signature. */
    readonly certificate: FileContent | null;
    /** SHA-256 of the certificate (DER). */
    readonly certificate_sha256?: string;
    /** What the check says. */
    readonly verdict: Verdict;
    /** Why; null when there is nothing to say. */
    readonly reason: string;
  }[];
  /** Certificates, in PEM or base64 DER. */
  readonly certificates: {
    /** Certificates of the signers. */
    readonly signers: readonly FileContent[];
    /** Certificate of the issuer. */
    readonly issuer: FileContent;
    /** The root certificate. */
    readonly root: FileContent;
    /** Certificate of the time-stamp authority. */
    readonly timestamp_authority: FileContent;
    /** Root certificates, in PEM. */
    readonly roots: readonly FileContent[];
    /** Certificates above it, in order. */
    readonly issuers: readonly FileContent[];
    /** Trusted certificates of time-stamp authorities. */
    readonly timestamp_anchors: readonly FileContent[];
  };
  /** What says that the certificate was not revoked. */
  readonly revocation: {
    /** Revocation lists. */
    readonly crls: readonly FileContent[];
    /** OCSP answers. */
    readonly ocsps: readonly FileContent[];
  };
  /** The envelope's events. */
  readonly journal: {
    /** Whether personal parts of the journal are included. */
    readonly disclosed: "all" | "names";
    /** Events, in order. */
    readonly events: readonly {
      /** Number in order, from 1. */
      readonly sequence: number;
      /** When it happened. */
      readonly at: string;
      /** Who did it. */
      readonly actor: string;
      /** What happened, as a word of the journal. */
      readonly action: string;
      /** Further facts, which depend on `action`. */
      readonly detail: Readonly<Record<string, unknown>>;
      /** Personal parts, each with the salt of its hash. */
      readonly personal: Readonly<Record<string, {
        /** The personal part. */
        readonly value: unknown;
        /** Salt of the hash, in base64. */
        readonly salt: string;
      }>>;
      /** Hash of the event before. */
      readonly previous_hash: string | null;
      /** Hash of this event, which includes the one before. */
      readonly hash: string;
    }[];
  };
};

export type ProofFile = {
  /** Where the schema of this file is published. */
  readonly "$schema": string;
  /** What the service states. */
  readonly proof: ProofContent;
  /** Signature of the proof (RFC 7515). */
  readonly jws: string;
  /** Time-stamp of `jws` (RFC 3161), DER in base64; null: none. */
  readonly timestamp: FileContent | null;
};

export type PublicInclusion = {
  /** Place in the log, from 0. */
  readonly leaf_index: number;
  /** Size of the log, in leaves. */
  readonly size: number;
  /** Hashes of the proof, in base64 (RFC 9162). */
  readonly path: readonly string[];
  /** Hash of the log's leaf. */
  readonly leaf_hash: string;
  /** A signed head of the public log. */
  readonly checkpoint: Checkpoint;
};

export type PublicPageRequest = {
  /** The public page shows the proof and not the document. */
  readonly proof_only: boolean;
};

export type QrType = "page" | "last" | "certificate";

export type QrTypeInput = "page" | "last" | "certificate";

export type Recipient = {
  /** Identifier (UUID). */
  readonly id: string;
  /** Mail address. */
  readonly email: string;
  /** First and last name, as printed beside the signature; a site's address in it is refused. */
  readonly full_name: string;
  /** Mobile number, as `+33612345678` or `06 12 34 56 78`; null or empty: none. */
  readonly phone_number: string | null;
  /** Role; of a person in the envelope, in the organisation or in the template. */
  readonly role: Role;
  /** Rank when the flow is sequential, from 1; equal ranks are asked together. */
  readonly order: number;
  /** Whether this person has signed. */
  readonly signed: boolean;
  /** When it was signed; null before. */
  readonly signed_at: string | null;
  /** When this person gave their visa. */
  readonly approved_at: string | null;
  /** When this person first opened it; null: not yet. */
  readonly viewed_at: string | null;
  /** How far it is. */
  readonly status: RecipientStatus;
  /** Why this person declined; null otherwise. */
  readonly decline_reason: string | null;
  /** Who acted for this person, by delegation. */
  readonly delegate_name?: string;
  /** Who had the step before. */
  readonly given_by?: string;
  /** The last time this person sent the document back. */
  readonly sent_back?: {
    /** Names of those to whom it went back. */
    readonly to: readonly string[];
    /** When it happened. */
    readonly at: string;
    /** Why; null when there is nothing to say. */
    readonly reason: string | null;
    /** Who acted for this person, by delegation. */
    readonly delegate_name?: string;
  };
  /** The limit of this person's step of a circuit. */
  readonly due?: {
    /** Business days that this person has. */
    readonly days: number;
    /** The last day of the limit; null before the step is asked for. */
    readonly day: string | null;
  };
  /** Mails and texts to this person, newest first. */
  readonly deliveries?: readonly Delivery[];
  /** Mails to those who may sign for this person, newest first. */
  readonly delegate_deliveries?: readonly Delivery[];
};

export type RecipientRequest = {
  /** Identifier (UUID). */
  readonly id?: string;
  /** Mail address. */
  readonly email: string;
  /** First and last name, as printed beside the signature; a site's address in it is refused. */
  readonly full_name: string;
  /** Mobile number, as `+33612345678` or `06 12 34 56 78`; null or empty: none. */
  readonly phone_number?: string | null;
  /** Role; of a person in the envelope, in the organisation or in the template. */
  readonly role?: RoleInput;
  /** Rank when the flow is sequential, from 1; equal ranks are asked together. */
  readonly order?: number;
};

export type RecipientStatus = "waiting" | "unreached" | "notified" | "viewed" | "approved" | "signed" | "declined";

export type RemindAnswer = {
  /** Addresses that were reminded. */
  readonly reminded: readonly string[];
};

export type Reminders = {
  /** Days between two automatic reminders; null: none. */
  readonly every_days: number | null;
  /** Whether only business days count; always true. */
  readonly business_days?: true;
};

export type RenameTemplateRequest = {
  /** Name; a site's address in it is refused. */
  readonly name: string;
};

export type ResendRequest = {
  /** By mail or by text. */
  readonly channel?: "email" | "sms";
};

export type Role = "signer" | "approver" | "visa" | "viewer";

export type RoleInput = "signer" | "approver" | "visa" | "viewer";

export type SaveLayoutRequest = {
  /** Name; a site's address in it is refused. */
  readonly name: string;
  /** Fields to fill in, on the pages of the documents. */
  readonly fields: readonly {
    /** Which of the documents, from 0. */
    readonly document_rank: number;
    /** Which of the people, from 0. */
    readonly person_rank: number;
    /** Of which type it is. */
    readonly type: FieldTypeInput;
    /** Number of the page, from 1. */
    readonly page: -1 | number;
    /** Left edge: part of the page's width, from 0 to 1. */
    readonly x: number;
    /** Top edge: part of the page's height, from 0 to 1. */
    readonly y: number;
    /** Width: part of the page, from 0 to 1. */
    readonly width: number;
    /** Height: part of the page, from 0 to 1. */
    readonly height: number;
    /** Whether the field must be filled in. */
    readonly required?: boolean;
    /** What to write there, shown to the signer. */
    readonly label?: string | null;
    /** What the field has; of a mention, the sentence to copy; null: nothing. */
    readonly value?: string | null;
  }[];
  /** The team that holds it, named by its id in a request; null: none. */
  readonly team?: string | null;
};

export type SaveTemplateRequest = {
  /** Id of the envelope. */
  readonly envelope: string;
  /** Name; a site's address in it is refused. */
  readonly name: string;
  /** Roles to be filled by people. */
  readonly roles?: readonly {
    /** Id of the recipient whose place the role takes. */
    readonly recipient: string;
    /** Name of the role, `Locataire` say. */
    readonly label: string;
  }[];
  /** The team that holds it, named by its id in a request; null: none. */
  readonly team?: string | null;
};

export type SendEnvelopeRequest = {
  /** Words to the recipients, several lines. */
  readonly message?: string | null;
};

export type StartMailingRequest = {
  /** Takes failed and stopped lines again. */
  readonly retry?: boolean;
};

export type Status = "draft" | "sent" | "pending" | "completed" | "declined" | "expired" | "cancelled" | "action_required";

export type StoredStatus = "draft" | "sent" | "pending" | "completed" | "declined" | "expired" | "cancelled";

export type Suggestion = {
  /** First and last name, as printed beside the signature; a site's address in it is refused. */
  readonly full_name: string;
  /** Mail address. */
  readonly email: string;
  /** Mobile number, as `+33612345678` or `06 12 34 56 78`; null or empty: none. */
  readonly phone_number: string | null;
};

export type SuggestionsAnswer = {
  /** The rows of this page. */
  readonly results: readonly Suggestion[];
};

export type TeamFilter = "mine" | string;

export type TeamRef = {
  /** Identifier (UUID). */
  readonly id: string;
  /** Name. */
  readonly name: string;
};

export type Template = {
  /** Identifier (UUID). */
  readonly id: string;
  /** Name. */
  readonly name: string;
  /** The team that holds it, named by its id in a request; null: none. */
  readonly team?: TeamRef;
  /** Title; a site's address in it (`Bail.final`), mark-up or mixed alphabets are refused. */
  readonly title: string;
  /** Words to the recipients, several lines. */
  readonly message: string | null;
  /** `parallel`: all at once; `sequential`: by `order`. */
  readonly flow: Flow;
  /** Kind of document, one of the `kinds` that `listOrganisationCircuits` gives; another is kept and imposes no circuit. */
  readonly document_kind: string | null;
  /** The approval circuit; absent or null without one. */
  readonly circuit: {
    /** Name. */
    readonly name: string;
  } | null;
  /** The name of its circuit, deleted since. */
  readonly lost_circuit?: string;
  /** Documents, in their order. */
  readonly documents: readonly {
    /** Name. */
    readonly name: string;
    /** Size in bytes. */
    readonly size: number;
    /** How many pages the document has. */
    readonly page_count: number;
  }[];
  /** Roles to be filled by people. */
  readonly roles: readonly {
    /** Name of the role, `Locataire` say. */
    readonly label: string;
    /** Role; of a person in the envelope, in the organisation or in the template. */
    readonly role: Role;
    /** Rank when the flow is sequential, from 1; equal ranks are asked together. */
    readonly order: number;
    /** How many fields there are. */
    readonly field_count: number;
  }[];
  /** How many fields there are. */
  readonly field_count: number;
  /** Texts to fill in. */
  readonly texts: readonly string[];
  /** When it was made. */
  readonly created_at: string;
  /** When it was last changed. */
  readonly updated_at: string;
};

export type TemplatesAnswer = {
  /** How many there are. */
  readonly count: number;
  /** The rows of this page. */
  readonly results: readonly Template[];
};

export type UploadAnswer = {
  /** Identifier (UUID). */
  readonly id: string;
  /** Name. */
  readonly name: string;
  /** Size in bytes. */
  readonly size: number;
  /** SHA-256 of the file, in hexadecimal. */
  readonly sha256: string;
  /** How many pages the document has. */
  readonly page_count: number;
  /** What the check of the file found. */
  readonly control: {
    /** `ok`: to sign as it is; `fixable`: after its corrected copy was accepted. */
    readonly result: "ok" | "fixable";
    /** What was found, with a French sentence each. */
    readonly findings: readonly Finding[];
  };
  /** When it ends; null: never. */
  readonly expires_at: string;
};

export type UseTemplateRequest = {
  /** Title; a site's address in it (`Bail.final`), mark-up or mixed alphabets are refused. */
  readonly title?: string;
  /** People, by role of the template. */
  readonly people?: readonly {
    /** Which of the template's roles, from 0. */
    readonly role_index: number;
    /** Mail address. */
    readonly email: string;
    /** First and last name, as printed beside the signature; a site's address in it is refused. */
    readonly full_name: string;
    /** Mobile number, as `+33612345678` or `06 12 34 56 78`; null or empty: none. */
    readonly phone_number?: string | null;
  }[];
};

export type User = {
  /** Identifier (UUID). */
  readonly id: string;
  /** Name with which to sign in. */
  readonly username: string;
  /** Mail address. */
  readonly email: string;
  /** Whether the mail address is confirmed. */
  readonly email_confirmed: boolean;
  /** First name; a site's address in it is refused. */
  readonly first_name: string;
  /** Last name; a site's address in it is refused. */
  readonly last_name: string;
  /** Date of birth (YYYY-MM-DD). */
  readonly birth_date: string | null;
  /** Mobile number, as `+33612345678` or `06 12 34 56 78`; null or empty: none. */
  readonly phone_number: string | null;
  /** Whether the number is confirmed. */
  readonly phone_verified: boolean;
  /** Form of address. */
  readonly gender: string;
  /** Postal address. */
  readonly address: string | null;
  /** Picture of the profile: an address, or a file in a form. */
  readonly avatar: string | null;
  /** How this person is told of news. */
  readonly notifications: {
    /** Whether to tell by mail. */
    readonly email: boolean;
    /** Whether to tell by text. */
    readonly sms: boolean;
    /** Whether to tell by push. */
    readonly push: boolean;
  };
  /** How many envelopes wait for this person. */
  readonly unread_actions: number;
  /** Role in the organisation; null: no member. */
  readonly organisation_role?: "owner" | "administrator" | "member" | "reader";
  /** From when on a second factor is required; null: it is not missing. */
  readonly second_factor_by?: string;
  /** Teams. */
  readonly teams?: readonly TeamRef[];
};

export type Verdict = "valid" | "indeterminate" | "invalid";

export type Warning = {
  /** A word for programs, which never changes. */
  readonly code: "covers_form_field" | "mention_too_small" | "page_covered";
  /** Id of the field. */
  readonly field_id: string;
  /** Id of the document. */
  readonly document_id: string;
  /** Number of the page, from 1. */
  readonly page: number;
};

export type Webhook = {
  /** Identifier (UUID). */
  readonly id: string;
  /** Who has it: the caller's person, a team or the organisation. */
  readonly holder: ProgramHolder;
  /** Name of who stands behind it. */
  readonly by: string;
  /** Address. */
  readonly url: string;
  /** Types of events to tell. */
  readonly types: readonly ("envelope.sent" | "envelope.completed" | "envelope.cancelled" | "envelope.restored" | "envelope.expired" | "envelope.purged" | "recipient.viewed" | "recipient.signed" | "recipient.declined" | "recipient.approved" | "recipient.returned" | "message.bounced")[];
  /** When it was made. */
  readonly created_at: string;
  /** Why it rests: `asked`; `failing`, after three days; `gone`, after a 410; null: it does not. */
  readonly paused: "asked" | "failing" | "gone" | null;
  /** When it stopped by itself; null otherwise. */
  readonly paused_at: string | null;
  /** How many wait. */
  readonly waiting: number;
  /** Whether the last delivery failed. */
  readonly failing: boolean;
  /** Public key with which to verify. */
  readonly public_key: string;
};

export type WebhookChange = {
  /** Address. */
  readonly url?: string;
  /** Types of events to tell. */
  readonly types?: readonly ("envelope.sent" | "envelope.completed" | "envelope.cancelled" | "envelope.restored" | "envelope.expired" | "envelope.purged" | "recipient.viewed" | "recipient.signed" | "recipient.declined" | "recipient.approved" | "recipient.returned" | "message.bounced")[];
  /** `false`: what waits is tried at once, in order; `true`: it rests. */
  readonly paused?: boolean;
};

export type WebhookEvent = {
  /** Of which type it is. */
  readonly type: "envelope.sent" | "envelope.completed" | "envelope.cancelled" | "envelope.restored" | "envelope.expired" | "envelope.purged" | "recipient.viewed" | "recipient.signed" | "recipient.declined" | "recipient.approved" | "recipient.returned" | "message.bounced" | "test.ping";
  /** When, by the service's clock or a time-stamp authority. */
  readonly timestamp: string;
  /** The envelope as it is now, and the recipient concerned. */
  readonly data: {
    /** Identifier (UUID). */
    readonly id?: string;
    /** Title; a site's address in it (`Bail.final`), mark-up or mixed alphabets are refused. */
    readonly title?: string;
    /** How far it is. */
    readonly status?: string;
    /** How many there are. */
    readonly recipients?: number;
    /** The recipient concerned. */
    readonly recipient?: {
      /** Identifier (UUID). */
      readonly id: string;
      /** First and last name, as printed beside the signature; a site's address in it is refused. */
      readonly full_name: string;
      /** Mail address. */
      readonly email: string;
      /** Role; of a person in the envelope, in the organisation or in the template. */
      readonly role: string;
      /** How far it is. */
      readonly status: string;
    };
  };
};

export type WebhookList = {
  /** Webhooks of the account. */
  readonly webhooks: readonly Webhook[];
  /** Who may have one. */
  readonly holders: readonly ProgramHolder[];
};

export type WebhookReplay = {
  /** `true`: an earlier event of its envelope goes first; `false`: it leaves at once. */
  readonly waits: boolean;
};

export type WebhookRequest = {
  /** Address. */
  readonly url: string;
  /** Types of events to tell. */
  readonly types: readonly ("envelope.sent" | "envelope.completed" | "envelope.cancelled" | "envelope.restored" | "envelope.expired" | "envelope.purged" | "recipient.viewed" | "recipient.signed" | "recipient.declined" | "recipient.approved" | "recipient.returned" | "message.bounced")[];
  /** Id of the team or organisation that has it; left out: the caller. */
  readonly holder?: string;
};

export type WebhookSecret = {
  /** The webhook, without its secret. */
  readonly webhook: Webhook;
  /** The secret, shown once. */
  readonly secret: string;
};

export type WebhookTries = {
  /** Deliveries, newest first. */
  readonly tries: readonly WebhookTry[];
  /** Where the next part begins; null: the end. */
  readonly next: string | null;
};

export type WebhookTry = {
  /** Identifier (UUID). */
  readonly id: string;
  /** Of which type it is. */
  readonly type: string;
  /** When it happened. */
  readonly at: string;
  /** Path of the address that was called. */
  readonly path: string;
  /** Status that the receiver answered; null: no answer. */
  readonly status: number | null;
  /** How long the call took, in milliseconds. */
  readonly duration_ms: number;
  /** Headers of the call. */
  readonly headers: Readonly<Record<string, string>>;
  /** What was sent; null once the envelope is purged. */
  readonly request: string | null;
  /** What the receiver answered, cut; without an answer, why. */
  readonly answer: string;
  /** When its event is tried again, at the earliest; null unless it waits for that. */
  readonly next_try_at: string | null;
};

/** Codes of refusals; a newer service may have more. */
export type ProblemCode =
  | "account_required"
  | "address_unconfirmed"
  | "bearer_not_taken"
  | "body_too_slow"
  | "copy_differs"
  | "copy_to_accept"
  | "csrf_failed"
  | "deadline_passed"
  | "delegation_over"
  | "envelope_cancelled"
  | "envelope_declined"
  | "envelope_expired"
  | "envelope_too_large"
  | "factor_required"
  | "file_too_large"
  | "foreign_origin"
  | "fresh_sign_in_required"
  | "idempotency_conflict"
  | "internal"
  | "invalid_state"
  | "key_address"
  | "key_expired"
  | "key_factor_required"
  | "key_in_address"
  | "key_scope"
  | "key_unknown"
  | "mail_off"
  | "malformed_request"
  | "members_only"
  | "no_deadline"
  | "not_a_pdf"
  | "not_a_signer"
  | "not_allowed"
  | "not_completed"
  | "not_found"
  | "not_ready_to_send"
  | "not_your_turn"
  | "organisation_changed"
  | "otp_required"
  | "page_covered"
  | "pdf_damaged"
  | "pdf_dangerous_attachment"
  | "pdf_dynamic_xfa"
  | "pdf_encrypted"
  | "pdf_encrypted_for_recipients"
  | "pdf_invalid_signatures"
  | "pdf_of_this_envelope"
  | "pdf_signed_and_damaged"
  | "pdf_signed_and_encrypted"
  | "pdf_signing_forbidden"
  | "pdf_too_complex"
  | "pdf_too_many_pages"
  | "pdf_undrawn_annotations"
  | "pdf_unfinishable"
  | "pdf_unverifiable_signatures"
  | "print_returned"
  | "readers_only_read"
  | "recipient_answered"
  | "recipient_not_awaited"
  | "remind_cooldown"
  | "request_too_large"
  | "service_unavailable"
  | "session_expired"
  | "signature_in_progress"
  | "step_imposed"
  | "step_reassigned"
  | "storage_full"
  | "storage_quota_reached"
  | "stored_file_lost"
  | "too_many_layouts"
  | "too_many_messages"
  | "too_many_requests"
  | "too_many_templates"
  | "too_many_webhooks"
  | "unsupported_media_type"
  | "validation"
  | "version_conflict"
  | "webhook_paused";

export type Operations = {
  /** Cancel envelope: `POST /api/signature/envelopes/{id}/cancel/`. Scope: `envelopes:send`. */
  readonly cancelEnvelope: {
    readonly input: {
      readonly id: string;
    };
    readonly output: Envelope;
  };
  /** Correct recipient: `PATCH /api/signature/envelopes/{id}/recipients/{recipientId}/`. Scope: `envelopes:send`. */
  readonly correctRecipient: {
    readonly input: {
      readonly id: string;
      readonly recipientId: string;
    } & CorrectRecipientRequest;
    readonly output: Envelope;
  };
  /** Count envelopes: `GET /api/signature/envelopes/counts/`. Scope: `envelopes:read`. */
  readonly countEnvelopes: {
    readonly input: NoInput;
    readonly output: CountsAnswer;
  };
  /** Create envelope: `POST /api/signature/envelopes/`. Scope: `envelopes:write`. */
  readonly createEnvelope: {
    readonly input: NewEnvelopeRequest;
    readonly output: Envelope;
  };
  /** Create layout: `POST /api/signature/layouts/`. Scope: `envelopes:write`. */
  readonly createLayout: {
    readonly input: SaveLayoutRequest;
    readonly output: Layout;
  };
  /** Create mailing: `POST /api/signature/mailings/`. Scope: `envelopes:send`. */
  readonly createMailing: {
    readonly input: MailingRequest;
    readonly output: Mailing;
  };
  /** Create my webhook: `POST /api/signature/me/webhooks/`. Scope: `webhooks:write`. */
  readonly createMyWebhook: {
    readonly input: WebhookRequest;
    readonly output: WebhookSecret;
  };
  /** Create template: `POST /api/signature/templates/`. Scope: `envelopes:write`. */
  readonly createTemplate: {
    readonly input: SaveTemplateRequest;
    readonly output: Template;
  };
  /** Create upload: `POST /api/signature/uploads/`. Scope: `envelopes:write`. */
  readonly createUpload: {
    readonly input: { readonly file: FileContent } & {
      readonly name?: string;
    };
    readonly output: UploadAnswer;
  };
  /** Delete layout: `DELETE /api/signature/layouts/{id}/`. Scope: `envelopes:write`. */
  readonly deleteLayout: {
    readonly input: {
      readonly id: string;
    };
    readonly output: void;
  };
  /** Delete mailing: `DELETE /api/signature/mailings/{id}/`. Scope: `envelopes:send`. */
  readonly deleteMailing: {
    readonly input: {
      readonly id: string;
    };
    readonly output: void;
  };
  /** Delete my webhook: `DELETE /api/signature/me/webhooks/{id}/`. Scope: `webhooks:write`. */
  readonly deleteMyWebhook: {
    readonly input: {
      readonly id: string;
    };
    readonly output: void;
  };
  /** Delete template: `DELETE /api/signature/templates/{id}/`. Scope: `envelopes:write`. */
  readonly deleteTemplate: {
    readonly input: {
      readonly id: string;
    };
    readonly output: void;
  };
  /** Duplicate envelope: `POST /api/signature/envelopes/{id}/duplicate/`. Scope: `envelopes:write`. */
  readonly duplicateEnvelope: {
    readonly input: {
      readonly id: string;
    };
    readonly output: Envelope;
  };
  /** Embed signing: `POST /api/signature/envelopes/{id}/recipients/{recipientId}/embed/`. Scope: `envelopes:send`. */
  readonly embedSigning: {
    readonly input: {
      readonly id: string;
      readonly recipientId: string;
    } & {
      /** One of the key's `origins`: in https, without a path; in http, `localhost` or `127.0.0.1`; a port may follow. */
      readonly origin: string;
      /** Where the signer goes afterwards: a page of the same site. */
      readonly return_url?: string;
    };
    readonly output: {
      /** Address for a frame, which opens once. */
      readonly url: string;
      /** When it ends; null: never. */
      readonly expires_at: string;
    };
  };
  /** Extend envelope: `POST /api/signature/envelopes/{id}/extend/`. Scope: `envelopes:send`. */
  readonly extendEnvelope: {
    readonly input: {
      readonly id: string;
    } & ExtendRequest;
    readonly output: Envelope;
  };
  /** Generate print: `POST /api/signature/prints/generate/`. Scope: `proof:read`. */
  readonly generatePrint: {
    readonly input: GeneratePrintRequest;
    readonly output: Print;
  };
  /** Get consistency proof: `GET /api/signature/transparency/consistency/`. */
  readonly getConsistencyProof: {
    readonly input: {
      readonly first: number;
      readonly second?: number;
    };
    readonly output: Consistency;
  };
  /** Get dashboard: `GET /api/signature/dashboard/`. Scope: `envelopes:read`. */
  readonly getDashboard: {
    readonly input: {
      readonly from?: string;
      readonly to?: string;
    };
    readonly output: DashboardAnswer;
  };
  /** Get envelope: `GET /api/signature/envelopes/{id}/`. Scope: `envelopes:read`. */
  readonly getEnvelope: {
    readonly input: {
      readonly id: string;
    };
    readonly output: Envelope;
  };
  /** Get envelope document correction: `GET /api/signature/envelopes/{id}/documents/{document_id}/correction/`. Scope: `envelopes:read`. */
  readonly getEnvelopeDocumentCorrection: {
    readonly input: {
      readonly id: string;
      readonly document_id: string;
      readonly from?: number;
    };
    readonly output: CorrectionAnswer;
  };
  /** Get envelope document file: `GET /api/signature/envelopes/{id}/documents/{document_id}/file/`. Scope: `envelopes:read`. */
  readonly getEnvelopeDocumentFile: {
    readonly input: {
      readonly id: string;
      readonly document_id: string;
      readonly document?: string;
      readonly token?: string;
    };
    readonly output: Response;
  };
  /** Get envelope document first page: `GET /api/signature/envelopes/{id}/documents/{document_id}/first-page/`. Scope: `envelopes:read`. */
  readonly getEnvelopeDocumentFirstPage: {
    readonly input: {
      readonly id: string;
      readonly document_id: string;
      readonly document?: string;
      readonly token?: string;
    };
    readonly output: Response;
  };
  /** Get envelope download: `GET /api/signature/envelopes/{id}/download/`. Scope: `proof:read`. */
  readonly getEnvelopeDownload: {
    readonly input: {
      readonly id: string;
      readonly document?: string;
      readonly token?: string;
      readonly current?: "true";
    };
    readonly output: DownloadAnswer;
  };
  /** Get envelope evidence: `GET /api/signature/envelopes/{id}/evidence/`. Scope: `proof:read`. */
  readonly getEnvelopeEvidence: {
    readonly input: {
      readonly id: string;
    };
    readonly output: Response;
  };
  /** Get envelope form: `GET /api/signature/envelopes/{id}/form/`. Scope: `envelopes:read`. */
  readonly getEnvelopeForm: {
    readonly input: {
      readonly id: string;
    };
    readonly output: FormAnswer;
  };
  /** Get inclusion proof: `GET /api/signature/transparency/inclusion/`. */
  readonly getInclusionProof: {
    readonly input: {
      readonly leaf: number;
      readonly size?: number;
    };
    readonly output: PublicInclusion;
  };
  /** Get latest checkpoint: `GET /api/signature/transparency/checkpoints/latest/`. */
  readonly getLatestCheckpoint: {
    readonly input: NoInput;
    readonly output: Checkpoint;
  };
  /** Get mailing: `GET /api/signature/mailings/{id}/`. Scope: `envelopes:read`. */
  readonly getMailing: {
    readonly input: {
      readonly id: string;
    };
    readonly output: Mailing;
  };
  /** Get mailing report: `GET /api/signature/mailings/{id}/report/`. Scope: `envelopes:read`. */
  readonly getMailingReport: {
    readonly input: {
      readonly id: string;
      readonly only?: "faults";
    };
    readonly output: Response;
  };
  /** Get mailing row preview: `GET /api/signature/mailings/{id}/rows/{line}/preview/`. Scope: `envelopes:read`. */
  readonly getMailingRowPreview: {
    readonly input: {
      readonly id: string;
      readonly line: number;
    };
    readonly output: MailingPreview;
  };
  /** Get my account: `GET /api/signature/me/`. */
  readonly getMyAccount: {
    readonly input: NoInput;
    readonly output: AccountAnswer;
  };
  /** Get print document: `GET /api/signature/prints/{id}/document/`. Scope: `proof:read`. */
  readonly getPrintDocument: {
    readonly input: {
      readonly id: string;
      readonly sig?: string;
      readonly document?: string;
    };
    readonly output: Response;
  };
  /** Get print proof: `GET /api/signature/prints/{id}/proof/`. Scope: `proof:read`. */
  readonly getPrintProof: {
    readonly input: {
      readonly id: string;
      readonly sig?: string;
      readonly document?: string;
    };
    readonly output: ProofFile;
  };
  /** Get printable copy: `GET /api/signature/prints/{id}/printable/`. Scope: `proof:read`. */
  readonly getPrintableCopy: {
    readonly input: {
      readonly id: string;
      readonly sig?: string;
      readonly document?: string;
    };
    readonly output: Response;
  };
  /** Get template: `GET /api/signature/templates/{id}/`. Scope: `envelopes:read`. */
  readonly getTemplate: {
    readonly input: {
      readonly id: string;
    };
    readonly output: Template;
  };
  /** Get template document file: `GET /api/signature/templates/{id}/documents/{position}/file/`. Scope: `envelopes:read`. */
  readonly getTemplateDocumentFile: {
    readonly input: {
      readonly id: string;
      readonly position: string;
    };
    readonly output: Response;
  };
  /** List contacts: `GET /api/signature/contacts/`. Scope: `contacts:read`. */
  readonly listContacts: {
    readonly input: {
      readonly page?: number;
      readonly page_size?: number;
      readonly search?: string;
      readonly ordering?: "recent" | "name";
      readonly origin?: ContactOriginInput;
      readonly team?: TeamFilter;
    };
    readonly output: ContactsAnswer;
    readonly row: Contact;
  };
  /** List envelope events: `GET /api/signature/envelopes/{id}/events/`. Scope: `envelopes:read`. */
  readonly listEnvelopeEvents: {
    readonly input: {
      readonly id: string;
      readonly page?: number;
      readonly page_size?: number;
      readonly kind?: JournalKind;
      readonly verify?: "now";
    };
    readonly output: EventsAnswer;
    readonly row: AuditEvent;
  };
  /** List envelopes: `GET /api/signature/envelopes/`. Scope: `envelopes:read`. */
  readonly listEnvelopes: {
    readonly input: {
      readonly page?: number;
      readonly page_size?: number;
      readonly status?: "draft" | "sent" | "completed" | "cancelled" | "action_required" | string;
      readonly search?: string;
      readonly search_in?: "title";
      readonly team?: TeamFilter;
      readonly from?: string;
      readonly to?: string;
      readonly ordering?: "-created_at" | "created_at" | "title" | "-title" | "deadline_at";
    };
    readonly output: EnvelopeListAnswer;
    readonly row: Envelope;
  };
  /** List known domains: `GET /api/signature/recipients/domains/`. Scope: `contacts:read`. */
  readonly listKnownDomains: {
    readonly input: NoInput;
    readonly output: KnownDomainsAnswer;
  };
  /** List layouts: `GET /api/signature/layouts/`. Scope: `envelopes:read`. */
  readonly listLayouts: {
    readonly input: NoInput;
    readonly output: LayoutsAnswer;
  };
  /** List mailing rows: `GET /api/signature/mailings/{id}/rows/`. Scope: `envelopes:read`. */
  readonly listMailingRows: {
    readonly input: {
      readonly id: string;
      readonly page?: number;
      readonly page_size?: number;
      readonly order?: "faults" | "line";
      readonly state?: MailingRowStateInput;
    };
    readonly output: MailingRowsAnswer;
    readonly row: MailingRow;
  };
  /** List mailings: `GET /api/signature/mailings/`. Scope: `envelopes:read`. */
  readonly listMailings: {
    readonly input: {
      readonly page?: number;
      readonly page_size?: number;
    };
    readonly output: MailingsAnswer;
    readonly row: Mailing;
  };
  /** List my webhook tries: `GET /api/signature/me/webhooks/{id}/tries/`. Scope: `webhooks:write`. */
  readonly listMyWebhookTries: {
    readonly input: {
      readonly id: string;
      readonly before?: string;
    };
    readonly output: WebhookTries;
  };
  /** List my webhooks: `GET /api/signature/me/webhooks/`. Scope: `webhooks:write`. */
  readonly listMyWebhooks: {
    readonly input: NoInput;
    readonly output: WebhookList;
  };
  /** List organisation circuits: `GET /api/organisation/circuits/`. Scope: `envelopes:read`. */
  readonly listOrganisationCircuits: {
    readonly input: NoInput;
    readonly output: {
      /** Circuits of the organisation. */
      readonly circuits: readonly {
        /** Identifier (UUID). */
        readonly id: string;
        /** Name. */
        readonly name: string;
        /** When the circuit is used. */
        readonly use: "imposed" | "proposed" | "free";
        /** Kinds of document for which the circuit is meant. */
        readonly kinds: readonly string[];
        /** Steps, in order. */
        readonly steps: readonly {
          /** Of which kind it is. */
          readonly kind: "visa" | "signature" | "copy";
          /** Whether this step is asked together with the one before. */
          readonly together: boolean;
          /** Whether this person may send the document back. */
          readonly may_return: boolean;
          /** Whether this person may give the step to a colleague. */
          readonly may_reassign: boolean;
          /** Number of days; null: without end. */
          readonly days: number | null;
          /** Whether to remind before the limit. */
          readonly remind: "eve" | "daily" | null;
          /** Who does the step, and how they are found. */
          readonly by: {
            /** Who does the step. */
            readonly who: "person";
            /** Mail address. */
            readonly email: string;
            /** First and last name, as printed beside the signature; a site's address in it is refused. */
            readonly full_name: string;
          } | {
            /** Who does the step. */
            readonly who: "owner";
          } | {
            /** Who does the step. */
            readonly who: "administrator";
          } | {
            /** Who does the step. */
            readonly who: "team_administrator";
            /** The team, by its id in a request; null: that of whoever prepares. */
            readonly team: TeamRef | null;
          } | {
            /** Who does the step. */
            readonly who: "team_members";
            /** The team, by its id in a request; null: that of whoever prepares. */
            readonly team: TeamRef | null;
          } | {
            /** Who does the step. */
            readonly who: "preparer";
          } | {
            /** Who does the step. */
            readonly who: "other_party";
          };
        }[];
        /** Grows with each change: send it back (`If-Match` for an envelope). */
        readonly version: number;
        /** How many envelopes follow the circuit now. */
        readonly running: number;
      }[];
    };
  };
  /** List prints: `GET /api/signature/prints/`. Scope: `proof:read`. */
  readonly listPrints: {
    readonly input: {
      readonly page?: number;
      readonly page_size?: number;
      readonly envelope?: string;
    };
    readonly output: PrintListAnswer;
    readonly row: Print;
  };
  /** List templates: `GET /api/signature/templates/`. Scope: `envelopes:read`. */
  readonly listTemplates: {
    readonly input: NoInput;
    readonly output: TemplatesAnswer;
  };
  /** List transparency authorities: `GET /api/signature/transparency/authorities/`. */
  readonly listTransparencyAuthorities: {
    readonly input: NoInput;
    readonly output: LogAuthorities;
  };
  /** List transparency checkpoints: `GET /api/signature/transparency/checkpoints/`. */
  readonly listTransparencyCheckpoints: {
    readonly input: {
      readonly page?: number;
      readonly page_size?: number;
    };
    readonly output: CheckpointListAnswer;
    readonly row: Checkpoint;
  };
  /** List transparency leaves: `GET /api/signature/transparency/leaves/`. */
  readonly listTransparencyLeaves: {
    readonly input: {
      readonly from?: number;
      readonly to?: number;
    };
    readonly output: Leaves;
  };
  /** Purge envelope: `DELETE /api/signature/envelopes/{id}/purge/`. Scope: `envelopes:send`. */
  readonly purgeEnvelope: {
    readonly input: {
      readonly id: string;
    };
    readonly output: void;
  };
  /** Remind recipients: `POST /api/signature/envelopes/{id}/remind/`. Scope: `envelopes:send`. */
  readonly remindRecipients: {
    readonly input: {
      readonly id: string;
    };
    readonly output: RemindAnswer;
  };
  /** Replace webhook secret: `POST /api/signature/me/webhooks/{id}/secret/`. Scope: `webhooks:write`. */
  readonly replaceWebhookSecret: {
    readonly input: {
      readonly id: string;
    };
    readonly output: WebhookSecret;
  };
  /** Replay webhook try: `POST /api/signature/me/webhooks/{id}/tries/{try_id}/replay/`. Scope: `webhooks:write`. */
  readonly replayWebhookTry: {
    readonly input: {
      readonly id: string;
      readonly try_id: string;
    };
    readonly output: WebhookReplay;
  };
  /** Resend invitation: `POST /api/signature/envelopes/{id}/recipients/{recipientId}/resend/`. Scope: `envelopes:send`. */
  readonly resendInvitation: {
    readonly input: {
      readonly id: string;
      readonly recipientId: string;
    } & ResendRequest;
    readonly output: Envelope;
  };
  /** Restore envelope: `POST /api/signature/envelopes/{id}/restore/`. Scope: `envelopes:send`. */
  readonly restoreEnvelope: {
    readonly input: {
      readonly id: string;
    };
    readonly output: Envelope;
  };
  /** Send envelope: `POST /api/signature/envelopes/{id}/send/`. Scope: `envelopes:send`. */
  readonly sendEnvelope: {
    readonly input: {
      readonly id: string;
    } & SendEnvelopeRequest;
    readonly output: Envelope;
  };
  /** Set envelope circuit: `PUT /api/signature/envelopes/{id}/circuit/`. Scope: `envelopes:write`. */
  readonly setEnvelopeCircuit: {
    readonly input: {
      readonly id: string;
    } & {
      /** Of which kind it is. */
      readonly kind: string | null;
      /** Id of the circuit. */
      readonly circuit_id: string | null;
      /** The signers whom the circuit leaves to its sender; each signs. */
      readonly other_party?: readonly {
        /** Mail address. */
        readonly email: string;
        /** First and last name, as printed beside the signature; a site's address in it is refused. */
        readonly full_name: string;
      }[];
    };
    readonly output: Envelope;
  };
  /** Set envelope deadline: `PUT /api/signature/envelopes/{id}/deadline/`. Scope: `envelopes:send`. */
  readonly setEnvelopeDeadline: {
    readonly input: {
      readonly id: string;
    } & DeadlineRequest;
    readonly output: Envelope;
  };
  /** Set envelope public page: `PUT /api/signature/envelopes/{id}/public-page/`. Scope: `envelopes:send`. */
  readonly setEnvelopePublicPage: {
    readonly input: {
      readonly id: string;
    } & PublicPageRequest;
    readonly output: Envelope;
  };
  /** Set envelope reminders: `PUT /api/signature/envelopes/{id}/reminders/`. Scope: `envelopes:send`. */
  readonly setEnvelopeReminders: {
    readonly input: {
      readonly id: string;
    } & Reminders;
    readonly output: Envelope;
  };
  /** Set mailing plan: `PUT /api/signature/mailings/{id}/plan/`. Scope: `envelopes:send`. */
  readonly setMailingPlan: {
    readonly input: {
      readonly id: string;
    } & MailingPlanRequest;
    readonly output: Mailing;
  };
  /** Start mailing: `POST /api/signature/mailings/{id}/start/`. Scope: `envelopes:send`. */
  readonly startMailing: {
    readonly input: {
      readonly id: string;
    } & StartMailingRequest;
    readonly output: Mailing;
  };
  /** Stop mailing: `POST /api/signature/mailings/{id}/stop/`. Scope: `envelopes:send`. */
  readonly stopMailing: {
    readonly input: {
      readonly id: string;
    };
    readonly output: Mailing;
  };
  /** Suggest recipients: `GET /api/signature/recipients/suggestions/`. Scope: `contacts:read`. */
  readonly suggestRecipients: {
    readonly input: {
      readonly search?: string;
    };
    readonly output: SuggestionsAnswer;
  };
  /** Test webhook: `POST /api/signature/me/webhooks/{id}/test/`. Scope: `webhooks:write`. */
  readonly testWebhook: {
    readonly input: {
      readonly id: string;
    };
    readonly output: EmptyAnswer;
  };
  /** Update envelope: `PATCH /api/signature/envelopes/{id}/`. Scope: `envelopes:write`. */
  readonly updateEnvelope: {
    readonly input: {
      readonly id: string;
    } & ChangedEnvelopeRequest;
    readonly output: Envelope;
  };
  /** Update mailing row: `PATCH /api/signature/mailings/{id}/rows/{line}/`. Scope: `envelopes:send`. */
  readonly updateMailingRow: {
    readonly input: {
      readonly id: string;
      readonly line: number;
    } & MailingRowRequest;
    readonly output: MailingRow;
  };
  /** Update my webhook: `PATCH /api/signature/me/webhooks/{id}/`. Scope: `webhooks:write`. */
  readonly updateMyWebhook: {
    readonly input: {
      readonly id: string;
    } & WebhookChange;
    readonly output: Webhook;
  };
  /** Update template: `PATCH /api/signature/templates/{id}/`. Scope: `envelopes:write`. */
  readonly updateTemplate: {
    readonly input: {
      readonly id: string;
    } & RenameTemplateRequest;
    readonly output: Template;
  };
  /** Use template: `POST /api/signature/templates/{id}/use/`. Scope: `envelopes:write`. */
  readonly useTemplate: {
    readonly input: {
      readonly id: string;
    } & UseTemplateRequest;
    readonly output: Envelope;
  };
  /** Verify print: `GET /api/signature/prints/{id}/verify/`. Scope: `proof:read`. */
  readonly verifyPrint: {
    readonly input: {
      readonly id: string;
      readonly sig?: string;
      readonly document?: string;
    };
    readonly output: Proof;
  };
};

export type CallRule = {
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly hasBody: boolean;
  readonly isFile: boolean;
  readonly takesFile?: boolean;
};

export const CALLS: { readonly [name in keyof Operations]: CallRule } = {
  cancelEnvelope: {"method":"POST","path":"/api/signature/envelopes/{id}/cancel/","query":[],"hasBody":false,"isFile":false},
  correctRecipient: {"method":"PATCH","path":"/api/signature/envelopes/{id}/recipients/{recipientId}/","query":[],"hasBody":true,"isFile":false},
  countEnvelopes: {"method":"GET","path":"/api/signature/envelopes/counts/","query":[],"hasBody":false,"isFile":false},
  createEnvelope: {"method":"POST","path":"/api/signature/envelopes/","query":[],"hasBody":true,"isFile":false},
  createLayout: {"method":"POST","path":"/api/signature/layouts/","query":[],"hasBody":true,"isFile":false},
  createMailing: {"method":"POST","path":"/api/signature/mailings/","query":[],"hasBody":true,"isFile":false},
  createMyWebhook: {"method":"POST","path":"/api/signature/me/webhooks/","query":[],"hasBody":true,"isFile":false},
  createTemplate: {"method":"POST","path":"/api/signature/templates/","query":[],"hasBody":true,"isFile":false},
  createUpload: {"method":"POST","path":"/api/signature/uploads/","query":["name"],"hasBody":false,"isFile":false,"takesFile":true},
  deleteLayout: {"method":"DELETE","path":"/api/signature/layouts/{id}/","query":[],"hasBody":false,"isFile":false},
  deleteMailing: {"method":"DELETE","path":"/api/signature/mailings/{id}/","query":[],"hasBody":false,"isFile":false},
  deleteMyWebhook: {"method":"DELETE","path":"/api/signature/me/webhooks/{id}/","query":[],"hasBody":false,"isFile":false},
  deleteTemplate: {"method":"DELETE","path":"/api/signature/templates/{id}/","query":[],"hasBody":false,"isFile":false},
  duplicateEnvelope: {"method":"POST","path":"/api/signature/envelopes/{id}/duplicate/","query":[],"hasBody":false,"isFile":false},
  embedSigning: {"method":"POST","path":"/api/signature/envelopes/{id}/recipients/{recipientId}/embed/","query":[],"hasBody":true,"isFile":false},
  extendEnvelope: {"method":"POST","path":"/api/signature/envelopes/{id}/extend/","query":[],"hasBody":true,"isFile":false},
  generatePrint: {"method":"POST","path":"/api/signature/prints/generate/","query":[],"hasBody":true,"isFile":false},
  getConsistencyProof: {"method":"GET","path":"/api/signature/transparency/consistency/","query":["first","second"],"hasBody":false,"isFile":false},
  getDashboard: {"method":"GET","path":"/api/signature/dashboard/","query":["from","to"],"hasBody":false,"isFile":false},
  getEnvelope: {"method":"GET","path":"/api/signature/envelopes/{id}/","query":[],"hasBody":false,"isFile":false},
  getEnvelopeDocumentCorrection: {"method":"GET","path":"/api/signature/envelopes/{id}/documents/{document_id}/correction/","query":["from"],"hasBody":false,"isFile":false},
  getEnvelopeDocumentFile: {"method":"GET","path":"/api/signature/envelopes/{id}/documents/{document_id}/file/","query":["document","token"],"hasBody":false,"isFile":true},
  getEnvelopeDocumentFirstPage: {"method":"GET","path":"/api/signature/envelopes/{id}/documents/{document_id}/first-page/","query":["document","token"],"hasBody":false,"isFile":true},
  getEnvelopeDownload: {"method":"GET","path":"/api/signature/envelopes/{id}/download/","query":["document","token","current"],"hasBody":false,"isFile":false},
  getEnvelopeEvidence: {"method":"GET","path":"/api/signature/envelopes/{id}/evidence/","query":[],"hasBody":false,"isFile":true},
  getEnvelopeForm: {"method":"GET","path":"/api/signature/envelopes/{id}/form/","query":[],"hasBody":false,"isFile":false},
  getInclusionProof: {"method":"GET","path":"/api/signature/transparency/inclusion/","query":["leaf","size"],"hasBody":false,"isFile":false},
  getLatestCheckpoint: {"method":"GET","path":"/api/signature/transparency/checkpoints/latest/","query":[],"hasBody":false,"isFile":false},
  getMailing: {"method":"GET","path":"/api/signature/mailings/{id}/","query":[],"hasBody":false,"isFile":false},
  getMailingReport: {"method":"GET","path":"/api/signature/mailings/{id}/report/","query":["only"],"hasBody":false,"isFile":true},
  getMailingRowPreview: {"method":"GET","path":"/api/signature/mailings/{id}/rows/{line}/preview/","query":[],"hasBody":false,"isFile":false},
  getMyAccount: {"method":"GET","path":"/api/signature/me/","query":[],"hasBody":false,"isFile":false},
  getPrintDocument: {"method":"GET","path":"/api/signature/prints/{id}/document/","query":["sig","document"],"hasBody":false,"isFile":true},
  getPrintProof: {"method":"GET","path":"/api/signature/prints/{id}/proof/","query":["sig","document"],"hasBody":false,"isFile":false},
  getPrintableCopy: {"method":"GET","path":"/api/signature/prints/{id}/printable/","query":["sig","document"],"hasBody":false,"isFile":true},
  getTemplate: {"method":"GET","path":"/api/signature/templates/{id}/","query":[],"hasBody":false,"isFile":false},
  getTemplateDocumentFile: {"method":"GET","path":"/api/signature/templates/{id}/documents/{position}/file/","query":[],"hasBody":false,"isFile":true},
  listContacts: {"method":"GET","path":"/api/signature/contacts/","query":["page","page_size","search","ordering","origin","team"],"hasBody":false,"isFile":false},
  listEnvelopeEvents: {"method":"GET","path":"/api/signature/envelopes/{id}/events/","query":["page","page_size","kind","verify"],"hasBody":false,"isFile":false},
  listEnvelopes: {"method":"GET","path":"/api/signature/envelopes/","query":["page","page_size","status","search","search_in","team","from","to","ordering"],"hasBody":false,"isFile":false},
  listKnownDomains: {"method":"GET","path":"/api/signature/recipients/domains/","query":[],"hasBody":false,"isFile":false},
  listLayouts: {"method":"GET","path":"/api/signature/layouts/","query":[],"hasBody":false,"isFile":false},
  listMailingRows: {"method":"GET","path":"/api/signature/mailings/{id}/rows/","query":["page","page_size","order","state"],"hasBody":false,"isFile":false},
  listMailings: {"method":"GET","path":"/api/signature/mailings/","query":["page","page_size"],"hasBody":false,"isFile":false},
  listMyWebhookTries: {"method":"GET","path":"/api/signature/me/webhooks/{id}/tries/","query":["before"],"hasBody":false,"isFile":false},
  listMyWebhooks: {"method":"GET","path":"/api/signature/me/webhooks/","query":[],"hasBody":false,"isFile":false},
  listOrganisationCircuits: {"method":"GET","path":"/api/organisation/circuits/","query":[],"hasBody":false,"isFile":false},
  listPrints: {"method":"GET","path":"/api/signature/prints/","query":["page","page_size","envelope"],"hasBody":false,"isFile":false},
  listTemplates: {"method":"GET","path":"/api/signature/templates/","query":[],"hasBody":false,"isFile":false},
  listTransparencyAuthorities: {"method":"GET","path":"/api/signature/transparency/authorities/","query":[],"hasBody":false,"isFile":false},
  listTransparencyCheckpoints: {"method":"GET","path":"/api/signature/transparency/checkpoints/","query":["page","page_size"],"hasBody":false,"isFile":false},
  listTransparencyLeaves: {"method":"GET","path":"/api/signature/transparency/leaves/","query":["from","to"],"hasBody":false,"isFile":false},
  purgeEnvelope: {"method":"DELETE","path":"/api/signature/envelopes/{id}/purge/","query":[],"hasBody":false,"isFile":false},
  remindRecipients: {"method":"POST","path":"/api/signature/envelopes/{id}/remind/","query":[],"hasBody":false,"isFile":false},
  replaceWebhookSecret: {"method":"POST","path":"/api/signature/me/webhooks/{id}/secret/","query":[],"hasBody":false,"isFile":false},
  replayWebhookTry: {"method":"POST","path":"/api/signature/me/webhooks/{id}/tries/{try_id}/replay/","query":[],"hasBody":false,"isFile":false},
  resendInvitation: {"method":"POST","path":"/api/signature/envelopes/{id}/recipients/{recipientId}/resend/","query":[],"hasBody":true,"isFile":false},
  restoreEnvelope: {"method":"POST","path":"/api/signature/envelopes/{id}/restore/","query":[],"hasBody":false,"isFile":false},
  sendEnvelope: {"method":"POST","path":"/api/signature/envelopes/{id}/send/","query":[],"hasBody":true,"isFile":false},
  setEnvelopeCircuit: {"method":"PUT","path":"/api/signature/envelopes/{id}/circuit/","query":[],"hasBody":true,"isFile":false},
  setEnvelopeDeadline: {"method":"PUT","path":"/api/signature/envelopes/{id}/deadline/","query":[],"hasBody":true,"isFile":false},
  setEnvelopePublicPage: {"method":"PUT","path":"/api/signature/envelopes/{id}/public-page/","query":[],"hasBody":true,"isFile":false},
  setEnvelopeReminders: {"method":"PUT","path":"/api/signature/envelopes/{id}/reminders/","query":[],"hasBody":true,"isFile":false},
  setMailingPlan: {"method":"PUT","path":"/api/signature/mailings/{id}/plan/","query":[],"hasBody":true,"isFile":false},
  startMailing: {"method":"POST","path":"/api/signature/mailings/{id}/start/","query":[],"hasBody":true,"isFile":false},
  stopMailing: {"method":"POST","path":"/api/signature/mailings/{id}/stop/","query":[],"hasBody":false,"isFile":false},
  suggestRecipients: {"method":"GET","path":"/api/signature/recipients/suggestions/","query":["search"],"hasBody":false,"isFile":false},
  testWebhook: {"method":"POST","path":"/api/signature/me/webhooks/{id}/test/","query":[],"hasBody":false,"isFile":false},
  updateEnvelope: {"method":"PATCH","path":"/api/signature/envelopes/{id}/","query":[],"hasBody":true,"isFile":false},
  updateMailingRow: {"method":"PATCH","path":"/api/signature/mailings/{id}/rows/{line}/","query":[],"hasBody":true,"isFile":false},
  updateMyWebhook: {"method":"PATCH","path":"/api/signature/me/webhooks/{id}/","query":[],"hasBody":true,"isFile":false},
  updateTemplate: {"method":"PATCH","path":"/api/signature/templates/{id}/","query":[],"hasBody":true,"isFile":false},
  useTemplate: {"method":"POST","path":"/api/signature/templates/{id}/use/","query":[],"hasBody":true,"isFile":false},
  verifyPrint: {"method":"GET","path":"/api/signature/prints/{id}/verify/","query":["sig","document"],"hasBody":false,"isFile":false},
};
