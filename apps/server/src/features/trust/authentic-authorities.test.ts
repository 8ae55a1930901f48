import { randomBytes } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../testing/database.ts";
import { testTrustPlatform } from "../../../testing/trust-platform.ts";
import { formerKeyContext, keyContext } from "./authority-mac.ts";
import { createTrust, type Trust } from "./create-trust.ts";
import { revokeIssued } from "./revoke-certificate.ts";
import { exportRootKey, removeRootKey } from "./root-key-file.ts";
import { rotateAuthority } from "./rotate-authority.ts";
import { serialHex } from "./serial-hex.ts";
import { selectAuthorities } from "./store.ts";
import { strangeAuthorities } from "./strange-authorities.ts";
import { parseCertificate } from "@paraphe/pades";

const masterKey = new Uint8Array(randomBytes(32));
let database: TestDatabase;
const platformOf = () => testTrustPlatform(database, { masterKey });
/** What somebody does who may write anything, triggers off, and has not the master key. */
const asSuperuser = (...statements: readonly RawBuilder<unknown>[]) =>
  database.owner.transaction().execute(async (trx) => {
    for (const statement of [sql`set local session_replication_role = replica`, ...statements]) await statement.execute(trx);
  });

beforeEach(async () => {
  database = await createTestDatabase();
  await createTrust(platformOf());
});
afterEach(() => database.drop());

/** The whole of another service's authorities. */
async function elsewhere(): Promise<Trust> {
  const other = await createTestDatabase();
  try {
    return await createTrust(testTrustPlatform(other));
  } finally {
    await other.drop();
  }
}

const inserted = (purpose: string, der: Uint8Array, mac: Uint8Array | null) => sql`
  insert into authority_keys (id, purpose, issuer_id, certificate_der, created_at, retired_at, mac)
  values (gen_random_uuid(), ${purpose}, null, ${Buffer.from(der)}, now() - interval '1 year', now(), ${mac === null ? null : Buffer.from(mac)})`;

/** Everything that others are given to lean on. */
async function leanedOn(trust: Trust) {
  const { trustAnchors, certificates = [] } = await trust.evidence();
  return {
    anchors: trustAnchors.signers.length,
    stamps: trustAnchors.timestamps.length,
    certificates: certificates.length,
    published: trust.certificates.issuers.length,
    seals: (await trust.seals()).length,
    keys: (await trust.sealKeys()).length,
  };
}

describe("a row that somebody else wrote", () => {
  it.each([
    ["without a MAC", () => null],
    ["with a MAC of their own", () => new Uint8Array(randomBytes(32))],
  ])("is no anchor, no published certificate and no key, and is told: %s", async (_what, mac) => {
    const own = await leanedOn(await createTrust(platformOf()));
    const { certificates, seal } = await elsewhere();
    await asSuperuser(
      inserted("root", certificates.root, mac()),
      inserted("ca", certificates.ca, mac()),
      inserted("tsa", certificates.tsa, mac()),
      inserted("seal", seal.certificates[0] ?? new Uint8Array(), mac()),
    );
    expect(await leanedOn(await createTrust(platformOf()))).toEqual(own);
    const { count, strange } = await strangeAuthorities(platformOf());
    expect([count, strange.length]).toEqual([9, 4]);
  });

  it("is not believed with the MAC of one of the service's", async () => {
    const own = await leanedOn(await createTrust(platformOf()));
    const [root] = await selectAuthorities(database.db);
    await asSuperuser(inserted("root", (await elsewhere()).certificates.root, root?.mac ?? null));
    expect(await leanedOn(await createTrust(platformOf()))).toEqual(own);
  });

  it.each([
    ["another purpose", sql`update authority_keys set purpose = 'seal', retired_at = now() where purpose = 'tsa'`],
    ["another beginning", sql`update authority_keys set created_at = created_at - interval '1 day' where purpose = 'tsa'`],
    ["an end", sql`update authority_keys set retired_at = now() where purpose = 'tsa'`],
    ["a revocation", sql`update authority_keys set revoked_at = now() where purpose = 'tsa'`],
    ["no MAC", sql`update authority_keys set mac = null where purpose = 'tsa'`],
  ])("is one of the service's, given %s", async (_what, change) => {
    await asSuperuser(change);
    expect((await strangeAuthorities(platformOf())).strange).toHaveLength(1);
    await expect(createTrust(platformOf())).rejects.toThrow("Expected a living tsa authority");
  });

  it("cannot be written by the service's own role, nor one of the service's be undone", async () => {
    await rotateAuthority(platformOf(), "seal");
    const { root } = (await elsewhere()).certificates;
    await expect(inserted("root", root, null).execute(database.db)).rejects.toThrow("bears a MAC");
    for (const statement of [
      sql`update authority_keys set mac = null`,
      sql`update authority_keys set retired_at = null where retired_at is not null`,
      sql`update authority_keys set certificate_der = '\\x00'`,
      sql`delete from authority_keys`,
      sql`delete from certificates`,
    ])
      await expect(statement.execute(database.db)).rejects.toThrow();
  });

  it("makes no new authorities: with another master key the service does not start", async () => {
    await expect(createTrust(testTrustPlatform(database))).rejects.toThrow("bears the MAC of this MASTER_KEY");
    expect(await selectAuthorities(database.db)).toHaveLength(5);
  });
});

