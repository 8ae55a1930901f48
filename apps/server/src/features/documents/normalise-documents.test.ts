import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import type { TestBrowser } from "../../../testing/browser.ts";
import { createDraft, ENVELOPES, envelopeForm, PAUL } from "../../../testing/envelope.ts";
import { createMember, signIn } from "../../../testing/member.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { loadDocuments } from "./index.ts";

const hasQpdf = spawnSync("qpdf", ["--version"]).status === 0 || process.env["CI"] !== undefined;
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

let service: TestApp;
let anne: TestBrowser;
beforeAll(async () => {
  service = await createTestApp();
  anne = await signIn(service, await createMember(service.platform));
});
afterAll(() => service.close());

/** The file behind passwords: `user` is asked to open it, `owner` to change it. */
function encrypted(user: string, owner: string): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), "paraphe-qpdf-"));
  writeFileSync(join(folder, "in.pdf"), makePdf({ pages: 2 }));
  execFileSync("qpdf", ["--encrypt", user, owner, "256", "--", join(folder, "in.pdf"), join(folder, "out.pdf")]);
  return new Uint8Array(readFileSync(join(folder, "out.pdf")));
}

describe.skipIf(!hasQpdf)("a PDF protected against changes", () => {
  it("is signed in a corrected copy, once its sender accepts it; both hashes are kept", async () => {
    const bytes = encrypted("", "proprietaire");
    const draft = await createDraft(anne, { files: [{ name: "Protégé.pdf", bytes }], recipients: [PAUL] });
    const [document] = draft.documents;
    expect(document?.control).toMatchObject({
      result: "fixable",
      accepted: false,
      findings: [{ code: "encryption_removed", detail: expect.stringContaining("protégé contre la modification") }],
    });
    const url = `${ENVELOPES}${draft.id}/`;
    expect((await anne.post(`${url}send/`)).body).toMatchObject({
      status: 409,
      code: "not_ready_to_send",
      detail: expect.stringContaining("Protégé.pdf"),
    });
    const accepted = await anne.send("PATCH", url, { body: { accept_normalised: [document?.id] } });
    expect(accepted.body.documents[0].control).toMatchObject({ result: "fixable", accepted: true });
    expect(accepted.body.documents[0].sha256).not.toBe(document?.sha256);
    const [stored] = await loadDocuments(service.platform.db, draft.id);
    expect(hex(stored?.uploadedSha256 ?? new Uint8Array())).toBe(createHash("sha256").update(bytes).digest("hex"));
    const original = await anne.get(`${url}original-document/`);
    expect(hex(createHash("sha256").update(original.bytes).digest())).toBe(hex(stored?.original.sha256 ?? new Uint8Array()));
    expect(original.text).not.toContain("/Encrypt");
    expect((await anne.send("PATCH", url, { body: { accept_normalised: [document?.id] } })).body.documents[0].sha256).toBe(
      accepted.body.documents[0].sha256,
    );
    expect((await anne.post(`${url}send/`)).body).toMatchObject({ status: "sent" });
  });

  it("by a password to open it is refused", async () => {
    const answer = await anne.send(
      "POST",
      ENVELOPES,
      envelopeForm({ files: [{ name: "Secret.pdf", bytes: encrypted("ouvrir", "proprietaire") }] }),
    );
    expect(answer.body).toMatchObject({ status: 422, code: "pdf_encrypted", file_name: "Secret.pdf" });
  });
});
