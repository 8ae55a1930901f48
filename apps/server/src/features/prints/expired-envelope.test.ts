import { execFileSync } from "node:child_process";
import type { Envelope, Print, Proof } from "@paraphe/contracts";
import type { ProofReport } from "@paraphe/proof";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestBrowser } from "../../../testing/browser.ts";
import { createSent, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { signAsGuest } from "../../../testing/guest.ts";
import { signIn } from "../../../testing/member.ts";
import { bytesAt, openProven, printOf, PRINTS, type Proven, verifyProven } from "../../../testing/proven-envelope.ts";
import { expireOverdue } from "../envelopes/jobs.ts";

/** In order: time goes on, and the deadline passes. */
let proven: Proven;
let envelope: Envelope;
let print: Print;
beforeAll(async () => {
  proven = await openProven();
  const { test, owner } = proven;
  const deadline_at = new Date(test.platform.clock().getTime() + 72 * 3_600_000).toISOString();
  envelope = await createSent(owner, { deadline_at });
  await signAsGuest(test, envelope.id, PAUL.email);
  await test.settle({ deferred: "run" });
  print = await printOf(owner, envelope);
  test.platform.clock.advance({ hours: 73 });
}, 60_000);
afterAll(() => proven.test.close());

const pageOf = async (): Promise<Proof> => (await proven.anybody.get(`${PRINTS}${print.id}/verify/?sig=${print.sig}`)).body;
const offline = async (): Promise<ProofReport> => {
  const files = [{ name: "bail.pdf", bytes: await bytesAt(proven.anybody, print.document_url) }];
  return verifyProven(proven, { proof: await bytesAt(proven.anybody, print.proof_url), files });
};
const completionOf = ({ checks }: ProofReport) => checks.find(({ name }) => name === "completion")?.sentence;
const signedIn = (): Promise<TestBrowser> => signIn(proven.test, proven.member);
const evidence = async (): Promise<string> => {
  const { bytes } = await (await signedIn()).get(`${ENVELOPES}${envelope.id}/evidence/`);
  return execFileSync("pdftotext", ["-", "-"], { input: bytes, encoding: "utf8" }).normalize("NFC").replaceAll(/\s+/g, " ");
};
const OVER = "L’échéance est passée avant que tous aient signé";

describe("an envelope whose deadline has passed", () => {
  it("says that nobody may sign any more until its journal closes it", async () => {
    expect(await pageOf()).toMatchObject({ verdict: "indeterminate", expired: false, reason: expect.stringContaining(OVER) });
    const report = await offline();
    expect([report.verdict, completionOf(report)]).toEqual([
      "indeterminate",
      "Quand la preuve a été faite, toutes les signatures demandées n’étaient pas réunies.",
    ]);
    expect(await evidence()).toMatch(/Échéance passée.*est en train d’être close/);
  });

  it("is expired once the journal says so: on the public page, in preuve.json, in the evidence file", async () => {
    await expireOverdue(proven.test.platform);
    const page = await pageOf();
    expect(page).toMatchObject({ verdict: "indeterminate", completed: false, expired: true, declined: false });
    expect(page.reason).toBe(`${OVER}\u00a0: cette enveloppe a expiré.`);
    expect(page.signers).toMatchObject([{ signed: true }, { signed: false }]);
    const report = await offline();
    expect(report.checks.filter(({ state }) => state === "failed")).toEqual([]);
    expect([report.verdict, completionOf(report)]).toEqual(["indeterminate", "L’enveloppe avait expiré avant que tous aient signé."]);
    const words = await evidence();
    expect(words).toContain("Enveloppe expirée");
    expect(words).not.toMatch(/En cours|sont encore attendues/);
  });

  it("is open again once its sender gave more time", async () => {
    expect((await (await signedIn()).post(`${ENVELOPES}${envelope.id}/extend/`, {})).status).toBe(200);
    expect(await pageOf()).toMatchObject({ verdict: "indeterminate", expired: false, reason: expect.stringContaining("encore attendue") });
    expect((await offline()).checks.filter(({ state }) => state === "failed")).toEqual([]);
  });
});
