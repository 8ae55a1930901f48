import type { Envelope } from "@paraphe/contracts";
import { parseCertificate } from "@paraphe/pades";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser.ts";
import { createSent, ELOISE, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { openMailedGuest, type TestGuest, TYPED } from "../../../testing/guest.ts";
import { createMember, signIn } from "../../../testing/member.ts";
import { openSoftHsm, SOFT_HSM_MISSING, type SoftHsm } from "../../../testing/soft-hsm.ts";
import { type Hsm, HsmUnavailableError } from "../../platform/hsm/hsm.ts";
import { openHsm } from "../../platform/hsm/open-hsm.ts";
import { createTrust } from "../trust/index.ts";
import { certifyHsm } from "../trust/hsm-signer.ts";

describe.skipIf(SOFT_HSM_MISSING !== null)("POST hsm_sign/ with the organisation's key in a token", () => {
  let token: SoftHsm;
  let hsm: Hsm;
  let test: TestApp;
  let owner: TestBrowser;

  beforeAll(async () => {
    token = await openSoftHsm();
    hsm = await openHsm(token.settings);
    test = await createTestApp({ settings: { rateLimits: "off" }, platform: { hsm } });
    owner = await signIn(test, await createMember(test.platform));
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(async () => {
    await test.close();
    hsm.close();
    await token.close();
  });

  const send = async (recipients: readonly { readonly email: string }[]): Promise<{ envelope: Envelope; guests: TestGuest[] }> => {
    const envelope = await createSent(owner, { recipients });
    const guests = [];
    for (const { email } of recipients) {
      const guest = await openMailedGuest(test, envelope.id, email);
      await guest.confirm();
      guests.push(guest);
    }
    return { envelope, guests };
  };
  const actsOf = (envelope: Envelope) =>
    test.platform.db.selectFrom("signing_acts").selectAll().where("envelope_id", "=", envelope.id).execute();

  it("signs for several people with that one key, certified as the organisation's seal, and the proof names each of them", async () => {
    const { envelope, guests } = await send([PAUL, ELOISE]);
    for (const guest of guests) expect((await guest.post("hsm_sign/", TYPED)).status).toBe(200);
    expect((await owner.get(`${ENVELOPES}${envelope.id}/`)).body).toMatchObject({ status: "completed", level: "B-LTA" });
    expect((await actsOf(envelope)).map(({ method }) => method)).toEqual(["hsm", "hsm"]);
    const rows = await test.platform.db.selectFrom("signatures").selectAll().where("envelope_id", "=", envelope.id).execute();
    const certificates = rows.map(({ certificate_der }) => parseCertificate(certificate_der));
    expect(certificates.map(({ subject }) => subject.commonName)).toEqual(["Paraphe Cachet HSM", "Paraphe Cachet HSM"]);
    expect(Buffer.from(hsm.subjectPublicKey).equals(certificates[0]?.subjectPublicKey ?? new Uint8Array())).toBe(true);
    const print = (await owner.post("/api/signature/prints/generate/", { envelope: envelope.id, qr_type: "page" })).body;
    const { pathname, search } = new URL(print.verify_url);
    const proof = (await openBrowser(test.app).get(`/api/signature/prints/${pathname.split("/").at(-1)}/verify/${search}`)).body;
    expect([
      proof.verdict,
      proof.level,
      proof.signers.map((signer: { full_name: string; signed: boolean }) => [signer.full_name, signer.signed]),
    ]).toEqual([
      "valid",
      "B-LTA",
      [
        ["Paul Morel", true],
        ["Éloïse Lefèvre", true],
      ],
    ]);
  });

  it("mixes with one-time keys in one envelope", async () => {
    const { envelope, guests } = await send([PAUL, ELOISE]);
    expect((await guests[0]?.post("sign/", TYPED))?.status).toBe(200);
    expect((await guests[1]?.post("hsm_sign/", TYPED))?.status).toBe(200);
    expect((await owner.get(`${ENVELOPES}${envelope.id}/`)).body).toMatchObject({ status: "completed", level: "B-LTA" });
  });

  it("is offered on the page of whoever is signed in, where there is a key", async () => {
    const member = await createMember(test.platform);
    const { id } = await createSent(owner, { recipients: [{ email: member.email, full_name: "Camille Roux" }] });
    const page = await (await signIn(test, member)).get(`${ENVELOPES}${id}/sign-page/`);
    expect([page.status, page.body.hsm]).toEqual([200, true]);
  });

  it("takes a signature that the signer keeps, with the consent asked for anew; a guest has none", async () => {
    const member = await createMember(test.platform);
    const signer = await signIn(test, member);
    const kept = await signer.post("/api/signature/saved-signatures/", { kind: "typed", text: "Paul Morel", font: "caveat" });
    const envelope = await createSent(owner, { recipients: [{ email: member.email, full_name: "Paul Morel" }, PAUL] });
    const signature = { kind: "saved", saved_signature_id: kept.body.id };
    const sign = (more: object) => signer.post(`${ENVELOPES}${envelope.id}/hsm_sign/`, { fields: [], signature, ...more });
    expect((await sign({})).status).toBe(400);
    expect((await sign({ consent: true })).status).toBe(200);
    const guest = await openMailedGuest(test, envelope.id, PAUL.email);
    await guest.confirm();
    const asked = { fields: [], signature, consent: true };
    for (const call of ["sign/", "hsm_sign/"]) expect((await guest.post(call, asked)).body.code).toBe("not_found");
  });

  it("answers 503 while the token is away, and records nothing", async () => {
    const { envelope, guests } = await send([PAUL]);
    vi.spyOn(hsm, "isReady").mockResolvedValue(false);
    const answer = await guests[0]?.post("hsm_sign/", TYPED);
    expect([answer?.status, answer?.body.code, answer?.body.detail]).toEqual([503, "hsm_unavailable", "Impossible de signer via HSM"]);
    expect(await actsOf(envelope)).toEqual([]);
  });

  it("keeps the consent when the token goes away just then, and seals it when it is back", async () => {
    const { envelope, guests } = await send([PAUL]);
    vi.spyOn(hsm, "sign").mockRejectedValueOnce(new HsmUnavailableError("away"));
    expect((await guests[0]?.post("hsm_sign/", TYPED))?.status).toBe(202);
    expect((await actsOf(envelope)).map(({ last_failure }) => last_failure)).toEqual(["HsmUnavailableError"]);
    await test.settle({ deferred: "run" });
    expect((await owner.get(`${ENVELOPES}${envelope.id}/`)).body).toMatchObject({ status: "completed", level: "B-LTA" });
  });

  it("asks for the code and for a signer, as any other signature", async () => {
    const envelope = await createSent(owner, { recipients: [PAUL] });
    const guest = await openMailedGuest(test, envelope.id, PAUL.email);
    expect((await guest.post("hsm_sign/", TYPED)).body.code).toBe("otp_required");
    expect((await owner.post(`${ENVELOPES}${envelope.id}/hsm_sign/`, TYPED)).body.code).toBe("not_a_signer");
  });

  it("keeps its certificate from start to start; another key gets another one, the old one stays in the evidence", async () => {
    const [first, again] = [await certifyHsm(test.platform, hsm), await certifyHsm(test.platform, hsm)];
    expect(again.certificateDer).toEqual(first.certificateDer);
    const { subjectPublicKey } = parseCertificate(first.certificateDer);
    const other = await certifyHsm(test.platform, { ...hsm, subjectPublicKey: await otherKey() });
    expect(parseCertificate(other.certificateDer).subject.commonName).toBe("Paraphe Cachet HSM G2");
    expect(parseCertificate(other.certificateDer).subjectPublicKey).not.toEqual(subjectPublicKey);
    const { certificates = [] } = await (await createTrust(test.platform)).evidence();
    expect(certificates.map((der) => Buffer.from(der).toString("hex"))).toContain(Buffer.from(first.certificateDer).toString("hex"));
  });
});

async function otherKey(): Promise<Uint8Array> {
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
  return new Uint8Array(await crypto.subtle.exportKey("spki", pair.publicKey));
}
