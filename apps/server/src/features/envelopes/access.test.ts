import type { Envelope } from "@paraphe/contracts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { refusal, type TestBrowser } from "../../../testing/browser.ts";
import {
  actOn,
  createDraft,
  createSent,
  ELOISE,
  envelopeForm,
  ENVELOPES,
  type EnvelopeValues,
  eventsOf,
  PAUL,
  readEnvelope,
  recordTestSignature,
  signNth,
} from "../../../testing/envelope.ts";
import { linkIn, mailFor } from "../../../testing/mailbox.ts";
import { createMember, type Member, openMember, signIn } from "../../../testing/member.ts";
import { useTestApp } from "../../../testing/use-test-app.ts";
import { declineEnvelope } from "./close-envelope.ts";
import { findRecipientByToken } from "./invitations.ts";
import { NO_FACTS } from "./store.ts";
import { recordView } from "./record-signature.ts";
import { verifyChain } from "../journal/journal.ts";

const service = useTestApp();
let anneMember: Member;
let anne: TestBrowser;
let paulMember: Member;
let paul: TestBrowser;
let tag = 0;

beforeAll(async () => {
  anneMember = await createMember(service.platform, { firstName: "Anne", lastName: "Roux" });
  paulMember = await createMember(service.platform, {
    firstName: "Paul",
    lastName: "Morel",
    email: "paul.compte@exemple.fr",
  });
  anne = await signIn(service, anneMember);
  paul = await signIn(service, paulMember);
});

const someone = (rest: object = {}) => ({ ...PAUL, email: `f${++tag}@exemple.fr`, ...rest });

const withPaul = () => ({
  email: "Paul.Compte@exemple.fr",
  full_name: "Paul Morel",
  phone_number: "0611111111",
});

const client = { ip: "192.0.2.9", userAgent: "Safari" };

test("a signature makes the envelope pending, then completed with its level, and notifies the sender each time", async () => {
  const { platform } = service;
  const sent = await createSent(anne, {
    title: "Suivi",
    recipients: [someone(), someone({ full_name: "Zoë Œuvrard" })],
  });
  const before = (await mailFor(platform, anneMember.email)).length;
  const first = await signNth(platform, sent);
  expect(first).toMatchObject({ ok: true });
  expect(await readEnvelope(anne, sent.id)).toMatchObject({
    status: "pending",
    level: null,
    progress: { signed: 1, total: 2, percent: 50 },
    recipients: [
      {
        signed: true,
        status: "signed",
        signed_at: expect.stringMatching(/^2026-11-21T10:00:00/),
      },
      { signed: false },
    ],
  });
  expect(await mailFor(platform, anneMember.email)).toHaveLength(before + 1);
  expect(await signNth(platform, sent, 1)).toMatchObject({ ok: true });
  const done = await readEnvelope(anne, sent.id);
  expect(done).toMatchObject({
    status: "completed",
    level: "B-T",
    completed_at: expect.stringMatching(/^2026-11-21T10:00:00/),
    progress: { percent: 100 },
    download_url: `${ENVELOPES}${sent.id}/signed-document/`,
  });
  expect(await mailFor(platform, anneMember.email)).toHaveLength(before + 2);
});

test("a signature sends everybody their copy at completion, people in copy included, with a link of their own", async () => {
  const { platform } = service;
  const [signer, viewer] = [someone(), someone({ full_name: "Copie", role: "viewer" })];
  const sent = await createSent(anne, { recipients: [signer, viewer] });
  await signNth(platform, sent);
  const [mail] = await mailFor(platform, viewer.email);
  const token =
    new URL(linkIn(mail, service.platform.settings.publicUrl)).searchParams.get("token") ?? "";
  expect(
    await findRecipientByToken(platform.db, { envelopeId: sent.id, token: token, facts: NO_FACTS }),
  ).toMatchObject({
    recipient: { role: "viewer" },
  });
  expect(await mailFor(platform, signer.email)).toHaveLength(2);
});

test("a signature asks the next rank of a sequential flow in the same transaction", async () => {
  const { platform } = service;
  const next = someone({ full_name: "Suivant", order: 2 });
  const sent = await createSent(anne, { flow: "sequential", recipients: [someone(), next] });
  expect(await mailFor(platform, next.email)).toHaveLength(0);
  await signNth(platform, sent);
  expect(await mailFor(platform, next.email)).toHaveLength(1);
  expect((await readEnvelope(anne, sent.id)).recipients).toMatchObject([
    { status: "signed" },
    { status: "notified" },
  ]);
});

