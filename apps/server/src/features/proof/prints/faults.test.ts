import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Envelope, Print, Proof, Signature } from "@paraphe/contracts";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { expectStatus } from "../../../../testing/answers.ts";
import { createTestApp, type TestApp } from "../../../../testing/app.ts";
import { type Answer, openBrowser, type TestBrowser } from "../../../../testing/browser.ts";
import { createSent, ENVELOPES, PAUL } from "../../../../testing/envelope.ts";
import { signAsGuest, TYPED, openConfirmedGuest } from "../../../../testing/guest.ts";
import { openMember } from "../../../../testing/member.ts";
import { makePdf } from "../../../../testing/pdf.ts";
import {
  bytesAt,
  completeEnvelope,
  openProven,
  printOf,
  PRINTS,
  type Proven,
  verifyProven,
} from "../../../../testing/proven-envelope.ts";
import { rememberRows } from "../../../../testing/forged-rows.ts";
import { openSenderApp } from "../../../../testing/sent-to-guest.ts";
import { storedHash, storedPath } from "../../../../testing/stored-file.ts";
import { createPdfSandbox } from "../../../platform/pdf-sandbox/create-pdf-sandbox.ts";
import type { PdfSandbox } from "../../../platform/pdf-sandbox/pdf-sandbox.ts";
import { makeCheckpoint } from "../../journal/transparency/make-checkpoint.ts";
import { createTrust } from "../../trust/public.ts";
import { envelopeVerdict } from "./domain/verdicts.ts";
import { checkFile, readRecord, validateRecord } from "./read-record.ts";

let service: TestApp;

afterAll(() => service.close());

