import { problem, problemSentence } from "@paraphe/contracts";
import { createHash, verify, X509Certificate } from "node:crypto";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findStoreFaults } from "../../../../../cli/testing/find-store-faults.ts";
import { expectStatus } from "../../../../testing/answers.ts";
import { createTestApp, type TestApp } from "../../../../testing/app.ts";
import {
  BATCH_JOBS as JOBS,
  BATCH_MARK,
  BATCH_PLACE as PLACE,
  BATCH_SIGN as SIGN,
  type BatchFile as SentFile,
  batchPdf as pdf,
  sendBatch,
  signBatch,
} from "../../../../testing/batch-calls.ts";
import { multipart, openBrowser, type TestBrowser } from "../../../../testing/browser.ts";
import { ENVELOPES } from "../../../../testing/envelope.ts";
import { createMember, signIn, openMember } from "../../../../testing/member.ts";
import { makePdf } from "../../../../testing/pdf.ts";
import { readZip } from "../../../../testing/zip.ts";
import { readLog } from "../../journal/public.ts";
import { CHECKPOINT_JOB } from "../../journal/transparency/make-checkpoint.ts";

let service: TestApp;

beforeAll(async () => {
  service = await createTestApp({ settings: { rateLimits: "off" } });
});

afterAll(() => service.close());

