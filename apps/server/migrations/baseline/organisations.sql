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
  -- From then on, a member without a second factor does nothing but add one. Null: none is asked.
  second_factor_by timestamptz,
  -- Members confirm each signature with a factor.
  confirms_signatures boolean not null default false,
  -- Null: the setting PASSWORD_MIN_LENGTH, which is the least in any case.
  password_min_length integer,
  -- Without a use, a session ends after these. Null: 2 hours, 14 days with « Rester connecté ».
  idle_hours integer,
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
create index organisation_members_owners on organisation_members (organisation_id, created_at)
  where role = 'owner';

-- People of an organisation who share envelopes, templates, layouts and contacts.
create table teams (
  id uuid primary key,
  organisation_id uuid not null references organisations on delete cascade,
  name text not null,
  created_at timestamptz not null,
  unique (organisation_id, id)
);
create unique index teams_name on teams (organisation_id, lower(name));

-- A member of the organisation may be in several teams; both ends end it.
create table team_members (
  team_id uuid not null,
  organisation_id uuid not null,
  member_id uuid not null,
  -- May rename the team and choose its people.
  is_administrator boolean not null default false,
  created_at timestamptz not null,
  primary key (team_id, member_id),
  foreign key (organisation_id, team_id) references teams (organisation_id, id) on delete cascade,
  foreign key (organisation_id, member_id)
    references organisation_members (organisation_id, user_id) on delete cascade
);
create index team_members_member on team_members (member_id, organisation_id);

-- The team that an invited person joins.
alter table registration_invitations add column team_id uuid references teams on delete set null;
create index registration_invitations_team on registration_invitations (team_id);

-- A program's key may be a team's or the organisation's: `user_id` made it, and stands behind it as
-- long as they may.
alter table api_keys
  add column team_id uuid references teams on delete cascade,
  add column organisation_id uuid references organisations on delete cascade,
  add column holder_id uuid not null
    generated always as (coalesce(team_id, organisation_id, user_id)) stored,
  add check (team_id is null or organisation_id is null);
create index api_keys_holder on api_keys (holder_id);
create index api_keys_team on api_keys (team_id);
create index api_keys_organisation on api_keys (organisation_id);

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

-- Who signs for whom, between two days of Paris, both included. A chain has no row: a delegate signs
-- what is asked of the delegator's own address.
create table delegations (
  id uuid primary key,
  organisation_id uuid not null references organisations on delete cascade,
  delegator_id uuid not null references users on delete cascade,
  delegate_id uuid not null references users on delete cascade,
  starts_on date not null,
  ends_on date not null,
  scope text not null check (scope in ('all', 'circuit', 'visas', 'signatures')),
  -- {id, name}, as it was then: envelopes keep a circuit that is deleted.
  circuit jsonb check ((circuit is not null) = (scope = 'circuit')),
  -- Documents signed under it.
  signatures integer not null default 0,
  created_at timestamptz not null,
  -- Before its last day: stopped by the delegator, refused by the delegate, or one of them left.
  ended_at timestamptz,
  ended_by text check (ended_by in ('delegator', 'delegate', 'departure')),
  check (delegator_id <> delegate_id and ends_on >= starts_on),
  check ((ended_at is null) = (ended_by is null))
);
create index delegations_delegate on delegations (delegate_id, ends_on);
create index delegations_delegator on delegations (delegator_id, ends_on);
create index delegations_organisation on delegations (organisation_id);
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
