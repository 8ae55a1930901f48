// Generated from the migrated database by `npm run db:types`. A test refuses it when stale.
import type { ColumnType } from "kysely";

export type ArrayType<T> = ArrayTypeImpl<T> extends (infer U)[]
  ? U[]
  : ArrayTypeImpl<T>;

export type ArrayTypeImpl<T> = T extends ColumnType<infer S, infer I, infer U>
  ? ColumnType<S[], I[], U[]>
  : T[];

export type Generated<T> = T extends ColumnType<infer S, infer I, infer U>
  ? ColumnType<S, I | undefined, U>
  : ColumnType<T, T | undefined, T>;

export type Json = JsonValue;

export type JsonArray = JsonValue[];

export type JsonObject = {
  [x: string]: JsonValue | undefined;
};

export type JsonPrimitive = boolean | number | string | null;

export type JsonValue = JsonArray | JsonObject | JsonPrimitive;

export type Timestamp = ColumnType<Date, Date | string, Date | string>;

export interface AccountTokens {
  created_at: Timestamp;
  expires_at: Timestamp;
  purpose: string;
  token_sha256: Uint8Array;
  used_at: Timestamp | null;
  user_id: string;
}

export interface AddressChanges {
  created_at: Timestamp;
  email: string;
  email_key: string;
  expires_at: Timestamp;
  token_sha256: Uint8Array;
  user_id: string;
}

export interface AddressTries {
  address_hmac: Uint8Array;
  last_try_at: Timestamp;
  wrong_tries: Generated<number>;
}

export interface ApiKeys {
  addresses: string[];
  created_at: Timestamp;
  expires_at: Timestamp | null;
  hint: string;
  holder_id: Generated<string>;
  id: string;
  last_used_at: Timestamp | null;
  name: string;
  organisation_id: string | null;
  origins: string[];
  scopes: string[];
  secret_sha256: Uint8Array;
  team_id: string | null;
  user_id: string;
}

export interface AuditDetails {
  envelope_id: string;
  name: string;
  salt: Uint8Array;
  sequence: number;
  value: Json;
}

export interface AuditEvents {
  action: string;
  actor: string;
  at: Timestamp;
  detail: Json;
  envelope_id: string;
  hash: Uint8Array;
  previous_hash: Uint8Array | null;
  sequence: number;
}

export interface AuthorityKeys {
  certificate_der: Uint8Array;
  created_at: Timestamp;
  id: string;
  issuer_id: string | null;
  mac: Uint8Array | null;
  private_key_wrapped: Uint8Array | null;
  purpose: string;
  retired_at: Timestamp | null;
  revoked_at: Timestamp | null;
}

export interface Backups {
  bytes: number;
  ended_at: Timestamp;
  files: number;
  id: string;
  place: string;
  started_at: Timestamp;
}

export interface BatchItems {
  copy_accepted_at: Timestamp | null;
  copy_may_differ: Generated<boolean>;
  detail: string | null;
  ended_at: Timestamp | null;
  envelope_id: string | null;
  failed_tries: Generated<number>;
  failure_code: string | null;
  id: string;
  job_id: string;
  name: string;
  placement: Json | null;
  position: number;
  signed_sha256: Uint8Array | null;
  signed_size: number | null;
  source_sha256: Uint8Array | null;
  source_size: number;
  status: string;
  taken_until: Timestamp | null;
}

export interface BatchJobs {
  cancelled_at: Timestamp | null;
  consent_version: string;
  created_at: Timestamp;
  evidence: Json;
  finished_at: Timestamp | null;
  id: string;
  if_fixable: string;
  ip_address: string | null;
  manifest: string | null;
  manifest_key: string | null;
  mark: Json;
  owner_id: string;
  placement: Json;
  signer: Json;
  started_at: Timestamp | null;
  title: string | null;
  user_agent: string | null;
}

export interface Certificates {
  certificate_der: Uint8Array;
  certificate_hash: Uint8Array | null;
  issuer_id: string;
  not_after: Timestamp;
  not_before: Timestamp;
  revocation_reason: number | null;
  revoked_at: Timestamp | null;
  serial_number: string;
  subject: string;
}

export interface Circuits {
  created_at: Timestamp;
  id: string;
  kinds: string[];
  name: string;
  name_key: string;
  organisation_id: string;
  steps: Json;
  updated_at: Timestamp;
  use: string;
  version: Generated<number>;
}

