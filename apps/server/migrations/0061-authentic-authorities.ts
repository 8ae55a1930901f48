import { type Kysely, sql } from "kysely";

/**
 * Rows that a proof leans on, whoever may write in the tables (security §3): an authority bears a MAC under MASTER_KEY; what enters the log comes after what is
 * there; salts have the one length that the service draws.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    alter table authority_keys
      -- HMAC under MASTER_KEY; null in rows of before, until the service has found them to be its own
      add column mac bytea,
      add column revoked_at timestamptz;
    update authority_keys a set revoked_at = c.revoked_at from certificates c
      where c.issuer_id = a.issuer_id and c.certificate_der = a.certificate_der and c.revoked_at is not null;

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
    create trigger authority_keys_keep before insert or update on authority_keys for each row execute function keep_authority();
    create trigger authority_keys_no_delete before delete or truncate on authority_keys for each statement execute function refuse_change();

    create function keep_certificate() returns trigger language plpgsql as $$
    begin
      -- a purge leaves of a signer's certificate its hash (0009)
      if (new.serial_number, new.issuer_id) is distinct from (old.serial_number, old.issuer_id)
        or (new.certificate_der is distinct from old.certificate_der
          and (length(new.certificate_der), new.certificate_hash) is distinct from (0, sha256(old.certificate_der)))
        or (old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at) then
        raise exception 'a certificate is revoked, once, and never changed';
      end if;
      return new;
    end $$;
    create trigger certificates_keep before update on certificates for each row execute function keep_certificate();
    create trigger certificates_no_delete before delete or truncate on certificates for each statement execute function refuse_change();

    create function keep_log_order() returns trigger language plpgsql as $$
    begin
      if new.leaf_index <> (select coalesce(max(leaf_index) + 1, 0) from transparency_leaves) then
        raise exception 'a leaf comes after the one before';
      end if;
      return new;
    end $$;
    create trigger transparency_leaves_in_order before insert on transparency_leaves for each row execute function keep_log_order();

    create function keep_checkpoint_order() returns trigger language plpgsql as $$
    begin
      if new.number <> (select coalesce(max(number) + 1, 1) from transparency_checkpoints)
        or new.size <> (select coalesce(max(leaf_index) + 1, 0) from transparency_leaves) then
        raise exception 'a checkpoint is of the whole log, after the one before';
      end if;
      return new;
    end $$;
    create trigger transparency_checkpoints_in_order before insert on transparency_checkpoints for each row execute function keep_checkpoint_order();

    -- those there are already are looked at when their journal is
    alter table audit_details add constraint audit_details_salt check (octet_length(salt) = 16) not valid;
  `.execute(db);
}