test("a signature is refused twice, and leaves no trace then", async () => {
  const sent = await createSent(anne);
  const recipientId = sent.recipients[0]?.id ?? "";
  await recordTestSignature(service.platform, sent.id, recipientId);
  expect(await recordTestSignature(service.platform, sent.id, recipientId)).toMatchObject({
    ok: false,
    error: { code: "already_signed" },
  });
  expect((await readEnvelope(anne, sent.id)).progress.signed).toBe(1);
});

test("twenty signatures are counted twenty times", async () => {
  const recipients = Array.from({ length: 20 }, (_, index) =>
    someone({ full_name: `Personne ${index}` }),
  );
  const sent = await createSent(anne, { recipients });
  for (const recipient of sent.recipients)
    await recordTestSignature(service.platform, sent.id, recipient.id);
  expect(await readEnvelope(anne, sent.id)).toMatchObject({
    status: "completed",
    progress: { signed: 20, total: 20 },
  });
  expect(await verifyChain(service.platform.db, sent.id)).toMatchObject({ ok: true });
});

test("a refusal to sign closes the envelope, with its reason for the sender", async () => {
  const [who, other] = [someone(), someone({ full_name: "Autre" })];
  const sent = await createSent(anne, { recipients: [who, other] });
  await mailFor(service.platform, other.email);
  const result = await declineEnvelope(service.platform, {
    envelopeId: sent.id,
    recipientId: sent.recipients[0]?.id ?? "",
    reason: "Le loyer est faux.",
    client,
  });
  expect(result).toMatchObject({ ok: true, value: { envelope: { status: "declined" } } });
  expect(await readEnvelope(anne, sent.id)).toMatchObject({
    status: "declined",
    recipients: [
      { status: "declined", decline_reason: "Le loyer est faux." },
      { status: "notified" },
    ],
  });
  const [toOwner] = await mailFor(service.platform, anneMember.email);
  expect(toOwner?.content.text).toContain("Le loyer est faux.");
  const [toOther] = await mailFor(service.platform, other.email);
  expect(toOther?.content.text).not.toContain("Le loyer est faux.");
  expect((await eventsOf(anne, sent.id))[0]).toMatchObject({
    action: "envelope_declined",
    ip: "192.0.2.9",
    detail: { reason: "Le loyer est faux." },
  });
  expect(
    await declineEnvelope(service.platform, {
      envelopeId: sent.id,
      recipientId: sent.recipients[1]?.id ?? "",
      reason: "x",
      client,
    }),
  ).toMatchObject({ error: { code: "invalid_state" } });
});

test("security line 45: a refusal to sign gives its reason to the sender and to the person, to no other recipient", async () => {
  const lucie = await createMember(service.platform, { firstName: "Lucie", lastName: "Petit" });
  const sent = await createSent(anne, {
    recipients: [withPaul(), { email: lucie.email, full_name: "Lucie Petit" }],
  });
  const reason = "Licenciement en cours.";
  const recipientId = sent.recipients[0]?.id ?? "";
  expect(
    await declineEnvelope(service.platform, {
      envelopeId: sent.id,
      recipientId,
      reason,
      client,
    }),
  ).toMatchObject({ ok: true });
  const path = `${ENVELOPES}${sent.id}/`;
  for (const who of [anne, paul])
    expect((await who.get(path)).body.recipients[0].decline_reason).toBe(reason);
  const other = await signIn(service, lucie);
  for (const answer of [await other.get(path), await other.get(`${ENVELOPES}?status=completed`)]) {
    expect(answer.status).toBe(200);
    expect(answer.text).not.toContain(reason);
  }
  expect((await other.get(path)).body.recipients[0]).toMatchObject({
    status: "declined",
    decline_reason: null,
  });
});

test("a recipient may not decline before their turn", async () => {
  const sent = await createSent(anne, {
    flow: "sequential",
    recipients: [someone(), someone({ order: 2, full_name: "B" })],
  });
  expect(
    await declineEnvelope(service.platform, {
      envelopeId: sent.id,
      recipientId: sent.recipients[1]?.id ?? "",
      reason: "x",
      client,
    }),
  ).toMatchObject({ error: { code: "not_your_turn" } });
  expect(
    await declineEnvelope(service.platform, {
      envelopeId: service.platform.newId(),
      recipientId: sent.recipients[1]?.id ?? "",
      reason: "x",
      client,
    }),
  ).toMatchObject({ error: { code: "not_found" } });
});

