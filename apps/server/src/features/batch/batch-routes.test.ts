import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findStoreFaults } from "../../../../../scripts/store/find-store-faults.ts";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import {
  BATCH_JOBS as JOBS,
  BATCH_MARK,
  BATCH_PLACE as PLACE,
  BATCH_SIGN as SIGN,
  batchPdf as pdf,
  type BatchFile as SentFile,
  sendBatch,
  signBatch,
} from "../../../testing/batch-calls.ts";
import { multipart, openBrowser, type TestBrowser } from "../../../testing/browser.ts";
import { ENVELOPES } from "../../../testing/envelope.ts";
import { createMember, signIn } from "../../../testing/member.ts";
import { makePdf } from "../../../testing/pdf.ts";

const UNKNOWN = "01990000-0000-7000-8000-00000000abcd";

let test: TestApp;
let camille: TestBrowser;

beforeAll(async () => {
  test = await createTestApp({ settings: { rateLimits: "off" } });
  camille = await signIn(test, await createMember(test.platform));
}, 60_000);
afterAll(() => test.close());

const send = (files: readonly SentFile[], fields: object = {}, options: { browser?: TestBrowser; key?: string } = {}) =>
  sendBatch(options.browser ?? camille, files, { fields, key: options.key });
const sign = (files: readonly SentFile[], fields: object = {}) => signBatch(test, camille, files, fields);

/** When a batch's first document was agreed to, when its corrected copy was, and as of when it is signed. */
async function agreementOf(job: { readonly items: readonly { readonly envelope_id: string }[] }) {
  const id = job.items[0]?.envelope_id;
  const { results: events } = (await camille.get(`${ENVELOPES}${id}/events/`)).body;
  const { consented_at, copy_accepted_at } = events.find((event: { action: string }) => event.action === "consent_given").detail;
  const [signature] = (await camille.get(`/api/signature/signatures/?envelope=${id}`)).body.results;
  return [consented_at, copy_accepted_at, signature.signed_at];
}

