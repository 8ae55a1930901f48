// Generated from /api/openapi.json by generate-api.ts; `vitest run api-document -u` renews it.

/** A file's bytes; a text is base64. */
export type FileContent = string | Uint8Array | Blob;
type NoInput = { readonly [name in never]: never };

export type AuditEvent = {
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly ip: string | null;
  readonly user_agent: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly hash: string;
  readonly previous_hash: string | null;
};

export type Chain = {
  readonly ok: boolean;
  readonly count: number;
  readonly head: string | null;
  readonly broken_at: number | null;
};

export type ChangedEnvelopeRequest = {
  readonly title?: string;
  readonly message?: string | null;
  readonly deadline_at?: string | null;
  readonly flow?: FlowInput;
  readonly reminders?: Reminders;
  readonly proof_only?: boolean;
  readonly team?: string | null;
  readonly recipients?: readonly RecipientRequest[];
  readonly fields?: readonly FieldRequest[];
  readonly remove_documents?: readonly string[];
  readonly order?: readonly string[];
  readonly accept_normalised?: readonly string[];
  readonly use_forms?: readonly {
    readonly document_id: string;
    readonly recipients?: readonly {
      readonly role: string | null;
      readonly recipient_id: string;
    }[];
    readonly erase_tags?: boolean;
  }[];
  readonly document_names?: readonly {
    readonly id: string;
    readonly name: string;
  }[];
  readonly files?: readonly {
    readonly name: string;
    /** The PDF in base64 (RFC 4648 §4), at most 10 485 760 bytes once decoded. */
    readonly content: FileContent;
  }[];
};

export type Checkpoint = {
  readonly size: number;
  readonly root: string;
  readonly at: string;
  readonly key_id: string;
  readonly signature: string;
  readonly timestamp: string;
};

export type CheckpointListAnswer = {
  readonly count: number;
  readonly count_capped?: boolean;
  readonly page: number;
  readonly page_size: number;
  readonly results: readonly Checkpoint[];
};

export type Consistency = {
  readonly first: number;
  readonly second: number;
  readonly path: readonly string[];
};

export type Contact = {
  readonly id: string;
  readonly full_name: string;
  readonly email: string;
  readonly second_email: string | null;
  readonly phone_number: string | null;
  readonly company: string | null;
  readonly origin: ContactOrigin;
  readonly sent_count: number;
  readonly last_sent_at: string | null;
  readonly created_at: string;
  readonly team?: TeamRef;
};

export type ContactOrigin = "sent" | "imported" | "added";

export type ContactOriginInput = "sent" | "imported" | "added";

export type ContactsAnswer = {
  readonly count: number;
  readonly count_capped?: boolean;
  readonly page: number;
  readonly page_size: number;
  readonly results: readonly Contact[];
};

export type CorrectRecipientRequest = {
  readonly email?: string;
  readonly phone_number?: string | null;
};

export type CorrectionAnswer = {
  readonly page_count: number;
  readonly next: number | null;
  readonly unread: readonly number[];
  readonly difference: PageDifference | null;
};

export type CountsAnswer = {
  readonly draft: number;
  readonly sent: number;
  readonly completed: number;
  readonly action_required: number;
  readonly cancelled: number;
};

export type DashboardAnswer = {
  readonly counts: {
    readonly draft: number;
    readonly sent: number;
    readonly completed: number;
    readonly actionRequired: number;
  };
  readonly totalThisMonth: number;
  readonly periodTotal: number;
  readonly periodCompleted: number;
  readonly completionRate: number;
  readonly avgSigningTime: number;
  readonly sparklines: {
    readonly last7: readonly {
      readonly date: string;
      readonly count: number;
    }[];
    readonly last30: readonly {
      readonly date: string;
      readonly count: number;
    }[];
  };
  readonly standing: {
    readonly lastDraftAt: string | null;
    readonly expiringSoon: number;
    readonly mostUrgentAt: string | null;
  };
  readonly recent: readonly Envelope[];
  readonly notifications: readonly {
    readonly envelope_id: string;
    readonly title: string;
    readonly completed_at: string;
  }[];
};

export type DeadlineRequest = {
  readonly deadline_at: string | null;
};