test("a first look is recorded once, in the row and in the journal", async () => {
  const sent = await createSent(anne);
  const recipientId = sent.recipients[0]?.id ?? "";
  await Promise.all(
    Array.from({ length: 5 }, () =>
      recordView(service.platform, { envelopeId: sent.id, recipientId, client }),
    ),
  );
  expect((await readEnvelope(anne, sent.id)).recipients[0]).toMatchObject({
    status: "viewed",
    viewed_at: expect.stringMatching(/^2026-11-21T10:00:00/),
  });
  const results = await eventsOf(anne, sent.id);
  expect(
    results.filter((event: { action: string }) => event.action === "recipient_viewed"),
  ).toHaveLength(1);
});

const remind = (id: string, who = anne) => actOn(who, id, "remind");

test("a reminder goes to those awaited with a fresh link, unlocks a frozen one, and leaves at most once an hour", async () => {
  const { platform } = service;
  const [late, done] = [someone(), someone({ full_name: "Déjà" })];
  // The sender, who signs too, needs no message of their own.
  const sent = await createSent(anne, {
    recipients: [late, done, someone({ email: anneMember.email })],
  });
  await signNth(platform, sent, 1);
  await platform.db
    .updateTable("recipients")
    .set({ wrong_tries: 20 })
    .where("id", "=", sent.recipients[0]?.id ?? "")
    .execute();
  const first = linkIn(
    (await mailFor(platform, late.email))[0],
    service.platform.settings.publicUrl,
  );
  expect(await remind(sent.id)).toMatchObject({
    status: 200,
    body: { reminded: [late.email] },
  });
  const mails = await mailFor(platform, late.email);
  expect(mails).toHaveLength(2);
  const tokens = [
    ...new Set([first, ...mails.map((mail) => linkIn(mail, service.platform.settings.publicUrl))]),
  ].map((link) => new URL(link).searchParams.get("token") ?? "");
  expect(tokens).toHaveLength(2);
  for (const token of tokens)
    expect(
      await findRecipientByToken(platform.db, {
        envelopeId: sent.id,
        token: token,
        facts: NO_FACTS,
      }),
    ).toMatchObject({
      recipient: { wrongTries: 0 },
    });
  const again = await remind(sent.id);
  expect(again).toMatchObject({
    status: 429,
    body: {
      code: "remind_cooldown",
      detail: "Un rappel a déjà été envoyé il y a moins d’une heure.",
    },
    headers: { "retry-after": "3600" },
  });
  const remindAt = async () => (await readEnvelope(anne, sent.id)).remind_at;
  expect(Math.round((Date.parse(await remindAt()) - platform.clock().getTime()) / 1000)).toBe(
    3_600,
  );
  platform.clock.advance({ minutes: 60 });
  anne = await signIn(service, anneMember);
  paul = await signIn(service, paulMember);
  expect(await remindAt()).toBeNull();
  expect((await remind(sent.id)).status).toBe(200);
});

test("only the sender sees when the next reminder may leave", async () => {
  const sent = await createSent(anne, { recipients: [someone({ email: paulMember.email })] });
  expect((await remind(sent.id)).status).toBe(200);
  expect(await readEnvelope(paul, sent.id)).not.toHaveProperty("remind_at");
  expect((await anne.get(ENVELOPES)).body.results[0]).not.toHaveProperty("remind_at");
});

test("a reminder leaves out a recipient whose consent is not sealed yet", async () => {
  const { platform } = service;
  const sent = await createSent(anne, { recipients: [someone()] });
  const act = {
    id: platform.newId(),
    recipient_id: sent.recipients[0]?.id ?? "",
    method: "guest",
    consent_version: "1",
  };
  await platform.db
    .insertInto("signing_acts")
    .values({
      ...act,
      envelope_id: sent.id,
      documents_sha256: Buffer.alloc(32),
      signed_at: platform.clock(),
    })
    .execute();
  expect(await remind(sent.id)).toMatchObject({
    status: 409,
    body: { code: "signature_in_progress" },
    headers: { "retry-after": "5" },
  });
});

