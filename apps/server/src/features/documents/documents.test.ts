import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { sql } from "kysely";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openBrowser, refusal, type TestBrowser } from "../../../testing/browser.ts";
import {
  actOn,
  createDraft,
  createSent,
  envelopeForm,
  ENVELOPES,
  patchEnvelope,
  PAUL,
  recordTestSignature,
  signNth,
} from "../../../testing/envelope.ts";
import { createMember, type Member, openMember, signIn } from "../../../testing/member.ts";
import { makePdf, SCRIPT } from "../../../testing/pdf.ts";
import { useTestApp } from "../../../testing/use-test-app.ts";
import { blockRemovals, RemovalBlockedError } from "../../platform/backup/backups.ts";
import { type FileStore, NO_LEDGER, STORE_ID } from "../../platform/files/file-store.ts";
import { openFolderFileStore } from "../../platform/files/folder-file-store.ts";
import { openStore } from "../../platform/files/open-store.ts";
import { readImageSize } from "../../platform/images/check-image.ts";
import { documentsDigest } from "./present-document.ts";
import {
  mintDownloadToken,
  type StoredFile,
  archiveFiles,
  createFirstPages,
} from "./open-files.ts";
import { writeTogether } from "../../platform/database/in-transaction.ts";
import { forgetLooseFiles, loadDocuments, lockBlobs } from "./store.ts";
import { receiveDocument } from "./receive-document.ts";
import { removeBlobs, sweepFiles } from "./jobs.ts";
import { addRevisions, freeBytes, StaleRevisionError } from "./revise-documents.ts";

const FILE = { name: "Bail.pdf", bytes: makePdf({ pages: 2 }) };
const service = useTestApp();