export type Delivery = {
  readonly id: string;
  readonly kind: string;
  readonly channel: string;
  readonly destination: string;
  readonly subject: string | null;
  readonly state: DeliveryState;
  readonly created_at: string;
  readonly ended_at: string | null;
  readonly opened_at: string | null;
  readonly tries: number;
  readonly server_answer: string | null;
  readonly failure: {
    readonly code: string;
    readonly detail: string;
  } | null;
};

export type DeliveryState = "queued" | "sent" | "delivered" | "refused" | "withdrawn";

export type Document = {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly page_count: number;
  readonly sha256: string;
  readonly pages: readonly {
    readonly width: number;
    readonly height: number;
    readonly rotation: number;
  }[];
  readonly order: number;
  readonly control: {
    readonly result: "ok" | "fixable";
    readonly findings: readonly Finding[];
    readonly accepted: boolean;
  };
};

export type DownloadAnswer = {
  readonly download_url: string;
  readonly file_name: string;
};

export type EmptyAnswer = Readonly<Record<string, never>>;

export type Envelope = {
  readonly id: string;
  readonly version: number;
  readonly title: string;
  readonly message: string | null;
  readonly status: Status;
  readonly flow: Flow;
  readonly created_at: string;
  readonly updated_at: string;
  readonly sent_at: string | null;
  readonly completed_at: string | null;
  readonly deadline_at: string | null;
  readonly cancelled_at: string | null;
  readonly created_by_name: string;
  readonly is_owner: boolean;
  readonly on_behalf_of?: {
    readonly recipient_id: string;
    readonly full_name: string;
  };
  readonly signed_for?: readonly string[];
  readonly team?: TeamRef;
  readonly read_only?: true;
  readonly documents: readonly Document[];
  readonly files: readonly Document[];
  readonly recipients: readonly Recipient[];
  readonly fields: readonly Field[];
  readonly field_count?: number;
  readonly progress: {
    readonly signed: number;
    readonly total: number;
    readonly percent: number;
  };
  readonly days_remaining: number | null;
  readonly level: "B-B" | "B-T" | "B-LT" | "B-LTA" | null;
  readonly download_url: string | null;
  readonly circuit?: {
    readonly name: string;
    readonly imposed: boolean;
    readonly open: readonly number[];
  };
  readonly document_kind?: string;
  readonly reached?: boolean;
  readonly reminders?: {
    readonly every_days: number | null;
    readonly business_days: true;
    readonly next_at: string | null;
  };
  readonly proof_only?: boolean;
  readonly remind_at?: string | null;
  readonly warnings?: readonly Warning[];
};

export type EnvelopeListAnswer = {
  readonly count: number;
  readonly count_capped?: boolean;
  readonly page: number;
  readonly page_size: number;
  readonly results: readonly Envelope[];
  readonly near?: string;
};

export type EventsAnswer = {
  readonly count: number;
  readonly count_capped?: boolean;
  readonly page: number;
  readonly page_size: number;
  readonly results: readonly AuditEvent[];
  readonly chain: Chain;
};

export type ExtendRequest = {
  readonly deadline_at?: string;
};

export type Field = {
  readonly id: string;
  readonly document_id: string;
  readonly recipient_id: string;
  readonly type: FieldType;
  readonly page: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly required: boolean;
  readonly label: string | null;
  readonly value: string | null;
};

export type FieldRequest = {
  readonly id?: string;
  readonly document_id: string;
  readonly recipient_id: string;
  readonly type: FieldTypeInput;
  readonly page: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly required?: boolean;
  readonly label?: string | null;
  readonly value?: string | null;
};

export type FieldType = "signature" | "initials" | "date" | "name" | "text" | "checkbox" | "mention";

export type FieldTypeInput = "signature" | "initials" | "date" | "name" | "text" | "checkbox" | "mention";

export type Finding = {
  readonly code: string;
  readonly detail: string;
};

export type Flow = "parallel" | "sequential";

export type FlowInput = "parallel" | "sequential";

export type FormAnswer = {
  readonly documents: readonly {
    readonly document_id: string;
    readonly refused: "signed" | "copy_to_accept" | "too_many" | null;
    readonly fields: readonly {
      readonly source: "form" | "tag";
      readonly name: string;
      readonly role: string | null;
      readonly type: FieldType;
      readonly page: number;
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
      readonly required: boolean;
      readonly label: string | null;
      readonly value: string | null;
      readonly max_length: number | null;
    }[];
  }[];
};

