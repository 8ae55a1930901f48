import { writeTogether } from "../../platform/database/in-transaction.ts";
import { createHash, randomBytes, X509Certificate } from "node:crypto";
import { parseCertificate, parseCrl, verifyTimestampToken } from "@paraphe/pades";
import { type RawBuilder, sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../testing/database.ts";
import { testTrustPlatform } from "../../../testing/platform.ts";
import { loadAuthorities } from "./authorities.ts";
import { createTrust, type Trust } from "./create-trust.ts";
import { serialHex } from "./make-authority.ts";
import { checkAuthorityRows, revokeIssued, rotateAuthority } from "./rotate-authority.ts";
import { signPrint, verifyPrintSignature } from "./service-seal.ts";
import { selectAuthorities } from "./store.ts";

const masterKey = new Uint8Array(randomBytes(32));

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

const platformOf = () => testTrustPlatform(database, { masterKey });

describe("the service's authorities", () => {
  const now = new Date("2026-11-21T10:00:00.400Z");

  describe("the authorities", () => {
    it("ten processes that start together make the authorities once, and later ones find them", async () => {
      const opened = await Promise.all(Array.from({ length: 10 }, () => createTrust(platformOf())));
      const roots = new Set(
        opened.map((trust) => Buffer.from(trust.certificates.root).toString("hex")),
      );
      expect(roots.size).toBe(1);
      expect(
        (await loadAuthorities(database.db, platformOf())).map((row) => row.purpose).toSorted(),
      ).toEqual(["ca", "ocsp", "root", "seal", "tsa"]);
      const again = await createTrust(platformOf());
      expect(again.certificates.ca).toEqual(opened[0]?.certificates.ca);
    });

    it("each authority's key is wrapped under its own row", async () => {
      const [root] = await loadAuthorities(database.db, platformOf());
      const wrapped = root?.privateKeyWrapped as Uint8Array;
      expect(Buffer.from(wrapped).includes(Buffer.from("2b81040022", "hex"))).toBe(false); // OID of P-384
      expect(() => platformOf().secrets.unwrap(wrapped, "authority-key:another")).toThrow();
    });

    it("another master key does not open the authorities", async () => {
      await expect(createTrust(testTrustPlatform(database))).rejects.toThrow();
    });
  });

  describe("a signer's certificate", () => {
    it("a signer's certificate names the person, is valid for a day, and chains to the root", async () => {
      const trust = await createTrust(platformOf());
      const issued = await trust.issueSigner({
        fullName: "Đặng, O=Faux Éloïse",
        email: "eloise@exemple.fr",
        now,
      });
      const certificate = parseCertificate(issued.certificateDer);
      expect(certificate.subject).toMatchObject({
        commonName: "Đặng, O=Faux Éloïse",
        organization: "Paraphe",
        country: "FR",
      });
      expect(certificate.emails).toEqual(["eloise@exemple.fr"]);
      expect(certificate.policyOids).toEqual(["2.25.1348563553.1.1"]);
      expect(certificate.ocspUrls).toEqual(["https://localhost:8443/pki/ocsp"]);
      // Another issuer's list is at another address.
      expect(certificate.crlUrls).toEqual([
        `https://localhost:8443/pki/crl/${trust.certificates.issuers[0]?.id}.crl`,
      ]);
      expect(
        certificate.notBefore <= now &&
          certificate.notAfter.getTime() - now.getTime() <= 86_400_000,
      ).toBe(true);
      const leaf = new X509Certificate(issued.certificateDer);
      const ca = new X509Certificate(trust.certificates.ca);
      const root = new X509Certificate(trust.certificates.root);
      expect(
        leaf.verify(ca.publicKey) && ca.verify(root.publicKey) && root.verify(root.publicKey),
      ).toBe(true);
    });

    it("each signer has a key and a serial number of its own", async () => {
      const trust = await createTrust(platformOf());
      const person = { fullName: "Paul Martin", email: "paul@exemple.fr", now };
      const [first, second] = [await trust.issueSigner(person), await trust.issueSigner(person)];
      expect(first.serialNumber).not.toBe(second.serialNumber);
      expect(
        new X509Certificate(first.certificateDer).publicKey.equals(
          new X509Certificate(second.certificateDer).publicKey,
        ),
      ).toBe(false);
    });

    it("a signer's certificate is stored, its key nowhere", async () => {
      const trust = await createTrust(platformOf());
      const rows = async () => {
        const tables = await sql<{
          name: string;
        }>`select table_name as name from information_schema.tables where table_schema = 'public'`.execute(
          database.db,
        );
        const counts = tables.rows.map(async ({ name }) => {
          const { rows } = await sql<{
            count: string;
          }>`select count(*) as count from ${sql.table(name)}`.execute(database.db);
          return [name, Number(rows[0]?.count)] as const;
        });
        return Object.fromEntries(await Promise.all(counts));
      };
      const before = await rows();
      const issued = await trust.issueSigner({
        fullName: "Paul Martin",
        email: "paul@exemple.fr",
        now,
      });
      await issued.signer.sign(Uint8Array.of(1));
      await database.db.transaction().execute((trx) => writeTogether(trx, [issued.recording]));
      expect(await rows()).toEqual({ ...before, certificates: (before.certificates ?? 0) + 1 });
      const row = await database.db
        .selectFrom("certificates")
        .selectAll()
        .where("serial_number", "=", issued.serialNumber)
        .executeTakeFirstOrThrow();
      expect(Buffer.compare(row.certificate_der, issued.certificateDer)).toBe(0);
      const ofBytes = Object.entries(row).filter(([, value]) => value instanceof Uint8Array);
      expect(
        ofBytes.map(([name]) => name).filter((name) => !name.startsWith("certificate_")),
      ).toEqual([]);
    });

    it("a certificate is recorded in the caller's transaction, under its serial number", async () => {
      const trust = await createTrust(platformOf());
      const issued = await trust.issueSigner({
        fullName: "Paul Martin",
        email: "paul@exemple.fr",
        now,
      });
      await database.db.transaction().execute((trx) => writeTogether(trx, [issued.recording]));
      const row = await database.db
        .selectFrom("certificates")
        .selectAll()
        .where("serial_number", "=", issued.serialNumber)
        .executeTakeFirstOrThrow();
      expect(BigInt(`0x${row.serial_number}`)).toBe(
        BigInt(`0x${new X509Certificate(issued.certificateDer).serialNumber}`),
      );
    });
  });

  it("the authorities have the organisation, the country and the kind of key of the settings", async () => {
    const other = await createTestDatabase();
    try {
      const pki = { organization: "Université de Liège", country: "BE", keyType: "P-384" } as const;
      const trust = await createTrust(testTrustPlatform(other, { settings: { pki } }));
      const signer = await trust.issueSigner({
        fullName: "Paul Martin",
        email: "paul@exemple.fr",
        now,
      });
      const made = [
        trust.certificates.root,
        trust.certificates.ca,
        trust.certificates.tsa,
        signer.certificateDer,
      ];
      expect(made.map((der) => parseCertificate(der).subject)).toMatchObject([
        {
          commonName: "Université de Liège Racine",
          organization: "Université de Liège",
          country: "BE",
        },
        { commonName: "Université de Liège Signature" },
        { commonName: "Université de Liège Horodatage" },
        { commonName: "Paul Martin", organization: "Université de Liège", country: "BE" },
      ]);
      const curves = made.map(
        (der) => new X509Certificate(der).publicKey.asymmetricKeyDetails?.namedCurve,
      );
      expect(curves).toEqual(["secp384r1", "secp384r1", "prime256v1", "prime256v1"]);
    } finally {
      await other.drop();
    }
  });

  it("the built-in authority time-stamps an imprint", async () => {
    const trust = await createTrust(platformOf());
    const imprint = new Uint8Array(createHash("sha256").update("x").digest());
    const facts = await verifyTimestampToken(await trust.timestamp.timestamp(imprint), { imprint });
    expect(facts).toMatchObject({
      authorityName: "Paraphe Horodatage",
      time: new Date("2026-11-21T10:00:00Z"),
    });
  });

  describe("a print's signature", () => {
    const print = { id: "0199", envelopeId: "0200", qrType: "page", keyId: "1" };

    it("a print's signature is 256 bits and valid for that print only", () => {
      const platform = platformOf();
      const sig = signPrint(platform, print);
      expect(sig).toMatch(/^[A-Za-z0-9_-]{43}$/);
      expect(verifyPrintSignature(platform, print, sig)).toBe(true);
      for (const other of [
        { id: "0198" },
        { envelopeId: "0201" },
        { qrType: "last" },
        { keyId: "2" },
      ]) {
        expect(verifyPrintSignature(platform, { ...print, ...other }, sig)).toBe(false);
      }
    });

    it("a print's signature fails for any changed character, even one that encodes the same bytes", () => {
      const platform = platformOf();
      const sig = signPrint(platform, print);
      const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
      for (const character of alphabet) {
        const changed = sig.slice(0, -1) + character;
        expect(verifyPrintSignature(platform, print, changed)).toBe(changed === sig);
      }
      expect(verifyPrintSignature(platform, print, "")).toBe(false);
    });
  });
});

describe("a new authority", () => {
  it("a new authority renews its issuer's published list, which is never older than what it issued", async () => {
    const platform = platformOf();
    const trust = await createTrust(platform);
    const before = await trust.crl("root");
    platform.clock.advance({ minutes: 5 });
    const rotated = await rotateAuthority(platform, "ca");
    const ca = rotated.ok ? rotated.value.find(({ purpose }) => purpose === "ca") : undefined;
    const after = await (await createTrust(platform)).crl("root");
    expect(after?.number).toBe((before?.number ?? 0) + 1);
    const { thisUpdate } = parseCrl(after?.der ?? new Uint8Array());
    expect(thisUpdate.getTime()).toBeGreaterThanOrEqual(
      parseCertificate(ca?.certificateDer ?? new Uint8Array()).notBefore.getTime(),
    );
  });
});

describe("authorities that are authentic", () => {
  /** Writes as a superuser with triggers off, without the master key. */
  const asSuperuser = (...statements: readonly RawBuilder<unknown>[]) =>
    database.owner.transaction().execute(async (trx) => {
      for (const statement of [sql`set local session_replication_role = replica`, ...statements])
        await statement.execute(trx);
    });

  /** Another service's authorities. */
  let elsewhere: Trust;

  beforeAll(async () => {
    const other = await createTestDatabase();
    elsewhere = await createTrust(testTrustPlatform(other));
    await other.drop();
  });
  // Each test begins with the authorities of a first start.
  beforeEach(async () => {
    await asSuperuser(sql`truncate authority_keys, certificates, crls, service_secrets cascade`);
    await createTrust(platformOf());
  });

  const inserted = (purpose: string, der: Uint8Array, mac: Uint8Array | null) => sql`
  insert into authority_keys (id, purpose, issuer_id, certificate_der, created_at, retired_at, mac)
  values (gen_random_uuid(), ${purpose}, null, ${Buffer.from(der)}, now() - interval '1 year', now(), ${mac === null ? null : Buffer.from(mac)})`;

  /** Everything that others rely on. */
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
    ])("a row %s is no anchor, certificate or key, and is reported", async (_what, mac) => {
      const own = await leanedOn(await createTrust(platformOf()));
      const { certificates, seal } = elsewhere;
      await asSuperuser(
        inserted("root", certificates.root, mac()),
        inserted("ca", certificates.ca, mac()),
        inserted("tsa", certificates.tsa, mac()),
        inserted("seal", seal.certificates[0] ?? new Uint8Array(), mac()),
      );
      expect(await leanedOn(await createTrust(platformOf()))).toEqual(own);
      const { count, foreign } = await checkAuthorityRows(platformOf());
      expect([count, foreign.length]).toEqual([9, 4]);
    });

    it("a row with another authority's MAC is not trusted", async () => {
      const own = await leanedOn(await createTrust(platformOf()));
      const [root] = await selectAuthorities(database.db);
      await asSuperuser(inserted("root", elsewhere.certificates.root, root?.mac ?? null));
      expect(await leanedOn(await createTrust(platformOf()))).toEqual(own);
    });

    it.each([
      [
        "another purpose",
        sql`update authority_keys set purpose = 'seal', retired_at = now() where purpose = 'tsa'`,
      ],
      [
        "another beginning",
        sql`update authority_keys set created_at = created_at - interval '1 day' where purpose = 'tsa'`,
      ],
      ["an end", sql`update authority_keys set retired_at = now() where purpose = 'tsa'`],
      ["a revocation", sql`update authority_keys set revoked_at = now() where purpose = 'tsa'`],
      ["no MAC", sql`update authority_keys set mac = null where purpose = 'tsa'`],
    ])("one of the service's own rows with %s is not trusted", async (_what, change) => {
      await asSuperuser(change);
      expect((await checkAuthorityRows(platformOf())).foreign).toHaveLength(1);
      await expect(createTrust(platformOf())).rejects.toThrow("Expected a living tsa authority");
    });

    it("the service's role can neither write a foreign row nor change its own authorities", async () => {
      await rotateAuthority(platformOf(), "seal");
      const { root } = elsewhere.certificates;
      await expect(inserted("root", root, null).execute(database.db)).rejects.toThrow(
        "bears a MAC",
      );
      for (const statement of [
        sql`update authority_keys set mac = null`,
        sql`update authority_keys set retired_at = null where retired_at is not null`,
        sql`update authority_keys set certificate_der = '\\x00'`,
        sql`delete from authority_keys`,
        sql`delete from certificates`,
      ])
        await expect(statement.execute(database.db)).rejects.toThrow();
    });

    it("the service does not start under another master key, and makes no new authorities", async () => {
      await expect(createTrust(testTrustPlatform(database))).rejects.toThrow(
        "bears the MAC of this MASTER_KEY",
      );
      expect(await selectAuthorities(database.db)).toHaveLength(5);
    });
  });

  describe("the set of keys that is published", () => {
    const revokedSeal = async () => {
      const [leaked] = await (await createTrust(platformOf())).seals();
      const serialNumber = serialHex(parseCertificate(leaked ?? new Uint8Array()).serialNumber);
      await rotateAuthority(platformOf(), "seal");
      expect(
        await revokeIssued(platformOf(), { serialNumber, reason: "compromission" }),
      ).toMatchObject({ ok: true });
      return serialNumber;
    };

    it("the published key set has retired seals' keys and no revoked ones", async () => {
      await revokedSeal();
      await rotateAuthority(platformOf(), "seal");
      const trust = await createTrust(platformOf());
      expect([(await trust.seals()).length, (await trust.sealKeys()).length]).toEqual([3, 2]);
    });

    it("a revoked key stays out of the key set when its certificate's row is changed back", async () => {
      const serial = await revokedSeal();
      await expect(
        sql`update certificates set revoked_at = null where serial_number = ${serial}`.execute(
          database.db,
        ),
      ).rejects.toThrow("revoked, once");
      await asSuperuser(
        sql`update certificates set revoked_at = null where serial_number = ${serial}`,
      );
      expect(await (await createTrust(platformOf())).sealKeys()).toHaveLength(1);
    });

    it("a key is left out when only its certificate's row is revoked", async () => {
      await rotateAuthority(platformOf(), "seal");
      await sql`update certificates set revoked_at = now() where certificate_der in (select certificate_der from authority_keys where purpose = 'seal' and retired_at is not null)`.execute(
        database.db,
      );
      expect(await (await createTrust(platformOf())).sealKeys()).toHaveLength(1);
    });
  });

  it("no authority without its MAC is trusted, so that removing MACs gains nothing", async () => {
    await asSuperuser(sql`update authority_keys set mac = null`);
    await expect(createTrust(platformOf())).rejects.toThrow("bears the MAC of this MASTER_KEY");
  });
});