describe("batches", () => {
  const UNKNOWN = "01990000-0000-7000-8000-00000000abcd";
  let camille: TestBrowser;
  beforeAll(async () => {
    camille = await openMember(service);
  }, 60_000);

  const send = (
    files: readonly SentFile[],
    fields: object = {},
    options: { browser?: TestBrowser; key?: string } = {},
  ) => sendBatch(options.browser ?? camille, files, { fields, key: options.key });
  const sign = (files: readonly SentFile[], fields: object = {}) =>
    signBatch(service, camille, files, fields);

  /**
   * Gives the times when a batch's first document was agreed to, when its corrected copy was, and
   * that of its signature.
   */
  async function agreementOf(job: { readonly items: readonly { readonly envelope_id: string }[] }) {
    const id = job.items[0]?.envelope_id;
    const { results: events } = (await camille.get(`${ENVELOPES}${id}/events/`)).body;
    const { consented_at, copy_accepted_at } = events.find(
      (event: { action: string }) => event.action === "consent_given",
    ).detail;
    const [signature] = (await camille.get(`/api/signature/signatures/?envelope=${id}`)).body
      .results;
    return [consented_at, copy_accepted_at, signature.signed_at];
  }

  it("a batch makes B-LTA envelopes of good documents, and gives reasons for bad ones", async () => {
    const job = await sign([
      pdf("Attestation 1"),
      { name: "note.pdf", bytes: new TextEncoder().encode("bonjour") },
      pdf("Attestation 2"),
      { name: "plan.pdf", bytes: makePdf({ pageExtra: "/Odd[1 0 R]" }) },
    ]);
    expect(job).toEqual({
      id: expect.any(String),
      status: "partial",
      total: 4,
      done: 2,
      failed: 2,
      items: [
        {
          name: "Attestation 1.pdf",
          status: "done",
          detail: null,
          code: null,
          envelope_id: expect.any(String),
        },
        {
          name: "note.pdf",
          status: "failed",
          detail: "Seuls les fichiers PDF sont autorisés",
          code: "not_a_pdf",
          envelope_id: null,
        },
        {
          name: "Attestation 2.pdf",
          status: "done",
          detail: null,
          code: null,
          envelope_id: expect.any(String),
        },
        {
          name: "plan.pdf",
          status: "failed",
          detail: problemSentence(problem("pdf_unfinishable")),
          code: "pdf_unfinishable",
          envelope_id: null,
        },
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
    expect(
      (await camille.get(`${ENVELOPES}?status=completed`)).body.results.map(
        (row: { id: string }) => row.id,
      ),
    ).toContain(envelope.id);
    expect(await findStoreFaults(service.platform)).toEqual([]);
  });

  it("a batch signs on the last, each, or a chosen page", async () => {
    const three: SentFile = { name: "bail.pdf", bytes: makePdf({ pages: 3, text: "Bail" }) };
    const job = await sign([three, pdf("Avenant")], {
      overrides: [{ file_index: 0, placement: { ...PLACE, page: "all" } }],
    });
    const fieldsOfItem = async (index: number) =>
      (await camille.get(`${ENVELOPES}${job.items[index].envelope_id}/`)).body.fields;
    expect((await fieldsOfItem(0)).map((field: { page: number }) => field.page)).toEqual([1, 2, 3]);
    expect(await fieldsOfItem(1)).toMatchObject([{ page: 1, x: 0.55, y: 0.75 }]);
  });

  it("a batch says why each file failed", async () => {
    const twelve = { ...PLACE, page: 2 };
    const job = await sign(
      [pdf("Une page"), { name: "vide.pdf", bytes: new Uint8Array() }, pdf("image", "photo.png")],
      {
        placement: twelve,
      },
    );
    expect(job).toMatchObject({ status: "failed", done: 0, failed: 3 });
    expect(job.items.map((item: { detail: string }) => item.detail)).toEqual([
      "Ce document n’a que 1 page",
      "Le fichier est vide",
      "Seuls les fichiers PDF sont autorisés",
    ]);
  });

  it("a batch signs corrected copies only when accepted", async () => {
    const scripted = { name: "script.pdf", bytes: withScript(makePdf({ text: "Script" })) };
    const refused = await sign([scripted]);
    expect(refused).toMatchObject({
      failed: 1,
      items: [
        {
          code: "copy_to_accept",
          detail:
            "Ce PDF doit être corrigé avant d’être signé. Acceptez la copie corrigée, ou déposez un autre fichier.",
        },
      ],
    });
    const agreedAt = service.platform.clock();
    service.platform.clock.advance({ minutes: 7 });
    const acceptedAt = service.platform.clock();
    const again = await camille.post(`${JOBS}${refused.id}/retry/`, {
      items: [0],
      accept_copies: true,
    });
    expect([again.status, again.body.items[0]]).toMatchObject([202, { code: null }]);
    service.platform.clock.advance({ minutes: 2 });
    await service.settle({ deferred: "run" });
    const retried = (await camille.get(`${JOBS}${refused.id}/`)).body;
    expect(retried).toMatchObject({ status: "completed", done: 1 });
    expect(await agreementOf(retried)).toEqual(
      [agreedAt, acceptedAt, acceptedAt].map((moment) => moment.toISOString()),
    );
    const accepted = await sign([scripted], { if_fixable: "accept" });
    expect(accepted).toMatchObject({ status: "completed", done: 1 });
    expect(new Set(await agreementOf(accepted)).size).toBe(1);
    const plain = await sign([pdf("Sans correction")], { if_fixable: "accept" });
    expect((await agreementOf(plain))[1]).toBeUndefined();
    expect(await findStoreFaults(service.platform)).toEqual([]);
  });

  it("a batch signs a different-looking copy only once accepted", async () => {
    const free =
      "<</Type/Annot/Subtype/FreeText/F 4/Rect[60 300 300 330]/Contents(Ajout)/DA(/Helv 14 Tf 0 g)>>";
    const odd = {
      name: "annoté.pdf",
      bytes: makePdf({ pages: 2, pageExtra: `/Annots[${free}]` }),
    };
    const job = await sign([pdf("Même aspect"), odd], { if_fixable: "accept" });
    expect(job).toMatchObject({
      status: "partial",
      items: [
        { status: "done" },
        { code: "copy_differs", detail: expect.stringContaining("à la page 1,") },
      ],
    });
    const correction = (position: number) => `${JOBS}${job.id}/items/${position}/correction/`;
    expect((await camille.get(`${correction(1)}?from=2`)).body).toMatchObject({
      page_count: 2,
      next: null,
      difference: { page: 2 },
    });
    await expectStatus(camille.get(correction(0)), 404);
    await expectStatus(camille.get(correction(2)), 404);
    await expectStatus(camille.get(`${correction(1)}?from=0`), 400);
    const agreedAt = service.platform.clock();
    service.platform.clock.advance({ minutes: 3 });
    const acceptedAt = service.platform.clock();
    await expectStatus(camille.post(`${JOBS}${job.id}/retry/`, { accept_copies: true }), 202);
    await service.settle({ deferred: "run" });
    const retried = (await camille.get(`${JOBS}${job.id}/`)).body;
    expect(retried).toMatchObject({ status: "completed", done: 2 });
    expect(await agreementOf({ items: [retried.items[1]] })).toEqual(
      [agreedAt, acceptedAt, acceptedAt].map((at) => at.toISOString()),
    );
  });

  it("a copy accepted unseen is compared", async () => {
    const free =
      "<</Type/Annot/Subtype/FreeText/F 4/Rect[60 300 300 330]/Contents(Ajout)/DA(/Helv 14 Tf 0 g)>>";
    const job = await sign([
      { name: "annoté.pdf", bytes: makePdf({ pageExtra: `/Annots[${free}]` }) },
    ]);
    expect(job.items[0].code).toBe("copy_to_accept");
    await camille.post(`${JOBS}${job.id}/retry/`, { accept_copies: true });
    await service.settle({ deferred: "run" });
    expect((await camille.get(`${JOBS}${job.id}/`)).body.items[0].code).toBe("copy_differs");
  });

  it("a batch's envelopes are named after its title and files", async () => {
    const job = await sign([pdf("Lot 1")], { title: "Attestations 2025" });
    expect((await camille.get(`${ENVELOPES}${job.items[0].envelope_id}/`)).body.title).toBe(
      "Attestations 2025 – Lot 1",
    );
  });

  it("a batch has one certificate for all documents", async () => {
    const job = await sign([pdf("Un"), pdf("Deux"), pdf("Trois")]);
    const rows = await service.platform.db
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

  it.each([
    ["no file", [], {}, 400, "validation"],
    ["no placement", [pdf("A")], { placement: "" }, 400, "validation"],
    [
      "a placement off the page",
      [pdf("A")],
      { placement: { ...PLACE, x: 0.9 } },
      400,
      "validation",
    ],
    ["a page that is no page", [pdf("A")], { placement: { ...PLACE, page: 0 } }, 400, "validation"],
    ["another field", [pdf("A")], { couleur: "rouge" }, 400, "validation"],
    [
      "a place for a file that is not sent",
      [pdf("A")],
      { overrides: [{ file_index: 1, placement: PLACE }] },
      400,
      "validation",
    ],
    ["files under another name", [{ ...pdf("A"), field: "file" }], {}, 400, "validation"],
    [
      "an empty drawing",
      [pdf("A")],
      { signature: { kind: "drawn", strokes: [[[0, 0, 0.5]]] } },
      400,
      "validation",
    ],
    [
      "a mark that cannot be drawn",
      [pdf("A")],
      { signature: { ...BATCH_MARK, text: "签" } },
      400,
      "unsupported_character",
    ],
    [
      "somebody else's saved signature",
      [pdf("A")],
      { signature: { kind: "saved", saved_signature_id: UNKNOWN } },
      404,
      "not_found",
    ],
    [
      "a file over 10 MB",
      [{ name: "gros.pdf", bytes: new Uint8Array(10_485_761) }],
      {},
      413,
      "file_too_large",
    ],
  ] as const)(
    "a batch request with %s is refused, and stores nothing",
    async (_what, files, fields, status, code) => {
      const before = await storedFiles();
      const answer = await send(files, fields);
      expect([answer.status, answer.body.code]).toEqual([status, code]);
      await service.settle();
      expect(await storedFiles()).toEqual(before);
    },
  );

  it("a batch of more than 500 files is refused, and stores nothing", async () => {
    const before = await storedFiles();
    const answer = await send(
      Array.from({ length: 501 }, (_, index) => ({
        name: `${index}.pdf`,
        bytes: new TextEncoder().encode("%PDF-1.7"),
      })),
    );
    expect([answer.status, answer.body.code]).toEqual([413, "batch_too_large"]);
    await service.settle();
    expect(await storedFiles()).toEqual(before);
  });

  it("a batch over 2 GiB is refused by its announced size", async () => {
    const form = multipart({}, []);
    const announced = { ...form.headers, "content-length": String(3 * 2 ** 30) };
    const answer = await camille.post(SIGN, new PassThrough().end(form.body), {
      headers: announced,
    });
    expect([answer.status, answer.body.code]).toEqual([413, "batch_too_large"]);
  });

  it("a refused batch keeps files needed elsewhere", async () => {
    const shared = pdf("Partagé");
    const job = await sign([shared]);
    await expectStatus(send([shared], { couleur: "rouge" }), 400);
    await service.settle();
    const kept = await camille.get(`${ENVELOPES}${job.items[0].envelope_id}/original-document/`);
    expect(Buffer.compare(kept.bytes, shared.bytes)).toBe(0);
  });

  it("a batch request needs a session before its body is read", async () => {
    const answer = await send([pdf("A")], {}, { browser: openBrowser(service.app) });
    expect(answer.status).toBe(401);
  });

  it("a batch request repeated with its key makes one batch", async () => {
    const files = [pdf("Une fois")];
    const answers = await Promise.all([
      send(files, {}, { key: "lot-1" }),
      send(files, {}, { key: "lot-1" }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    expect(answers[0]?.body.id).toBe(answers[1]?.body.id);
    expect((await send([pdf("Autre")], {}, { key: "lot-1" })).body.code).toBe(
      "idempotency_conflict",
    );
    await service.settle({ deferred: "run" });
    expect((await camille.get(`${JOBS}${answers[0]?.body.id}/`)).body).toMatchObject({
      status: "completed",
      done: 1,
    });
  });

  /** A document with a script that runs when it opens must be corrected before it is signed. */
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
    for await (const { sha256 } of service.platform.files.list())
      names.push(Buffer.from(sha256).toString("hex"));
    return names.sort();
  }
});

describe("the course of a batch", () => {
  let camille: TestBrowser;
  let zoe: TestBrowser;
  beforeAll(async () => {
    camille = await openMember(service);
    zoe = await signIn(
      service,
      await createMember(service.platform, { firstName: "Zoë", lastName: "Œuvrard" }),
    );
  }, 60_000);

  const send = (
    files: readonly SentFile[],
    fields: object = {},
    options: { browser?: TestBrowser; key?: string } = {},
  ) => sendBatch(options.browser ?? camille, files, { fields, key: options.key });
  const sign = (files: readonly SentFile[], fields: object = {}) =>
    signBatch(service, camille, files, fields);

  it("a queued batch can be cancelled, and resumed", async () => {
    const { id } = (await send([pdf("Arrêt 1"), pdf("Arrêt 2")])).body;
    expect((await camille.get(`${JOBS}${id}/`)).body).toMatchObject({
      status: "queued",
      items: [{ status: "queued" }, { status: "queued" }],
    });
    expect((await camille.post(`${JOBS}${id}/retry/`, {})).body.code).toBe("batch_running");
    expect((await camille.get(`${JOBS}${id}/download/`)).body.code).toBe("batch_running");
    const cancelled = await camille.send("DELETE", `${JOBS}${id}/`);
    expect([cancelled.status, cancelled.body]).toMatchObject([
      200,
      { status: "cancelled", done: 0, items: [{ status: "cancelled" }, { status: "cancelled" }] },
    ]);
    await service.settle({ deferred: "run" });
    expect((await camille.get(`${JOBS}${id}/`)).body.status).toBe("cancelled");
    expect((await camille.send("DELETE", `${JOBS}${id}/`)).body.status).toBe("cancelled");

    const retried = await camille.post(`${JOBS}${id}/retry/`, { items: [1] });
    expect([
      retried.status,
      retried.body.items.map((item: { status: string }) => item.status),
    ]).toEqual([202, ["cancelled", "queued"]]);
    await service.settle({ deferred: "run" });
    expect((await camille.get(`${JOBS}${id}/`)).body).toMatchObject({
      done: 1,
      items: [{ status: "cancelled" }, { status: "done" }],
    });
    await expectStatus(camille.post(`${JOBS}${id}/retry/`, {}), 202);
    await service.settle({ deferred: "run" });
    expect((await camille.get(`${JOBS}${id}/`)).body).toMatchObject({
      status: "completed",
      done: 2,
    });
    expect((await camille.post(`${JOBS}${id}/retry/`, {})).body.code).toBe("nothing_to_retry");
  });

  it("batches are listed newest first, with their archives' end", async () => {
    service.platform.clock.advance({ minutes: 1 });
    const job = await sign([pdf("Liste")], { title: "Le dernier" });
    const list = (await camille.get(`${JOBS}?page_size=2`)).body;
    expect(list).toMatchObject({
      page: 1,
      page_size: 2,
      results: [
        { id: job.id, title: "Le dernier", status: "completed", total: 1, done: 1, failed: 0 },
        {},
      ],
    });
    const { finished_at, available_until } = list.results[0];
    expect(new Date(available_until).getTime() - new Date(finished_at).getTime()).toBe(
      7 * 86_400_000,
    );
  });

  it("a batch is hidden from others", async () => {
    const job = await sign([pdf("Secret")]);
    const answers = await Promise.all([
      zoe.get(`${JOBS}${job.id}/`),
      zoe.get(`${JOBS}${job.id}/download/`),
      zoe.send("DELETE", `${JOBS}${job.id}/`),
      zoe.post(`${JOBS}${job.id}/retry/`, {}),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect((await zoe.get(JOBS)).body.count).toBe(0);
  });

  it("security line 54: the archive has each signed file, a report and a sealed manifest, always the same bytes", async () => {
    const twin = { name: "=HYPERLINK.pdf", bytes: makePdf({ text: "Jumeau 2" }) };
    const job = await sign([
      pdf("Jumeau", "Acte n° 1.pdf"),
      { ...twin, name: "Acte n° 1.pdf" },
      { ...twin, bytes: new Uint8Array(3) },
    ]);
    const archive = await camille.get(`${JOBS}${job.id}/download/`);
    expect([archive.status, archive.headers["content-type"]]).toEqual([200, "application/zip"]);
    const again = await camille.get(`${JOBS}${job.id}/download/`);
    expect(Buffer.compare(again.bytes, archive.bytes)).toBe(0);
    const entries = readZip(archive.bytes);
    expect([...entries.keys()]).toEqual([
      "acte-n-1_signe.pdf",
      "acte-n-1_signe-2.pdf",
      "rapport.csv",
      "manifeste.json",
    ]);

    const signed = entries.get("acte-n-1_signe.pdf") ?? Buffer.alloc(0);
    const sha256 = createHash("sha256").update(signed).digest("hex");
    const report = entries.get("rapport.csv")?.toString("utf8") ?? "";
    expect(report.split("\r\n")).toEqual([
      "\ufeffFichier;État;Motif;Fichier signé;SHA-256;Enveloppe",
      `Acte n° 1.pdf;Signé;;acte-n-1_signe.pdf;${sha256};${job.items[0].envelope_id}`,
      expect.stringMatching(/^Acte n° 1.pdf;Signé;;acte-n-1_signe-2.pdf;[0-9a-f]{64};/),
      "'=HYPERLINK.pdf;Échec;Seuls les fichiers PDF sont autorisés;;;",
      "",
    ]);
    const { manifeste, jws } = JSON.parse(entries.get("manifeste.json")?.toString("utf8") ?? "");
    expect(manifeste).toMatchObject({
      batch: job.id,
      total: 3,
      done: 2,
      failed: 1,
      files: [{ file: "acte-n-1_signe.pdf", sha256 }, {}, { file: null }],
    });
    expect(checkJws(jws)).toEqual(manifeste);
  });

  it("the archive leaves out purged files", async () => {
    const job = await sign([pdf("Reste"), pdf("Part")]);
    const gone = job.items[1].envelope_id;
    await camille.get(`${JOBS}${job.id}/download/`);
    await camille.post(`${ENVELOPES}${gone}/cancel/`);
    await camille.send("DELETE", `${ENVELOPES}${gone}/purge/`);
    await service.settle();
    const entries = readZip((await camille.get(`${JOBS}${job.id}/download/`)).bytes);
    expect([...entries.keys()]).toEqual(["reste_signe.pdf", "rapport.csv", "manifeste.json"]);
    expect(entries.get("rapport.csv")?.toString("utf8")).toContain(
      "Part.pdf;Signé;L’enveloppe a été supprimée depuis;;;",
    );
  });

  /**
   * Gives the payload of a compact JWS, verified by the key of its own certificate (RFC 7515 §5.2,
   * RFC 7518 §3.4).
   */
  function checkJws(jws: string): unknown {
    const [header = "", payload = "", signature = ""] = jws.split(".");
    const { x5c } = JSON.parse(Buffer.from(header, "base64url").toString("utf8"));
    const key = new X509Certificate(Buffer.from(x5c[0], "base64")).publicKey;
    const value = Buffer.from(signature, "base64url");
    expect(
      verify(
        "sha256",
        Buffer.from(`${header}.${payload}`),
        { key, dsaEncoding: "ieee-p1363" },
        value,
      ),
    ).toBe(true);
    return JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
  }
});

describe("the checkpoint of a batch", () => {
  let camille: TestBrowser;
  /** Counts the checkpoints asked for. */
  let asked = 0;
  beforeAll(async () => {
    camille = await openMember(service);
    const { queue } = service.platform;
    const { enqueue } = queue;
    queue.enqueue = (trx, name, ...rest) => {
      if (name === CHECKPOINT_JOB) asked += 1;
      return enqueue(trx, name, ...rest);
    };
  }, 60_000);

  it("a slice requests one checkpoint for all its documents", async () => {
    const files = [1, 2, 3].map((number) => ({
      field: "files",
      name: `Acte ${number}.pdf`,
      bytes: makePdf({ text: `Acte ${number}` }),
      type: "application/pdf",
    }));
    const place = JSON.stringify({ page: -1, x: 0.55, y: 0.75, width: 0.3, height: 0.08 });
    const form = multipart(
      {
        placement: place,
        signature: JSON.stringify({ kind: "typed", text: "Camille", font: "caveat" }),
      },
      files,
    );
    const sent = await camille.post("/api/signature/batch-sign/", form.body, {
      headers: form.headers,
    });
    expect(sent.status).toBe(202);
    await service.settle({ deferred: "run" });
    const { items } = (await camille.get(`/api/signature/batch-jobs/${sent.body.id}/`)).body;
    expect(items).toHaveLength(3);
    for (const { envelope_id } of items)
      expect((await readLog(service.platform.db, envelope_id)).inclusion).not.toBeNull();
    expect(asked).toBe(1);
  }, 60_000);
});