export type GeneratePrintRequest = {
  readonly envelope: string;
  readonly qr_type: QrTypeInput;
};

export type Inclusion = {
  readonly leaf_index: number;
  readonly size: number;
  readonly path: readonly string[];
  readonly entry: LogEntry;
  readonly checkpoint: Checkpoint;
};

export type JournalKind = "signatures" | "sends" | "changes";

export type KnownDomainsAnswer = {
  readonly results: readonly {
    readonly domain: string;
    readonly people: number;
  }[];
};

export type Layout = {
  readonly id: string;
  readonly name: string;
  readonly team?: TeamRef;
  readonly fields: readonly LayoutField[];
  readonly created_at: string;
};

export type LayoutField = {
  readonly document_rank: number;
  readonly person_rank: number;
  readonly type: FieldType;
  readonly page: -1 | number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly required: boolean;
  readonly label: string | null;
  readonly value: string | null;
};

export type LayoutsAnswer = {
  readonly count: number;
  readonly results: readonly Layout[];
};

export type Leaves = {
  readonly from: number;
  readonly to: number;
  readonly size: number;
  readonly hashes: readonly string[];
};

export type LogAuthorities = {
  readonly roots: readonly string[];
  readonly timestamps: readonly string[];
  readonly certificates: readonly string[];
  readonly crls?: readonly string[];
};

export type LogEntry = {
  readonly envelope_id: string;
  readonly sequence: number;
  readonly head: string;
};

export type Mailing = {
  readonly id: string;
  readonly template: string | null;
  readonly template_name: string;
  readonly file_name: string;
  readonly separator: "," | ";" | "tab";
  readonly encoding: "utf-8" | "windows-1252" | "utf-16";
  readonly state: MailingState;
  readonly pause: {
    readonly until: string;
    readonly detail: string;
  } | null;
  readonly columns: readonly {
    readonly heading: string;
    readonly samples: readonly string[];
    readonly target: string | null;
  }[];
  readonly people: readonly {
    readonly role_index: number;
    readonly email: string;
    readonly full_name: string;
    readonly phone_number: string | null;
  }[];
  readonly deadline_days: number | null;
  readonly faults: readonly string[];
  readonly total: number;
  readonly ready: number;
  readonly refused: number;
  readonly doubles: number;
  readonly left: number;
  readonly sent: number;
  readonly failed: number;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly available_until: string | null;
};

export type MailingPlanRequest = {
  readonly columns: readonly (string | null)[];
  readonly people?: readonly {
    readonly role_index: number;
    readonly email: string;
    readonly full_name: string;
    readonly phone_number?: string | null;
  }[];
  readonly deadline_days?: number | null;
};

export type MailingRequest = {
  readonly template: string;
  readonly file: {
    readonly name: string;
    /** The CSV in base64 (RFC 4648 §4), at most 5 242 880 bytes once decoded. */
    readonly content: FileContent;
  };
};

export type MailingRow = {
  readonly line: number;
  readonly cells: readonly string[];
  readonly state: MailingRowState;
  readonly note: string | null;
  readonly column: number | null;
  readonly envelope_id: string | null;
};

export type MailingRowRequest = {
  readonly cells?: readonly string[];
  readonly choice?: "send" | "leave" | null;
};

export type MailingRowState = "ready" | "refused" | "double" | "left" | "sent" | "failed";

export type MailingRowStateInput = "ready" | "refused" | "double" | "left" | "sent" | "failed";

export type MailingRowsAnswer = {
  readonly count: number;
  readonly count_capped?: boolean;
  readonly page: number;
  readonly page_size: number;
  readonly results: readonly MailingRow[];
};

export type MailingState = "ready" | "running" | "paused" | "done";

export type MailingsAnswer = {
  readonly count: number;
  readonly count_capped?: boolean;
  readonly page: number;
  readonly page_size: number;
  readonly results: readonly Mailing[];
};

