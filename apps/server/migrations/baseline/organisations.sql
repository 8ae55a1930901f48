-- Who signs up people and in whose name. The host is the organisation that runs this installation.
create table organisations (
  id uuid primary key,
  -- True for one, null for the others.
  is_host boolean unique check (is_host),
  -- Null until an administrator names it.
  name text,
  legal_form text,
  address text,
  siret text,
  representative text,
  contact_email text,
  dpo_email text,
  -- Who may register without an invitation; null: the setting REGISTRATION decides.
  registration text check (registration in ('closed', 'domains', 'open')),
  registration_domains text[] not null default '{}',
  -- What signers see; null: the service's own colour, no logo.
  colour text check (colour ~ '^#[0-9a-f]{6}$'),
  -- A PNG that the service drew.
  logo bytea,
  -- Null: the organisation's name; no address; its name and address.
  mail_sender_name text,
  mail_reply_to text,
  mail_footer text,
  -- Grows with each change, so that an edit of an older version is refused.
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((registration is not distinct from 'domains') = (cardinality(registration_domains) > 0))
);

-- A person may belong to several organisations, with one role in each.
create table organisation_members (
  organisation_id uuid not null references organisations on delete cascade,
  user_id uuid not null references users on delete cascade,
  role text not null check (role in ('owner', 'administrator', 'member', 'reader')),
  created_at timestamptz not null,
  primary key (organisation_id, user_id)
);
create index organisation_members_user on organisation_members (user_id);

-- Who changed what in the organisation. Names are those of the accounts when the journal is read.
create table organisation_events (
  id uuid primary key,
  -- Two events of one millisecond have an order.
  position bigint not null generated always as identity,
  organisation_id uuid not null references organisations on delete cascade,
  at timestamptz not null,
  kind text not null,
  -- Null: a command of the operator.
  actor_id uuid references users on delete set null,
  subject_id uuid references users on delete set null,
  -- {email, role, from, heir, …}: what the sentence needs.
  detail jsonb not null
);
create index organisation_events_order on organisation_events (organisation_id, position desc);
-- Before an unused account is deleted.
create index organisation_events_actor on organisation_events (actor_id);
create index organisation_events_subject on organisation_events (subject_id);

-- Who gives a visa, who signs and who gets a copy, in order. `kinds`: of documents, for which it is
-- imposed or proposed.
create table circuits (
  id uuid primary key,
  organisation_id uuid not null references organisations on delete cascade,
  name text not null,
  -- What two names are compared by: lower case, without accents.
  name_key text not null,
  use text not null check (use in ('imposed', 'proposed', 'free')),
  kinds text[] not null,
  steps jsonb not null,
  -- Grows with each change, so that an edit of an older version is refused.
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (organisation_id, name_key)
);