describe("a fault in what is stored", () => {
  /** Two sound envelopes, one of two documents, from which faults can be made. */
  type Story = {
    readonly envelope: Envelope;
    readonly print: Print;
    /** The files downloaded while all was well. */
    readonly pdfs: readonly Uint8Array[];
    readonly ids: readonly [string, string];
    readonly hashes: readonly [string, string];
    /** A signed file of another envelope, valid by itself. */
    readonly otherHash: string;
  };

  let proven: Proven;
  let owner: TestBrowser;
  let anybody: TestBrowser;
  let story: Story;
  beforeAll(async () => {
    proven = await openProven();
    ({ owner, anybody } = proven);
  });
  afterAll(() => proven.test.close());

  let putBack: () => Promise<void>;
  beforeAll(async () => {
    const { test } = proven;
    const files = [1, 2].map((pages) => ({
      name: `Annexe ${pages}.pdf`,
      bytes: makePdf({ pages }),
    }));
    const envelope = await completeEnvelope({ test, owner }, { files });
    const print = await printOf(owner, envelope, "certificate");
    const [first = "", second = ""] = envelope.documents.map(({ id }) => id);
    const other = await storedHash(test.platform, proven.envelope.documents[0]?.id ?? "");
    story = {
      envelope,
      print,
      pdfs: [
        await bytesAt(anybody, `${print.document_url}&document=${first}`),
        await bytesAt(anybody, `${print.document_url}&document=${second}`),
      ],
      ids: [first, second],
      hashes: [await storedHash(test.platform, first), await storedHash(test.platform, second)],
      otherHash: other,
    };
    const stored = story.hashes.map(
      (hash) => [storedPath(test.platform, hash), bytesOf(hash)] as const,
    );
    const putRowsBack = await rememberRows(test.platform);
    putBack = async () => {
      await putRowsBack();
      for (const [path, bytes] of stored) writeFileSync(path, bytes);
    };
  });
  afterEach(() => putBack());

  const bytesOf = (hash: string) => readFileSync(storedPath(proven.test.platform, hash));
  const onDisk = (change: (path: string, bytes: Buffer) => void) => () => {
    const path = storedPath(proven.test.platform, story.hashes[0]);
    change(path, readFileSync(path));
  };
  /** Changes rows as whoever operates the database may do. */
  const inDatabase =
    (...statements: (() => ReturnType<typeof sql>)[]) =>
    async () => {
      await proven.test.platform.owner.transaction().execute(async (trx) => {
        await sql`set local session_replication_role = replica`.execute(trx);
        for (const statement of statements) await statement().execute(trx);
      });
    };
  const pointTo = (document: 0 | 1, hash: () => string) => () =>
    sql`update document_revisions r set blob_sha256 = decode(${hash()}, 'hex') from documents d
    where d.id = ${story.ids[document]} and r.document_id = d.id and r.number = d.current_revision`;

  const wordsOf = ({ bytes }: Answer) =>
    execFileSync("pdftotext", ["-", "-"], { input: bytes, encoding: "utf8" });
  /** Gives what an answer says: its verdict, and the signed file or that there is none. */
  async function saidOf(print: Print): Promise<Record<string, unknown>> {
    const { envelope, pdfs } = story;
    const verify = await anybody.get(`${PRINTS}${print.id}/verify/?sig=${print.sig}`);
    const documents = await Promise.all(
      story.ids.map((id) => anybody.get(`${print.document_url}&document=${id}`)),
    );
    const printable = await anybody.get(print.printable_url);
    const proof = await anybody.get(print.proof_url);
    const offline = await verifyProven(proven, {
      proof: proof.bytes,
      files: pdfs.map((bytes, index) => ({ name: `${index}.pdf`, bytes })),
    });
    const evidence = await owner.get(`${ENVELOPES}${envelope.id}/evidence/`);
    const signatures = await owner.get(`/api/signature/signatures/?envelope=${envelope.id}`);
    return {
      verify: verify.status === 200 ? verify.body.verdict : verify.status,
      documents: documents.map(({ status, bytes, body }, index) =>
        status === 200 ? Buffer.compare(bytes, pdfs[index] ?? bytes) : body.code,
      ),
      printable:
        printable.status === 200
          ? wordsOf(printable).includes("Signatures valides")
          : printable.body.code,
      proof: proof.status === 200 ? proof.body.proof.verdict : proof.status,
      offline: offline.verdict,
      evidence:
        evidence.status === 200
          ? wordsOf(evidence).replaceAll(/\s+/g, " ").includes("Toutes les signatures sont valides")
          : evidence.status,
      signatures: story.ids.map(
        (id) => signatures.body.results.find((one: Signature) => one.document === id)?.verdict,
      ),
    };
  }

  const SOUND = {
    verify: "valid",
    documents: [0, 0],
    printable: true,
    proof: "valid",
    offline: "valid",
    evidence: true,
    signatures: ["valid", "valid"],
  };
  const BAD = { verify: "invalid", proof: "invalid", offline: "invalid", evidence: false };
  const LOST = {
    ...BAD,
    documents: ["stored_file_lost", 0],
    printable: "stored_file_lost",
    signatures: ["invalid", "valid"],
  };
  const REWRITTEN = {
    ...BAD,
    documents: [0, 0],
    printable: false,
    signatures: ["invalid", "invalid"],
  };

  const UNNAMED = { ...REWRITTEN, printable: "not_found", signatures: [undefined, undefined] };

  test.each<[string, () => void | Promise<void>, Readonly<Record<string, unknown>>]>([
    ["of which nothing was touched", () => {}, SOUND],
    [
      "whose file has one byte flipped",
      onDisk((path, bytes) =>
        writeFileSync(
          path,
          bytes.map((byte, at) => (at === 99 ? byte ^ 1 : byte)),
        ),
      ),
      LOST,
    ],
    ["whose file was cut", onDisk((path, bytes) => truncateSync(path, bytes.length - 10)), LOST],
    ["whose file was deleted", onDisk((path) => unlinkSync(path)), LOST],
    [
      "whose file was replaced by one without a signature",
      onDisk((path) => writeFileSync(path, makePdf())),
      LOST,
    ],
    [
      "whose file was replaced by another signed one",
      onDisk((path) => writeFileSync(path, bytesOf(story.otherHash))),
      LOST,
    ],
    [
      "whose file was replaced by its other document’s",
      onDisk((path) => writeFileSync(path, bytesOf(story.hashes[1]))),
      LOST,
    ],
    [
      "whose row leads to another envelope’s signed file",
      inDatabase(pointTo(0, () => story.otherHash)),
      SOUND,
    ],
    [
      "of which two rows lead to one another’s file",
      inDatabase(
        pointTo(0, () => story.hashes[1]),
        pointTo(1, () => story.hashes[0]),
      ),
      SOUND,
    ],
    [
      "of which an event was edited",
      inDatabase(
        () =>
          sql`update audit_events set actor = 'user:0' where envelope_id = ${story.envelope.id} and sequence = 2`,
      ),
      REWRITTEN,
    ],
    [
      "of which an event was taken out",
      inDatabase(
        () =>
          sql`delete from audit_events where envelope_id = ${story.envelope.id} and sequence = 2`,
      ),
      // Without the sending, the journal names nothing as signed.
      UNNAMED,
    ],
    [
      "of which the events are numbered in another order",
      inDatabase(
        () =>
          sql`update audit_events set sequence = 90 where envelope_id = ${story.envelope.id} and sequence = 2`,
        () =>
          sql`update audit_events set sequence = 2 where envelope_id = ${story.envelope.id} and sequence = 3`,
        () =>
          sql`update audit_events set sequence = 3 where envelope_id = ${story.envelope.id} and sequence = 90`,
      ),
      REWRITTEN,
    ],
    [
      "of which the last event was cut off",
      inDatabase(
        () => sql`delete from audit_events where envelope_id = ${story.envelope.id}
          and sequence >= (select sequence from audit_events where envelope_id = ${story.envelope.id} and action = 'envelope_completed')`,
      ),
      // These are the files as the last signature left them, before the archive.
      { ...REWRITTEN, documents: [-1, -1] },
    ],
  ])(
    "%s never makes an answer falsely valid",
    { timeout: 60_000 },
    async (_what, fault, expected) => {
      // A proof made a moment ago does not answer for what happened since.
      await anybody.get(story.print.proof_url);
      await fault();
      expect(await saidOf(story.print)).toEqual(expected);
    },
  );

  test("security line 56: a forged or missing sig and an unknown print get the same 404 from every call", async () => {
    const { print } = story;
    const at = 20;
    const flipped =
      print.sig.slice(0, at) + (print.sig[at] === "A" ? "B" : "A") + print.sig.slice(at + 1);
    const unknown = "019aa000-0000-7000-8000-000000000000";
    const bodies = new Set<string>();
    for (const call of ["verify", "document", "printable", "proof"])
      for (const address of [
        `${print.id}/${call}/?sig=${flipped}`,
        `${print.id}/${call}/?sig=${proven.print.sig}`,
        `${print.id}/${call}/?sig=${print.sig}=`,
        `${print.id}/${call}/?sig=${print.sig.toLowerCase()}`,
        `${print.id}/${call}/?sig=${"A".repeat(5_000)}`,
        `${print.id}/${call}/?sig=${print.sig}&sig=${print.sig}`,
        `${print.id}/${call}/?sig=`,
        `${print.id}/${call}/`,
        `${unknown}/${call}/?sig=${print.sig}`,
        `x/${call}/?sig=${print.sig}`,
        `${print.id}'/${call}/?sig=${print.sig}`,
      ]) {
        const answer = await anybody.get(PRINTS + address);
        expect([address, answer.status]).toEqual([address, 404]);
        bodies.add(JSON.stringify({ ...answer.body, request_id: "" }));
      }
    expect(bodies.size).toBe(1);
    const text = createHash("sha256").update(unknown).digest("base64url");
    await expectStatus(anybody.get(`${PRINTS}${unknown}/verify/?sig=${text}`), 404);
  });
});

