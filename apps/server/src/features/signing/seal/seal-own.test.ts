import { readdir } from "node:fs/promises";
import { validate } from "@paraphe/pades";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../../testing/app.ts";
import { makePdf } from "../../../../testing/pdf.ts";
import { openTestTsa } from "../../../../testing/tsa-server.ts";
import type { PdfCalls } from "../../../platform/pdf-sandbox/pdf-sandbox.ts";
import { pdfFieldName } from "../../documents/public.ts";
import { createTrust, TimestampUnavailableError } from "../../trust/public.ts";
import { UnsoundSignatureError } from "./archive-revision.ts";
import { createSealing, type SealingDeps } from "./create-sealing.ts";
import { sealOwn } from "./seal-own.ts";

let test: TestApp;
let deps: SealingDeps;
const asked: string[] = [];

beforeAll(async () => {
  test = await createTestApp();
  const { sandbox } = test.platform;
  const call = ((task: never, ...args: never) => {
    asked.push(task);
    return sandbox.call(task, ...args);
  }) as PdfCalls["call"];
  deps = createSealing(
    { ...test.platform, sandbox: { ...sandbox, call } },
    await createTrust(test.platform),
  );
});
afterAll(() => test.close());

/**
 * Seals this person's file; gives the sandbox's calls, and a validation that relies on the roots
 * alone.
 */
async function seal(
  fullName: string,
  { original = makePdf(), isSignedBefore = false, by = deps, height = 0.1 } = {},
) {
  const { newId, clock, files } = test.platform;
  const [envelopeId, documentId, recipientId, fieldId] = [newId(), newId(), newId(), newId()];
  const field = {
    id: fieldId,
    type: "signature",
    page: 1,
    x: 0,
    y: 0.1,
    width: 1,
    height,
  } as const;
  asked.length = 0;
  const { archive } = await sealOwn(by, {
    envelopeId,
    signer: { id: recipientId, fullName },
    original,
    fields: [{ ...field, documentId, recipientId, label: null }],
    ownFields: [{ name: pdfFieldName(fieldId), type: "signature", pageNumber: 1, value: null }],
    mark: { kind: "typed", text: fullName, hand: "caveat" },
    signedAt: clock(),
    issued: await by.trust.issueSigner({ fullName, email: "quelquun@exemple.fr", now: clock() }),
    isSignedBefore,
  });
  const bytes = await files.get(archive.sha256);
  const { trustAnchors } = await by.trust.evidence();
  const report = await validate(bytes, {
    evidence: { trustAnchors },
    now: new Date(clock().getTime() + 1_000),
    policy: { revocation: "required" },
  });
  const proven = report.signatures.map(({ signerName, indication, level }) => [
    signerName,
    indication,
    level,
  ]);
  return { bytes, asked: [...asked], proven: proven.filter(([name]) => name !== null) };
}

it("long-term needs are gathered once, and each file proves itself", async () => {
  const first = await seal("Zoé Lefèvre");
  const second = await seal("Paul Œuvrard");
  expect(first.asked).toContain("longTermNeeds");
  expect(second.asked).toEqual(["prepareOwnSignature", "prepareDocumentTimestamp", "validate"]);
  expect(first.proven).toEqual([["Zoé Lefèvre", "TOTAL_PASSED", "B-LTA"]]);
  expect(second.proven).toEqual([["Paul Œuvrard", "TOTAL_PASSED", "B-LTA"]]);
});

it("insufficient remembered needs are gathered anew", async () => {
  const issued = await deps.trust.issueSigner({
    fullName: "Zoé",
    email: "quelquun@exemple.fr",
    now: test.platform.clock(),
  });
  const strange = new TextEncoder().encode("an authority that nobody knows");
  const needs = { certificates: [], revocations: [{ certificate: strange, issuer: strange }] };
  deps.needs.keep({ issued, evidence: await deps.trust.evidence() }, needs);
  const sealed = await seal("Zoé Lefèvre");
  expect(sealed.asked).toContain("longTermNeeds");
  expect(sealed.proven).toEqual([["Zoé Lefèvre", "TOTAL_PASSED", "B-LTA"]]);
  expect((await seal("Paul Œuvrard")).asked).not.toContain("longTermNeeds");
});

