-- Keys and certificates of the built-in PKI (signatures §2). Private keys are wrapped by MASTER_KEY;
-- a signer's is never stored.

create function keep_authority() returns trigger language plpgsql as $$
begin
  if new.mac is null then
    raise exception 'an authority bears a MAC';
  end if;
  if tg_op = 'UPDATE' and ((new.id, new.purpose, new.issuer_id, new.certificate_der, new.created_at)
      is distinct from (old.id, old.purpose, old.issuer_id, old.certificate_der, old.created_at)
    or (old.retired_at is not null and new.retired_at is distinct from old.retired_at)
    or (old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at)) then
    raise exception 'an authority is retired or revoked, once, and never changed';
  end if;
  return new;
end $$;

create table authority_keys (
  id uuid primary key,
  -- hsm: the organisation's seal, whose key is in a PKCS#11 token.
  purpose text not null check (purpose in ('root', 'ca', 'tsa', 'ocsp', 'seal', 'hsm')),
  issuer_id uuid references authority_keys,
  certificate_der bytea not null,
  private_key_wrapped bytea,
  created_at timestamptz not null,
  retired_at timestamptz,
  -- HMAC under MASTER_KEY.
  mac bytea,
  revoked_at timestamptz
);
create unique index authority_keys_live on authority_keys (purpose) where retired_at is null;
create trigger authority_keys_keep before insert or update on authority_keys
  for each row execute function keep_authority();
create trigger authority_keys_no_delete before delete or truncate on authority_keys
  for each statement execute function refuse_change();

create function keep_certificate() returns trigger language plpgsql as $$
begin
  -- A purge leaves of a signer's certificate its hash: the rest bears a name and an address.
  if (new.serial_number, new.issuer_id) is distinct from (old.serial_number, old.issuer_id)
    or (new.certificate_der is distinct from old.certificate_der
      and (length(new.certificate_der), new.certificate_hash)
        is distinct from (0, sha256(old.certificate_der)))
    or (old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at) then
    raise exception 'a certificate is revoked, once, and never changed';
  end if;
  return new;
end $$;

create table certificates (
  serial_number text primary key,
  issuer_id uuid not null references authority_keys,
  subject text not null,
  not_before timestamptz not null,
  not_after timestamptz not null,
  certificate_der bytea not null,
  revoked_at timestamptz,
  revocation_reason integer,
  -- SHA-256 of certificate_der, set when a purge empties it.
  certificate_hash bytea
);
create index certificates_revoked on certificates (issuer_id, revoked_at)
  where revoked_at is not null;
create trigger certificates_keep before update on certificates
  for each row execute function keep_certificate();
create trigger certificates_no_delete before delete or truncate on certificates
  for each statement execute function refuse_change();

create table crls (
  issuer_id uuid not null references authority_keys,
  number bigint not null,
  this_update timestamptz not null,
  next_update timestamptz not null,
  crl_der bytea not null,
  primary key (issuer_id, number)
);

create table service_secrets (
  name text primary key,
  secret_wrapped bytea not null,
  created_at timestamptz not null
);