test("security line 61: a reminder goes out ten times a day at most for one envelope", async () => {
  const { platform } = service;
  const sent = await createSent(anne, { recipients: [someone()] });
  expect((await remind(sent.id)).status).toBe(200);
  await platform.db
    .updateTable("throttles")
    .set({ hits: 10 })
    .where("key", "=", `envelope remind ${sent.id}`)
    .execute();
  await platform.db
    .updateTable("recipients")
    .set({ reminded_at: null })
    .where("envelope_id", "=", sent.id)
    .execute();
  expect(refusal(await remind(sent.id))).toEqual([429, "too_many_requests"]);
});

test("a reminder is refused for a draft", async () => {
  const draft = await createDraft(anne);
  expect(refusal(await remind(draft.id))).toEqual([409, "invalid_state"]);
});

test("a recipient sees their own values, address and phone, nobody else’s; action_required while awaited", async () => {
  const place = { document_index: 0, page: 1, width: 0.2, height: 0.05 };
  const sent = await createSent(anne, {
    recipients: [withPaul(), { ...ELOISE }],
    fields: [
      { ...place, recipient_index: 0, type: "text", x: 0.1, y: 0.1, value: "pour Paul" },
      { ...place, recipient_index: 1, type: "text", x: 0.1, y: 0.3, value: "pour Éloïse" },
    ],
  });
  const seen = await readEnvelope(paul, sent.id);
  expect(seen).toMatchObject({ status: "action_required", is_owner: false });
  expect(seen.recipients).toMatchObject([
    { phone_number: "+33611111111", email: "Paul.Compte@exemple.fr" },
    { phone_number: null, email: "", full_name: "Éloïse Lefèvre" },
  ]);
  expect(JSON.stringify(seen)).not.toContain(ELOISE.email);
  expect(seen.fields.map((field: { value: string | null }) => field.value).filter(Boolean)).toEqual(
    ["pour Paul"],
  );
  const owned = await readEnvelope(anne, sent.id);
  expect(owned).toMatchObject({
    status: "sent",
    is_owner: true,
    recipients: [{}, { phone_number: "+33612345678" }],
  });
  await signNth(service.platform, sent);
  expect((await readEnvelope(paul, sent.id)).status).toBe("pending");
});

test("a recipient sees neither a draft, nor a cancelled envelope, nor one whose turn has not come", async () => {
  const draft = await createDraft(anne, { recipients: [withPaul()] });
  expect((await paul.get(`${ENVELOPES}${draft.id}/`)).status).toBe(404);
  expect((await actOn(paul, draft.id, "cancel")).status).toBe(404);
  const waiting = await createSent(anne, {
    flow: "sequential",
    recipients: [someone(), { ...withPaul(), order: 2 }],
  });
  expect((await paul.get(`${ENVELOPES}${waiting.id}/`)).status).toBe(404);
  const cancelled = await createSent(anne, { recipients: [withPaul()] });
  await actOn(anne, cancelled.id, "cancel");
  expect((await paul.get(`${ENVELOPES}${cancelled.id}/`)).status).toBe(404);
});

test("a call with a signature token ignores the session", async () => {
  const sent = await createSent(anne);
  expect(
    (
      await anne.get(`${ENVELOPES}${sent.id}/`, {
        headers: { "x-signature-token": "A".repeat(43) },
      })
    ).status,
  ).toBe(401);
});

test("a sender who is also a signer sees that it waits for them", async () => {
  const sent = await createSent(anne, {
    recipients: [{ email: anneMember.email, full_name: "Anne Roux" }],
  });
  expect(await readEnvelope(anne, sent.id)).toMatchObject({
    status: "action_required",
    is_owner: true,
  });
});