export type NewEnvelopeRequest = {
  readonly title: string;
  readonly message?: string | null;
  readonly deadline_at?: string | null;
  readonly flow?: FlowInput;
  readonly reminders?: Reminders;
  readonly proof_only?: boolean;
  readonly team?: string | null;
  readonly recipients?: readonly RecipientRequest[];
  readonly fields?: readonly NewFieldRequest[];
  readonly use_forms?: readonly {
    readonly document_index: number;
    readonly recipients?: readonly {
      readonly role: string | null;
      readonly recipient_index: number;
    }[];
    readonly erase_tags?: boolean;
  }[];
  readonly files: readonly {
    readonly name: string;
    /** The PDF in base64 (RFC 4648 §4), at most 10 485 760 bytes once decoded. */
    readonly content: FileContent;
  }[];
};

export type NewFieldRequest = {
  readonly document_index: number;
  readonly recipient_index: number;
  readonly type: FieldTypeInput;
  readonly page: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly required?: boolean;
  readonly label?: string | null;
  readonly value?: string | null;
};

export type PageDifference = {
  readonly page: number;
  readonly place: {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  };
  readonly original: string;
  readonly corrected: string;
};

export type Print = {
  readonly id: string;
  readonly envelope: string;
  readonly qr_type: QrType;
  readonly sig: string;
  readonly verify_url: string;
  readonly qr_svg: string;
  readonly document_url: string;
  readonly printable_url: string;
  readonly proof_url: string;
  readonly created_at: string;
};

export type PrintListAnswer = {
  readonly count: number;
  readonly count_capped?: boolean;
  readonly page: number;
  readonly page_size: number;
  readonly results: readonly Print[];
};

/** RFC 9457. `detail` is a French sentence, `code` a word for programs; further members depend on the code. */
export type Problem = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly request_id: string;
  /** Messages by field (`recipients.0.email`). */
  readonly errors?: Readonly<Record<string, readonly string[]>>;
};

export type ProgramHolder = {
  readonly kind: "person" | "team" | "organisation";
  readonly id: string;
  readonly name: string | null;
};

export type Proof = {
  readonly title: string | null;
  readonly completed: boolean;
  readonly completed_at: string | null;
  readonly document_url: string | null;
  readonly hash_sha256: string | null;
  readonly hash_md5: string | null;
  readonly signers: readonly {
    readonly full_name: string;
    readonly signed: boolean;
    readonly signed_at: string | null;
    readonly reach?: {
      readonly by: "link" | "account";
      readonly link: {
        readonly channel: "email" | "sms" | "either";
        readonly destination: string | null;
      } | null;
      readonly code: {
        readonly channel: "email" | "sms" | "either";
        readonly destination: string | null;
      } | null;
      readonly confirmed: readonly ("email" | "phone")[];
    } | null;
  }[];
  readonly visas?: readonly {
    readonly full_name: string;
    readonly given_at: string;
  }[];
  readonly certificate: {
    readonly subject: {
      readonly CN: string;
      readonly O: string | null;
      readonly C: string | null;
    };
    readonly serial_number: string;
    readonly valid_from: string;
    readonly valid_to: string;
    readonly revocation: {
      readonly ocsp_status: string | null;
      readonly ocsp_url: string | null;
      readonly crl_status: string | null;
      readonly crl_url: string | null;
      readonly ocsp_at: string | null;
      readonly crl_at: string | null;
    };
    readonly timestamp: {
      readonly time: string;
      readonly tsa: string;
    } | null;
    readonly issuers: readonly string[];
    readonly hash_algorithm: string | null;
    readonly valid_at_signing: boolean | null;
  } | null;
  readonly verdict: Verdict;
  readonly reason: string;
  readonly warnings: readonly string[];
  readonly integrity: boolean;
  readonly level: "B-B" | "B-T" | "B-LT" | "B-LTA" | null;
  readonly documents: readonly {
    readonly name: string | null;
    readonly hash_sha256: string;
    readonly hash_md5: string | null;
    readonly document_url: string | null;
    readonly page_count: number | null;
  }[];
  readonly checked_at: string;
  readonly purged: boolean;
  readonly purged_at: string | null;
  readonly cancelled: boolean;
  readonly declined?: boolean;
  readonly expired?: boolean;
  readonly proof_only: boolean;
  readonly chain: {
    readonly intact: boolean;
    readonly count: number;
  };
  readonly inclusion: Inclusion | null;
  readonly completion_logged?: boolean;
  readonly statement_keys: readonly FileContent[];
  readonly revoked_statement_keys?: readonly FileContent[];
};

