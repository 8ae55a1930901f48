-- Documents, their revisions, and the fields of envelopes, which stand on documents.

create table documents (
  id uuid primary key,
  envelope_id uuid not null references envelopes on delete cascade,
  position integer not null,
  name text not null,
  page_count integer not null,
  -- [{width, height, rotation}] as displayed, in points.
  pages jsonb not null,
  -- {result, findings} of the document control.
  control jsonb not null,
  normalised_accepted boolean not null default false,
  uploaded_sha256 bytea not null,
  uploaded_size bigint not null,
  current_revision integer not null,
  created_at timestamptz not null,
  -- Positions are exchanged within one change: they are checked at its commit.
  constraint documents_place unique (envelope_id, position) deferrable initially deferred,
  constraint documents_whole unique (envelope_id, id)
);
-- Whether a row names a stored file.
create index documents_upload on documents (uploaded_sha256);

-- Each revision's bytes are stored under their SHA-256; revision 0 is what the signers read.
create table document_revisions (
  document_id uuid not null references documents on delete cascade,
  number integer not null,
  kind text not null check (kind in ('original', 'prepared', 'signed', 'completed')),
  blob_sha256 bytea not null,
  size bigint not null,
  recipient_id uuid,
  created_at timestamptz not null,
  primary key (document_id, number)
);
create index document_revisions_blob on document_revisions (blob_sha256);

-- Files that a program sent ahead of their envelope: used once, or gone after a day.
create table uploads (
  id uuid primary key,
  owner_id uuid not null references users on delete cascade,
  -- The owner; or the team or organisation whose key sent it.
  holder_id uuid not null,
  name text not null,
  file_sha256 bytea not null,
  size bigint not null,
  expires_at timestamptz not null
);
create index uploads_owner on uploads (owner_id);
create index uploads_file on uploads (file_sha256);
create index uploads_expiry on uploads (expires_at);

-- A field is on a document and for a person of its own envelope.
create table fields (
  id uuid primary key,
  envelope_id uuid not null references envelopes on delete cascade,
  document_id uuid not null,
  recipient_id uuid not null,
  position integer not null,
  type text not null check (type in (
    'signature', 'initials', 'date', 'name', 'text', 'checkbox', 'mention')),
  page integer not null,
  x double precision not null,
  y double precision not null,
  width double precision not null,
  height double precision not null,
  required boolean not null,
  label text,
  -- Of a mention: the sentence that its signer copies.
  value text,
  constraint fields_document foreign key (envelope_id, document_id)
    references documents (envelope_id, id) on delete cascade,
  constraint fields_recipient foreign key (envelope_id, recipient_id)
    references recipients (envelope_id, id) on delete cascade,
  -- A hair over the edge is accepted, as at the entry of the service.
  constraint fields_place_check check (page >= 1 and x between 0 and 1 and y between 0 and 1
    and width > 0 and width <= 1 and height > 0 and height <= 1
    and x + width <= 1.0001::double precision and y + height <= 1.0001::double precision)
);
create index fields_envelope on fields (envelope_id, position);