describe("the verdict of an envelope whose journal was changed", () => {
  const PRINTS = "/api/signature/prints/";
  let owner: TestBrowser;
  let anybody: TestBrowser;

  beforeAll(async () => {
    service = await createTestApp({ settings: { rateLimits: "off" } });
    owner = await openMember(service);
    anybody = openBrowser(service.app);
  }, 60_000);

  /** Completes an envelope, its mails sent, its head in the log or not. */
  async function completed({
    isLogged = false,
  } = {}): Promise<{ envelope: Envelope; print: Print }> {
    const envelope = await createSent(owner, { recipients: [PAUL] });
    const guest = await openConfirmedGuest(service, envelope.id, PAUL.email);
    await expectStatus(guest.post("sign/", TYPED), 200);
    const answer = await owner.post(`${PRINTS}generate/`, {
      envelope: envelope.id,
      qr_type: "page",
    });
    await service.settle(isLogged ? { deferred: "run" } : {});
    return { envelope, print: answer.body };
  }

  async function proofOf({ id, sig }: Print): Promise<Proof> {
    return (await anybody.get(`${PRINTS}${id}/verify/?sig=${sig}`)).body;
  }

  type Change = (envelopeId: string) => ReturnType<typeof sql>;

  /** Rewrites the journal as whoever operates the database may do. */
  async function rewriteJournal(change: Change, envelopeId: string): Promise<void> {
    await service.platform.owner.transaction().execute(async (trx) => {
      await sql`set local session_replication_role = replica`.execute(trx);
      await change(envelopeId).execute(trx);
    });
  }

  test.each<[string, Change]>([
    [
      "an edited row",
      (id) =>
        sql`update audit_events set actor = 'user:0' where envelope_id = ${id} and sequence = 2`,
    ],
    [
      "another time",
      (id) =>
        sql`update audit_events set at = at - interval '1 day' where envelope_id = ${id} and sequence = 3`,
    ],
    [
      "a deleted row",
      (id) => sql`delete from audit_events where envelope_id = ${id} and sequence = 2`,
    ],
    ["an empty journal", (id) => sql`delete from audit_events where envelope_id = ${id}`],
  ])("a changed journal is never valid: %s", async (_, change) => {
    const { envelope, print } = await completed();
    expect(await proofOf(print)).toMatchObject({ verdict: "valid", chain: { intact: true } });
    await rewriteJournal(change, envelope.id);
    const proof = await proofOf(print);
    expect(proof).toMatchObject({ verdict: "invalid", integrity: true, chain: { intact: false } });
    expect(proof.reason).toContain("L’historique de cette enveloppe a été modifié après coup");
  });

  test("a shortened journal that still chains is not valid once logged", async () => {
    const { envelope, print } = await completed({ isLogged: true });
    const { inclusion } = await proofOf(print);
    const last = inclusion?.entry.sequence ?? 0;
    expect(inclusion?.entry.envelope_id).toBe(envelope.id);
    await rewriteJournal(
      (id) => sql`delete from audit_events where envelope_id = ${id} and sequence >= ${last}`,
      envelope.id,
    );
    expect(await proofOf(print)).toMatchObject({
      verdict: "invalid",
      chain: { intact: false, count: last - 1 },
    });
  });
});