export type ProofContent = {
  readonly format: "preuve-1";
  readonly service: string;
  readonly title: string | null;
  readonly completed: boolean;
  readonly completed_at: string | null;
  readonly document_url: string | null;
  readonly hash_sha256: string | null;
  readonly hash_md5: string | null;
  readonly signers: readonly {
    readonly full_name: string;
    readonly signed: boolean;
    readonly signed_at: string | null;
    readonly reach?: {
      readonly by: "link" | "account";
      readonly link: {
        readonly channel: "email" | "sms" | "either";
        readonly destination: string | null;
      } | null;
      readonly code: {
        readonly channel: "email" | "sms" | "either";
        readonly destination: string | null;
      } | null;
      readonly confirmed: readonly ("email" | "phone")[];
    } | null;
  }[];
  readonly visas?: readonly {
    readonly full_name: string;
    readonly given_at: string;
  }[];
  readonly certificate: {
    readonly subject: {
      readonly CN: string;
      readonly O: string | null;
      readonly C: string | null;
    };
    readonly serial_number: string;
    readonly valid_from: string;
    readonly valid_to: string;
    readonly revocation: {
      readonly ocsp_status: string | null;
      readonly ocsp_url: string | null;
      readonly crl_status: string | null;
      readonly crl_url: string | null;
      readonly ocsp_at: string | null;
      readonly crl_at: string | null;
    };
    readonly timestamp: {
      readonly time: string;
      readonly tsa: string;
    } | null;
    readonly issuers: readonly string[];
    readonly hash_algorithm: string | null;
    readonly valid_at_signing: boolean | null;
  } | null;
  readonly verdict: Verdict;
  readonly reason: string;
  readonly warnings: readonly string[];
  readonly integrity: boolean;
  readonly level: "B-B" | "B-T" | "B-LT" | "B-LTA" | null;
  readonly documents: readonly {
    readonly name: string | null;
    readonly hash_sha256: string;
    readonly hash_md5: string | null;
    readonly document_url: string | null;
    readonly page_count: number | null;
  }[];
  readonly checked_at: string;
  readonly purged: boolean;
  readonly purged_at: string | null;
  readonly cancelled: boolean;
  readonly declined?: boolean;
  readonly expired?: boolean;
  readonly proof_only: boolean;
  readonly chain: {
    readonly intact: boolean;
    readonly count: number;
  };
  readonly inclusion: Inclusion | null;
  readonly completion_logged?: boolean;
  readonly statement_keys: readonly FileContent[];
  readonly revoked_statement_keys?: readonly FileContent[];
  readonly envelope: string;
  readonly print: {
    readonly id: string;
    readonly qr_type: QrType;
    readonly created_at: string;
  } | null;
  readonly files: readonly {
    readonly document: string;
    readonly name: string | null;
    readonly size_bytes: number | null;
    readonly sha256: string;
  }[];
  readonly signatures: readonly {
    readonly document: string;
    readonly signer_name: string;
    readonly field: string | null;
    readonly level: "B-B" | "B-T" | "B-LT" | "B-LTA" | null;
    readonly signed_at: string;
    readonly timestamp: {
      readonly time: string;
      readonly tsa: string;
    } | null;
    readonly serial_number: string;
    readonly certificate: FileContent | null;
    readonly certificate_sha256?: string;
    readonly verdict: Verdict;
    readonly reason: string;
  }[];
  readonly certificates: {
    readonly signers: readonly FileContent[];
    readonly issuer: FileContent;
    readonly root: FileContent;
    readonly timestamp_authority: FileContent;
    readonly roots: readonly FileContent[];
    readonly issuers: readonly FileContent[];
    readonly timestamp_anchors: readonly FileContent[];
  };
  readonly revocation: {
    readonly crls: readonly FileContent[];
    readonly ocsps: readonly FileContent[];
  };
  readonly journal: {
    readonly disclosed: "all" | "names";
    readonly events: readonly {
      readonly sequence: number;
      readonly at: string;
      readonly actor: string;
      readonly action: string;
      readonly detail: Readonly<Record<string, unknown>>;
      readonly personal: Readonly<Record<string, {
        readonly value: unknown;
        readonly salt: string;
      }>>;
      readonly previous_hash: string | null;
      readonly hash: string;
    }[];
  };
};

