import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser.ts";
import { createDraft, createSent, ENVELOPES, PAUL, recordTestSignature } from "../../../testing/envelope.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { mintDownloadToken } from "./download-link.ts";
import { addRevision, documentsDigest, loadDocuments, StaleRevisionError } from "./index.ts";

let service: TestApp;
let anneMember: Member;
let anne: TestBrowser;
let nobody: TestBrowser;

beforeAll(async () => {
  service = await createTestApp();
  anneMember = await createMember(service.platform);
});
beforeEach(async () => {
  anne = await signIn(service, anneMember);
  nobody = openBrowser(service.app);
});
afterAll(() => service.close());

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const FILE = { name: "Bail.pdf", bytes: makePdf({ pages: 2 }) };
const two = [FILE, { name: "Annexe.pdf", bytes: makePdf({ text: "Annexe" }) }];
const signAll = async (envelope: { id: string; recipients: { id: string }[] }) => {
  for (const recipient of envelope.recipients) await recordTestSignature(service.platform, envelope.id, recipient.id);
};

describe("a document's file", () => {
  it("is served whole, inline, never cached, with what a PDF needs", async () => {
    const draft = await createDraft(anne, { title: "Bail d’été", files: [FILE] });
    const answer = await anne.get(`${ENVELOPES}${draft.id}/documents/${draft.documents[0]?.id}/file/`);
    expect(answer.status).toBe(200);
    expect(answer.bytes).toEqual(Buffer.from(FILE.bytes));
    expect(answer.headers).toMatchObject({
      "content-type": "application/pdf",
      "content-length": String(FILE.bytes.length),
      "content-disposition": "inline; filename=\"bail-dete.pdf\"; filename*=UTF-8''bail-dete.pdf",
      "cache-control": "private, no-store",
      "accept-ranges": "bytes",
      etag: `"${sha256(FILE.bytes)}"`,
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
      "content-security-policy": "frame-ancestors 'self'",
    });
  });

  it("is served in ranges", async () => {
    const draft = await createDraft(anne, { files: [FILE] });
    const url = `${ENVELOPES}${draft.id}/documents/${draft.documents[0]?.id}/file/`;
    const size = FILE.bytes.length;
    const part = await anne.get(url, { headers: { range: "bytes=5-14" } });
    expect(part).toMatchObject({ status: 206, headers: { "content-range": `bytes 5-14/${size}`, "content-length": "10" } });
    expect(part.bytes).toEqual(Buffer.from(FILE.bytes.slice(5, 15)));
    expect((await anne.get(url, { headers: { range: "bytes=-4" } })).bytes).toEqual(Buffer.from(FILE.bytes.slice(-4)));
    expect(await anne.get(url, { headers: { range: `bytes=${size}-` } })).toMatchObject({
      status: 416,
      headers: { "content-range": `bytes */${size}` },
    });
    expect((await anne.get(url, { headers: { range: "bytes=0-1,3-4" } })).status).toBe(200);
    expect((await anne.get(url, { headers: { range: "bytes=0-1", "if-range": '"autre"' } })).status).toBe(200);
    expect((await anne.get(url, { headers: { range: "bytes=0-1", "if-range": `"${sha256(FILE.bytes)}"` } })).status).toBe(206);
  });

  it("is the current revision once sent; the original stays as it was uploaded", async () => {
    const sent = await createSent(anne, { files: [FILE] });
    const current = await anne.get(`${ENVELOPES}${sent.id}/documents/${sent.documents[0]?.id}/file/`);
    expect(sha256(current.bytes)).toBe(sent.documents[0]?.sha256);
    expect(current.bytes.length).toBeGreaterThan(FILE.bytes.length);
    expect((await anne.get(`${ENVELOPES}${sent.id}/original-document/`)).bytes).toEqual(Buffer.from(FILE.bytes));
    expect((await anne.get(`${ENVELOPES}${sent.id}/signed-document/`)).status).toBe(404);
    await signAll(sent);
    const signed = await anne.get(`${ENVELOPES}${sent.id}/signed-document/`);
    expect(signed).toMatchObject({
      status: 200,
      headers: { "content-disposition": expect.stringContaining('filename="bail-dhabitation_signe.pdf"') },
    });
    expect(Buffer.compare(signed.bytes.subarray(0, current.bytes.length), current.bytes)).toBe(0);
  });

  it("is asked for by its own envelope only", async () => {
    const [first, second] = [await createDraft(anne, { files: [FILE] }), await createDraft(anne, { files: [FILE] })];
    expect((await anne.get(`${ENVELOPES}${first.id}/documents/${second.documents[0]?.id}/file/`)).status).toBe(404);
    expect((await anne.get(`${ENVELOPES}${first.id}/original-document/?document=${second.documents[0]?.id}`)).status).toBe(404);
    expect((await anne.get(`${ENVELOPES}${first.id}/documents/..%2F..%2Fetc/file/`)).status).toBe(404);
  });
});