describe("the set of keys that is published", () => {
  const revokedSeal = async () => {
    const [leaked] = await (await createTrust(platformOf())).seals();
    const serialNumber = serialHex(parseCertificate(leaked ?? new Uint8Array()).serialNumber);
    await rotateAuthority(platformOf(), "seal");
    expect(await revokeIssued(platformOf(), { serialNumber, reason: "compromission" })).toMatchObject({ ok: true });
    return serialNumber;
  };

  it("has the retired seals' keys, and not the revoked ones", async () => {
    await revokedSeal();
    await rotateAuthority(platformOf(), "seal");
    const trust = await createTrust(platformOf());
    expect([(await trust.seals()).length, (await trust.sealKeys()).length]).toEqual([3, 2]);
  });

  it("does not take a revoked key back when the certificate's row no longer says so", async () => {
    const serial = await revokedSeal();
    await expect(sql`update certificates set revoked_at = null where serial_number = ${serial}`.execute(database.db)).rejects.toThrow(
      "revoked, once",
    );
    await asSuperuser(sql`update certificates set revoked_at = null where serial_number = ${serial}`);
    expect(await (await createTrust(platformOf())).sealKeys()).toHaveLength(1);
  });

  it("has no key whose certificate's row alone says that it is revoked", async () => {
    await rotateAuthority(platformOf(), "seal");
    await sql`update certificates set revoked_at = now() where certificate_der in (select certificate_der from authority_keys where purpose = 'seal' and retired_at is not null)`.execute(
      database.db,
    );
    expect(await (await createTrust(platformOf())).sealKeys()).toHaveLength(1);
  });
});

describe("rows of before there were MACs", () => {
  /** What the version before left: no MAC, keys wrapped under their row's id alone. */
  const asBefore = async () => {
    const { secrets } = platformOf();
    const rows = await selectAuthorities(database.db);
    await asSuperuser(
      ...rows.map(({ privateKeyWrapped, ...row }) => {
        const wrapped = privateKeyWrapped && secrets.wrap(secrets.unwrap(privateKeyWrapped, keyContext(row)), formerKeyContext(row.id));
        return sql`update authority_keys set mac = null, private_key_wrapped = ${wrapped && Buffer.from(wrapped)} where id = ${row.id}`;
      }),
    );
  };

  it("are taken up once, by processes that start together: living, retired, revoked, and the root whose key is kept offline", async () => {
    const passphrase = "une phrase de passe assez longue";
    await rotateAuthority(platformOf(), "ca");
    await rotateAuthority(platformOf(), "seal");
    const exported = await exportRootKey(platformOf(), passphrase);
    if (!exported.ok) throw new Error(exported.error);
    await removeRootKey(platformOf(), { file: exported.value, passphrase });
    const before = await leanedOn(await createTrust(platformOf()));
    await asBefore();
    const opened = await Promise.all(Array.from({ length: 4 }, () => createTrust(platformOf())));
    for (const trust of opened) expect(await leanedOn(trust)).toEqual(before);
    expect(await strangeAuthorities(platformOf())).toEqual({ count: 10, strange: [], missing: [] });
    // The service goes on: it issues, replaces, and answers.
    expect(await rotateAuthority(platformOf(), "tsa")).toMatchObject({ ok: true });
  });

  it("are not taken up where nothing of the service's stands for them", async () => {
    const own = await leanedOn(await createTrust(platformOf()));
    const { certificates, seal } = await elsewhere();
    await asBefore();
    await asSuperuser(
      inserted("root", certificates.root, null),
      inserted("seal", seal.certificates[0] ?? new Uint8Array(), null),
      inserted("root", new Uint8Array([0]), null),
    );
    expect(await leanedOn(await createTrust(platformOf()))).toEqual(own);
    expect((await strangeAuthorities(platformOf())).strange).toHaveLength(3);
  });

  it("are never taken up again: whoever takes the MACs away gains nothing", async () => {
    await asSuperuser(sql`update authority_keys set mac = null`);
    await expect(createTrust(platformOf())).rejects.toThrow("bears the MAC of this MASTER_KEY");
  });
});