export interface ContactImportLines {
  company: string | null;
  email: string;
  full_name: string;
  import_id: string;
  line: number;
  note: string | null;
  phone_number: string | null;
  position: number;
  second_email: string | null;
  state: string;
}

export interface ContactImports {
  created_at: Timestamp;
  encoding: string;
  existing: string | null;
  file_name: string;
  format: string;
  id: string;
  known_count: number;
  line_count: number;
  new_count: number;
  owner_id: string;
  refused_count: number;
  separator: string | null;
  state: Generated<string>;
  written_count: Generated<number>;
  written_to: Generated<number>;
}

export interface Contacts {
  company: string | null;
  created_at: Timestamp;
  email: string;
  email_key: string;
  full_name: string;
  holder_id: Generated<string>;
  id: string;
  last_sent_at: Timestamp | null;
  name_key: Generated<string>;
  origin: string;
  owner_id: string;
  phone_number: string | null;
  search_text: Generated<string>;
  second_email: string | null;
  second_email_key: string | null;
  sent_count: Generated<number>;
  team_id: string | null;
  updated_at: Timestamp;
}

export interface ContactsApart {
  first_id: string;
  second_id: string;
}

export interface ContactSettings {
  keeps_sent: boolean;
  owner_id: string;
}

export interface Crls {
  crl_der: Uint8Array;
  issuer_id: string;
  next_update: Timestamp;
  number: number;
  this_update: Timestamp;
}

export interface DataKey {
  one: Generated<boolean>;
  wrapped: Uint8Array;
}

export interface Delegations {
  circuit: Json | null;
  created_at: Timestamp;
  delegate_id: string;
  delegator_id: string;
  ended_at: Timestamp | null;
  ended_by: string | null;
  ends_on: string;
  id: string;
  organisation_id: string;
  scope: string;
  signatures: Generated<number>;
  starts_on: string;
}

export interface DocumentArchives {
  authority_serial: string;
  document_id: string;
  renew_at: Timestamp;
  revision: number;
  stamped_at: Timestamp;
  valid_until: Timestamp;
}

export interface DocumentRevisions {
  blob_sha256: Uint8Array;
  created_at: Timestamp;
  document_id: string;
  kind: string;
  number: number;
  recipient_id: string | null;
  size: number;
}

export interface Documents {
  control: Json;
  created_at: Timestamp;
  current_revision: number;
  envelope_id: string;
  id: string;
  name: string;
  normalised_accepted: Generated<boolean>;
  page_count: number;
  pages: Json;
  position: number;
  uploaded_sha256: Uint8Array;
  uploaded_size: number;
}

export interface Embeddings {
  expires_at: Timestamp;
  opened_at: Timestamp | null;
  origin: string;
  recipient_id: string;
  return_url: string | null;
  ticket_sha256: Uint8Array;
}

export interface EnvelopeCounts {
  count: number;
  holder_id: string;
  status: string;
}

export interface EnvelopeDays {
  completed: number;
  completed_days: number;
  created: number;
  day: string;
  holder_id: string;
}

export interface EnvelopeInbox {
  created_at: Timestamp;
  email_key: string;
  envelope_id: string;
  holder_id: string;
  list: string;
}

export interface Envelopes {
  cancelled_at: Timestamp | null;
  circuit: Json | null;
  completed_at: Timestamp | null;
  created_at: Timestamp;
  created_by_name: string;
  deadline_announcement: string | null;
  deadline_at: Timestamp | null;
  deadline_warned_days: number | null;
  document_kind: string | null;
  extension_requested_at: Timestamp | null;
  flow: string;
  folder: Generated<string>;
  holder_id: Generated<string>;
  id: string;
  level: string | null;
  message: string | null;
  next_reminder_at: Timestamp | null;
  owner_id: string;
  proof_only: Generated<boolean>;
  purged_at: Timestamp | null;
  remind_every_days: number | null;
  search_text: string;
  sent_at: Timestamp | null;
  signed_count: Generated<number>;
  signer_count: Generated<number>;
  status: string;
  status_before_cancel: string | null;
  team_id: string | null;
  title: string;
  updated_at: Timestamp;
  version: Generated<number>;
}

export interface EnvelopeSearch {
  created_at: Timestamp;
  envelope_id: string;
  holder_id: string;
  search_text: string;
  status: string;
}

export interface FactorSetups {
  expires_at: Timestamp;
  kind: string;
  secret: Uint8Array;
  session_id: string;
}

