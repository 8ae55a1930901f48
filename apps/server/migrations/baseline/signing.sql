-- A code goes to a recipient, or confirms the address of an account. The second kind is counted for
-- the address: more envelopes, or a new account of the same address, give no more tries.
create table one_time_codes (
  id uuid primary key,
  recipient_id uuid references recipients on delete cascade,
  code_hmac bytea not null,
  channel text not null check (channel in ('email', 'sms')),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  wrong_tries integer not null default 0,
  used_at timestamptz,
  killed_at timestamptz,
  -- A keyed hash.
  address_hmac bytea,
  constraint one_time_codes_holder check (num_nonnulls(recipient_id, address_hmac) = 1)
);
create index one_time_codes_recipient on one_time_codes (recipient_id, created_at desc);
create unique index one_time_codes_live on one_time_codes (recipient_id)
  where used_at is null and killed_at is null;
create index one_time_codes_age on one_time_codes (created_at);
create index one_time_codes_address on one_time_codes (address_hmac, created_at desc)
  where address_hmac is not null;
create unique index one_time_codes_address_live on one_time_codes (address_hmac)
  where used_at is null and killed_at is null;

create table address_tries (
  address_hmac bytea primary key,
  wrong_tries integer not null default 0,
  last_try_at timestamptz not null
);
create index address_tries_age on address_tries (last_try_at);

create table guest_sessions (
  token_sha256 bytea primary key,
  recipient_id uuid not null references recipients on delete cascade,
  -- SHA-256 over the hashes of the documents that were shown.
  documents_sha256 bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- The code that opened the session: the consent given in it names that code.
  code_id uuid not null
);
create index guest_sessions_recipient on guest_sessions (recipient_id);
create index guest_sessions_expiry on guest_sessions (expires_at);

-- One-time addresses, at which a site shows the signing page within its own.
create table embeddings (
  ticket_sha256 bytea primary key,
  recipient_id uuid not null references recipients on delete cascade,
  origin text not null,
  return_url text,
  expires_at timestamptz not null,
  opened_at timestamptz
);
create index embeddings_recipient on embeddings (recipient_id);
create index embeddings_expiry on embeddings (expires_at);

-- The marks that an account saves, to sign again with one of them.
create table saved_signatures (
  id uuid primary key,
  user_id uuid not null references users,
  name text not null,
  kind text not null check (kind in ('drawn', 'typed', 'uploaded')),
  -- Strokes, text and hand, or PNG: unreadable without the master key.
  mark_wrapped bytea not null,
  is_default boolean not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index saved_signatures_user on saved_signatures (user_id, created_at desc, id desc);
create unique index saved_signatures_default on saved_signatures (user_id) where is_default;

-- The act of agreeing, committed before anything is sealed. One per recipient.
create table signing_acts (
  id uuid primary key,
  envelope_id uuid not null references envelopes on delete cascade,
  recipient_id uuid not null unique references recipients on delete cascade,
  user_id uuid references users,
  method text not null check (method in ('guest', 'authenticated', 'hsm', 'self', 'bulk')),
  consent_version text not null,
  documents_sha256 bytea not null,
  -- {fields: [{id, value}], signature: mark}; emptied once sealed.
  content jsonb,
  ip_address text,
  user_agent text,
  signed_at timestamptz not null,
  sealed_at timestamptz,
  failed_tries integer not null default 0,
  last_failure text,
  -- SHA-256 of the request: the same sent twice is one act. Null: an owner's own document.
  body_sha256 bytea
);
create index signing_acts_unsealed on signing_acts (signed_at) where sealed_at is null;
create index signing_acts_envelope on signing_acts (envelope_id);
create index signing_acts_user on signing_acts (user_id) where user_id is not null;

create table signatures (
  id uuid primary key,
  envelope_id uuid not null references envelopes,
  document_id uuid not null,
  recipient_id uuid,
  act_id uuid,
  revision integer not null,
  signer_name text not null,
  level text not null,
  certificate_der bytea not null,
  serial_number text not null,
  signed_at timestamptz not null,
  -- A signer's certificate lives a day: its status when it signed is stored with the signature.
  ocsp_der bytea,
  crl_issuer_id uuid,
  crl_number bigint,
  unique (document_id, recipient_id),
  constraint signatures_crl foreign key (crl_issuer_id, crl_number) references crls
);
create index signatures_envelope on signatures (envelope_id);

-- The last document time-stamp of each completed document, and when another is due (EN 319 142-1,
-- B-LTA).
create table document_archives (
  document_id uuid primary key references documents on delete cascade,
  revision integer not null,
  -- Serial number of the time-stamping authority's certificate, lower-case hexadecimal.
  authority_serial text not null,
  stamped_at timestamptz not null,
  valid_until timestamptz not null,
  renew_at timestamptz not null
);
create index document_archives_due on document_archives (renew_at);
create index document_archives_authority on document_archives (authority_serial);

-- Many documents of one's own, signed at once.
create table batch_jobs (
  id uuid primary key,
  owner_id uuid not null references users on delete cascade,
  title text,
  -- {full_name, email, email_key}: who agreed, under the name of that moment.
  signer jsonb not null,
  -- {page, x, y, width, height}.
  placement jsonb not null,
  mark jsonb not null,
  evidence jsonb not null,
  if_fixable text not null check (if_fixable in ('accept', 'refuse')),
  consent_version text not null,
  ip_address text,
  user_agent text,
  -- The moment of consent.
  created_at timestamptz not null,
  started_at timestamptz,
  cancelled_at timestamptz,
  finished_at timestamptz,
  -- manifeste.json as signed: a second download of the archive is the same bytes.
  manifest text,
  manifest_key text
);
create index batch_jobs_owner on batch_jobs (owner_id, created_at desc, id desc);
create index batch_jobs_unfinished on batch_jobs (created_at) where finished_at is null;
create index batch_jobs_finished on batch_jobs (finished_at) where finished_at is not null;

-- Its id is the id of the act that its signature makes: one item cannot have a second act.
create table batch_items (
  id uuid primary key,
  job_id uuid not null references batch_jobs on delete cascade,
  position integer not null,
  name text not null,
  placement jsonb,
  -- Emptied once signed: the envelope has its own.
  source_sha256 bytea,
  source_size bigint not null,
  status text not null check (status in ('queued', 'done', 'failed', 'cancelled')),
  failed_tries integer not null default 0,
  detail text,
  envelope_id uuid unique,
  signed_sha256 bytea,
  signed_size bigint,
  ended_at timestamptz,
  -- Why it failed, so that the page offers what can be done.
  failure_code text,
  -- When the corrected copy was accepted after the consent to the batch: the act is of that moment.
  copy_accepted_at timestamptz,
  -- While it is being signed: until then no other process takes it, unless this one died.
  taken_until timestamptz,
  -- Its owner accepted the copy after they were warned that it looks different.
  copy_may_differ boolean not null default false,
  unique (job_id, position),
  check ((status = 'done') = (envelope_id is not null and signed_sha256 is not null))
);
create index batch_items_queued on batch_items (job_id, position) where status = 'queued';
create index batch_items_source on batch_items (source_sha256) where source_sha256 is not null;
create index batch_items_signed on batch_items (signed_sha256) where signed_sha256 is not null;
