/** Which feature a table belongs to: its stores alone query it. A table that is not here fails the fence's test. */
export const tableOwners: Readonly<Record<string, string>> = {
  users: "accounts",
  sessions: "accounts",
  session_tokens: "accounts",
  account_tokens: "accounts",
  login_failures: "accounts",
  phone_codes: "accounts",
  address_changes: "accounts",
  registration_invitations: "accounts",
  envelopes: "envelopes",
  recipients: "envelopes",
  fields: "envelopes",
  envelope_counts: "envelopes",
  envelope_days: "envelopes",
  envelope_search: "envelopes",
  envelope_inbox: "envelopes",
  inbox_counts: "envelopes",
  recipient_tokens: "envelopes",
  documents: "documents",
  document_revisions: "documents",
  audit_events: "journal",
  audit_details: "journal",
  transparency_due: "journal",
  transparency_leaves: "journal",
  transparency_nodes: "journal",
  transparency_checkpoints: "journal",
  transparency_copies: "journal",
  authority_keys: "trust",
  certificates: "trust",
  crls: "trust",
  service_secrets: "trust",
  one_time_codes: "signing",
  address_tries: "signing",
  guest_sessions: "signing",
  saved_signatures: "signing",
  signing_acts: "signing",
  signatures: "signing",
  document_archives: "signing",
  notices: "notices",
  notice_keys: "notices",
  push_subscriptions: "notices",
  push_receipts: "notices",
  prints: "proof",
  batch_jobs: "signing",
  batch_items: "signing",
  templates: "envelopes",
  template_documents: "envelopes",
  layouts: "envelopes",
  storage_changes: "accounts",
  throttles: "platform",
  idempotency_keys: "platform",
  store_identity: "platform",
  loose_files: "documents",
  store_checks: "platform",
  data_key: "platform",
  backups: "platform",
  mailbox_messages: "platform",
  vapid_keys: "platform",
};

/** Tables that a feature queries though they are another's, each for the reason given. */
export const tableExceptions: Readonly<Record<string, readonly string[]>> = {
  // Whether somebody is still asked to sign, before their account goes.
  accounts: ["inbox_counts"],
  // The files that no envelope, no template, no batch and no account needs any more are removed with the row that says so.
  documents: ["envelopes", "template_documents", "batch_items", "users"],
  // The sender's address; whether an act waits; what the purge empties, everywhere at once; and what a corrected address closes.
  envelopes: [
    "one_time_codes",
    "guest_sessions",
    "users",
    "signing_acts",
    "signatures",
    "certificates",
  ],
  // A subscription ends with its session, and an account's own texts are told by the number its envelopes know it by.
  notices: ["sessions", "users", "recipients"],
  // A proof joins what several features keep of one print.
  proof: ["envelopes", "documents", "document_revisions", "signatures"],
  // Wrong codes are counted on the person they were sent to; the values printed in fields, the lists kept with signatures, the
  // envelopes whose archives are due; and the files of a batch's envelope go with it.
  signing: ["recipients", "fields", "crls", "documents", "envelopes"],
};

/** Gives the pattern of a query of a table that the store at this path may not touch; null for a path that is no feature's. */
export function foreignTables(path: string): RegExp | null {
  const feature = /^apps\/server\/src\/features\/([a-z-]+)\//.exec(path)?.[1];
  if (feature === undefined) return null;
  const foreign = Object.keys(tableOwners).filter(
    (table) => tableOwners[table] !== feature && !tableExceptions[feature]?.includes(table),
  );
  const names = `(?:${foreign.join("|")})\\b`;
  return new RegExp(
    `(?:selectFrom|insertInto|updateTable|deleteFrom|innerJoin|leftJoin)\\(\\s*["']${names}|\\b(?:from|join|into|update) ${names}`,
  );
}
