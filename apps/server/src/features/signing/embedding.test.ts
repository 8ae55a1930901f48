import { EVENTS, KEY_SCOPES } from "@paraphe/contracts";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { expectRefusal } from "../../../testing/answers.ts";
import type { TestApp } from "../../../testing/app.ts";
import { refusal, type TestBrowser } from "../../../testing/browser.ts";
import {
  actOn,
  createSent,
  ELOISE,
  ENVELOPES,
  patchEnvelope,
  PAUL,
} from "../../../testing/envelope.ts";
import { openConfirmedGuest, openGuest, TYPED } from "../../../testing/guest.ts";
import type { Member } from "../../../testing/member.ts";
import { createMemberAs } from "../../../testing/organisation.ts";
import { emailKey } from "../accounts/public.ts";
import { openSenderApp, sendToGuest } from "../../../testing/sent-to-guest.ts";

const SITE = "https://client.exemple.fr";
const KEYS = "/api/signature/me/keys/";

let service: TestApp;
let member: Member;
let owner: TestBrowser;
let envelopeId: string;
let recipientId: string;
let secret: string;

beforeAll(async () => {
  ({ test: service, member } = await openSenderApp());
  return () => service.close();
});

beforeEach(async () => {
  const sent = await sendToGuest({ test: service, member });
  owner = sent.owner;
  envelopeId = sent.envelope.id;
  recipientId = sent.envelope.recipients.find(({ email }) => email === PAUL.email)?.id ?? "";
  secret = await makeKey([SITE]);
});

async function makeKey(origins: readonly string[], scopes = Object.keys(KEY_SCOPES)) {
  const made = await owner.post(KEYS, { name: "Portail", scopes, days: 365, origins });
  expect(made.status).toBe(201);
  expect(made.body.key.origins).toEqual(origins);
  return made.body.secret as string;
}

async function ask(body: object, by = secret) {
  const answer = await service.app.inject({
    method: "POST",
    url: `${ENVELOPES}${envelopeId}/recipients/${recipientId}/embed/`,
    headers: { authorization: `Bearer ${by}` },
    payload: body,
  });
  return { status: answer.statusCode, body: answer.json() };
}

async function open(url: string) {
  const [, id = "", ticket = ""] = /\/sign\/([^/]+)\/embed\/([^/]+)\/$/.exec(url) ?? [];
  const answer = await service.app.inject({
    method: "POST",
    url: `${ENVELOPES}${id}/open-embed/`,
    headers: { "x-signature-token": ticket },
  });
  return { status: answer.statusCode, body: answer.json() };
}

test("a key's site shows the page once, and the guest signs in it with a code", async () => {
  const back = `${SITE}/merci`;
  const made = await ask({ origin: SITE, return_url: back });
  expect(made.status).toBe(201);
  expect(Date.parse(made.body.expires_at) - service.platform.clock().getTime()).toBe(600_000);
  const page = await service.app.inject(new URL(made.body.url).pathname);
  expect(page.headers["content-security-policy"]).toMatch(
    /^default-src 'none';.*; frame-ancestors https:\/\/client\.exemple\.fr$/,
  );
  const opened = await open(made.body.url);
  expect(opened).toEqual({
    status: 200,
    body: { token: expect.stringMatching(/^emb_/), origin: SITE, return_url: back },
  });
  const guest = openGuest(service, { envelopeId, token: opened.body.token, email: PAUL.email });
  await expectRefusal(guest.post("sign/", TYPED), 403, "otp_required");
  const confirmed = await service.app.inject({
    method: "POST",
    url: `${ENVELOPES}${envelopeId}/verify_otp/`,
    headers: { "x-signature-token": opened.body.token },
    payload: { otp: await guest.askCode() },
  });
  expect(confirmed.headers["set-cookie"]).toMatch(
    /^__Host-guest_.*; HttpOnly; Secure; Partitioned; SameSite=None$/,
  );
  const { results } = (await owner.get(`${ENVELOPES}${envelopeId}/events/`)).body;
  const embedded = results.find(
    ({ action }: { action: string }) => action === "recipient_embedded",
  );
  expect(
    EVENTS.recipient_embedded.sentence({ who: "Paul", facts: embedded.detail, left: true }),
  ).toBe(`Signature de Paul proposée sur ${SITE}`);
  // A spent address has a page, so that its frame can say so.
  expect(refusal(await open(made.body.url))).toEqual([410, "embed_over"]);
  const again = await service.app.inject(new URL(made.body.url).pathname);
  expect(again.headers["content-security-policy"]).toContain(`frame-ancestors ${SITE}`);
});