describe("the journal beside the log", () => {
  let proven: Proven;
  let putBack: () => Promise<void>;
  beforeAll(async () => {
    proven = await openProven();
    const { platform } = proven.test;
    const [start, putRowsBack] = [platform.clock(), await rememberRows(platform)];
    putBack = async () => {
      await putRowsBack();
      platform.clock.set(start);
    };
  });
  afterEach(() => putBack());
  afterAll(() => proven.test.close());
  const logAll = async () =>
    makeCheckpoint({
      platform: proven.test.platform,
      trust: await createTrust(proven.test.platform),
    });

  const page = async () =>
    (await proven.anybody.get(`${PRINTS}${proven.print.id}/verify/?sig=${proven.print.sig}`)).body;

  async function change(...statements: readonly ReturnType<typeof sql>[]): Promise<void> {
    await proven.test.platform.owner.transaction().execute(async (trx) => {
      await sql`set local session_replication_role = replica`.execute(trx);
      for (const statement of statements) await statement.execute(trx);
    });
  }

  test("an envelope whose leaves were reassigned is not valid hours after its end", async () => {
    const { test, envelope } = proven;
    await logAll();
    expect(await page()).toMatchObject({
      verdict: "valid",
      inclusion: { entry: { envelope_id: envelope.id } },
    });
    await change(
      sql`update transparency_leaves set envelope_id = ${test.platform.newId()} where envelope_id = ${envelope.id}`,
    );
    test.platform.clock.advance({ hours: 3 });
    expect(await page()).toMatchObject({
      verdict: "indeterminate",
      inclusion: null,
      reason: expect.stringContaining("ne la couvrait pas à temps"),
    });
  });

  test("an envelope that has just ended may wait for the log", async () => {
    proven.test.platform.clock.advance({ minutes: 50 });
    expect(await page()).toMatchObject({ verdict: "valid" });
  });

  test("a leaf path to another root makes the verdict invalid", async () => {
    await logAll();
    await change(
      sql`update transparency_checkpoints set root = sha256(root) where number = (select max(number) from transparency_checkpoints)`,
    );
    expect(await page()).toMatchObject({ verdict: "invalid" });
  });

  test("entries logged under a former address are still proven", async () => {
    const settings: { publicUrl: string } = proven.test.platform.settings;
    const { publicUrl } = settings;
    await logAll();
    try {
      settings.publicUrl = "https://ailleurs.exemple";
      const said = await page();
      expect([said.verdict, said.inclusion === null]).toEqual(["valid", false]);
    } finally {
      settings.publicUrl = publicUrl;
    }
  });

  test("a log signed by another service's seal makes the verdict invalid", async () => {
    const { test } = proven;
    const other = await createTestApp();
    try {
      await logAll();
      await change(
        sql`delete from transparency_checkpoints`,
        sql`delete from transparency_nodes`,
        sql`delete from transparency_leaves`,
        sql`delete from transparency_due`,
        sql`insert into transparency_due (envelope_id, sequence, head) select envelope_id, sequence, hash from audit_events e
        where sequence = (select max(sequence) from audit_events l where l.envelope_id = e.envelope_id)`,
      );
      await makeCheckpoint({ platform: test.platform, trust: await createTrust(other.platform) });
      const said = await page();
      expect([said.verdict, said.inclusion === null]).toEqual(["invalid", false]);
    } finally {
      await other.close();
    }
  });
});