it("a file with earlier signatures has its needs gathered", async () => {
  const { bytes } = await seal("Zoé Lefèvre");
  const again = await seal("Paul Œuvrard", { original: bytes, isSignedBefore: true });
  expect(again.asked).toContain("longTermNeeds");
  expect(again.proven).toEqual([
    ["Zoé Lefèvre", "TOTAL_PASSED", "B-LTA"],
    ["Paul Œuvrard", "TOTAL_PASSED", "B-LTA"],
  ]);
});

it("an unavailable authority is asked once per time-stamp", async () => {
  const tsa = await openTestTsa({ now: test.platform.clock() });
  try {
    const settings = { ...test.platform.settings, tsaUrl: tsa.url };
    const by = createSealing(test.platform, await createTrust({ ...test.platform, settings }));
    expect((await seal("Zoé Lefèvre", { by })).proven).toEqual([
      ["Zoé Lefèvre", "TOTAL_PASSED", "B-LTA"],
    ]);
    const before = tsa.asked();
    // The authority stamps the signature, then not the document.
    tsa.behave({ awayAfter: 1 });
    await expect(seal("Paul Œuvrard", { by })).rejects.toBeInstanceOf(TimestampUnavailableError);
    expect(tsa.asked() - before).toBe(2);
    tsa.behave({});
    expect((await seal("Paul Œuvrard", { by })).proven).toEqual([
      ["Paul Œuvrard", "TOTAL_PASSED", "B-LTA"],
    ]);
  } finally {
    await tsa.close();
  }
});

it("a time-stamp with the authority's certificate alone is proven for the long term", async () => {
  const tsa = await openTestTsa({ now: test.platform.clock(), carries: "certificate" });
  try {
    const settings = { ...test.platform.settings, tsaUrl: tsa.url };
    const by = createSealing(test.platform, await createTrust({ ...test.platform, settings }));
    for (const name of ["Zoé Lefèvre", "Paul Œuvrard"])
      expect((await seal(name, { by })).proven).toEqual([[name, "TOTAL_PASSED", "B-LTA"]]);
  } finally {
    await tsa.close();
  }
});

it("a child that has a large file's revisions gives the same answers on each file as a fresh one", async () => {
  const original = makePdf({ text: "Contrat ".repeat(25_000) });
  const { bytes } = await seal("Zoé Lefèvre", { original });
  const { trustAnchors } = await deps.trust.evidence();
  const now = new Date(test.platform.clock().getTime() + 1_000);
  const policy = { revocation: "required" } as const;
  const altered = [900, original.length - 10, original.length + 900, bytes.length - 10].map((at) =>
    Uint8Array.from(bytes, (byte, index) => (index === at ? byte ^ 1 : byte)),
  );
  const check = (file: Uint8Array) =>
    test.platform.sandbox.call("validate", file, { evidence: { trustAnchors }, now, policy });
  const files = [bytes, ...altered, bytes.subarray(0, -10_000), bytes];
  const reports = [];
  for (const file of files) reports.push(await check(file));
  for (const [index, file] of files.entries())
    expect(reports[index]).toEqual(
      await validate(file, { evidence: { trustAnchors }, now, policy }),
    );
  expect(reports.map(({ indication }) => indication === "TOTAL_PASSED")).toEqual(
    files.map((file) => file === bytes),
  );
});

it("a file that fails validation is not stored", async () => {
  const { bytes } = await seal("Zoé Lefèvre");
  const again = { isSignedBefore: true, height: 0.3 };
  const second = await seal("Paul Œuvrard", { original: bytes, ...again });
  const count = async () =>
    (
      await readdir((test.platform.settings.storage as { folder: string }).folder, {
        recursive: true,
      })
    ).length;
  const before = await count();
  // With three tenths of the page more, Zoé's signature would lie under more than half of it.
  await expect(seal("Luc Martin", { original: second.bytes, ...again })).rejects.toBeInstanceOf(
    UnsoundSignatureError,
  );
  expect(await count()).toBe(before);
});