describe("documents", () => {
  let anneMember: Member;
  let anne: TestBrowser;
  let nobody: TestBrowser;
  beforeAll(async () => {
    anneMember = await createMember(service.platform);
  });
  beforeEach(async () => {
    anne = await signIn(service, anneMember);
    nobody = openBrowser(service.app);
  });

  const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
  const two = [FILE, { name: "Annexe.pdf", bytes: makePdf({ text: "Annexe" }) }];
  const signAll = async (envelope: { id: string; recipients: { id: string }[] }) => {
    for (const recipient of envelope.recipients)
      await recordTestSignature(service.platform, envelope.id, recipient.id);
  };

  test("a document's file is served whole, inline, never cached, with what a PDF needs", async () => {
    const draft = await createDraft(anne, { title: "Bail d’été", files: [FILE] });
    const answer = await anne.get(
      `${ENVELOPES}${draft.id}/documents/${draft.documents[0]?.id}/file/`,
    );
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

  test("a document's file is served in ranges", async () => {
    const draft = await createDraft(anne, { files: [FILE] });
    const url = `${ENVELOPES}${draft.id}/documents/${draft.documents[0]?.id}/file/`;
    const size = FILE.bytes.length;
    const part = await anne.get(url, { headers: { range: "bytes=5-14" } });
    expect(part).toMatchObject({
      status: 206,
      headers: { "content-range": `bytes 5-14/${size}`, "content-length": "10" },
    });
    expect(part.bytes).toEqual(Buffer.from(FILE.bytes.slice(5, 15)));
    expect((await anne.get(url, { headers: { range: "bytes=-4" } })).bytes).toEqual(
      Buffer.from(FILE.bytes.slice(-4)),
    );
    expect(await anne.get(url, { headers: { range: `bytes=${size}-` } })).toMatchObject({
      status: 416,
      headers: { "content-range": `bytes */${size}` },
    });
    expect((await anne.get(url, { headers: { range: "bytes=0-1,3-4" } })).status).toBe(200);
    expect(
      (await anne.get(url, { headers: { range: "bytes=0-1", "if-range": '"autre"' } })).status,
    ).toBe(200);
    expect(
      (
        await anne.get(url, {
          headers: { range: "bytes=0-1", "if-range": `"${sha256(FILE.bytes)}"` },
        })
      ).status,
    ).toBe(206);
  });

  test("a document's file is the current revision once sent; the original stays as it was uploaded", async () => {
    const sent = await createSent(anne, { files: [FILE] });
    const current = await anne.get(
      `${ENVELOPES}${sent.id}/documents/${sent.documents[0]?.id}/file/`,
    );
    expect(sha256(current.bytes)).toBe(sent.documents[0]?.sha256);
    expect(current.bytes.length).toBeGreaterThan(FILE.bytes.length);
    expect((await anne.get(`${ENVELOPES}${sent.id}/original-document/`)).bytes).toEqual(
      Buffer.from(FILE.bytes),
    );
    expect((await anne.get(`${ENVELOPES}${sent.id}/signed-document/`)).status).toBe(404);
    await signAll(sent);
    const signed = await anne.get(`${ENVELOPES}${sent.id}/signed-document/`);
    expect(signed).toMatchObject({
      status: 200,
      headers: {
        "content-disposition": expect.stringContaining('filename="bail-dhabitation_signe.pdf"'),
      },
    });
    expect(Buffer.compare(signed.bytes.subarray(0, current.bytes.length), current.bytes)).toBe(0);
  });

  test("a document's file opens through its own envelope only", async () => {
    const [first, second] = [
      await createDraft(anne, { files: [FILE] }),
      await createDraft(anne, { files: [FILE] }),
    ];
    expect(
      (await anne.get(`${ENVELOPES}${first.id}/documents/${second.documents[0]?.id}/file/`)).status,
    ).toBe(404);
    expect(
      (
        await anne.get(
          `${ENVELOPES}${first.id}/original-document/?document=${second.documents[0]?.id}`,
        )
      ).status,
    ).toBe(404);
    expect((await anne.get(`${ENVELOPES}${first.id}/documents/..%2F..%2Fetc/file/`)).status).toBe(
      404,
    );
  });

  /** Counts the tasks of the real sandbox. */
  const counted = (bounds?: Parameters<typeof createFirstPages>[1]) => {
    const { files, images, sandbox } = service.platform;
    const asked: string[] = [];
    const askedBy: typeof sandbox.askedBy = (caller) => {
      const calls = sandbox.askedBy(caller);
      return { call: (task, ...args) => (asked.push(task), calls.call(task, ...args)) };
    };
    return {
      asked,
      firstPageOf: createFirstPages({ files, images, sandbox: { ...sandbox, askedBy } }, bounds),
    };
  };
  const stored = async (bytes: Uint8Array): Promise<StoredFile> => {
    await service.platform.files.put(bytes);
    return {
      name: "Bail.pdf",
      sha256: new Uint8Array(createHash("sha256").update(bytes).digest()),
      sizeBytes: bytes.length,
    };
  };

  test("a document's first page is a picture of what the file shows now, in the page's proportions, never cached by a browser", async () => {
    const draft = await createDraft(anne, {
      files: [{ name: "Plan.pdf", bytes: makePdf({ width: 842, height: 595 }) }],
    });
    const answer = await anne.get(
      `${ENVELOPES}${draft.id}/documents/${draft.documents[0]?.id}/first-page/`,
    );
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      "content-type": "image/webp",
      "cache-control": "private, no-store",
    });
    const { width, height } = readImageSize(answer.bytes) ?? { width: 0, height: 0 };
    expect([width, height]).toEqual([1_169, 826]);
  });

  test("a document's first page is drawn once, whoever asks for it and however often", async () => {
    const { asked, firstPageOf } = counted();
    const file = await stored(makePdf({ text: "Page dessinée" }));
    const pictures = await Promise.all([firstPageOf(file), firstPageOf(file)]);
    pictures.push(await firstPageOf({ ...file, name: "Autre nom.pdf" }));
    expect(pictures.map((picture) => picture.ok)).toEqual([true, true, true]);
    expect(asked).toEqual(["drawPage"]);
  });

  test("a document's first page that cannot be drawn is not found, and not tried again", async () => {
    const { asked, firstPageOf } = counted();
    const file = await stored(new TextEncoder().encode("Ceci n’est pas un PDF"));
    for (const _ of [1, 2])
      expect(await firstPageOf(file)).toEqual({ ok: false, error: { code: "not_found" } });
    expect(asked).toEqual(["drawPage"]);
  });

  test("a document's first page leaves the memory when others come, the one asked for longest ago first", async () => {
    const [one, two, three] = await Promise.all(
      ["Une", "Deux", "Trois"].map((text) => stored(makePdf({ text }))),
    );
    const first = await counted().firstPageOf(one as StoredFile);
    const sizeBytes = first.ok ? first.value.length : 0;
    const { asked, firstPageOf } = counted({ maximumBytes: Math.round(2.5 * sizeBytes) });
    for (const file of [one, two, one, three, one]) await firstPageOf(file as StoredFile);
    expect(asked.length).toBe(3);
    await firstPageOf(two as StoredFile);
    expect(asked.length).toBe(4);
  });

  test("an envelope of several documents downloads as one archive with distinct names, the same bytes each time; one is picked by its id", async () => {
    const sent = await createSent(anne, {
      title: "Dossier",
      files: [...two, { name: "bail.PDF", bytes: makePdf({ text: "Autre" }) }],
    });
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
      "import sys,zipfile,hashlib;z=zipfile.ZipFile(sys.argv[1]);assert z.testzip() is None;print('\\n'.join(n+' '+hashlib.sha256(z.read(n)).hexdigest() for n in z.namelist()));assert {('%d-%02d-%02d %02d:%02d' % i.date_time[:5]) for i in z.infolist()}=={sys.argv[2]}";
    const { completed_at } = (await anne.get(`${ENVELOPES}${sent.id}/`)).body;
    const date = new Date(completed_at).toLocaleString("sv-SE", {
      timeZone: "Europe/Paris",
      dateStyle: "short",
      timeStyle: "short",
    });
    const listing = execFileSync("python3", ["-c", script, join(folder, "a.zip"), date], {
      encoding: "utf8",
    });
    const documents = await loadDocuments(service.platform.db, sent.id);
    const names = ["bail_signe.pdf", "annexe_signe.pdf", "bail_signe-2.pdf"];
    expect(listing.trim().split("\n")).toEqual(
      documents.map(
        (document, index) =>
          `${names[index]} ${Buffer.from(document.current.sha256).toString("hex")}`,
      ),
    );
    expect((await anne.get(`${ENVELOPES}${sent.id}/signed-document/`)).bytes).toEqual(answer.bytes);
    const one = await anne.get(
      `${ENVELOPES}${sent.id}/signed-document/?document=${sent.documents[1]?.id}`,
    );
    expect(one.headers).toMatchObject({
      "content-type": "application/pdf",
      "content-disposition": expect.stringContaining('filename="annexe_signe.pdf"'),
    });
  });

  const linkOf = async (id: string, query = "") =>
    (await anne.get(`${ENVELOPES}${id}/download/${query}`)).body;

  test("a download link is of this origin, opens without a session for five minutes, and names the file", async () => {
    const sent = await createSent(anne, { title: "Été 2026", files: [FILE], recipients: [PAUL] });
    expect(await linkOf(sent.id)).toMatchObject({ file_name: "ete-2026.pdf" });
    await signAll(sent);
    const link = await linkOf(sent.id);
    expect(link).toMatchObject({
      file_name: "ete-2026_signe.pdf",
      download_url: expect.stringMatching(
        new RegExp(`^${ENVELOPES}${sent.id}/document/\\?token=dl\\.`),
      ),
    });
    const answer = await nobody.get(link.download_url);
    expect(answer).toMatchObject({ status: 200, headers: { "content-type": "application/pdf" } });
    expect(answer.bytes).toEqual((await anne.get(`${ENVELOPES}${sent.id}/signed-document/`)).bytes);
    service.platform.clock.advance({ seconds: 299 });
    expect((await nobody.get(link.download_url)).status).toBe(200);
    service.platform.clock.advance({ seconds: 1 });
    expect((await nobody.get(link.download_url)).status).toBe(404);
  });

  test("a download link opens one envelope and cannot be forged", async () => {
    const [first, second] = [await createDraft(anne), await createDraft(anne)];
    const { download_url: url } = await linkOf(first.id);
    expect((await nobody.get(url)).status).toBe(200);
    expect((await nobody.get(url.replace(first.id, second.id))).status).toBe(404);
    const flipped = url.replace(/.$/, (last: string) => (last === "A" ? "B" : "A"));
    expect((await nobody.get(flipped)).status).toBe(404);
    expect((await nobody.get(url.replace("dl.owner.", "dl.guest."))).status).toBe(404);
    expect(
      (
        await nobody.get(
          url.replace(/owner\.(\d+)/, (_: string, end: string) => `owner.${Number(end) + 60}`),
        )
      ).status,
    ).toBe(404);
  });

  test("a guest's download link ends with the envelope, the owner's does not", async () => {
    const sent = await createSent(anne);
    const token = mintDownloadToken(service.platform, { envelopeId: sent.id, reader: "guest" });
    expect((await nobody.get(`${ENVELOPES}${sent.id}/document/?token=${token}`)).status).toBe(200);
    const own = await linkOf(sent.id);
    await actOn(anne, sent.id, "cancel");
    expect(refusal(await nobody.get(`${ENVELOPES}${sent.id}/document/?token=${token}`))).toEqual([
      410,
      "envelope_cancelled",
    ]);
    expect((await nobody.get(own.download_url)).status).toBe(200);
    await anne.send("DELETE", `${ENVELOPES}${sent.id}/purge/`);
    expect((await nobody.get(own.download_url)).status).toBe(404);
  });

  const paths = ({ id, documents: [document] }: { id: string; documents: { id: string }[] }) =>
    [
      "original-document/",
      "document/",
      "download/",
      `documents/${document?.id}/file/`,
      `documents/${document?.id}/first-page/`,
    ].map((path) => `${ENVELOPES}${id}/${path}`);

  test("an owner, and an invited recipient with an account, read the files; a stranger, a visitor or a wrong token does not", async () => {
    const member = await createMember(service.platform);
    const recipient = await signIn(service, member);
    const stranger = await openMember(service);
    const sent = await createSent(anne, {
      recipients: [{ email: member.email, full_name: "Paul" }],
    });
    for (const path of paths(sent)) {
      expect((await anne.get(path)).status).toBe(200);
      expect((await recipient.get(path)).status).toBe(200);
      expect(refusal(await stranger.get(path))).toEqual([404, "not_found"]);
      expect(refusal(await nobody.get(path))).toEqual([401, "session_expired"]);
      expect(
        (await anne.get(path, { headers: { "x-signature-token": "A".repeat(43) } })).status,
      ).toBe(404);
      expect((await anne.get(path.replace(sent.id, service.platform.newId()))).status).toBe(404);
    }
    const draft = await createDraft(anne, {
      recipients: [{ email: member.email, full_name: "Paul" }],
    });
    for (const path of paths(draft)) expect((await recipient.get(path)).status).toBe(404);
  });

  test("a file that storage lost is reported, alone or among several, and the service goes on", async () => {
    const lost = makePdf({ text: "Perdu" });
    const draft = await createDraft(anne, { files: [FILE, { name: "Perdu.pdf", bytes: lost }] });
    await service.platform.files.remove(new Uint8Array(createHash("sha256").update(lost).digest()));
    for (const path of ["original-document/", `documents/${draft.documents[1]?.id}/file/`])
      expect(refusal(await anne.get(`${ENVELOPES}${draft.id}/${path}`))).toEqual([
        500,
        "stored_file_lost",
      ]);
    expect(
      (await anne.get(`${ENVELOPES}${draft.id}/documents/${draft.documents[0]?.id}/file/`)).status,
    ).toBe(200);
  });

  test("the hash of what is agreed to survives signatures, and changes with a document or its place", async () => {
    const sent = await createSent(anne, { files: two });
    const before = await loadDocuments(service.platform.db, sent.id);
    await signNth(service.platform, sent);
    const after = await loadDocuments(service.platform.db, sent.id);
    expect(documentsDigest(after)).toEqual(documentsDigest(before));
    const swapped = before.map((document) => ({ ...document, position: -document.position }));
    expect(documentsDigest(swapped)).not.toEqual(documentsDigest(before));
    expect(documentsDigest(before.slice(0, 1))).not.toEqual(documentsDigest(before));
  });

  test("a revision of a stale one is refused whole", async () => {
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
    const add = () =>
      platform.db
        .transaction()
        .execute((trx) => writeTogether(trx, [addRevisions(platform, [revision])]));
    await add();
    await expect(add()).rejects.toThrow(StaleRevisionError);
    expect((await loadDocuments(platform.db, draft.id))[0]?.current.number).toBe(1);
  });
});