export interface Fields {
  document_id: string;
  envelope_id: string;
  height: number;
  id: string;
  label: string | null;
  page: number;
  position: number;
  recipient_id: string;
  required: boolean;
  type: string;
  value: string | null;
  width: number;
  x: number;
  y: number;
}

export interface GuestSessions {
  code_id: string;
  created_at: Timestamp;
  documents_sha256: Uint8Array;
  expires_at: Timestamp;
  recipient_id: string;
  token_sha256: Uint8Array;
}

export interface IdempotencyKeys {
  answer_ids: Generated<string[]>;
  answer_wrapped: Uint8Array | null;
  created_at: Timestamp;
  key: string;
  owner: number | null;
  request_sha256: Uint8Array;
  scope: string;
  status: number | null;
}

export interface IdentityProviders {
  arrival_role: string;
  client_id: string;
  client_secret_wrapped: Uint8Array;
  domains: string[];
  is_only_way: boolean;
  issuer: string;
  kind: string;
  label: string;
  role_claim: string | null;
  secret_saved_at: Timestamp;
  tested_at: Timestamp | null;
  trial_failed_at: Timestamp | null;
  trial_failure: string | null;
  version: number;
}

export interface InboxCounts {
  count: number;
  email_key: string;
  holder_id: string;
  list: string;
}

export interface Layouts {
  created_at: Timestamp;
  fields: Json;
  holder_id: Generated<string>;
  id: string;
  name: string;
  name_key: string;
  owner_id: string;
  team_id: string | null;
}

export interface Listeners {
  pid: number;
  started_at: Timestamp;
}

export interface LoginFailures {
  failures: number;
  key: string;
  locked_until: Timestamp | null;
  window_start: Timestamp;
}

export interface LoginSteps {
  challenge: Uint8Array | null;
  expires_at: Timestamp;
  remembered: boolean;
  token_sha256: Uint8Array;
  user_id: string | null;
}

export interface LooseFiles {
  at: Timestamp;
  sha256: Uint8Array;
}

export interface MailboxMessages {
  channel: string;
  content: string;
  destination: string;
  id: string;
  received_at: Timestamp;
  subject: string;
}

export interface MailingRows {
  cells: Json;
  choice: string | null;
  envelope_id: string | null;
  fault_column: number | null;
  line: number;
  mailing_id: string;
  note: string | null;
  state: string;
}

export interface Mailings {
  created_at: Timestamp;
  encoding: string;
  file_name: string;
  finished_at: Timestamp | null;
  holder_id: string;
  id: string;
  ip_address: string | null;
  owner_id: string;
  pause_detail: string | null;
  paused_until: Timestamp | null;
  plan: Json;
  program: string | null;
  separator: string;
  started_at: Timestamp | null;
  started_by_key: string | null;
  state: Generated<string>;
  template_id: string | null;
  template_name: string;
  user_agent: string | null;
}

export interface NoticeKeys {
  dedupe_key: string;
  notice_id: string;
}

export interface Notices {
  channel: string;
  content_wrapped: Uint8Array | null;
  created_at: Timestamp;
  dedupe_key: string;
  delegator_id: string | null;
  destination: string;
  ended_at: Timestamp | null;
  envelope_id: string | null;
  held_for: string | null;
  id: string;
  kind: string;
  link_sha256: Uint8Array | null;
  may_have_left: Generated<boolean>;
  message_id: string;
  next_try_at: Generated<Timestamp>;
  not_before: Timestamp | null;
  opened_at: Timestamp | null;
  recipient_id: string | null;
  sender_id: string | null;
  sent_at: Timestamp | null;
  server_answer: string | null;
  state: string;
  subject: string | null;
  summary_id: string | null;
  tries: Generated<number>;
  user_id: string | null;
}

export interface OneTimeCodes {
  address_hmac: Uint8Array | null;
  channel: string;
  code_hmac: Uint8Array;
  created_at: Timestamp;
  expires_at: Timestamp;
  id: string;
  killed_at: Timestamp | null;
  recipient_id: string | null;
  used_at: Timestamp | null;
  wrong_tries: Generated<number>;
}

export interface OrganisationEvents {
  actor_id: string | null;
  at: Timestamp;
  detail: Json;
  id: string;
  kind: string;
  organisation_id: string;
  position: Generated<number>;
  subject_id: string | null;
}

export interface OrganisationMembers {
  created_at: Timestamp;
  organisation_id: string;
  role: string;
  user_id: string;
}