describe("a file that is not validated", () => {
  let owner: TestBrowser;
  beforeAll(async () => {
    ({ test: service, owner } = await openSenderApp());
  });

  /** Validates a completed envelope through this sandbox. */
  async function validated(sandbox: PdfSandbox) {
    const { id } = await createSent(owner, { recipients: [PAUL] });
    await signAsGuest(service, id, PAUL.email);
    const platform = { ...service.platform, sandbox };
    const record = await readRecord(platform.db, id);
    return validateRecord({ platform, trust: await createTrust(platform) }, record);
  }

  /** Encrypts the same bytes under an owner's password: every reader opens them. */
  function encrypted(bytes: Uint8Array): Uint8Array {
    const folder = mkdtempSync(join(tmpdir(), "paraphe-proof-"));
    try {
      writeFileSync(join(folder, "in.pdf"), bytes);
      execFileSync("qpdf", [
        "--encrypt",
        "",
        "proprietaire",
        "256",
        "--",
        join(folder, "in.pdf"),
        join(folder, "out.pdf"),
      ]);
      return new Uint8Array(readFileSync(join(folder, "out.pdf")));
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  test("a file over the limits is not called invalid", async () => {
    const hurried = createPdfSandbox({ size: 1, limits: { taskMs: 0 } });
    try {
      const checked = (await validated(hurried)).map((document) => document.checked);
      expect(checked).toMatchObject([
        { isStored: true, problems: ["pdf_too_complex"], expectedCount: 1 },
      ]);
      expect(envelopeVerdict(checked, 0)).toMatchObject({
        verdict: "indeterminate",
        reason:
          "Vérifier ce fichier demande plus de calculs qu’il n’en est permis ici\u00a0: rien ne dit s’il a été modifié. Vérifiez-le avec un autre logiciel.",
      });
    } finally {
      await hurried.close();
    }
  });

  test("an encrypted file is not called invalid", async () => {
    const [document] = await validated(service.platform.sandbox);
    const bytes = encrypted(document?.bytes ?? new Uint8Array());
    const evidence = { trustAnchors: { signers: [], timestamps: [] } };
    const report = await service.platform.sandbox.call("validate", bytes, {
      evidence,
      now: service.platform.clock(),
    });
    expect(envelopeVerdict([checkFile(report, { named: [], unnamed: [] })], 0)).toMatchObject({
      verdict: "indeterminate",
      integrity: false,
      reason:
        "Ce fichier est chiffré\u00a0: ses signatures ne peuvent pas être vérifiées telles quelles. Demandez-en un exemplaire non chiffré.",
    });
  });
});
