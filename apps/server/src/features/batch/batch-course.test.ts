import { createHash, verify, X509Certificate } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { BATCH_JOBS as JOBS, batchPdf as pdf, type BatchFile as SentFile, sendBatch, signBatch } from "../../../testing/batch-calls.ts";
import type { TestBrowser } from "../../../testing/browser.ts";
import { ENVELOPES } from "../../../testing/envelope.ts";
import { createMember, signIn } from "../../../testing/member.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { readZip } from "../../../testing/zip.ts";

let test: TestApp;
let camille: TestBrowser;
let zoe: TestBrowser;

beforeAll(async () => {
  test = await createTestApp({ settings: { rateLimits: "off" } });
  camille = await signIn(test, await createMember(test.platform));
  zoe = await signIn(test, await createMember(test.platform, { firstName: "Zoë", lastName: "Œuvrard" }));
}, 60_000);
afterAll(() => test.close());

const send = (files: readonly SentFile[], fields: object = {}, options: { browser?: TestBrowser; key?: string } = {}) =>
  sendBatch(options.browser ?? camille, files, { fields, key: options.key });
const sign = (files: readonly SentFile[], fields: object = {}) => signBatch(test, camille, files, fields);

describe("its course", () => {
  it("is queued, and stops before it begins when it is cancelled; what was stopped can be taken up again", async () => {
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
    await test.settle({ deferred: "run" });
    expect((await camille.get(`${JOBS}${id}/`)).body.status).toBe("cancelled");
    expect((await camille.send("DELETE", `${JOBS}${id}/`)).body.status).toBe("cancelled");

    const retried = await camille.post(`${JOBS}${id}/retry/`, { items: [1] });
    expect([retried.status, retried.body.items.map((item: { status: string }) => item.status)]).toEqual([202, ["cancelled", "queued"]]);
    await test.settle({ deferred: "run" });
    expect((await camille.get(`${JOBS}${id}/`)).body).toMatchObject({ done: 1, items: [{ status: "cancelled" }, { status: "done" }] });
    expect((await camille.post(`${JOBS}${id}/retry/`, {})).status).toBe(202);
    await test.settle({ deferred: "run" });
    expect((await camille.get(`${JOBS}${id}/`)).body).toMatchObject({ status: "completed", done: 2 });
    expect((await camille.post(`${JOBS}${id}/retry/`, {})).body.code).toBe("nothing_to_retry");
  });

  it("is listed, the last one first, with the day its archive goes", async () => {
    test.platform.clock.advance({ minutes: 1 });
    const job = await sign([pdf("Liste")], { title: "Le dernier" });
    const list = (await camille.get(`${JOBS}?page_size=2`)).body;
    expect(list).toMatchObject({
      page: 1,
      page_size: 2,
      results: [{ id: job.id, title: "Le dernier", status: "completed", total: 1, done: 1, failed: 0 }, {}],
    });
    const { finished_at, available_until } = list.results[0];
    expect(new Date(available_until).getTime() - new Date(finished_at).getTime()).toBe(7 * 86_400_000);
  });

  it("is nobody else's", async () => {
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
});

describe("the archive", () => {
  it("security line 54: holds each signed file once under a name of its own, the report and a sealed manifest, the same bytes each time", async () => {
    const twin = { name: "=HYPERLINK.pdf", bytes: makePdf({ text: "Jumeau 2" }) };
    const job = await sign([pdf("Jumeau", "Acte n° 1.pdf"), { ...twin, name: "Acte n° 1.pdf" }, { ...twin, bytes: new Uint8Array(3) }]);
    const archive = await camille.get(`${JOBS}${job.id}/download/`);
    expect([archive.status, archive.headers["content-type"]]).toEqual([200, "application/zip"]);
    const again = await camille.get(`${JOBS}${job.id}/download/`);
    expect(Buffer.compare(again.bytes, archive.bytes)).toBe(0);
    const entries = readZip(archive.bytes);
    expect([...entries.keys()]).toEqual(["acte-n-1_signe.pdf", "acte-n-1_signe-2.pdf", "rapport.csv", "manifeste.json"]);

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

  it("leaves out the file of an envelope that was purged since", async () => {
    const job = await sign([pdf("Reste"), pdf("Part")]);
    const gone = job.items[1].envelope_id;
    await camille.get(`${JOBS}${job.id}/download/`);
    await camille.post(`${ENVELOPES}${gone}/cancel/`);
    await camille.send("DELETE", `${ENVELOPES}${gone}/purge/`);
    await test.settle();
    const entries = readZip((await camille.get(`${JOBS}${job.id}/download/`)).bytes);
    expect([...entries.keys()]).toEqual(["reste_signe.pdf", "rapport.csv", "manifeste.json"]);
    expect(entries.get("rapport.csv")?.toString("utf8")).toContain("Part.pdf;Signé;L’enveloppe a été supprimée depuis;;;");
  });
});

/** Gives the payload of a compact JWS by the key of its own certificate (RFC 7515 §5.2, RFC 7518 §3.4). */
function checkJws(jws: string): unknown {
  const [header = "", payload = "", signature = ""] = jws.split(".");
  const { x5c } = JSON.parse(Buffer.from(header, "base64url").toString("utf8"));
  const key = new X509Certificate(Buffer.from(x5c[0], "base64")).publicKey;
  const value = Buffer.from(signature, "base64url");
  expect(verify("sha256", Buffer.from(`${header}.${payload}`), { key, dsaEncoding: "ieee-p1363" }, value)).toBe(true);
  return JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
}