export interface Organisations {
  address: string | null;
  colour: string | null;
  confirms_signatures: Generated<boolean>;
  contact_email: string | null;
  created_at: Timestamp;
  dpo_email: string | null;
  id: string;
  idle_hours: number | null;
  is_host: boolean | null;
  legal_form: string | null;
  logo: Uint8Array | null;
  mail_footer: string | null;
  mail_reply_to: string | null;
  mail_sender_name: string | null;
  name: string | null;
  password_min_length: number | null;
  registration: string | null;
  registration_domains: Generated<string[]>;
  representative: string | null;
  second_factor_by: Timestamp | null;
  siret: string | null;
  updated_at: Timestamp;
  version: Generated<number>;
}

export interface Passkeys {
  counter: number;
  created_at: Timestamp;
  credential_id: string;
  id: string;
  last_used_at: Timestamp | null;
  name: string;
  public_key: Uint8Array;
  transports: string[];
  user_id: string;
}

export interface PhoneCodes {
  code_hmac: Uint8Array;
  created_at: Timestamp;
  expires_at: Timestamp;
  id: string;
  phone_number: string;
  user_id: string;
  wrong_tries: Generated<number>;
}

export interface Prints {
  created_at: Timestamp;
  envelope_id: string;
  id: string;
  key_id: string;
  owner_id: string;
  qr_type: string;
}

export interface ProviderIdentities {
  created_at: Timestamp;
  issuer: string;
  subject: string;
  user_id: string;
}

export interface ProviderLinks {
  browser_sha256: Uint8Array;
  email_key: string;
  expires_at: Timestamp;
  issuer: string;
  kind: string;
  subject: string;
}

export interface ProviderLogins {
  browser_sha256: Uint8Array;
  expires_at: Timestamp;
  is_trial: boolean;
  kind: string;
  state_sha256: Uint8Array;
}

export interface ProviderSessions {
  authenticated_at: Timestamp | null;
  end_session_url: string | null;
  id_token_wrapped: Uint8Array;
  issuer: string;
  kind: string;
  session_id: string;
  sid: string | null;
  subject: string;
  vouched: Json;
}

export interface PushReceipts {
  notice_id: string;
  subscription_id: string;
}

export interface PushSubscriptions {
  auth_secret_wrapped: Uint8Array;
  created_at: Timestamp;
  endpoint: string;
  id: string;
  public_key: Uint8Array;
  session_id: string;
  user_id: string;
}

export interface Recipients {
  approved_at: Timestamp | null;
  asked_at: Timestamp | null;
  automatic_reminders: Generated<number>;
  awaited: Generated<boolean>;
  decline_reason: string | null;
  declined_at: Timestamp | null;
  delegate: Json | null;
  email: string;
  email_key: string;
  envelope_id: string;
  full_name: string;
  id: string;
  notified_at: Timestamp | null;
  phone_number: string | null;
  position: number;
  reassigned_at: Timestamp | null;
  reassigned_from: string | null;
  reminded_at: Timestamp | null;
  role: string;
  routing_order: number;
  signed_at: Timestamp | null;
  status: string;
  told_deadline_at: Timestamp | null;
  untold_reopening: Generated<boolean>;
  viewed_at: Timestamp | null;
  wrong_tries: Generated<number>;
}

export interface RecipientTokens {
  created_at: Timestamp;
  recipient_id: string;
  revoked_at: Timestamp | null;
  token_sha256: Uint8Array;
}

export interface RecoveryCodes {
  code_hmac: Uint8Array;
  used_at: Timestamp | null;
  user_id: string;
}

export interface RegistrationInvitations {
  accepted_at: Timestamp | null;
  created_at: Timestamp;
  email: string | null;
  email_key: string | null;
  expires_at: Timestamp;
  id: string;
  invited_by: string | null;
  role: string | null;
  team_id: string | null;
  token_sha256: Uint8Array;
  withdrawn_at: Timestamp | null;
}

export interface SavedSignatures {
  created_at: Timestamp;
  id: string;
  is_default: boolean;
  kind: string;
  last_used_at: Timestamp | null;
  mark_wrapped: Uint8Array;
  name: string;
  user_id: string;
}

export interface ServiceSecrets {
  created_at: Timestamp;
  name: string;
  secret_wrapped: Uint8Array;
}

export interface Sessions {
  confirmed_at: Timestamp | null;
  confirmed_by: string | null;
  created_at: Timestamp;
  expires_at: Timestamp;
  id: string;
  ip_address: string | null;
  last_used_at: Timestamp;
  means: string;
  remembered: boolean;
  revoked_at: Timestamp | null;
  user_agent: string | null;
  user_id: string;
}