export type ProofFile = {
  readonly "$schema": string;
  readonly proof: ProofContent;
  readonly jws: string;
  readonly timestamp: FileContent | null;
};

export type PublicInclusion = {
  readonly leaf_index: number;
  readonly size: number;
  readonly path: readonly string[];
  readonly leaf_hash: string;
  readonly checkpoint: Checkpoint;
};

export type PublicPageRequest = {
  readonly proof_only: boolean;
};

export type QrType = "page" | "last" | "certificate";

export type QrTypeInput = "page" | "last" | "certificate";

export type Recipient = {
  readonly id: string;
  readonly email: string;
  readonly full_name: string;
  readonly phone_number: string | null;
  readonly role: Role;
  readonly order: number;
  readonly signed: boolean;
  readonly signed_at: string | null;
  readonly approved_at: string | null;
  readonly viewed_at: string | null;
  readonly status: RecipientStatus;
  readonly decline_reason: string | null;
  readonly delegate_name?: string;
  readonly given_by?: string;
  readonly sent_back?: {
    readonly to: readonly string[];
    readonly at: string;
    readonly reason: string | null;
  };
  readonly due?: {
    readonly days: number;
    readonly day: string | null;
  };
  readonly deliveries?: readonly Delivery[];
};

export type RecipientRequest = {
  readonly id?: string;
  readonly email: string;
  readonly full_name: string;
  readonly phone_number?: string | null;
  readonly role?: RoleInput;
  readonly order?: number;
};

export type RecipientStatus = "waiting" | "unreached" | "notified" | "viewed" | "approved" | "signed" | "declined";

export type RemindAnswer = {
  readonly reminded: readonly string[];
};

export type Reminders = {
  readonly every_days: number | null;
  readonly business_days?: true;
};

export type RenameTemplateRequest = {
  readonly name: string;
};

export type ResendRequest = {
  readonly channel?: "email" | "sms";
};

export type Role = "signer" | "approver" | "visa" | "viewer";

export type RoleInput = "signer" | "approver" | "visa" | "viewer";

export type SaveLayoutRequest = {
  readonly name: string;
  readonly fields: readonly {
    readonly document_rank: number;
    readonly person_rank: number;
    readonly type: FieldTypeInput;
    readonly page: -1 | number;
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
    readonly required?: boolean;
    readonly label?: string | null;
    readonly value?: string | null;
  }[];
  readonly team?: string | null;
};

export type SaveTemplateRequest = {
  readonly envelope: string;
  readonly name: string;
  readonly roles?: readonly {
    readonly recipient: string;
    readonly label: string;
  }[];
  readonly team?: string | null;
};

export type SendEnvelopeRequest = {
  readonly message?: string | null;
};

export type StartMailingRequest = {
  readonly retry?: boolean;
};

export type Status = "draft" | "sent" | "pending" | "completed" | "declined" | "expired" | "cancelled" | "action_required";

export type Suggestion = {
  readonly full_name: string;
  readonly email: string;
  readonly phone_number: string | null;
};

export type SuggestionsAnswer = {
  readonly results: readonly Suggestion[];
};

export type TeamFilter = "mine" | string;

export type TeamRef = {
  readonly id: string;
  readonly name: string;
};

export type Template = {
  readonly id: string;
  readonly name: string;
  readonly team?: TeamRef;
  readonly title: string;
  readonly message: string | null;
  readonly flow: Flow;
  readonly documents: readonly {
    readonly name: string;
    readonly size: number;
    readonly page_count: number;
  }[];
  readonly roles: readonly {
    readonly label: string;
    readonly role: Role;
    readonly order: number;
    readonly field_count: number;
  }[];
  readonly field_count: number;
  readonly texts: readonly string[];
  readonly created_at: string;
  readonly updated_at: string;
};

export type TemplatesAnswer = {
  readonly count: number;
  readonly results: readonly Template[];
};

export type UseTemplateRequest = {
  readonly title?: string;
  readonly people?: readonly {
    readonly role_index: number;
    readonly email: string;
    readonly full_name: string;
    readonly phone_number?: string | null;
  }[];
};

