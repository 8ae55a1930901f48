import { X509Certificate, verify as verifySignature } from "node:crypto";
import canonicalize from "canonicalize";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser, refusal, type TestBrowser } from "../../../testing/browser.ts";
import { createDraft, createSent, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { createMember, signIn } from "../../../testing/member.ts";
import { completeEnvelope, PRINTS, printOf } from "../../../testing/proven-envelope.ts";

let test: TestApp;
let owner: TestBrowser;
let anybody: TestBrowser;

beforeAll(async () => {
  test = await createTestApp({ settings: { rateLimits: "off" } });
  owner = await signIn(test, await createMember(test.platform));
  anybody = openBrowser(test.app);
});
afterAll(() => test.close());

describe("POST prints/generate/", () => {
  it("gives an address, its QR code and its signature, and lists them to their owner alone", async () => {
    const envelope = await createSent(owner, { recipients: [PAUL] });
    const made = await printOf(owner, envelope, "last");
    expect(made).toMatchObject({
      envelope: envelope.id,
      qr_type: "last",
      verify_url: `https://localhost:8443/verify/${made.id}?sig=${made.sig}`,
      printable_url: `${PRINTS}${made.id}/printable/?sig=${made.sig}`,
    });
    expect(made.sig).toMatch(/^[A-Za-z0-9_-]{43}$/);
    // The first module stands four from each side (ISO/IEC 18004 §5.3.8).
    expect(made.qr_svg).toMatch(/^<svg .* d="M4 4h/);
    expect(made.qr_svg).not.toMatch(/script|href/);
    const list = (await owner.get(`${PRINTS}?envelope=${envelope.id}`)).body;
    expect([list.count, list.results[0].sig]).toEqual([1, made.sig]);
    const stranger = await signIn(test, await createMember(test.platform));
    expect((await stranger.get(PRINTS)).body.count).toBe(0);
    expect((await anybody.get(PRINTS)).status).toBe(401);
    const journal = await test.platform.db.selectFrom("audit_events").select("action").where("envelope_id", "=", envelope.id).execute();
    expect(journal.map((event) => event.action)).toContain("print_generated");
  });

  it("is the owner's, of an envelope that was sent", async () => {
    const recipient = await createMember(test.platform);
    const envelope = await createSent(owner, { recipients: [{ email: recipient.email, full_name: "Camille Roux" }] });
    const ask = async (who: TestBrowser, id: string, qr_type = "page") =>
      refusal(await who.post(`${PRINTS}generate/`, { envelope: id, qr_type }));
    expect(await ask(await signIn(test, recipient), envelope.id)).toEqual([403, "not_allowed"]);
    expect(await ask(await signIn(test, await createMember(test.platform)), envelope.id)).toEqual([404, "not_found"]);
    expect(await ask(owner, "019aa000-0000-7000-8000-000000000000")).toEqual([404, "not_found"]);
    expect(await ask(anybody, envelope.id)).toEqual([401, "session_expired"]);
    expect(await ask(owner, envelope.id, "poster")).toEqual([400, "validation"]);
    expect(await ask(owner, (await createDraft(owner)).id)).toEqual([409, "invalid_state"]);
    await owner.post(`${ENVELOPES}${envelope.id}/cancel/`);
    expect(await ask(owner, envelope.id)).toEqual([409, "invalid_state"]);
  });
});

it("a print is opened by its owner's session without a sig, by no stranger's, and not by the owner with a wrong one", async () => {
  const made = await printOf(owner, await createSent(owner, { recipients: [PAUL] }));
  const address = `${PRINTS}${made.id}/verify/`;
  expect((await owner.get(address)).status).toBe(200);
  expect(refusal(await owner.get(`${address}?sig=${made.sig.slice(1)}A`))).toEqual([404, "not_found"]);
  const stranger = await signIn(test, await createMember(test.platform));
  expect(refusal(await stranger.get(address))).toEqual([404, "not_found"]);
});

describe("GET prints/{id}/document/", () => {
  it("shows the signed PDF inline, byte for byte, never kept by a cache", async () => {
    const made = await printOf(owner, await completeEnvelope({ test, owner }));
    const answer = await anybody.get(made.document_url);
    expect([answer.status, answer.headers["content-type"], answer.headers["cache-control"]]).toEqual([
      200,
      "application/pdf",
      "private, no-store",
    ]);
    expect(answer.headers["content-disposition"]).toContain("inline");
    expect(answer.bytes.subarray(0, 5).toString()).toBe(Buffer.from("%PDF-").toString());
  });
});

describe("GET prints/{id}/proof/", () => {
  it("gives preuve.json, sealed: its JWS verifies offline with the certificates it carries, and any change is seen", async () => {
    const made = await printOf(owner, await completeEnvelope({ test, owner }));
    const answer = await anybody.get(made.proof_url);
    expect(answer.headers["content-disposition"]).toBe('attachment; filename="preuve.json"');
    const { proof, jws } = JSON.parse(answer.text);
    const [header, payload, signature] = (jws as string).split(".") as [string, string, string];
    const { alg, x5c } = JSON.parse(Buffer.from(header, "base64url").toString());
    expect(alg).toBe("ES256");
    expect(Buffer.from(payload, "base64url").toString()).toBe(canonicalize(proof));
    const [seal, ca] = (x5c as string[]).map((der) => new X509Certificate(Buffer.from(der, "base64")));
    const root = new X509Certificate(Buffer.from(proof.certificates.root, "base64"));
    const isSealed = (signed: string) =>
      verifySignature(
        "sha256",
        Buffer.from(signed),
        { key: (seal as X509Certificate).publicKey, dsaEncoding: "ieee-p1363" },
        Buffer.from(signature, "base64url"),
      );
    expect([isSealed(`${header}.${payload}`), seal?.verify((ca as X509Certificate).publicKey), ca?.verify(root.publicKey)]).toEqual([
      true,
      true,
      true,
    ]);
    expect(isSealed(`${header}.${payload.slice(0, -1)}${payload.endsWith("A") ? "B" : "A"}`)).toBe(false);
    expect(proof.verdict).toBe("valid");
  });
});

it("asks an address that verifies too often to wait", async () => {
  const limited = await createTestApp();
  try {
    const answers = [];
    for (let times = 0; times < 65; times++) answers.push(await limited.app.inject(`${PRINTS}x/verify/?sig=y`));
    expect(answers.slice(0, 60).every((answer) => answer.statusCode === 404)).toBe(true);
    expect([answers.at(-1)?.statusCode, Number(answers.at(-1)?.headers["retry-after"]) > 0]).toEqual([429, true]);
  } finally {
    await limited.close();
  }
});