describe("a batch", () => {
  it("makes of each document a completed envelope of its owner's at B-LTA, and of a bad one its reason", async () => {
    const job = await sign([pdf("Attestation 1"), { name: "note.pdf", bytes: new TextEncoder().encode("bonjour") }, pdf("Attestation 2")]);
    expect(job).toEqual({
      id: expect.any(String),
      status: "partial",
      total: 3,
      done: 2,
      failed: 1,
      items: [
        { name: "Attestation 1.pdf", status: "done", detail: null, code: null, envelope_id: expect.any(String) },
        { name: "note.pdf", status: "failed", detail: "Seuls les fichiers PDF sont autorisés", code: "not_a_pdf", envelope_id: null },
        { name: "Attestation 2.pdf", status: "done", detail: null, code: null, envelope_id: expect.any(String) },
      ],
    });
    const envelope = (await camille.get(`${ENVELOPES}${job.items[0].envelope_id}/`)).body;
    expect(envelope).toMatchObject({
      title: "Attestation 1",
      status: "completed",
      level: "B-LTA",
      is_owner: true,
      progress: { percent: 100 },
    });
    expect((await camille.get(`${ENVELOPES}?status=completed`)).body.results.map((row: { id: string }) => row.id)).toContain(envelope.id);
    expect(await findStoreFaults(test.platform)).toEqual([]);
  });

  it("signs where it is told: the last page, each page, another place for one file", async () => {
    const three: SentFile = { name: "bail.pdf", bytes: makePdf({ pages: 3, text: "Bail" }) };
    const job = await sign([three, pdf("Avenant")], { overrides: [{ file_index: 0, placement: { ...PLACE, page: "all" } }] });
    const fieldsOfItem = async (index: number) => (await camille.get(`${ENVELOPES}${job.items[index].envelope_id}/`)).body.fields;
    expect((await fieldsOfItem(0)).map((field: { page: number }) => field.page)).toEqual([1, 2, 3]);
    expect(await fieldsOfItem(1)).toMatchObject([{ page: 1, x: 0.55, y: 0.75 }]);
  });

  it("says of each file why it was not signed", async () => {
    const twelve = { ...PLACE, page: 2 };
    const job = await sign([pdf("Une page"), { name: "vide.pdf", bytes: new Uint8Array() }, pdf("image", "photo.png")], {
      placement: twelve,
    });
    expect(job).toMatchObject({ status: "failed", done: 0, failed: 3 });
    expect(job.items.map((item: { detail: string }) => item.detail)).toEqual([
      "Ce document n’a que 1 page",
      "Le fichier est vide",
      "Seuls les fichiers PDF sont autorisés",
    ]);
  });

  it("signs the corrected copy of a file that needs one only when that was accepted", async () => {
    const scripted = { name: "script.pdf", bytes: withScript(makePdf({ text: "Script" })) };
    const refused = await sign([scripted]);
    expect(refused).toMatchObject({
      failed: 1,
      items: [
        {
          code: "copy_to_accept",
          detail: "Ce PDF doit être corrigé avant d’être signé. Acceptez la copie corrigée, ou déposez un autre fichier.",
        },
      ],
    });
    const agreedAt = test.platform.clock();
    test.platform.clock.advance({ minutes: 7 });
    const acceptedAt = test.platform.clock();
    const again = await camille.post(`${JOBS}${refused.id}/retry/`, { items: [0], accept_copies: true });
    expect([again.status, again.body.items[0]]).toMatchObject([202, { code: null }]);
    test.platform.clock.advance({ minutes: 2 });
    await test.settle({ deferred: "run" });
    const retried = (await camille.get(`${JOBS}${refused.id}/`)).body;
    expect(retried).toMatchObject({ status: "completed", done: 1 });
    expect(await agreementOf(retried)).toEqual([agreedAt, acceptedAt, acceptedAt].map((moment) => moment.toISOString()));
    const accepted = await sign([scripted], { if_fixable: "accept" });
    expect(accepted).toMatchObject({ status: "completed", done: 1 });
    expect(new Set(await agreementOf(accepted)).size).toBe(1);
    const plain = await sign([pdf("Sans correction")], { if_fixable: "accept" });
    expect((await agreementOf(plain))[1]).toBeUndefined();
    expect(await findStoreFaults(test.platform)).toEqual([]);
  });

  it("names its envelopes after its title and their files", async () => {
    const job = await sign([pdf("Lot 1")], { title: "Attestations 2025" });
    expect((await camille.get(`${ENVELOPES}${job.items[0].envelope_id}/`)).body.title).toBe("Attestations 2025 – Lot 1");
  });

  it("uses one certificate for all its documents", async () => {
    const job = await sign([pdf("Un"), pdf("Deux"), pdf("Trois")]);
    const rows = await test.platform.db
      .selectFrom("signatures")
      .select(["serial_number", "level"])
      .where(
        "envelope_id",
        "in",
        job.items.map((item: { envelope_id: string }) => item.envelope_id),
      )
      .execute();
    expect(rows).toHaveLength(3);
    expect(new Set(rows.map((row) => row.serial_number)).size).toBe(1);
    expect(rows.map((row) => row.level)).toEqual(["B-LTA", "B-LTA", "B-LTA"]);
  });
});