export type User = {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly email_confirmed: boolean;
  readonly first_name: string;
  readonly last_name: string;
  readonly birth_date: string | null;
  readonly phone_number: string | null;
  readonly phone_verified: boolean;
  readonly gender: string;
  readonly address: string | null;
  readonly avatar: string | null;
  readonly notifications: {
    readonly email: boolean;
    readonly sms: boolean;
    readonly push: boolean;
  };
  readonly unread_actions: number;
  readonly organisation_role?: "owner" | "administrator" | "member" | "reader";
  readonly second_factor_by?: string;
  readonly teams?: readonly TeamRef[];
};

export type UserAnswer = {
  readonly user: User;
};

export type Verdict = "valid" | "indeterminate" | "invalid";

export type Warning = {
  readonly code: "covers_form_field" | "mention_too_small" | "page_covered";
  readonly field_id: string;
  readonly document_id: string;
  readonly page: number;
};

export type Webhook = {
  readonly id: string;
  readonly holder: ProgramHolder;
  readonly by: string;
  readonly url: string;
  readonly types: readonly ("envelope.sent" | "envelope.completed" | "envelope.cancelled" | "envelope.restored" | "envelope.expired" | "envelope.purged" | "recipient.viewed" | "recipient.signed" | "recipient.declined" | "recipient.approved" | "recipient.returned" | "message.bounced")[];
  readonly created_at: string;
  readonly paused: "asked" | "failing" | "gone" | null;
  readonly paused_at: string | null;
  readonly waiting: number;
  readonly public_key: string;
};

export type WebhookChange = {
  readonly url?: string;
  readonly types?: readonly ("envelope.sent" | "envelope.completed" | "envelope.cancelled" | "envelope.restored" | "envelope.expired" | "envelope.purged" | "recipient.viewed" | "recipient.signed" | "recipient.declined" | "recipient.approved" | "recipient.returned" | "message.bounced")[];
  readonly paused?: boolean;
};

export type WebhookEvent = {
  readonly type: "envelope.sent" | "envelope.completed" | "envelope.cancelled" | "envelope.restored" | "envelope.expired" | "envelope.purged" | "recipient.viewed" | "recipient.signed" | "recipient.declined" | "recipient.approved" | "recipient.returned" | "message.bounced" | "test.ping";
  readonly timestamp: string;
  readonly data: {
    readonly id?: string;
    readonly title?: string;
    readonly status?: string;
    readonly recipients?: number;
    readonly recipient?: {
      readonly id: string;
      readonly full_name: string;
      readonly email: string;
      readonly role: string;
      readonly status: string;
    };
  };
};

export type WebhookList = {
  readonly webhooks: readonly Webhook[];
  readonly holders: readonly ProgramHolder[];
};

export type WebhookRequest = {
  readonly url: string;
  readonly types: readonly ("envelope.sent" | "envelope.completed" | "envelope.cancelled" | "envelope.restored" | "envelope.expired" | "envelope.purged" | "recipient.viewed" | "recipient.signed" | "recipient.declined" | "recipient.approved" | "recipient.returned" | "message.bounced")[];
  readonly holder?: string;
};

export type WebhookSecret = {
  readonly webhook: Webhook;
  readonly secret: string;
};

export type WebhookTries = {
  readonly tries: readonly WebhookTry[];
  readonly next: string | null;
};

export type WebhookTry = {
  readonly id: string;
  readonly type: string;
  readonly at: string;
  readonly status: number | null;
  readonly duration_ms: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly request: string | null;
  readonly answer: string;
};

