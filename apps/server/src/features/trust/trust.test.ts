import { parseCertificate, verifyTimestampToken } from "@paraphe/pades";
import { createHash, randomBytes, X509Certificate } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../testing/database.ts";
import { testTrustPlatform } from "../../../testing/trust-platform.ts";
import { createTrust } from "./create-trust.ts";
import { signPrint, verifyPrintSignature } from "./print-signature.ts";
import { loadAuthorities } from "./authentic-authorities.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const masterKey = new Uint8Array(randomBytes(32));
const platformOf = () => testTrustPlatform(database, { masterKey });
const now = new Date("2026-11-21T10:00:00.400Z");

describe("the authorities", () => {
  it("are made once, even by ten processes that start together, and found again by the next", async () => {
    const opened = await Promise.all(Array.from({ length: 10 }, () => createTrust(platformOf())));
    const roots = new Set(opened.map((trust) => Buffer.from(trust.certificates.root).toString("hex")));
    expect(roots.size).toBe(1);
    expect((await loadAuthorities(database.db, platformOf())).map((row) => row.purpose).toSorted()).toEqual([
      "ca",
      "ocsp",
      "root",
      "seal",
      "tsa",
    ]);
    const again = await createTrust(platformOf());
    expect(again.certificates.ca).toEqual(opened[0]?.certificates.ca);
  });

  it("keep their keys wrapped, each under its own row", async () => {
    const [root] = await loadAuthorities(database.db, platformOf());
    const wrapped = root?.privateKeyWrapped as Uint8Array;
    expect(Buffer.from(wrapped).includes(Buffer.from("2b81040022", "hex"))).toBe(false); // OID of P-384
    expect(() => platformOf().secrets.unwrap(wrapped, "authority-key:another")).toThrow();
  });

  it("do not open under another master key", async () => {
    await expect(createTrust(testTrustPlatform(database))).rejects.toThrow();
  });
});

describe("a signer's certificate", () => {
  it("names the person, lives a day, and chains to the root", async () => {
    const trust = await createTrust(platformOf());
    const issued = await trust.issueSigner({ fullName: "Đặng, O=Faux Éloïse", email: "eloise@exemple.fr", now });
    const certificate = parseCertificate(issued.certificateDer);
    expect(certificate.subject).toMatchObject({ commonName: "Đặng, O=Faux Éloïse", organization: "Paraphe", country: "FR" });
    expect(certificate.emails).toEqual(["eloise@exemple.fr"]);
    expect(certificate.policyOids).toEqual(["2.25.1348563553.1.1"]);
    expect(certificate.ocspUrls).toEqual(["https://localhost:8443/pki/ocsp"]);
    // The issuer's own list: another issuer's, later, will be at another address.
    expect(certificate.crlUrls).toEqual([`https://localhost:8443/pki/crl/${trust.certificates.issuers[0]?.id}.crl`]);
    expect(certificate.notBefore <= now && certificate.notAfter.getTime() - now.getTime() <= 86_400_000).toBe(true);
    const leaf = new X509Certificate(issued.certificateDer);
    const ca = new X509Certificate(trust.certificates.ca);
    const root = new X509Certificate(trust.certificates.root);
    expect(leaf.verify(ca.publicKey) && ca.verify(root.publicKey) && root.verify(root.publicKey)).toBe(true);
  });

  it("has a key and a serial number of its own each time", async () => {
    const trust = await createTrust(platformOf());
    const person = { fullName: "Paul Martin", email: "paul@exemple.fr", now };
    const [first, second] = [await trust.issueSigner(person), await trust.issueSigner(person)];
    expect(first.serialNumber).not.toBe(second.serialNumber);
    expect(new X509Certificate(first.certificateDer).publicKey.equals(new X509Certificate(second.certificateDer).publicKey)).toBe(false);
  });

  it("leaves its certificate behind, and its key nowhere", async () => {
    const trust = await createTrust(platformOf());
    const rows = async () => {
      const tables = await sql<{
        name: string;
      }>`select table_name as name from information_schema.tables where table_schema = 'public'`.execute(database.db);
      const counts = tables.rows.map(async ({ name }) => {
        const { rows } = await sql<{ count: string }>`select count(*) as count from ${sql.table(name)}`.execute(database.db);
        return [name, Number(rows[0]?.count)] as const;
      });
      return Object.fromEntries(await Promise.all(counts));
    };
    const before = await rows();
    const issued = await trust.issueSigner({ fullName: "Paul Martin", email: "paul@exemple.fr", now });
    await issued.signer.sign(Uint8Array.of(1));
    await database.db.transaction().execute((trx) => issued.record(trx));
    expect(await rows()).toEqual({ ...before, certificates: (before.certificates ?? 0) + 1 });
    const row = await database.db
      .selectFrom("certificates")
      .selectAll()
      .where("serial_number", "=", issued.serialNumber)
      .executeTakeFirstOrThrow();
    expect(Buffer.compare(row.certificate_der, issued.certificateDer)).toBe(0);
    const ofBytes = Object.entries(row).filter(([, value]) => value instanceof Uint8Array);
    expect(ofBytes.map(([name]) => name).filter((name) => !name.startsWith("certificate_"))).toEqual([]);
  });

  it("is written down in the caller's transaction, under the serial number it bears", async () => {
    const trust = await createTrust(platformOf());
    const issued = await trust.issueSigner({ fullName: "Paul Martin", email: "paul@exemple.fr", now });
    await database.db.transaction().execute((trx) => issued.record(trx));
    const row = await database.db
      .selectFrom("certificates")
      .selectAll()
      .where("serial_number", "=", issued.serialNumber)
      .executeTakeFirstOrThrow();
    expect(BigInt(`0x${row.serial_number}`)).toBe(BigInt(`0x${new X509Certificate(issued.certificateDer).serialNumber}`));
  });
});

