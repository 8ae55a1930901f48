import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, truncateSync, unlinkSync, writeFileSync } from "node:fs";
import type { Envelope, Print, Signature } from "@paraphe/contracts";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Answer, TestBrowser } from "../../../testing/browser.ts";
import { ENVELOPES } from "../../../testing/envelope.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { bytesAt, completeEnvelope, openProven, PRINTS, printOf, type Proven, verifyProven } from "../../../testing/proven-envelope.ts";
import { storedHash, storedPath } from "../../../testing/stored-file.ts";

/** An envelope of two documents, and another of the same people, all sound: what a fault can be made of. */
type Story = {
  readonly envelope: Envelope;
  readonly print: Print;
  /** As they were downloaded when all was well. */
  readonly pdfs: readonly Uint8Array[];
  readonly ids: readonly [string, string];
  readonly hashes: readonly [string, string];
  /** Of another envelope: a signed file, valid by itself. */
  readonly otherHash: string;
};

let proven: Proven;
let owner: TestBrowser;
let anybody: TestBrowser;
let story: Story;
beforeAll(async () => {
  proven = await openProven();
  ({ owner, anybody } = proven);
}, 60_000);
afterAll(() => proven.test.close());

beforeEach(async () => {
  const { test } = proven;
  const files = [1, 2].map((pages) => ({ name: `Annexe ${pages}.pdf`, bytes: makePdf({ pages }) }));
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
});

const bytesOf = (hash: string) => readFileSync(storedPath(proven.test.platform, hash));
const onDisk = (change: (path: string, bytes: Buffer) => void) => () => {
  const path = storedPath(proven.test.platform, story.hashes[0]);
  change(path, readFileSync(path));
};
/** As whoever operates the database may do. */
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

const wordsOf = ({ bytes }: Answer) => execFileSync("pdftotext", ["-", "-"], { input: bytes, encoding: "utf8" });
/** What an answer says once: the word valid of a verdict, the signed file, or that there is none. */
async function saidOf(print: Print): Promise<Record<string, unknown>> {
  const { envelope, pdfs } = story;
  const verify = await anybody.get(`${PRINTS}${print.id}/verify/?sig=${print.sig}`);
  const documents = await Promise.all(story.ids.map((id) => anybody.get(`${print.document_url}&document=${id}`)));
  const printable = await anybody.get(print.printable_url);
  const proof = await anybody.get(print.proof_url);
  const offline = await verifyProven(proven, { proof: proof.bytes, files: pdfs.map((bytes, index) => ({ name: `${index}.pdf`, bytes })) });
  const evidence = await owner.get(`${ENVELOPES}${envelope.id}/evidence/`);
  const signatures = await owner.get(`/api/signature/signatures/?envelope=${envelope.id}`);
  return {
    verify: verify.status === 200 ? verify.body.verdict : verify.status,
    documents: documents.map(({ status, bytes, body }, index) =>
      status === 200 ? Buffer.compare(bytes, pdfs[index] ?? bytes) : body.code,
    ),
    printable: printable.status === 200 ? wordsOf(printable).includes("Signatures valides") : printable.body.code,
    proof: proof.status === 200 ? proof.body.proof.verdict : proof.status,
    offline: offline.verdict,
    evidence:
      evidence.status === 200 ? wordsOf(evidence).replaceAll(/\s+/g, " ").includes("Toutes les signatures sont valides") : evidence.status,
    signatures: story.ids.map((id) => signatures.body.results.find((one: Signature) => one.document === id)?.verdict),
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
const LOST = { ...BAD, documents: ["stored_file_lost", 0], printable: "stored_file_lost", signatures: ["invalid", "valid"] };
const REWRITTEN = { ...BAD, documents: [0, 0], printable: false, signatures: ["invalid", "invalid"] };

describe("every answer about an envelope", () => {
  it.each<[string, () => void | Promise<void>, Readonly<Record<string, unknown>>]>([
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
    ["whose file was replaced by one without a signature", onDisk((path) => writeFileSync(path, makePdf())), LOST],
    ["whose file was replaced by another signed one", onDisk((path) => writeFileSync(path, bytesOf(story.otherHash))), LOST],
    ["whose file was replaced by its other document’s", onDisk((path) => writeFileSync(path, bytesOf(story.hashes[1]))), LOST],
    [
      "whose row leads to another envelope’s signed file",
      inDatabase(pointTo(0, () => story.otherHash)),
      // A row that the journal gives the lie to leaves nothing beside it to be believed.
      { ...LOST, signatures: ["invalid", "invalid"] },
    ],
    [
      "of which two rows lead to one another’s file",
      inDatabase(
        pointTo(0, () => story.hashes[1]),
        pointTo(1, () => story.hashes[0]),
      ),
      { ...LOST, documents: ["stored_file_lost", "stored_file_lost"], signatures: ["invalid", "invalid"] },
    ],
    [
      "of which an event was edited",
      inDatabase(() => sql`update audit_events set actor = 'user:0' where envelope_id = ${story.envelope.id} and sequence = 2`),
      REWRITTEN,
    ],
    [
      "of which an event was taken out",
      inDatabase(() => sql`delete from audit_events where envelope_id = ${story.envelope.id} and sequence = 2`),
      REWRITTEN,
    ],
    [
      "of which the events are numbered in another order",
      inDatabase(
        () => sql`update audit_events set sequence = 90 where envelope_id = ${story.envelope.id} and sequence = 2`,
        () => sql`update audit_events set sequence = 2 where envelope_id = ${story.envelope.id} and sequence = 3`,
        () => sql`update audit_events set sequence = 3 where envelope_id = ${story.envelope.id} and sequence = 90`,
      ),
      REWRITTEN,
    ],
    [
      "of which the last event was cut off",
      inDatabase(
        () => sql`delete from audit_events where envelope_id = ${story.envelope.id}
          and sequence >= (select sequence from audit_events where envelope_id = ${story.envelope.id} and action = 'envelope_completed')`,
      ),
      { ...REWRITTEN, documents: ["stored_file_lost", "stored_file_lost"], printable: "stored_file_lost" },
    ],
  ])("%s is the right one, and never that it is valid where it is not", { timeout: 60_000 }, async (_what, fault, expected) => {
    // A proof of a moment ago is no answer to what happened since.
    await anybody.get(story.print.proof_url);
    await fault();
    expect(await saidOf(story.print)).toEqual(expected);
  });

  it("names the people that the certificates name, whatever became of the rows", async () => {
    await inDatabase(
      () => sql`update recipients set full_name = 'Paul Martin' where envelope_id = ${story.envelope.id}`,
      () => sql`update signatures set signer_name = 'Paul Martin' where envelope_id = ${story.envelope.id}`,
    )();
    const { id, sig } = story.print;
    expect((await anybody.get(`${PRINTS}${id}/verify/?sig=${sig}`)).body.signers).toMatchObject([{ full_name: "Paul Morel" }]);
    const proof = await bytesAt(anybody, story.print.proof_url);
    const files = story.pdfs.map((bytes, index) => ({ name: `${index}.pdf`, bytes }));
    expect((await verifyProven(proven, { proof, files })).verdict).toBe("invalid");
  });
});

describe("a forged, a foreign or no sig, and an unknown print", () => {
  it("security line 56: get the same 404 from every call, whatever they look like", async () => {
    const { print } = story;
    const at = 20;
    const flipped = print.sig.slice(0, at) + (print.sig[at] === "A" ? "B" : "A") + print.sig.slice(at + 1);
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
    expect((await anybody.get(`${PRINTS}${unknown}/verify/?sig=${text}`)).status).toBe(404);
  });
});