/** Codes of refusals; a newer service may have more. */
export type ProblemCode =
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
  | "no_deadline"
  | "not_a_pdf"
  | "not_a_signer"
  | "not_allowed"
  | "not_found"
  | "not_ready_to_send"
  | "otp_required"
  | "page_covered"
  | "pdf_damaged"
  | "pdf_dangerous_attachment"
  | "pdf_dynamic_xfa"
  | "pdf_encrypted"
  | "pdf_encrypted_for_recipients"
  | "pdf_invalid_signatures"
  | "pdf_signed_and_damaged"
  | "pdf_signed_and_encrypted"
  | "pdf_signing_forbidden"
  | "pdf_too_complex"
  | "pdf_too_many_pages"
  | "pdf_undrawn_annotations"
  | "pdf_unfinishable"
  | "pdf_unverifiable_signatures"
  | "readers_only_read"
  | "recipient_answered"
  | "recipient_not_awaited"
  | "remind_cooldown"
  | "request_too_large"
  | "service_unavailable"
  | "session_expired"
  | "signature_in_progress"
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
      readonly origin: string;
      readonly return_url?: string;
    };
    readonly output: {
      readonly url: string;
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
  /** Get my account: `GET /api/signature/me/`. */
  readonly getMyAccount: {
    readonly input: NoInput;
    readonly output: UserAnswer;
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
    readonly output: EmptyAnswer;
  };
  /** Resend invitation: `POST /api/signature/envelopes/{id}/recipients/{recipientId}/resend/`. Scope: `envelopes:send`. */
  readonly resendInvitation: {
    readonly input: {
      readonly id: string;
      readonly recipientId: string;
    } & ResendRequest;
    readonly output: Envelope;
  };
  /** Restore envelope: `POST /api/signature/envelopes/{id}/restore/`. Scope: `envelopes:write`. */
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
  getEnvelopeDownload: {"method":"GET","path":"/api/signature/envelopes/{id}/download/","query":["document","token"],"hasBody":false,"isFile":false},
  getEnvelopeEvidence: {"method":"GET","path":"/api/signature/envelopes/{id}/evidence/","query":[],"hasBody":false,"isFile":true},
  getEnvelopeForm: {"method":"GET","path":"/api/signature/envelopes/{id}/form/","query":[],"hasBody":false,"isFile":false},
  getInclusionProof: {"method":"GET","path":"/api/signature/transparency/inclusion/","query":["leaf","size"],"hasBody":false,"isFile":false},
  getLatestCheckpoint: {"method":"GET","path":"/api/signature/transparency/checkpoints/latest/","query":[],"hasBody":false,"isFile":false},
  getMailing: {"method":"GET","path":"/api/signature/mailings/{id}/","query":[],"hasBody":false,"isFile":false},
  getMailingReport: {"method":"GET","path":"/api/signature/mailings/{id}/report/","query":["only"],"hasBody":false,"isFile":true},
  getMyAccount: {"method":"GET","path":"/api/signature/me/","query":[],"hasBody":false,"isFile":false},
  getPrintDocument: {"method":"GET","path":"/api/signature/prints/{id}/document/","query":["sig","document"],"hasBody":false,"isFile":true},
  getPrintProof: {"method":"GET","path":"/api/signature/prints/{id}/proof/","query":["sig","document"],"hasBody":false,"isFile":false},
  getPrintableCopy: {"method":"GET","path":"/api/signature/prints/{id}/printable/","query":["sig","document"],"hasBody":false,"isFile":true},
  getTemplate: {"method":"GET","path":"/api/signature/templates/{id}/","query":[],"hasBody":false,"isFile":false},
  listContacts: {"method":"GET","path":"/api/signature/contacts/","query":["page","page_size","search","ordering","origin","team"],"hasBody":false,"isFile":false},
  listEnvelopeEvents: {"method":"GET","path":"/api/signature/envelopes/{id}/events/","query":["page","page_size","kind","verify"],"hasBody":false,"isFile":false},
  listEnvelopes: {"method":"GET","path":"/api/signature/envelopes/","query":["page","page_size","status","search","search_in","team","from","to","ordering"],"hasBody":false,"isFile":false},
  listKnownDomains: {"method":"GET","path":"/api/signature/recipients/domains/","query":[],"hasBody":false,"isFile":false},
  listLayouts: {"method":"GET","path":"/api/signature/layouts/","query":[],"hasBody":false,"isFile":false},
  listMailingRows: {"method":"GET","path":"/api/signature/mailings/{id}/rows/","query":["page","page_size","order","state"],"hasBody":false,"isFile":false},
  listMailings: {"method":"GET","path":"/api/signature/mailings/","query":["page","page_size"],"hasBody":false,"isFile":false},
  listMyWebhookTries: {"method":"GET","path":"/api/signature/me/webhooks/{id}/tries/","query":["before"],"hasBody":false,"isFile":false},
  listMyWebhooks: {"method":"GET","path":"/api/signature/me/webhooks/","query":[],"hasBody":false,"isFile":false},
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