describe("an envelope of several documents", () => {
  it("downloads as one archive with distinct names, the same bytes each time; one is picked by its id", async () => {
    const sent = await createSent(anne, { title: "Dossier", files: [...two, { name: "bail.PDF", bytes: makePdf({ text: "Autre" }) }] });
    await signAll(sent);
    const answer = await anne.get(`${ENVELOPES}${sent.id}/signed-document/`);
    expect(answer).toMatchObject({
      status: 200,
      headers: {
        "content-type": "application/zip",
        "content-disposition": expect.stringContaining('attachment; filename="dossier_signe.zip"'),
      },
    });
    const folder = mkdtempSync(join(tmpdir(), "paraphe-zip-"));
    writeFileSync(join(folder, "a.zip"), answer.bytes);
    const script =
      "import sys,zipfile,hashlib;z=zipfile.ZipFile(sys.argv[1]);assert z.testzip() is None;print('\\n'.join(n+' '+hashlib.sha256(z.read(n)).hexdigest() for n in z.namelist()))";
    const listing = execFileSync("python3", ["-c", script, join(folder, "a.zip")], { encoding: "utf8" });
    const documents = await loadDocuments(service.platform.db, sent.id);
    const names = ["bail_signe.pdf", "annexe_signe.pdf", "bail_signe-2.pdf"];
    expect(listing.trim().split("\n")).toEqual(
      documents.map((document, index) => `${names[index]} ${Buffer.from(document.current.sha256).toString("hex")}`),
    );
    expect((await anne.get(`${ENVELOPES}${sent.id}/signed-document/`)).bytes).toEqual(answer.bytes);
    const one = await anne.get(`${ENVELOPES}${sent.id}/signed-document/?document=${sent.documents[1]?.id}`);
    expect(one.headers).toMatchObject({
      "content-type": "application/pdf",
      "content-disposition": expect.stringContaining('filename="annexe_signe.pdf"'),
    });
  });
});

describe("a download link", () => {
  const linkOf = async (id: string, query = "") => (await anne.get(`${ENVELOPES}${id}/download/${query}`)).body;

  it("is of this origin, opens without a session for five minutes, and names the file", async () => {
    const sent = await createSent(anne, { title: "Été 2026", files: [FILE], recipients: [PAUL] });
    expect(await linkOf(sent.id)).toMatchObject({ file_name: "ete-2026.pdf" });
    await signAll(sent);
    const link = await linkOf(sent.id);
    expect(link).toMatchObject({
      file_name: "ete-2026_signe.pdf",
      download_url: expect.stringMatching(new RegExp(`^${ENVELOPES}${sent.id}/document/\\?token=dl\\.`)),
    });
    const answer = await nobody.get(link.download_url);
    expect(answer).toMatchObject({ status: 200, headers: { "content-type": "application/pdf" } });
    expect(answer.bytes).toEqual((await anne.get(`${ENVELOPES}${sent.id}/signed-document/`)).bytes);
    service.platform.clock.advance({ seconds: 299 });
    expect((await nobody.get(link.download_url)).status).toBe(200);
    service.platform.clock.advance({ seconds: 1 });
    expect((await nobody.get(link.download_url)).status).toBe(404);
  });

  it("opens one envelope, and is not to be forged", async () => {
    const [first, second] = [await createDraft(anne), await createDraft(anne)];
    const { download_url: url } = await linkOf(first.id);
    expect((await nobody.get(url)).status).toBe(200);
    expect((await nobody.get(url.replace(first.id, second.id))).status).toBe(404);
    const flipped = url.replace(/.$/, (last: string) => (last === "A" ? "B" : "A"));
    expect((await nobody.get(flipped)).status).toBe(404);
    expect((await nobody.get(url.replace("dl.owner.", "dl.guest."))).status).toBe(404);
    expect((await nobody.get(url.replace(/owner\.(\d+)/, (_: string, end: string) => `owner.${Number(end) + 60}`))).status).toBe(404);
  });

  it("made for a guest dies with the envelope, the owner's does not", async () => {
    const sent = await createSent(anne);
    const token = mintDownloadToken(service.platform, { envelopeId: sent.id, reader: "guest" });
    expect((await nobody.get(`${ENVELOPES}${sent.id}/document/?token=${token}`)).status).toBe(200);
    const own = await linkOf(sent.id);
    await anne.post(`${ENVELOPES}${sent.id}/cancel/`);
    expect((await nobody.get(`${ENVELOPES}${sent.id}/document/?token=${token}`)).body).toMatchObject({
      status: 410,
      code: "envelope_cancelled",
    });
    expect((await nobody.get(own.download_url)).status).toBe(200);
    await anne.send("DELETE", `${ENVELOPES}${sent.id}/purge/`);
    expect((await nobody.get(own.download_url)).status).toBe(404);
  });
});

