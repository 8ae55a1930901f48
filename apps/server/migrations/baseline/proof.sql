-- Printed proofs: the identities of the QR codes. They answer for ever: a print outlives its
-- envelope's files.
create table prints (
  id uuid primary key,
  envelope_id uuid not null references envelopes,
  owner_id uuid not null references users,
  qr_type text not null check (qr_type in ('page', 'last', 'certificate')),
  key_id text not null,
  created_at timestamptz not null
);
create index prints_envelope on prints (envelope_id);
create index prints_owner on prints (owner_id, created_at desc);