export interface SessionTokens {
  created_at: Timestamp;
  expires_at: Timestamp;
  kind: string;
  rotated_at: Timestamp | null;
  session_id: string;
  token_sha256: Uint8Array;
}

export interface Signatures {
  act_id: string | null;
  certificate_der: Uint8Array;
  crl_issuer_id: string | null;
  crl_number: number | null;
  document_id: string;
  envelope_id: string;
  id: string;
  level: string;
  ocsp_der: Uint8Array | null;
  recipient_id: string | null;
  revision: number;
  serial_number: string;
  signed_at: Timestamp;
  signer_name: string;
}

export interface SigningActs {
  body_sha256: Uint8Array | null;
  consent_version: string;
  content: Json | null;
  documents_sha256: Uint8Array;
  envelope_id: string;
  failed_tries: Generated<number>;
  id: string;
  ip_address: string | null;
  last_failure: string | null;
  method: string;
  recipient_id: string;
  sealed_at: Timestamp | null;
  signed_at: Timestamp;
  user_agent: string | null;
  user_id: string | null;
}

export interface StorageChanges {
  bytes: number;
  folded: Generated<boolean>;
  owner_id: string;
}

export interface StoreChecks {
  at: Timestamp;
  leaves: number;
  number: Generated<number>;
}

export interface StoreIdentity {
  closed_at: Timestamp | null;
  id: string;
}

export interface TeamMembers {
  created_at: Timestamp;
  is_administrator: Generated<boolean>;
  member_id: string;
  organisation_id: string;
  team_id: string;
}

export interface Teams {
  created_at: Timestamp;
  id: string;
  name: string;
  organisation_id: string;
}

export interface TemplateDocuments {
  blob_sha256: Uint8Array;
  name: string;
  page_count: number;
  position: number;
  size: number;
  template_id: string;
}

export interface Templates {
  content: Json;
  created_at: Timestamp;
  holder_id: Generated<string>;
  id: string;
  name: string;
  name_key: string;
  owner_id: string;
  team_id: string | null;
  updated_at: Timestamp;
}

export interface Throttles {
  hits: number;
  key: string;
  window_start: Timestamp;
}

export interface TotpFactors {
  created_at: Timestamp;
  last_step: number;
  secret_wrapped: Uint8Array;
  user_id: string;
}

export interface TransparencyCheckpoints {
  at: Timestamp;
  key_id: string;
  number: number;
  root: Uint8Array;
  signature: string;
  size: number;
  timestamp_der: Uint8Array;
}

export interface TransparencyCopies {
  copied_at: Timestamp | null;
  failing_since: Timestamp | null;
  fault: string | null;
  notice_id: string | null;
  size: Generated<number>;
  target: string;
  tried_at: Timestamp | null;
}

export interface TransparencyDue {
  envelope_id: string;
  head: Uint8Array;
  number: Generated<number>;
  sequence: number;
}

export interface TransparencyLeaves {
  envelope_id: string;
  head: Uint8Array;
  leaf_index: number;
  sequence: number;
}

export interface TransparencyNodes {
  hash: Uint8Array;
  index: number;
  level: number;
}

export interface Uploads {
  expires_at: Timestamp;
  file_sha256: Uint8Array;
  holder_id: string;
  id: string;
  name: string;
  owner_id: string;
  size: number;
}

export interface Users {
  activated_at: Timestamp | null;
  address: string | null;
  address_confirmed_at: Timestamp | null;
  avatar_sha256: Uint8Array | null;
  birth_date: string | null;
  created_at: Timestamp;
  daily_summary: Generated<boolean>;
  deactivated_at: Timestamp | null;
  email: string;
  email_key: string;
  erased_at: Timestamp | null;
  first_name: Generated<string>;
  gender: Generated<string>;
  id: string;
  last_name: Generated<string>;
  notify_email: Generated<boolean>;
  notify_push: Generated<boolean>;
  notify_sms: Generated<boolean>;
  password_hash: string;
  phone_number: string | null;
  phone_verified_at: Timestamp | null;
  quiet_hours: Generated<boolean>;
  updated_at: Timestamp;
  username: string;
  username_key: string;
}

export interface VapidKeys {
  created_at: Timestamp;
  id: number;
  private_key_wrapped: Uint8Array;
  public_key: Uint8Array;
}

