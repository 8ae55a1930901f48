import { writeTogether } from "../../../platform/database/in-transaction.ts";
import { createHash, X509Certificate } from "node:crypto";
import type { Checkpoint, Proof, ProofFile } from "@paraphe/contracts";
import { canonicalBytes } from "@paraphe/kernel/canonical-json";
import { keyIdentifier, parseCertificate, type Signer } from "@paraphe/pades";
import { type ProofReport, readCertificates, verifyOffline, verifyProof } from "@paraphe/proof";
import { type RawBuilder, sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { expectStatus } from "../../../../testing/answers.ts";
import { createTestApp, type TestApp } from "../../../../testing/app.ts";
import { createSent, ELOISE, ENVELOPES, PAUL } from "../../../../testing/envelope.ts";
import { TYPED, openConfirmedGuest } from "../../../../testing/guest.ts";
import { signIn } from "../../../../testing/member.ts";
import {
  bytesAt,
  notOk,
  openProven,
  printOf,
  PRINTS,
  proofIn,
  type Proven,
  sealedBy,
  verifyProven,
} from "../../../../testing/proven-envelope.ts";
import { rememberRows } from "../../../../testing/forged-rows.ts";
import { commitment, eventHash } from "../../journal/journal.ts";
import { appendEvents, leafOf, SYSTEM_ACTOR } from "../../journal/public.ts";
import { makeCheckpoint } from "../../journal/transparency/make-checkpoint.ts";
import {
  createTrust,
  revokeIssued,
  rotateAuthority,
  signJws,
  type Trust,
} from "../../trust/public.ts";
import { signPageAddress } from "./make-printable.ts";
import { isLogSound } from "./read-record.ts";

describe("a journal written anew", () => {
  /** Each fault moves the clock, or writes where nobody may. */
  let proven: Proven;
  let putBack: () => Promise<void>;
  beforeAll(async () => {
    proven = await openProven();
    const { platform, settle } = proven.test;
    await settle({ deferred: "run" });
    const [start, putRowsBack] = [platform.clock(), await rememberRows(platform)];
    putBack = async () => {
      await putRowsBack();
      platform.clock.set(start);
    };
  });
  afterEach(() => putBack());
  afterAll(() => proven.test.close());

  const pageOf = async ({ id, sig } = proven.print): Promise<Proof> =>
    (await proven.anybody.get(`${PRINTS}${id}/verify/?sig=${sig}`)).body;

  async function offlineOf({ proof_url } = proven.print): Promise<ProofReport> {
    const proof = await bytesAt(proven.anybody, proof_url);
    const files = [];
    for (const { document_url } of proofIn(proof).proof.documents)
      if (document_url !== null)
        files.push({ name: "bail.pdf", bytes: await bytesAt(proven.anybody, document_url) });
    return verifyProof({ proof, files, roots: proven.roots, now: proven.test.platform.clock() });
  }

  const failedIn = ({ checks }: ProofReport) =>
    checks.filter(({ state }) => state === "failed").map(({ sentence }) => sentence);

  /** Writes with the rights of whoever operates the database, its triggers off. */
  const write = (...statements: readonly RawBuilder<unknown>[]) =>
    proven.test.platform.owner.transaction().execute(async (trx) => {
      await sql`set local session_replication_role = replica`.execute(trx);
      for (const statement of statements) await statement.execute(trx);
    });

  type Rewriting = {
    readonly to?: string;
    readonly shiftMs?: number;
    readonly values?: Readonly<Record<string, unknown>>;
  };

  /**
   * Writes an envelope's journal anew with a whole chain: under another envelope, at other times,
   * with other values.
   */
  async function rewrite(
    id: string,
    { to = id, shiftMs = 0, values = {} }: Rewriting,
  ): Promise<void> {
    const { db } = proven.test.platform;
    const events = await db
      .selectFrom("audit_events")
      .selectAll()
      .where("envelope_id", "=", id)
      .orderBy("sequence")
      .execute();
    const salts = await db
      .selectFrom("audit_details")
      .selectAll()
      .where("envelope_id", "=", id)
      .execute();
    const statements: RawBuilder<unknown>[] = [
      sql`update audit_details set envelope_id = ${to} where envelope_id = ${id}`,
    ];
    let previous: Uint8Array | null = null;
    for (const event of events) {
      const detail = structuredClone(event.detail) as Record<string, unknown> & {
        commitments?: Record<string, string>;
      };
      for (const { name, salt } of salts.filter(({ sequence }) => sequence === event.sequence)) {
        if (!(name in values) || detail.commitments === undefined) continue;
        detail.commitments[name] = Buffer.from(commitment(salt, values[name] as string)).toString(
          "hex",
        );
        statements.push(
          sql`update audit_details set value = ${JSON.stringify(values[name])}::jsonb where envelope_id = ${to} and sequence = ${event.sequence} and name = ${name}`,
        );
      }
      const at = new Date(event.at.getTime() + shiftMs).toISOString();
      if (typeof detail["consented_at"] === "string")
        detail["consented_at"] = new Date(
          Date.parse(detail["consented_at"]) + shiftMs,
        ).toISOString();
      const hash: Uint8Array = eventHash(previous, {
        envelope_id: to,
        at,
        actor: event.actor,
        action: event.action,
        detail: detail as never,
      });
      statements.push(
        sql`update audit_events set envelope_id = ${to}, at = ${at}, detail = ${JSON.stringify(detail)}::jsonb, hash = ${Buffer.from(hash)},
        previous_hash = ${previous === null ? null : Buffer.from(previous)} where envelope_id = ${id} and sequence = ${event.sequence}`,
      );
      previous = hash;
    }
    const [last] = events.slice(-1);
    // The log's leaves of the former journal now belong to somebody else, and the new one is due.
    statements.push(
      sql`update transparency_leaves set envelope_id = ${proven.test.platform.newId()} where envelope_id = ${id}`,
      sql`delete from transparency_due where envelope_id in (${id}, ${to})`,
      sql`insert into transparency_due (envelope_id, sequence, head) values (${to}, ${last?.sequence ?? 0}, ${Buffer.from(previous ?? [])})`,
    );
    await write(...statements);
    await makeCheckpoint({
      platform: proven.test.platform,
      trust: await createTrust(proven.test.platform),
    });
  }

  test("a rewritten journal with other times contradicts the time-stamps", async () => {
    proven.test.platform.clock.advance({ hours: 24 });
    const { id } = proven.envelope;
    await rewrite(id, { shiftMs: 23 * 3_600_000 });
    const said =
      /^L’historique dit la signature de «\u00a0Paul Morel\u00a0» du .*, et son horodatage du /;
    expect(await pageOf()).toMatchObject({
      verdict: "invalid",
      reason: expect.stringMatching(said),
    });
    expect(failedIn(await offlineOf())).toContainEqual(expect.stringMatching(said));
  });

  test("a rewritten journal with another name contradicts the certificate", async () => {
    const { id } = proven.envelope;
    await rewrite(id, {
      values: {
        signer_names: [`${proven.envelope.recipients[0]?.id}:Marcel Faux`],
        full_name: "Marcel Faux",
      },
    });
    const signing = sql`select sequence from audit_events where envelope_id = ${id} and action = 'recipient_signed'`;
    expect((await signing.execute(proven.test.platform.db)).rows).toHaveLength(1);
    await rewrite(id, { values: { actor_name: "Marcel Faux" } });
    const said =
      "L’historique dit que «\u00a0Marcel Faux\u00a0» a signé, et le certificat de la signature est celui de «\u00a0Paul Morel\u00a0».";
    expect(await pageOf()).toMatchObject({
      verdict: "invalid",
      reason: expect.stringContaining(said),
    });
    expect(failedIn(await offlineOf())).toContain(said);
  });

  test("a rewritten journal with another title is not covered by earlier checkpoints", async () => {
    const { test, envelope } = proven;
    test.platform.clock.advance({ hours: 3 });
    await createSent(await signIn(test, proven.member), { recipients: [ELOISE] });
    await makeCheckpoint({ platform: test.platform, trust: await createTrust(test.platform) });
    expect((await pageOf()).verdict).toBe("valid");
    test.platform.clock.advance({ minutes: 5 });
    await rewrite(envelope.id, { values: { title: "Cession de fonds" } });
    expect(await pageOf()).toMatchObject({
      verdict: "indeterminate",
      reason: expect.stringContaining("ne la couvrait pas à temps"),
    });
  });

  test("a rewritten journal of another envelope contradicts the signature fields", async () => {
    const { test, envelope } = proven;
    const to = test.platform.newId();
    const tables = ["documents", "recipients", "signatures", "signing_acts", "fields", "prints"];
    await write(
      sql`update envelopes set id = ${to}, title = 'Cession de fonds' where id = ${envelope.id}`,
      ...tables.map(
        (table) =>
          sql`update ${sql.table(table)} set envelope_id = ${to} where envelope_id = ${envelope.id}`,
      ),
    );
    await rewrite(envelope.id, { to, values: { title: "Cession de fonds" } });
    const print = await printOf(await signIn(test, proven.member), { id: to });
    expect(await pageOf(print)).toMatchObject({ verdict: "invalid", title: "Cession de fonds" });
    expect(failedIn(await offlineOf(print))).toContain(
      "Une signature que l’historique nomme ne se trouve pas dans ce fichier.",
    );
  });

  test("data that the journal withholds or erased is not shown, whatever rows return", async () => {
    const { owner, envelope, print } = proven;
    const put = (proof_only: boolean) =>
      owner.send("PUT", `${ENVELOPES}${envelope.id}/public-page/`, { body: { proof_only } });
    await expectStatus(put(true), 200);
    await write(sql`update envelopes set proof_only = false where id = ${envelope.id}`);
    expect(await pageOf()).toMatchObject({
      verdict: "valid",
      proof_only: true,
      document_url: null,
    });
    await expectStatus(proven.anybody.get(print.document_url), 404);
    expect(
      proofIn(await bytesAt(proven.anybody, print.proof_url)).proof.certificates.signers,
    ).toEqual([]);
    const { platform } = proven.test;
    await platform.db.transaction().execute((trx) =>
      writeTogether(trx, [
        appendEvents(platform, [
          {
            envelopeId: envelope.id,
            action: "envelope_purged",
            actor: SYSTEM_ACTOR,
            detail: {},
          },
        ]),
      ]),
    );
    expect(await pageOf()).toMatchObject({ verdict: "indeterminate", purged: true, signers: [] });
    await expectStatus(proven.anybody.get(print.document_url), 404);
  });

  test("a log that covers the beginning of an envelope does not prove its end", async () => {
    const { test, owner } = proven;
    const envelope = await createSent(owner, { recipients: [PAUL] });
    await makeCheckpoint({ platform: test.platform, trust: await createTrust(test.platform) });
    // Nothing that follows a signature runs: the next checkpoint waits.
    const guest = await openConfirmedGuest(test, envelope.id, PAUL.email);
    expect([200, 202]).toContain((await guest.post("sign/", TYPED)).status);
    await expect
      .poll(async () => (await guest.get("guest/")).body.recipient.signed, { timeout: 15_000 })
      .toBe(true);
    const print = await printOf(owner, envelope);
    expect(await pageOf(print)).toMatchObject({
      verdict: "valid",
      completed: true,
      completion_logged: false,
    });
    const report = await offlineOf(print);
    expect(report.verdict).toBe("indeterminate");
    expect(report.checks.find(({ name }) => name === "inclusion")).toMatchObject({
      state: "not_checked",
      sentence: expect.stringContaining("et non la fin de l’enveloppe"),
    });
    expect((await pageOf()).completion_logged).toBe(true);
  });
});

describe("a revoked seal", () => {
  /**
   * A service whose seal leaked, was replaced, then revoked; whoever has the key goes on signing
   * with it.
   */
  let proven: Proven;
  let leaked: Signer;
  let before: { readonly address: string; readonly checkpoint: Checkpoint };
  beforeAll(async () => {
    proven = await openProven();
    const { platform } = proven.test;
    leaked = (await createTrust(platform)).seal;
    await proven.test.settle({ deferred: "run" });
    before = {
      address: await addressBy(leaked),
      checkpoint: checkpointIn(await bytesAt(proven.anybody, proven.print.proof_url)),
    };
    platform.clock.advance({ hours: 1 });
    if (!(await rotateAuthority(platform, "seal")).ok) throw new Error("the seal was not replaced");
    const serialNumber = new X509Certificate(leaked.certificates[0] ?? new Uint8Array())
      .serialNumber;
    if (!(await revokeIssued(platform, { serialNumber, reason: "compromission" })).ok)
      throw new Error("the seal was not revoked");
    // Keys that were read are half a minute old at most.
    platform.clock.advance({ minutes: 1 });
  });
  afterAll(() => proven.test.close());

  const checkpointIn = (proof: Uint8Array): Checkpoint => {
    const { inclusion } = proofIn(proof).proof;
    if (inclusion === null) throw new Error("no checkpoint covers the envelope");
    return inclusion.checkpoint;
  };

  /** Gives what the code on the first page of a copy of the signed file holds. */
  function addressBy(seal: Signer): Promise<string> {
    const { print, pdf, test } = proven;
    const sha256 = new Uint8Array(createHash("sha256").update(pdf).digest());
    const copy = {
      printId: print.id,
      address: print.verify_url,
      sha256,
      pageCount: 1,
      madeAt: test.platform.clock(),
    };
    return signPageAddress(seal, copy, 1);
  }

  async function statementChecked(address: string) {
    const { anybody, print, pdf, roots, test } = proven;
    const proof = await bytesAt(anybody, print.proof_url);
    const files = [{ name: "contrat.pdf", bytes: pdf }];
    const report = await verifyOffline({
      proof,
      address,
      files,
      roots,
      now: test.platform.clock(),
    });
    return {
      verdict: report.verdict,
      statement: report.checks.find(({ name }) => name === "statement"),
    };
  }

  test("a code made with today's seal is the service's", async () => {
    const { seal } = await createTrust(proven.test.platform);
    expect(await statementChecked(await addressBy(seal))).toMatchObject({
      verdict: "valid",
      statement: { state: "ok" },
    });
  });

  test("a code made with a revoked key is never right, before or after", async () => {
    for (const address of [before.address, await addressBy(leaked)])
      expect(await statementChecked(address)).toMatchObject({
        verdict: "indeterminate",
        statement: { state: "not_checked", sentence: expect.stringContaining("a été révoquée") },
      });
    const page: Proof = (
      await proven.anybody.get(`${PRINTS}${proven.print.id}/verify/?sig=${proven.print.sig}`)
    ).body;
    const key = new X509Certificate(leaked.certificates[0] ?? new Uint8Array()).publicKey
      .export({ format: "der", type: "spki" })
      .toString("base64");
    expect(page.revoked_statement_keys).toEqual([key]);
    expect(page.statement_keys).toHaveLength(1);
    expect(page.statement_keys).not.toContain(key);
    // The seal made none of the document's signatures.
    expect(page.verdict).toBe("valid");
  });

  test("a checkpoint by a revoked seal counts only if stamped before", async () => {
    const { platform } = proven.test;
    const trust = await createTrust(platform);
    const { inclusion } = proofIn(await bytesAt(proven.anybody, proven.print.proof_url)).proof;
    if (inclusion === null) throw new Error("no checkpoint covers the envelope");
    expect(inclusion.checkpoint).toEqual(before.checkpoint);
    expect(await isLogSound({ platform, trust }, inclusion)).toBe(true);
    const { size, root } = before.checkpoint;
    const at = platform.clock().toISOString();
    const stated = { at, log: platform.settings.publicUrl, previous: null, root, size };
    const forgedBy = async (seal: Signer): Promise<Checkpoint> => {
      const signature = await signJws(seal, canonicalBytes(stated));
      const token = await trust.timestamp.timestamp(
        new Uint8Array(createHash("sha256").update(signature).digest()),
      );
      const key = parseCertificate(seal.certificates[0] ?? new Uint8Array()).subjectPublicKey;
      const key_id = Buffer.from(await keyIdentifier(key)).toString("hex");
      return {
        size,
        root,
        at,
        key_id,
        signature,
        timestamp: Buffer.from(token).toString("base64"),
      };
    };
    const soundBy = async (seal: Signer) =>
      isLogSound({ platform, trust }, { ...inclusion, checkpoint: await forgedBy(seal) });
    expect([await soundBy(trust.seal), await soundBy(leaked)]).toEqual([true, false]);
  });
});

describe("a leaked seal", () => {
  type Content = ProofFile["proof"];

  /**
   * A service whose seal leaked: its key was replaced and revoked 300 days ago. The forger runs a
   * service of his own, its clock set back to before, without the service's root or its
   * time-stamping authority's key.
   */
  let proven: Proven;
  let forger: TestApp;
  let theirs: Trust;
  let leaked: Signer;
  /** A proof made before the leak, its journal in the log. */
  let before: Uint8Array;

  beforeAll(async () => {
    proven = await openProven();
    const { platform } = proven.test;
    leaked = (await createTrust(platform)).seal;
    await proven.test.settle({ deferred: "run" });
    platform.clock.advance({ minutes: 6 });
    before = await bytesAt(proven.anybody, proven.print.proof_url);
    forger = await createTestApp({ now: platform.clock() });
    theirs = await createTrust(forger.platform);
    platform.clock.advance({ hours: 1 });
    if (!(await rotateAuthority(platform, "seal")).ok) throw new Error("the seal was not replaced");
    const serialNumber = new X509Certificate(leaked.certificates[0] ?? new Uint8Array())
      .serialNumber;
    if (!(await revokeIssued(platform, { serialNumber, reason: "compromission" })).ok)
      throw new Error("the seal was not revoked");
    platform.clock.advance({ days: 300 });
  });
  afterAll(async () => {
    await forger.close();
    await proven.test.close();
  });

  const base64 = (der: Uint8Array) => Buffer.from(der).toString("base64");
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

  /**
   * A proof made before the leak, with the forger's own time-stamping authority among those it
   * names.
   */
  function withOwnAuthority(): Content {
    const { proof } = proofIn(before);
    const { tsa, ca } = theirs.certificates;
    proof.certificates.timestamp_anchors.push(base64(tsa));
    proof.certificates.issuers.push(base64(ca));
    return proof;
  }

  /**
   * Changes the title, computes each hash of the journal anew, and makes a log of this journal
   * alone, its checkpoint sealed by the leaked key and stamped by the forger.
   */
  async function rewritten(proof: Content): Promise<Content> {
    const title = "Cession de fonds de commerce";
    let previous: Uint8Array | null = null;
    for (const event of proof.journal.events) {
      const told = event.personal["title"];
      if (told !== undefined) {
        told.value = title;
        Object.assign(event.detail["commitments"] as object, {
          title: hex(commitment(Buffer.from(told.salt, "hex"), title)),
        });
      }
      const { at, actor, action, detail } = event;
      event.previous_hash = previous === null ? null : hex(previous);
      previous = eventHash(previous, {
        envelope_id: proof.envelope,
        at,
        actor,
        action,
        detail,
      } as Parameters<typeof eventHash>[1]);
      event.hash = hex(previous);
    }
    const entry = {
      envelope_id: proof.envelope,
      sequence: proof.journal.events.length,
      head: proof.journal.events.at(-1)?.hash ?? "",
    };
    const stated = {
      at: forger.platform.clock().toISOString(),
      log: proof.service,
      previous: null,
      root: hex(leafOf(entry)),
      size: 1,
    };
    const signature = await signJws(leaked, canonicalBytes(stated));
    const key_id = hex(
      await keyIdentifier(
        parseCertificate(leaked.certificates[0] ?? new Uint8Array()).subjectPublicKey,
      ),
    );
    const timestamp = base64(
      await theirs.timestamp.timestamp(
        new Uint8Array(createHash("sha256").update(signature).digest()),
      ),
    );
    const { at, root, size } = stated;
    const inclusion = {
      leaf_index: 0,
      size: 1,
      path: [],
      entry,
      checkpoint: { size, root, at, key_id, signature, timestamp },
    };
    return { ...proof, title, inclusion };
  }

  const published = async () => readCertificates(await bytesAt(proven.anybody, "/pki/ca.pem"));
  const dateless = (report: Awaited<ReturnType<typeof verifyProven>>) =>
    report.checks.map(({ sentence }) => sentence).join("\n");

  const forged: readonly (readonly [string, () => Promise<Uint8Array>, readonly string[]])[] = [
    [
      "stamped by an authority of the forger's, which his proof names",
      () => sealedBy(forger, withOwnAuthority(), leaked),
      ["stamp", "seal_chain"],
    ],
    [
      "the same, with a journal and a log of his making",
      async () => sealedBy(forger, await rewritten(withOwnAuthority()), leaked),
      ["stamp", "seal_chain", "checkpoint"],
    ],
    [
      "the same, the true signing authority named for times as well",
      async () => {
        const proof = withOwnAuthority();
        proof.certificates.timestamp_anchors.push(
          proof.certificates.issuer,
          proof.certificates.timestamp_authority,
        );
        return sealedBy(forger, proof, leaked);
      },
      ["stamp", "seal_chain"],
    ],
    [
      "stamped by the true authority, with what was known of the seal before",
      () => sealedBy(proven.test, proofIn(before).proof, leaked),
      ["stamp", "seal_chain"],
    ],
    [
      "without any revocation data",
      () =>
        sealedBy(
          proven.test,
          { ...proofIn(before).proof, revocation: { crls: [], ocsps: [] } },
          leaked,
        ),
      ["stamp", "seal_chain", "checkpoint"],
    ],
  ];

  test.each(forged)(
    "a leaked, revoked seal never makes a valid proof: %s",
    async (_what, make, unproven) => {
      const proof = await make();
      for (const roots of [proven.roots, await published()]) {
        const report = await verifyProven(proven, { proof, roots });
        expect(report.verdict).not.toBe("valid");
        for (const name of unproven)
          expect(report.checks.find((check) => check.name === name)?.state, name).not.toBe("ok");
        expect(dateless(report)).not.toMatch(/La preuve est horodatée par [^:]*, le /);
      }
    },
  );

  test("a leaked seal with a true time-stamp and today's revocation data is not valid", async () => {
    const today = proofIn(await bytesAt(proven.anybody, proven.print.proof_url)).proof;
    const { ocsp } = await createTrust(proven.test.platform);
    const answer = await ocsp(leaked.certificates[0] ?? new Uint8Array());
    const { crls, ocsps } = today.revocation;
    const revocation = { crls, ocsps: [...ocsps, base64(answer ?? new Uint8Array())] };
    const report = await verifyProven(proven, {
      proof: await sealedBy(proven.test, { ...today, revocation }, leaked),
    });
    expect([report.verdict, notOk(report)]).toEqual(["invalid", [["seal_chain", "failed"]]]);
  });

  test("a proof by today's seal without that moment's data is not valid", async () => {
    const { proof } = proofIn(before);
    const report = await verifyProven(proven, { proof: await sealedBy(proven.test, proof) });
    expect([report.verdict, notOk(report)]).toEqual([
      "indeterminate",
      [
        ["stamp", "not_checked"],
        ["seal_chain", "not_checked"],
      ],
    ]);
  });

  test("a proof stamped before the leak stays valid", async () => {
    for (const roots of [proven.roots, await published()]) {
      const report = await verifyProven(proven, { proof: before, roots });
      expect([report.verdict, notOk(report)]).toEqual(["valid", []]);
    }
  });

  test("a proof of today with a checkpoint signed before the leak stays valid", async () => {
    const proof = await bytesAt(proven.anybody, proven.print.proof_url);
    expect(proofIn(proof).proof.inclusion?.checkpoint).toEqual(
      proofIn(before).proof.inclusion?.checkpoint,
    );
    for (const roots of [proven.roots, await published()]) {
      const report = await verifyProven(proven, { proof, roots });
      expect([report.verdict, notOk(report)]).toEqual(["valid", []]);
    }
  });
});
