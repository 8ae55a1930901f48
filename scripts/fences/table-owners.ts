/** The feature whose stores query a table; a missing table fails the test. */
export const tableOwners: Readonly<Record<string, string>> = {
  users: "accounts",
  sessions: "accounts",
  session_tokens: "accounts",
  account_tokens: "accounts",
  login_failures: "accounts",
  phone_codes: "accounts",
  address_changes: "accounts",
  registration_invitations: "accounts",
  organisations: "organisations",
  organisation_members: "organisations",
  organisation_events: "organisations",
  passkeys: "accounts",
  totp_factors: "accounts",
  recovery_codes: "accounts",
  factor_setups: "accounts",
  login_steps: "accounts",
  identity_providers: "accounts",
  provider_identities: "accounts",
  provider_logins: "accounts",
  provider_links: "accounts",
  provider_sessions: "accounts",
  circuits: "envelopes",
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
  contacts: "envelopes",
  contact_settings: "envelopes",
  contact_imports: "envelopes",
  contact_import_lines: "envelopes",
  contacts_apart: "envelopes",
  template_documents: "envelopes",
  layouts: "envelopes",
  storage_changes: "accounts",
  listeners: "platform",
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

/** Further readers, with the reason. */
const tableExceptions: Readonly<Record<string, readonly string[]>> = {
  // Signatures still asked of a person before the account goes; the organisation's people.
  accounts: ["inbox_counts", "organisation_members", "organisations"],
  // The sweep deletes unused files.
  documents: ["envelopes", "template_documents", "batch_items", "users"],
  // Sender's address; pending acts; the purge; links of a corrected address.
  envelopes: [
    "one_time_codes",
    "guest_sessions",
    "users",
    "signing_acts",
    "signatures",
    "certificates",
    // A leaver's bytes pass with the envelopes.
    "documents",
  ],
  // Subscriptions end with sessions; an account's texts use the number in its envelopes.
  notices: ["sessions", "users", "recipients"],
  // A proof joins one print's data of several features.
  proof: ["envelopes", "documents", "document_revisions", "signatures"],
  // Wrong codes per recipient; values of fields; stored CRLs; archives due; files of batch
  // envelopes.
  signing: ["recipients", "fields", "crls", "documents", "envelopes"],
};

/** Pattern of a query of another feature's table; null outside features. */
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