export interface WebhookEvents {
  asked: Generated<boolean>;
  at: Timestamp;
  body: string | null;
  due_at: Generated<Timestamp>;
  ended_at: Timestamp | null;
  envelope_id: string | null;
  first_try_at: Timestamp | null;
  id: Generated<number>;
  message_id: Generated<string>;
  recipient_id: string | null;
  tries: Generated<number>;
  type: string;
  webhook_id: string;
}

export interface Webhooks {
  created_at: Timestamp;
  failures: Generated<number>;
  holder_id: Generated<string>;
  id: string;
  old_secrets_until: Generated<ArrayType<Timestamp>>;
  old_secrets_wrapped: Generated<ArrayType<Uint8Array>>;
  organisation_id: string | null;
  paused: string | null;
  paused_at: Timestamp | null;
  public_key: Uint8Array;
  rests_until: Generated<Timestamp>;
  secret_wrapped: Uint8Array;
  seed_wrapped: Uint8Array;
  team_id: string | null;
  types: string[];
  url: string;
  user_id: string;
}

export interface WebhookTries {
  answer: string;
  at: Timestamp;
  duration_ms: number;
  event_id: number;
  headers: Json;
  id: Generated<number>;
  path: string;
  status: number | null;
  webhook_id: string;
}

export interface DB {
  account_tokens: AccountTokens;
  address_changes: AddressChanges;
  address_tries: AddressTries;
  api_keys: ApiKeys;
  audit_details: AuditDetails;
  audit_events: AuditEvents;
  authority_keys: AuthorityKeys;
  backups: Backups;
  batch_items: BatchItems;
  batch_jobs: BatchJobs;
  certificates: Certificates;
  circuits: Circuits;
  contact_import_lines: ContactImportLines;
  contact_imports: ContactImports;
  contact_settings: ContactSettings;
  contacts: Contacts;
  contacts_apart: ContactsApart;
  crls: Crls;
  data_key: DataKey;
  delegations: Delegations;
  document_archives: DocumentArchives;
  document_revisions: DocumentRevisions;
  documents: Documents;
  embeddings: Embeddings;
  envelope_counts: EnvelopeCounts;
  envelope_days: EnvelopeDays;
  envelope_inbox: EnvelopeInbox;
  envelope_search: EnvelopeSearch;
  envelopes: Envelopes;
  factor_setups: FactorSetups;
  fields: Fields;
  guest_sessions: GuestSessions;
  idempotency_keys: IdempotencyKeys;
  identity_providers: IdentityProviders;
  inbox_counts: InboxCounts;
  layouts: Layouts;
  listeners: Listeners;
  login_failures: LoginFailures;
  login_steps: LoginSteps;
  loose_files: LooseFiles;
  mailbox_messages: MailboxMessages;
  mailing_rows: MailingRows;
  mailings: Mailings;
  notice_keys: NoticeKeys;
  notices: Notices;
  one_time_codes: OneTimeCodes;
  organisation_events: OrganisationEvents;
  organisation_members: OrganisationMembers;
  organisations: Organisations;
  passkeys: Passkeys;
  phone_codes: PhoneCodes;
  prints: Prints;
  provider_identities: ProviderIdentities;
  provider_links: ProviderLinks;
  provider_logins: ProviderLogins;
  provider_sessions: ProviderSessions;
  push_receipts: PushReceipts;
  push_subscriptions: PushSubscriptions;
  recipient_tokens: RecipientTokens;
  recipients: Recipients;
  recovery_codes: RecoveryCodes;
  registration_invitations: RegistrationInvitations;
  saved_signatures: SavedSignatures;
  service_secrets: ServiceSecrets;
  session_tokens: SessionTokens;
  sessions: Sessions;
  signatures: Signatures;
  signing_acts: SigningActs;
  storage_changes: StorageChanges;
  store_checks: StoreChecks;
  store_identity: StoreIdentity;
  team_members: TeamMembers;
  teams: Teams;
  template_documents: TemplateDocuments;
  templates: Templates;
  throttles: Throttles;
  totp_factors: TotpFactors;
  transparency_checkpoints: TransparencyCheckpoints;
  transparency_copies: TransparencyCopies;
  transparency_due: TransparencyDue;
  transparency_leaves: TransparencyLeaves;
  transparency_nodes: TransparencyNodes;
  uploads: Uploads;
  users: Users;
  vapid_keys: VapidKeys;
  webhook_events: WebhookEvents;
  webhook_tries: WebhookTries;
  webhooks: Webhooks;
}