describe("the request", () => {
  it.each([
    ["no file", [], {}, 400, "validation"],
    ["no placement", [pdf("A")], { placement: "" }, 400, "validation"],
    ["a placement off the page", [pdf("A")], { placement: { ...PLACE, x: 0.9 } }, 400, "validation"],
    ["a page that is no page", [pdf("A")], { placement: { ...PLACE, page: 0 } }, 400, "validation"],
    ["another field", [pdf("A")], { couleur: "rouge" }, 400, "validation"],
    ["a place for a file that is not sent", [pdf("A")], { overrides: [{ file_index: 1, placement: PLACE }] }, 400, "validation"],
    ["files under another name", [{ ...pdf("A"), field: "file" }], {}, 400, "validation"],
    ["an empty drawing", [pdf("A")], { signature: { kind: "drawn", strokes: [[[0, 0, 0.5]]] } }, 400, "validation"],
    ["a mark that cannot be drawn", [pdf("A")], { signature: { ...BATCH_MARK, text: "签" } }, 400, "unsupported_character"],
    ["somebody else's saved signature", [pdf("A")], { signature: { kind: "saved", saved_signature_id: UNKNOWN } }, 404, "not_found"],
    ["a file over 10 MB", [{ name: "gros.pdf", bytes: new Uint8Array(10_485_761) }], {}, 413, "file_too_large"],
  ] as const)("refuses %s, and keeps none of its files", async (_what, files, fields, status, code) => {
    const before = await storedFiles();
    const answer = await send(files, fields);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    await test.settle();
    expect(await storedFiles()).toEqual(before);
  });

  it("refuses more than 500 files, and keeps none of them", async () => {
    const before = await storedFiles();
    const answer = await send(
      Array.from({ length: 501 }, (_, index) => ({ name: `${index}.pdf`, bytes: new TextEncoder().encode("%PDF-1.7") })),
    );
    expect([answer.status, answer.body.code]).toEqual([413, "batch_too_large"]);
    await test.settle();
    expect(await storedFiles()).toEqual(before);
  });

  it("refuses more than 2 GiB by what the request announces", async () => {
    const form = multipart({}, []);
    const announced = { ...form.headers, "content-length": String(3 * 2 ** 30) };
    const answer = await camille.post(SIGN, new PassThrough().end(form.body), { headers: announced });
    expect([answer.status, answer.body.code]).toEqual([413, "batch_too_large"]);
  });

  it("keeps a file that something else needs", async () => {
    const shared = pdf("Partagé");
    const job = await sign([shared]);
    expect((await send([shared], { couleur: "rouge" })).status).toBe(400);
    await test.settle();
    const kept = await camille.get(`${ENVELOPES}${job.items[0].envelope_id}/original-document/`);
    expect(Buffer.compare(kept.bytes, shared.bytes)).toBe(0);
  });

  it("asks for a session before it reads the body", async () => {
    const answer = await send([pdf("A")], {}, { browser: openBrowser(test.app) });
    expect(answer.status).toBe(401);
  });

  it("makes one batch of the same request sent twice under one key, and refuses another under it", async () => {
    const files = [pdf("Une fois")];
    const answers = await Promise.all([send(files, {}, { key: "lot-1" }), send(files, {}, { key: "lot-1" })]);
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    expect(answers[0]?.body.id).toBe(answers[1]?.body.id);
    expect((await send([pdf("Autre")], {}, { key: "lot-1" })).body.code).toBe("idempotency_conflict");
    await test.settle({ deferred: "run" });
    expect((await camille.get(`${JOBS}${answers[0]?.body.id}/`)).body).toMatchObject({ status: "completed", done: 1 });
  });
});

/** A document with a script that runs when it opens: it must be corrected before it is signed. */
function withScript(pdfBytes: Uint8Array): Uint8Array {
  const text = Buffer.from(pdfBytes).toString("latin1");
  const size = Number(/\/Size (\d+)/.exec(text)?.[1]);
  const start = text.length;
  const catalog = `1 0 obj\n<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>>>\nendobj\n`;
  const before = /startxref\n(\d+)/.exec(text)?.[1];
  const table = `xref\n1 1\n${String(start).padStart(10, "0")} 00000 n \ntrailer\n<</Size ${size}/Root 1 0 R/Prev ${before}>>\nstartxref\n${start + catalog.length}\n%%EOF\n`;
  return new Uint8Array(Buffer.from(text + catalog + table, "latin1"));
}

async function storedFiles(): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { sha256 } of test.platform.files.list()) names.push(Buffer.from(sha256).toString("hex"));
  return names.sort();
}