test("a member who confirms each signature gets no page on another site", async () => {
  const { platform } = service;
  const { id } = await createMemberAs(platform, "member");
  await platform.db
    .updateTable("users")
    .set({ email: PAUL.email, email_key: emailKey(PAUL.email) })
    .where("id", "=", id)
    .execute();
  const confirm = (confirms_signatures: boolean) =>
    platform.db.updateTable("organisations").set({ confirms_signatures }).execute();
  const { token } = (await open((await ask({ origin: SITE })).body.url)).body;
  const guest = openGuest(service, { envelopeId, token, email: PAUL.email });
  await guest.confirm();
  await confirm(true);
  for (const call of ["send_otp/", "sign/"])
    await expectRefusal(guest.post(call, call === "sign/" ? TYPED : {}), 403, "account_required");
  await confirm(false);
  expect((await guest.post("sign/", TYPED)).status).toBe(200);
});

test("another site, a person and a key without the right get no address", async () => {
  const other = { status: 400, body: expect.objectContaining({ code: "validation" }) };
  for (const origin of ["https://autre.exemple.fr", `${SITE}:8443`])
    expect(await ask({ origin })).toEqual(other);
  for (const [origin, sentence] of [
    [`${SITE}/`, /final du site$/],
    ["http://localhost:3000/", /final du site$/],
    ["http://client.exemple.fr", /en http, localhost et 127\.0\.0\.1 seuls$/],
    ["http://client.exemple.fr/", /en http, localhost/],
    [`${SITE}/page`, /sans chemin/],
    ["null", /sans chemin/],
    ["https://*.exemple.fr", /sans chemin/],
  ] as const) {
    const { status, body } = await ask({ origin });
    expect([status, body.errors]).toEqual([400, { origin: [expect.stringMatching(sentence)] }]);
  }
  expect(await ask({ origin: SITE, return_url: "https://autre.exemple.fr/" })).toEqual(other);
  const path = `${ENVELOPES}${envelopeId}/recipients/${recipientId}/embed/`;
  await expectRefusal(owner.post(path, { origin: SITE }), 400, "validation");
  const reads = await makeKey([SITE], ["envelopes:read"]);
  expect(refusal(await ask({ origin: SITE }, reads))).toEqual([403, "key_scope"]);
});

test("an address ends after ten minutes, with its envelope, and with the signature", async () => {
  const late = (await ask({ origin: SITE })).body.url;
  service.platform.clock.advance({ minutes: 10 });
  expect(refusal(await open(late))).toEqual([410, "embed_over"]);
  expect(
    refusal(await open(late.replace(/.\/$/, (end: string) => (end === "A/" ? "B/" : "A/")))),
  ).toEqual([404, "not_found"]);
  const { token } = (await open((await ask({ origin: SITE })).body.url)).body;
  const guest = openGuest(service, { envelopeId, token, email: PAUL.email });
  expect((await guest.get("guest/")).status).toBe(200);
  await actOn(owner, envelopeId, "cancel");
  await expectRefusal(guest.get("guest/"), 410, "envelope_cancelled");
  expect(refusal(await ask({ origin: SITE }))).toEqual([409, "invalid_state"]);
});

const NEW_HOLDER = { email: "ines.faure@exemple.fr", full_name: "Inès Faure" };