describe("who reads the files", () => {
  const paths = (envelope: { id: string; documents: { id: string }[] }) =>
    ["original-document/", "document/", "download/", `documents/${envelope.documents[0]?.id}/file/`].map(
      (path) => `${ENVELOPES}${envelope.id}/${path}`,
    );

  it("is the owner, and a recipient with an account once invited; never a stranger, nobody, or a wrong token", async () => {
    const member = await createMember(service.platform);
    const recipient = await signIn(service, member);
    const stranger = await signIn(service, await createMember(service.platform));
    const sent = await createSent(anne, { recipients: [{ email: member.email, full_name: "Paul" }] });
    for (const path of paths(sent)) {
      expect((await anne.get(path)).status).toBe(200);
      expect((await recipient.get(path)).status).toBe(200);
      expect((await stranger.get(path)).body).toMatchObject({ status: 404, code: "not_found" });
      expect((await nobody.get(path)).body).toMatchObject({ status: 401, code: "session_expired" });
      expect((await anne.get(path, { headers: { "x-signature-token": "A".repeat(43) } })).status).toBe(404);
      expect((await anne.get(path.replace(sent.id, service.platform.newId()))).status).toBe(404);
    }
    const draft = await createDraft(anne, { recipients: [{ email: member.email, full_name: "Paul" }] });
    for (const path of paths(draft)) expect((await recipient.get(path)).status).toBe(404);
  });
});

describe("a file that storage lost", () => {
  it("is said to be lost, alone or among several, and the service goes on", async () => {
    const lost = makePdf({ text: "Perdu" });
    const draft = await createDraft(anne, { files: [FILE, { name: "Perdu.pdf", bytes: lost }] });
    await service.platform.files.remove(new Uint8Array(createHash("sha256").update(lost).digest()));
    for (const path of ["original-document/", `documents/${draft.documents[1]?.id}/file/`])
      expect((await anne.get(`${ENVELOPES}${draft.id}/${path}`)).body).toMatchObject({ status: 500, code: "stored_file_lost" });
    expect((await anne.get(`${ENVELOPES}${draft.id}/documents/${draft.documents[0]?.id}/file/`)).status).toBe(200);
  });
});

describe("the hash of what is agreed to", () => {
  it("stays the same while others sign, and changes with a document or its place", async () => {
    const sent = await createSent(anne, { files: two });
    const before = await loadDocuments(service.platform.db, sent.id);
    await recordTestSignature(service.platform, sent.id, sent.recipients[0]?.id ?? "");
    const after = await loadDocuments(service.platform.db, sent.id);
    expect(documentsDigest(after)).toEqual(documentsDigest(before));
    const swapped = before.map((document) => ({ ...document, position: -document.position }));
    expect(documentsDigest(swapped)).not.toEqual(documentsDigest(before));
    expect(documentsDigest(before.slice(0, 1))).not.toEqual(documentsDigest(before));
  });
});

describe("a revision", () => {
  it("made from one that is not the current any more is refused whole", async () => {
    const { platform } = service;
    const draft = await createDraft(anne);
    const [document] = await loadDocuments(platform.db, draft.id);
    const bytes = new Uint8Array([1, 2, 3]);
    const revision = {
      documentId: document?.id ?? "",
      previousNumber: 0,
      kind: "prepared",
      sha256: await platform.files.put(bytes),
      sizeBytes: 3,
      recipientId: null,
    } as const;
    const add = () => platform.db.transaction().execute((trx) => addRevision(trx, platform, revision));
    expect(await add()).toBe(1);
    await expect(add()).rejects.toThrow(StaleRevisionError);
    expect((await loadDocuments(platform.db, draft.id))[0]?.current.number).toBe(1);
  });
});
