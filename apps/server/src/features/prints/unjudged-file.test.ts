import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { TestApp } from "../../../testing/app.ts";
import type { TestBrowser } from "../../../testing/browser.ts";
import { createSent, PAUL } from "../../../testing/envelope.ts";
import { signAsGuest } from "../../../testing/guest.ts";
import { openSenderApp } from "../../../testing/sent-to-guest.ts";
import { createPdfSandbox } from "../../platform/pdf-sandbox/create-pdf-sandbox.ts";
import type { PdfSandbox } from "../../platform/pdf-sandbox/pdf-sandbox.ts";
import { loadEnvelope } from "../envelopes/index.ts";
import { createTrust } from "../trust/index.ts";
import { judgeProof } from "./domain/judge-proof.ts";
import { judgeFile, validateEnvelope } from "./validate-envelope.ts";

let test: TestApp;
let owner: TestBrowser;
beforeAll(async () => {
  ({ test, owner } = await openSenderApp());
});
afterAll(() => test.close());

/** Validates a completed envelope through this sandbox. */
async function validated(sandbox: PdfSandbox) {
  const { id } = await createSent(owner, { recipients: [PAUL] });
  await signAsGuest(test, id, PAUL.email);
  const aggregate = await loadEnvelope(test.platform.db, id);
  if (aggregate === null) throw new Error("the envelope went");
  const platform = { ...test.platform, sandbox };
  return validateEnvelope({ platform, trust: await createTrust(platform) }, aggregate);
}

/** The same bytes under an owner's password: every reader opens them. */
function encrypted(bytes: Uint8Array): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), "paraphe-proof-"));
  try {
    writeFileSync(join(folder, "in.pdf"), bytes);
    execFileSync("qpdf", ["--encrypt", "", "proprietaire", "256", "--", join(folder, "in.pdf"), join(folder, "out.pdf")]);
    return new Uint8Array(readFileSync(join(folder, "out.pdf")));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

it("a file whose judgement had to be ended is not called invalid: nothing is known of it", async () => {
  const hurried = createPdfSandbox({ size: 1, limits: { taskMs: 1 } });
  try {
    const judged = (await validated(hurried)).map((document) => document.judged);
    expect(judged).toMatchObject([{ isStored: true, problems: ["pdf_too_complex"], recordedCount: 1 }]);
    expect(judgeProof(judged, 0)).toMatchObject({
      verdict: "indeterminate",
      reason:
        "Vérifier ce fichier demande plus de calculs qu’il n’en est permis ici\u00a0: rien ne dit s’il a été modifié. Vérifiez-le avec un autre logiciel.",
    });
  } finally {
    await hurried.close();
  }
});

it("an encrypted file is not called invalid: nothing is known of it", async () => {
  const [document] = await validated(test.platform.sandbox);
  const bytes = encrypted(await test.platform.files.get(document?.sha256 ?? new Uint8Array()));
  const evidence = { trustAnchors: { signers: [], timestamps: [] } };
  const report = await test.platform.sandbox.call("validate", bytes, { evidence, now: test.platform.clock() });
  expect(judgeProof([judgeFile(report, [])], 0)).toMatchObject({
    verdict: "indeterminate",
    integrity: false,
    reason:
      "Ce fichier est chiffré\u00a0: ses signatures ne peuvent pas être vérifiées telles quelles. Demandez-en un exemplaire non chiffré.",
  });
});