test("an address ends once its signer's address is corrected, or the step is another's", async () => {
  const corrected = (await ask({ origin: SITE })).body.url;
  const path = `${ENVELOPES}${envelopeId}/recipients/${recipientId}/`;
  expect((await owner.send("PATCH", path, { body: NEW_HOLDER })).status).toBe(200);
  expect(refusal(await open(corrected))).toEqual([410, "embed_over"]);
  await sendVisa();
  const { url } = (await ask({ origin: SITE })).body;
  const eloise = await openConfirmedGuest(service, envelopeId, ELOISE.email);
  expect((await eloise.post("reassign/", { ...NEW_HOLDER, reason: null })).status).toBe(204);
  expect(refusal(await open(url))).toEqual([410, "embed_over"]);
});

async function sendVisa() {
  const recipients = [
    { ...ELOISE, role: "visa", order: 1 },
    { ...PAUL, order: 2 },
  ];
  const envelope = await createSent(owner, { flow: "sequential", recipients });
  envelopeId = envelope.id;
  recipientId = envelope.recipients[0]?.id ?? "";
  return envelope;
}

test("the address of a returned document keeps for the same signer, and ends with another", async () => {
  const { recipients, created_by_name: sender } = await sendVisa();
  const urls = [];
  for (const _ of ["same", "other"]) urls.push((await ask({ origin: SITE })).body.url);
  const sendBack = async () => {
    service.platform.clock.advance({ minutes: 1 });
    const eloise = await openConfirmedGuest(service, envelopeId, ELOISE.email);
    const back = await eloise.post("send-back/", { order: 0, reason: "À revoir" });
    expect(back.status).toBe(200);
  };
  await sendBack();
  const early = await open(urls[0]);
  expect(refusal(early)).toEqual([409, "not_your_turn"]);
  expect(early.body).toMatchObject({
    sent_back: `Renvoyé à ${sender}`,
    detail: expect.stringContaining(`une fois le document corrigé par ${sender}`),
  });
  expect((await owner.post(`${ENVELOPES}${envelopeId}/send/`)).status).toBe(200);
  expect((await open(urls[0])).status).toBe(200);
  await sendBack();
  const listed = recipients.map(({ id, email, full_name, role, order }) => ({
    id,
    role,
    order,
    ...(id === recipientId ? NEW_HOLDER : { email, full_name }),
  }));
  const changed = await patchEnvelope(owner, envelopeId, { recipients: listed });
  expect(changed.status).toBe(200);
  expect(refusal(await open(urls[1]))).toEqual([410, "embed_over"]);
});

test("an unknown address is framed by nobody", async () => {
  const page = await service.app.inject(`/sign/${envelopeId}/embed/${"x".repeat(43)}/`);
  expect(page.headers["content-security-policy"]).toContain("frame-ancestors 'none'");
});

test("who is not awaited, or in copy, gets no address; one sent back keeps it for their turn", async () => {
  const lea = { email: "lea.petit@exemple.fr", full_name: "Léa Petit", role: "visa", order: 1 };
  const envelope = await createSent(owner, {
    flow: "sequential",
    recipients: [
      lea,
      { ...ELOISE, role: "visa", order: 2 },
      { ...PAUL, order: 3 },
      { email: "archives@exemple.fr", full_name: "Archives", role: "viewer", order: 4 },
    ],
  });
  const [first, second, third, copy] = envelope.recipients.map(({ id }) => id);
  envelopeId = envelope.id;
  const askFor = (id = "") => {
    recipientId = id;
    return ask({ origin: SITE });
  };
  for (const id of [second, third, copy])
    expect(refusal(await askFor(id))).toEqual([409, "recipient_not_awaited"]);
  expect((await askFor(first)).status).toBe(201);
  const by = (email: string) => openConfirmedGuest(service, envelopeId, email);
  const visa = await by(lea.email);
  expect((await visa.post("visa/")).status).toBe(200);
  const { url } = (await askFor(second)).body;
  const eloise = await by(ELOISE.email);
  expect((await eloise.post("send-back/", { order: 1, reason: "À revoir" })).status).toBe(200);
  expect(refusal(await open(url))).toEqual([409, "not_your_turn"]);
  expect((await visa.post("visa/")).status).toBe(200);
  expect((await open(url)).status).toBe(200);
  expect(refusal(await open(url))).toEqual([410, "embed_over"]);
});