describe("the public page of an envelope", () => {
  beforeEach(async () => {
    anne = await openMember(service);
  });

  const patch = (id: string, body: object, version?: number) =>
    anne.send("PATCH", `${ENVELOPES}${id}/`, {
      body,
      headers: version === undefined ? {} : { "if-match": `"${version}"` },
    });
  const put = (id: string, proofOnly: unknown) =>
    anne.send("PUT", `${ENVELOPES}${id}/public-page/`, { body: { proof_only: proofOnly } });
  const read = async (id: string): Promise<Envelope> => await readEnvelope(anne, id);
  /** Gives the journal, oldest first: details of public page events, actions of the others. */
  const journal = async (id: string) => {
    const events = (await anne.get(`${ENVELOPES}${id}/events/?page_size=100`)).body.results as {
      action: string;
      detail: { proof_only?: boolean };
    }[];
    return events
      .toReversed()
      .map(({ action, detail }) =>
        action === "public_page_changed" ? { proof_only: detail.proof_only } : action,
      );
  };

  test("`proof_only` of a draft checks the version, outlives the sending, and is in the journal at each change", async () => {
    const draft = await createDraft(anne);
    expect(draft.proof_only).toBe(false);
    expect((await patch(draft.id, { proof_only: true }, draft.version)).body).toMatchObject({
      proof_only: true,
      version: draft.version + 1,
    });
    expect(refusal(await patch(draft.id, { proof_only: false }, draft.version))).toEqual([
      409,
      "version_conflict",
    ]);
    expect((await patch(draft.id, { proof_only: true })).status).toBe(200);
    await patch(draft.id, { title: "Bail commercial" });
    expect((await actOn(anne, draft.id, "send")).body).toMatchObject({
      status: "sent",
      proof_only: true,
    });
    expect((await read(draft.id)).proof_only).toBe(true);
    expect(await journal(draft.id)).toEqual([
      "envelope_created",
      { proof_only: true },
      "envelope_updated",
      "envelope_sent",
      "recipient_invited",
      "recipient_invited",
    ]);
    expect(await verifyChain(service.platform.db, draft.id)).toMatchObject({ ok: true });
  });

  test("`proof_only` has an event of its own beside the other changes of one save", async () => {
    const draft = await createDraft(anne);
    await patch(draft.id, { title: "Bail commercial", proof_only: true });
    expect(await journal(draft.id)).toEqual([
      "envelope_created",
      "envelope_updated",
      { proof_only: true },
    ]);
    const results = await eventsOf(anne, draft.id);
    expect(
      results.find(({ action }: { action: string }) => action === "envelope_updated").detail,
    ).toMatchObject({ changed: ["title"] });
  });

  test("`proof_only` may be a value of the form that creates the envelope", async () => {
    const draft = await createDraft(anne, { proof_only: true });
    expect(draft.proof_only).toBe(true);
    expect(await journal(draft.id)).toEqual(["envelope_created", { proof_only: true }]);
    const wrong = (value: string) =>
      anne.send(
        "POST",
        ENVELOPES,
        envelopeForm({ proof_only: value } as unknown as EnvelopeValues),
      );
    expect((await wrong("oui")).body).toMatchObject({
      status: 400,
      errors: { proof_only: ["Du JSON est attendu"] },
    });
    expect(refusal(await wrong("1"))).toEqual([400, "validation"]);
    expect(refusal(await patch(draft.id, { proof_only: null }))).toEqual([400, "validation"]);
    expect(await journal(draft.id)).toHaveLength(2);
  });

  test("`proof_only` is copied to a duplicate, and only its sender sees it", async () => {
    const sent = await createSent(anne, {
      proof_only: true,
      recipients: [{ email: paulMember.email, full_name: "Paul Morel" }],
    });
    const copy = (await actOn(anne, sent.id, "duplicate")).body as Envelope;
    expect(copy.proof_only).toBe(true);
    expect(await journal(copy.id)).toEqual(["envelope_created", { proof_only: true }]);
    const paul = await signIn(service, paulMember);
    expect(await readEnvelope(paul, sent.id)).toMatchObject({ is_owner: false });
    expect(await readEnvelope(paul, sent.id)).not.toHaveProperty("proof_only");
    expect((await anne.get(ENVELOPES)).body.results[0]).not.toHaveProperty("proof_only");
  });

  test("`proof_only` of a sent envelope changes by its own call alone", async () => {
    const { id } = await createSent(anne);
    expect(refusal(await patch(id, { proof_only: true }))).toEqual([409, "invalid_state"]);
    expect((await put(id, true)).body).toMatchObject({ proof_only: true });
    expect((await put(id, "oui")).status).toBe(400);
  });

  test("security line 61: `proof_only` of a sent envelope changes twenty times a day at most", async () => {
    const { id } = await createSent(anne);
    for (let time = 1; time <= 20; time += 1)
      expect((await put(id, time % 2 === 1)).status).toBe(200);
    expect(refusal(await put(id, true))).toEqual([429, "too_many_requests"]);
    expect((await put(id, false)).status, "what changes nothing is not counted").toBe(200);
    expect((await read(id)).proof_only).toBe(false);
  });
});