describe("a corrected copy", () => {
  const hasQpdf = spawnSync("qpdf", ["--version"]).status === 0 || process.env["CI"] !== undefined;
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
  let anne: TestBrowser;
  beforeAll(async () => {
    anne = await openMember(service);
  });

  /** Encrypts the file: `user` opens it, `owner` changes it. */
  function encrypted(user: string, owner: string): Uint8Array {
    const folder = mkdtempSync(join(tmpdir(), "paraphe-qpdf-"));
    writeFileSync(join(folder, "in.pdf"), makePdf({ pages: 2 }));
    execFileSync("qpdf", [
      "--encrypt",
      user,
      owner,
      "256",
      "--",
      join(folder, "in.pdf"),
      join(folder, "out.pdf"),
    ]);
    return new Uint8Array(readFileSync(join(folder, "out.pdf")));
  }

  test("a PDF whose corrected copy looks different shows its owner each page that does, beside the original; nobody else sees it", async () => {
    const free = `<</Type/Annot/Subtype/FreeText/F 4/Rect[60 300 300 330]/Contents(Ajout)/DA(/Helv 14 Tf 0 g)>>`;
    const bytes = makePdf({ pages: 3, pageExtra: `/Annots[${free}]` });
    const draft = await createDraft(anne, {
      files: [{ name: "Annoté.pdf", bytes }],
      recipients: [PAUL],
    });
    const url = `${ENVELOPES}${draft.id}/documents/${draft.documents[0]?.id}/correction/`;
    const first = await anne.get(url);
    expect(first.body).toMatchObject({
      page_count: 3,
      next: 2,
      unread: [],
      difference: { page: 1 },
    });
    const { place, original, corrected } = first.body.difference;
    expect([place.x > 0.09, place.y > 0.6, place.width < 0.5, place.height < 0.05]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    for (const png of [original, corrected])
      expect(Buffer.from(png, "base64").subarray(1, 4).toString()).toBe("PNG");
    expect((await anne.get(`${url}?from=3`)).body).toMatchObject({
      next: null,
      difference: { page: 3 },
    });
    expect((await anne.get(`${url}?from=0`)).status).toBe(400);
    const zoe = await openMember(service);
    expect((await zoe.get(url)).status).toBe(404);
  });

  test("a PDF with annotations that no copy can show is refused, with their kinds and pages", async () => {
    const bytes = makePdf({
      pages: 2,
      pageExtra: "/Annots[<</Type/Annot/Subtype/Redact/Rect[0 0 9 9]>>]",
    });
    const refused = await anne.send(
      "POST",
      ENVELOPES,
      envelopeForm({ files: [{ name: "Caviardé.pdf", bytes }], recipients: [PAUL] }),
    );
    expect(refused.body).toMatchObject({
      code: "pdf_undrawn_annotations",
      file_name: "Caviardé.pdf",
      detail: expect.stringContaining(
        "marque de caviardage, page 1\u202f; marque de caviardage, page 2",
      ),
    });
  });

  describe.skipIf(!hasQpdf)("a PDF protected against changes", () => {
    test("a PDF protected against changes is signed as a corrected copy once its sender accepts it; both hashes stay", async () => {
      const bytes = encrypted("", "proprietaire");
      const draft = await createDraft(anne, {
        files: [{ name: "Protégé.pdf", bytes }],
        recipients: [PAUL],
      });
      const [document] = draft.documents;
      expect(document?.control).toMatchObject({
        result: "fixable",
        accepted: false,
        findings: [
          {
            code: "encryption_removed",
            detail: expect.stringContaining("protégé contre la modification"),
          },
        ],
      });
      const url = `${ENVELOPES}${draft.id}/`;
      const correction = `${url}documents/${document?.id}/correction/`;
      expect((await anne.get(correction)).body).toEqual({
        page_count: 2,
        next: null,
        unread: [],
        difference: null,
      });
      expect((await anne.post(`${url}send/`)).body).toMatchObject({
        status: 409,
        code: "not_ready_to_send",
        detail: expect.stringContaining("Protégé.pdf"),
      });
      const accepted = await anne.send("PATCH", url, {
        body: { accept_normalised: [document?.id] },
      });
      expect(accepted.body.documents[0].control).toMatchObject({
        result: "fixable",
        accepted: true,
      });
      expect(accepted.body.documents[0].sha256).not.toBe(document?.sha256);
      // The copy has become the document, so nothing is left to compare.
      expect((await anne.get(correction)).status).toBe(404);
      const [stored] = await loadDocuments(service.platform.db, draft.id);
      expect(hex(stored?.uploadedSha256 ?? new Uint8Array())).toBe(
        createHash("sha256").update(bytes).digest("hex"),
      );
      const original = await anne.get(`${url}original-document/`);
      expect(hex(createHash("sha256").update(original.bytes).digest())).toBe(
        hex(stored?.original.sha256 ?? new Uint8Array()),
      );
      expect(original.text).not.toContain("/Encrypt");
      expect(
        (await anne.send("PATCH", url, { body: { accept_normalised: [document?.id] } })).body
          .documents[0].sha256,
      ).toBe(accepted.body.documents[0].sha256);
      expect((await anne.post(`${url}send/`)).body).toMatchObject({ status: "sent" });
    });

    test("a PDF with a password to open it is refused", async () => {
      const answer = await anne.send(
        "POST",
        ENVELOPES,
        envelopeForm({
          files: [{ name: "Secret.pdf", bytes: encrypted("ouvrir", "proprietaire") }],
        }),
      );
      expect(answer.body).toMatchObject({
        status: 422,
        code: "pdf_encrypted",
        file_name: "Secret.pdf",
      });
    });
  });
});

/** Puts the catalog under a meaningless key: archiving would change it after a signature. */
const unfinishable = (extra: object = {}) => makePdf({ pageExtra: "/Odd[1 0 R]", ...extra });

test.each([
  ["as it is", unfinishable()],
  ["as its corrected copy", unfinishable({ catalogExtra: SCRIPT })],
])(
  "a file that cannot be finished %s is refused before anybody signs, and named",
  async (_name, bytes) => {
    const anne = await openMember(service);
    const body = envelopeForm({ files: [FILE, { name: "Plan.pdf", bytes }] });
    const answer = await anne.send("POST", ENVELOPES, body);
    expect(answer.body).toMatchObject({
      status: 422,
      code: "pdf_unfinishable",
      file_name: "Plan.pdf",
      file_index: 1,
    });
    expect(answer.body.detail).toMatch(/^Nous avons essayé de signer une copie de ce PDF/);
  },
);

test("a file that cannot be finished is rehearsed at each upload, a sound one at its first, whatever its name", async () => {
  const tasks: string[] = [];
  const { sandbox } = service.platform;
  const call: typeof sandbox.call = (task, ...args) => {
    tasks.push(task);
    return sandbox.call(task, ...args);
  };
  const bytes = makePdf({ text: "Répété une fois" });
  for (const name of ["Un.pdf", "Deux.pdf"])
    await receiveDocument({ sandbox: { call } }, { name, bytes });
  expect(tasks).toEqual(["control", "inspect"]);
  for (const name of ["Plan.pdf", "Plan.pdf"])
    await receiveDocument({ sandbox: { call } }, { name, bytes: unfinishable() });
  expect(tasks.slice(2)).toEqual(["control", "control"]);
});

/** Counts transactions that wait for another's lock. */
const waiting = async () => {
  const { rows } =
    await sql`select from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`.execute(
      service.platform.owner,
    );
  return rows.length;
};

/** Makes the service believe that a file was stored two days ago. */
async function age(sha256: Uint8Array): Promise<void> {
  const at = new Date(service.platform.clock().getTime() - 2 * 86_400_000);
  await service.platform.owner
    .updateTable("loose_files")
    .set({ at })
    .where("sha256", "=", sha256)
    .execute();
}

test("what is freed is large and stands alone in its memory", () => {
  const [large, short] = [new Uint8Array(2 ** 20), new Uint8Array(2 ** 20 - 1)];
  const part = new Uint8Array(2 ** 21).subarray(0, 2 ** 20);
  freeBytes(large, large, short, part);
  expect([large, short, part].map(({ length }) => length)).toEqual([0, 2 ** 20 - 1, 2 ** 20]);
});

test("the sweep removes files a day old that nothing refers to, and no other", async () => {
  const { platform } = service;
  platform.clock.set(new Date());
  const anne = await signIn(service, await createMember(platform));
  const draft = await createDraft(anne, {
    files: [
      { name: "a.pdf", bytes: makePdf() },
      { name: "b.pdf", bytes: makePdf({ text: "b" }) },
    ],
  });
  const [kept, dropped] = draft.documents.map((document) => Buffer.from(document.sha256, "hex"));
  // A sweep would have seen that rows refer to both.
  await platform.owner.deleteFrom("loose_files").execute();
  await patchEnvelope(anne, draft.id, { remove_documents: [draft.documents[1]?.id] });
  const fresh = await platform.files.put(new Uint8Array([1, 2, 3]));
  const picture = await platform.files.put(new Uint8Array([4, 5, 6]));
  await platform.db.updateTable("users").set({ avatar_sha256: picture }).execute();
  for (const sha256 of [kept, dropped, picture]) await age(sha256 ?? new Uint8Array());

  expect(await sweepFiles(platform)).toBe(1);
  expect(await platform.files.size(dropped ?? new Uint8Array())).toBeNull();
  for (const sha256 of [kept, fresh, picture])
    expect(await platform.files.size(sha256 ?? new Uint8Array())).not.toBeNull();
  expect(await sweepFiles(platform)).toBe(0);
});

test("sweep and purge remove no file during a backup, even one that dies", async () => {
  const { platform } = service;
  const url = platform.settings.database.kind === "external" ? platform.settings.database.url : "";
  const blocked = await blockRemovals(url);
  expect(await blockRemovals(url)).toBeNull();
  const sha256 = await platform.files.put(new Uint8Array([20, 21]));
  await age(sha256);
  await expect(sweepFiles(platform)).rejects.toBeInstanceOf(RemovalBlockedError);
  await expect(removeBlobs(platform, [sha256])).rejects.toBeInstanceOf(RemovalBlockedError);
  expect(await platform.files.size(sha256)).toBe(2);
  await blocked?.assertBlocked();
  // When its process dies, the server ends the session.
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'paraphe-backup' and datname = current_database()`.execute(
    platform.owner,
  );
  await expect(blocked?.assertBlocked()).rejects.toThrow();
  await blocked?.release().catch(() => {});
  expect(await sweepFiles(platform)).toBe(1);
  expect(await platform.files.size(sha256)).toBeNull();
});

test("the sweep leaves a file that was stored again", async () => {
  const { platform } = service;
  const bytes = new Uint8Array([7, 8, 9]);
  const sha256 = await platform.files.put(bytes);
  await age(sha256);
  await (await openStore(platform.db, platform.settings, platform)).put(bytes);
  expect(await sweepFiles(platform)).toBe(0);
  expect(await platform.files.size(sha256)).toBe(3);
});

test("storing a file waits for its removal by the sweep, and rewrites it", async () => {
  const { platform } = service;
  const bytes = new Uint8Array([12, 13]);
  const sha256 = await platform.files.put(bytes);
  await age(sha256);
  const other = await openStore(platform.db, platform.settings, platform);
  const storing = await platform.db.transaction().execute(async (trx) => {
    await forgetLooseFiles(trx, { sha256s: [sha256], before: platform.clock() });
    const put = other.put(bytes);
    await expect.poll(waiting).toBe(1);
    await platform.files.remove(sha256);
    return { put };
  });
  await storing.put;
  expect(await platform.files.get(sha256)).toEqual(bytes);
});

test("the sweep finds a file again that it had forgotten, once no row refers to it", async () => {
  const { platform } = service;
  const { id } = await createMember(platform);
  const referTo = (avatar_sha256: Uint8Array | null) =>
    platform.db.updateTable("users").set({ avatar_sha256 }).where("id", "=", id).execute();
  const sha256 = await platform.files.put(new Uint8Array([14]));
  await referTo(sha256);
  await age(sha256);
  const known = () =>
    platform.db.selectFrom("loose_files").select("at").where("sha256", "=", sha256).execute();
  expect([await sweepFiles(platform), await known()]).toEqual([0, []]);
  await referTo(null);
  expect(await sweepFiles(platform)).toBe(0);
  await age(sha256);
  expect([await sweepFiles(platform), await known()]).toEqual([1, []]);
});

test("the sweep waits for a transaction about to refer to a file, and leaves the file then", async () => {
  const { platform } = service;
  const sha256 = await platform.files.put(new Uint8Array([10, 11]));
  await age(sha256);
  const { id } = await createMember(platform);
  const sweeping = await platform.db.transaction().execute(async (trx) => {
    await lockBlobs(trx, [sha256], "share");
    const sweep = sweepFiles(platform);
    await expect.poll(waiting).toBe(1);
    await trx.updateTable("users").set({ avatar_sha256: sha256 }).where("id", "=", id).execute();
    return { sweep };
  });
  expect(await sweeping.sweep).toBe(0);
  expect(await platform.files.size(sha256)).toBe(2);
});

describe("the archive of files", () => {
  let folder: string;
  let files: FileStore;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "paraphe-archive-"));
    await writeFile(join(folder, STORE_ID), "essai");
    files = await openFolderFileStore(folder, "essai", NO_LEDGER);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const DAY = new Date("2026-07-14T10:00:00Z");

  async function stored(name: string, size: number): Promise<StoredFile> {
    const bytes = new Uint8Array(size).fill(name.length);
    return { name, sha256: await files.put(bytes), sizeBytes: size };
  }

  function pathOf({ sha256 }: StoredFile): string {
    const name = Buffer.from(sha256).toString("hex");
    return join(folder, name.slice(0, 2), name.slice(2, 4), name);
  }

  test("an archive gives the same bytes each time", async () => {
    const chosen = [await stored("un.pdf", 1_000), await stored("deux.pdf", 200_000)];
    const first = await buffer(archiveFiles({ files }, chosen, { at: DAY }));
    expect(first.equals(await buffer(archiveFiles({ files }, chosen, { at: DAY })))).toBe(true);
  });

  test("an archive releases each file once read", async () => {
    const chosen = await Promise.all(
      Array.from({ length: 40 }, (_, index) => stored(`${index}.pdf`, 1_000 + index)),
    );
    const archive = archiveFiles({ files }, chosen, { at: DAY }) as Readable;
    let most = 0;
    archive.on("data", () => {
      most = Math.max(most, archive.listenerCount("close"));
    });
    await new Promise((resolve) => archive.once("end", resolve));
    expect(most).toBeLessThan(10);
  });

  test("an archive ends with an error, and the process with none, when a file is gone", async () => {
    const chosen = [await stored("un.pdf", 1_000), await stored("deux.pdf", 2_000)];
    await files.remove(chosen[1]?.sha256 ?? new Uint8Array());
    await expect(buffer(archiveFiles({ files }, chosen, { at: DAY }))).rejects.toThrow(
      "Nothing is stored",
    );
  });

  test("an archive ends with an error, and the process with none, when a file is cut short", async () => {
    const chosen = [await stored("un.pdf", 1_000), await stored("deux.pdf", 2_000)];
    await truncate(pathOf(chosen[1] as StoredFile), 10);
    await expect(buffer(archiveFiles({ files }, chosen, { at: DAY }))).rejects.toThrow(
      "no longer has its hash",
    );
  });

  test("an archive ends with an error when a file cannot be read, and closes it once its reader leaves", async () => {
    const chosen = [await stored("un.pdf", 1_000)];
    const opened: Readable[] = [];
    const failing = {
      files: {
        ...files,
        stream: async () => {
          const stream = new Readable({ read: () => {} });
          opened.push(stream);
          return stream;
        },
      },
    } as unknown as { files: FileStore };
    const left = archiveFiles(failing, chosen, { at: DAY }) as Readable;
    left.resume();
    await expect.poll(() => opened.length).toBe(1);
    left.destroy();
    await expect.poll(() => opened[0]?.destroyed).toBe(true);
    const broken = buffer(archiveFiles(failing, chosen, { at: DAY }));
    await expect.poll(() => opened.length).toBe(2);
    opened[1]?.destroy(new Error("the disk is gone"));
    await expect(broken).rejects.toThrow("the disk is gone");
  });
});