it("bears the organisation, the country and the kind of keys that the settings say", async () => {
  const other = await createTestDatabase();
  try {
    const pki = { organization: "Université de Liège", country: "BE", keyType: "P-384" } as const;
    const trust = await createTrust(testTrustPlatform(other, { settings: { pki } }));
    const signer = await trust.issueSigner({ fullName: "Paul Martin", email: "paul@exemple.fr", now });
    const made = [trust.certificates.root, trust.certificates.ca, trust.certificates.tsa, signer.certificateDer];
    expect(made.map((der) => parseCertificate(der).subject)).toMatchObject([
      { commonName: "Université de Liège Racine", organization: "Université de Liège", country: "BE" },
      { commonName: "Université de Liège Signature" },
      { commonName: "Université de Liège Horodatage" },
      { commonName: "Paul Martin", organization: "Université de Liège", country: "BE" },
    ]);
    const curves = made.map((der) => new X509Certificate(der).publicKey.asymmetricKeyDetails?.namedCurve);
    expect(curves).toEqual(["secp384r1", "secp384r1", "prime256v1", "prime256v1"]);
  } finally {
    await other.drop();
  }
});

it("stamps an imprint with the built-in authority", async () => {
  const trust = await createTrust(platformOf());
  const imprint = new Uint8Array(createHash("sha256").update("x").digest());
  const facts = await verifyTimestampToken(await trust.timestamp.timestamp(imprint), { imprint });
  expect(facts).toMatchObject({ authorityName: "Paraphe Horodatage", time: new Date("2026-11-21T10:00:00Z") });
});

describe("a print's signature", () => {
  const print = { id: "0199", envelopeId: "0200", qrType: "page", keyId: "1" };

  it("is 256 bits, and holds for this print only", () => {
    const platform = platformOf();
    const sig = signPrint(platform, print);
    expect(sig).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(verifyPrintSignature(platform, print, sig)).toBe(true);
    for (const other of [{ id: "0198" }, { envelopeId: "0201" }, { qrType: "last" }, { keyId: "2" }]) {
      expect(verifyPrintSignature(platform, { ...print, ...other }, sig)).toBe(false);
    }
  });

  it("fails for any changed character, also one that stands for the same bytes", () => {
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
