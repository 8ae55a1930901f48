import { type Envelope, EVIDENCE_RETENTION_YEARS } from "@paraphe/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectStatus, expectRefusal } from "../../../testing/answers.ts";
import { multipart, openBrowser } from "../../../testing/browser.ts";
import {
  createDraft,
  createSent,
  ELOISE,
  ENVELOPES,
  recordTestSignature,
} from "../../../testing/envelope.ts";
import { type ErasureStage, ME, openErasureStage } from "../../../testing/stages/erasure-stage.ts";
import { openMailedGuest } from "../../../testing/guest.ts";
import { makePng } from "../../../testing/images.ts";
import { mailFor } from "../../../testing/mailbox.ts";
import { createMember, MEMBER_PASSWORD, signIn } from "../../../testing/member.ts";
import { closeAccount } from "../accounts/public.ts";
import { loadDocuments } from "../documents/store.ts";
import { eraseOwnedEnvelopes } from "../envelopes/public.ts";
import { verifyChain } from "../journal/journal.ts";
import { logIn } from "../accounts/log-in.ts";
import { createAccounts } from "../accounts/account-deps.ts";
import { updatePassword, updateProfile } from "../accounts/store.ts";
import { endRetention } from "../envelopes/jobs.ts";
import { sweepErased } from "./erase-person.ts";

let stage: ErasureStage;
let service: ErasureStage["service"];
let someone: ErasureStage["someone"];
let erase: ErasureStage["erase"];
let rowsOf: ErasureStage["rowsOf"];
let ownPdf: ErasureStage["ownPdf"];
let newcomer: ErasureStage["newcomer"];
let everything: ErasureStage["everything"];
let completedOf: ErasureStage["completedOf"];

beforeAll(async () => {
  stage = await openErasureStage();
  ({ service, someone, erase, rowsOf, ownPdf, newcomer, everything, completedOf } = stage);
});

afterAll(() => stage.close());

test("an erasure without the right password erases nothing", async () => {
  const { browser } = await newcomer();
  const missing = await erase(browser, {});
  expect([missing.status, missing.body.errors]).toEqual([
    400,
    { password: ["Mot de passe requis"] },
  ]);
  const wrong = await erase(browser, { password: "pas le bon" });
  expect([wrong.status, wrong.body.errors]).toEqual([
    400,
    { password: ["Mot de passe incorrect"] },
  ]);
  await expectStatus(erase(browser, { password: MEMBER_PASSWORD, everything: true }), 400);
  await expectStatus(browser.get(ME), 200);
});

test("a fifth wrong password ends the session", async () => {
  const { browser } = await newcomer();
  for (let n = 1; n <= 4; n++) await expectStatus(erase(browser, { password: `faux ${n}` }), 400);
  await expectRefusal(erase(browser, { password: "faux 5" }), 401, "wrong_passwords");
  await expectStatus(browser.get(ME), 401);
});

test("an erasure needs a session and the CSRF token", async () => {
  const { browser } = await newcomer();
  await expectRefusal(erase(openBrowser(service.app)), 401, "session_expired");
  const forged = await browser.send("DELETE", ME, {
    body: { password: MEMBER_PASSWORD },
    headers: { "x-csrftoken": "" },
  });
  await expectRefusal(forged, 403, "csrf_failed");
  await expectStatus(browser.get(ME), 200);
});

test("an erasure removes profile, picture, sessions, programs, links, messages and tries, frees both names and sends a last mail", async () => {
  const member = await createMember(service.platform);
  const [browser, elsewhere] = [
    await signIn(service, member, { ip: "192.0.2.44" }),
    await signIn(service, member, { ip: "192.0.2.45" }),
  ];
  const form = multipart({ phone_number: "06 11 22 33 44", address: "3 rue des Lilas, Dijon" }, [
    { field: "avatar", name: "moi.png", type: "image/png", bytes: makePng(8, 8) },
  ]);
  await expectStatus(browser.send("PATCH", ME, form), 200);
  await openBrowser(service.app).post("/api/signature/password-reset/", {
    email: member.email,
  });
  await service.settle();
  const { id: session } = (await browser.get(`${ME}sessions/`)).body.results[0];
  await service.platform.db
    .insertInto("push_subscriptions")
    .values({
      id: service.platform.newId(),
      user_id: member.id,
      session_id: session,
      endpoint: `https://push.exemple.fr/${member.id}`,
      public_key: Buffer.alloc(65),
      auth_secret_wrapped: Buffer.alloc(16),
      created_at: service.platform.clock(),
    })
    .execute();

  const key = { name: "Logiciel secret", scopes: ["envelopes:read"], days: null };
  const addresses = ["198.51.100.0/24"];
  await expectStatus(browser.post(`${ME}keys/`, { ...key, addresses }), 201);
  await service.platform.db
    .insertInto("webhooks")
    .values({
      id: service.platform.newId(),
      user_id: member.id,
      url: "https://rappel.exemple.fr/",
      types: ["envelope.sent"],
      secret_wrapped: Buffer.alloc(0),
      seed_wrapped: Buffer.alloc(0),
      public_key: Buffer.alloc(0),
      created_at: service.platform.clock(),
    })
    .execute();

  const answer = await erase(browser);
  expect([answer.status, answer.text]).toEqual([204, ""]);
  expect([
    browser.cookies.has("__Host-access_token"),
    browser.cookies.has("__Host-refresh_token"),
  ]).toEqual([false, false]);
  for (const other of [browser, elsewhere]) await expectStatus(other.get(ME), 401);
  await expectStatus(elsewhere.post("/api/token/refresh/"), 401);

  const [mail] = await mailFor(service.platform, member.email);
  expect(mail?.subject).toBe("Votre compte Paraphe est supprimé");
  expect(mail?.content.text).toContain("/confidentialite");
  await service.platform.db.deleteFrom("notices").where("kind", "=", "account_erased").execute();
  const left = await everything();
  const traces = [
    member.email,
    member.username,
    "06 11 22 33 44",
    "33611223344",
    "rue des Lilas",
    "192.0.2.44",
    "192.0.2.45",
    "push.exemple.fr",
    "Logiciel secret",
    "198.51.100.0",
    "rappel.exemple.fr",
  ];
  expect(traces.filter((trace) => left.includes(trace))).toEqual([]);

  for (const name of [
    member.username,
    member.email,
    "",
    `erased:${member.id}`,
    `ERASED:${member.id}`,
  ])
    expect([400, 401]).toContain(
      (
        await openBrowser(service.app).post("/api/token/", {
          username: name,
          password: MEMBER_PASSWORD,
        })
      ).status,
    );
  const again = await openBrowser(service.app).post("/api/signature/register/", {
    username: member.username,
    email: member.email,
    password: "encre violette 9",
    first_name: "Anne",
    last_name: "Roux",
    birth_date: "1990-05-17",
  });
  expect(again.status).toBe(201);
  expect((await mailFor(service.platform, member.email))[0]?.subject).toBe(
    "Activez votre compte Paraphe",
  );
});

test("open envelopes block the erasure, unless cancel_open cancels them with notices", async () => {
  const { browser } = await newcomer();
  const recipient = someone();
  const sent = await createSent(browser, { title: "Avenant", recipients: [recipient] });
  const guest = await openMailedGuest(service, sent.id, recipient.email);
  const refused = await erase(browser);
  await expectRefusal(refused, 409, "open_envelopes");
  expect(refused.body.detail).toMatch(
    /^Des enveloppes que vous avez envoyées attendent encore des signatures/,
  );
  expect([refused.body.open_count, refused.body.open_envelopes]).toEqual([
    1,
    [{ id: sent.id, title: "Avenant" }],
  ]);
  expect((await browser.get(`${ENVELOPES}${sent.id}/`)).body.status).toBe("sent");

  await expectStatus(erase(browser, { password: MEMBER_PASSWORD, cancel_open: true }), 204);
  const [told] = await mailFor(service.platform, recipient.email);
  expect(told?.subject).toMatch(/annulé/i);
  await service.settle();
  expect((await rowsOf(sent.id)).purged_at).not.toBeNull();
  await expectStatus(guest.get("guest/"), 404);
});

test("a consent being sealed blocks the erasure: 409", async () => {
  const { browser } = await newcomer();
  const sent = await createSent(browser, { recipients: [someone()] });
  await service.platform.db
    .insertInto("signing_acts")
    .values({
      id: service.platform.newId(),
      envelope_id: sent.id,
      recipient_id: sent.recipients[0]?.id ?? "",
      method: "guest",
      consent_version: "1",
      documents_sha256: Buffer.alloc(32),
      content: JSON.stringify({ fields: [], signature: null }),
      signed_at: service.platform.clock(),
    })
    .execute();
  await expectRefusal(
    erase(browser, { password: MEMBER_PASSWORD, cancel_open: true }),
    409,
    "signature_in_progress",
  );
  await expectStatus(browser.get(ME), 200);
});

test("ten simultaneous erasures are done and mailed once", async () => {
  const { member, browser } = await newcomer();
  const answers = await Promise.all(Array.from({ length: 10 }, () => erase(browser)));
  expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
  expect(answers.filter(({ status }) => status !== 204).every(({ status }) => status === 401)).toBe(
    true,
  );
  const mails = await mailFor(service.platform, member.email);
  expect(
    mails.filter(({ subject }) => subject === "Votre compte Paraphe est supprimé"),
  ).toHaveLength(1);
});

test("a login that raced the erasure finds the account closed", async () => {
  const { member } = await newcomer();
  const accounts = createAccounts(service.platform);
  const { hasher } = accounts;
  const verify: typeof hasher.verify = async (...args) => {
    const verified = await hasher.verify(...args);
    await service.platform.db
      .transaction()
      .execute((trx) =>
        closeAccount(trx, service.platform, { userId: member.id, keepsEvidence: false }),
      );
    return verified;
  };
  const asker = { ip: "192.0.2.46", userAgent: "Safari" };
  const login = {
    username: member.username,
    password: MEMBER_PASSWORD,
    remember_me: false,
    browser: null,
    asker,
  };
  const outcome = await logIn({ ...accounts, hasher: { ...hasher, verify } }, login);
  await hasher.close();
  expect(outcome).toMatchObject({ ok: false, error: { code: "invalid_credentials" } });
  expect(
    await service.platform.db
      .selectFrom("sessions")
      .select("id")
      .where("user_id", "=", member.id)
      .execute(),
  ).toEqual([]);
  await service.settle();
});

test("late writes of earlier requests are erased too: a draft, a profile, a password, a session", async () => {
  // The queue uses the machine's clock: the second round must lie ahead of it.
  const start = service.platform.clock();
  service.platform.clock.set(new Date(Math.max(start.getTime(), Date.now()) + 3_600_000));
  const { member, browser } = await newcomer();
  const late = await newcomer();
  const draft = await createDraft(late.browser, {
    title: "Arrivé trop tard",
    files: [{ name: "Bail.pdf", bytes: ownPdf() }],
  });
  await expectStatus(erase(browser), 204);
  await service.settle();
  await service.platform.db
    .updateTable("envelopes")
    .set({ owner_id: member.id })
    .where("id", "=", draft.id)
    .execute();
  const now = service.platform.clock();
  await updateProfile(service.platform.db, {
    id: member.id,
    profile: { firstName: "Revenante" },
    now,
  });
  await service.platform.db
    .transaction()
    .execute((trx) => updatePassword(trx, { id: member.id, passwordHash: "Revenante", now }));
  await service.platform.db
    .insertInto("sessions")
    .values({
      id: member.id,
      user_id: member.id,
      remembered: false,
      means: "password",
      created_at: now,
      last_used_at: now,
      expires_at: now,
    })
    .execute();
  expect((await rowsOf(draft.id)).purged_at).toBeNull();
  await service.settle({ deferred: "run" });
  expect(
    await service.platform.db
      .selectFrom("sessions")
      .select("id")
      .where("user_id", "=", member.id)
      .execute(),
  ).toEqual([]);
  expect((await rowsOf(draft.id)).purged_at).not.toBeNull();
  expect((await everything()).includes("Arrivé trop tard")).toBe(false);
  expect((await everything()).includes("Revenante")).toBe(false);
  service.platform.clock.set(start);
});

test("contacts go; drafts, the bin, refused and expired envelopes are purged, and chains still verify", async () => {
  const { browser, member } = await newcomer();
  const values = () => ({
    title: "Projet secret",
    files: [{ name: "Projet secret.pdf", bytes: ownPdf() }],
  });
  const draft = await createDraft(browser, values());
  const binned = await createSent(browser, values());
  await browser.post(`${ENVELOPES}${binned.id}/cancel/`);
  const expired = await createSent(browser, values());
  await service.platform.db
    .updateTable("envelopes")
    .set({ status: "expired" })
    .where("id", "=", expired.id)
    .execute();
  const files = await Promise.all(
    [draft, binned, expired].map(({ id }) => loadDocuments(service.platform.db, id)),
  );
  const contactsLeft = () =>
    service.platform.db
      .selectFrom("contacts")
      .select("email")
      .where("owner_id", "=", member.id)
      .execute();
  expect(await contactsLeft()).not.toEqual([]);
  await expectStatus(erase(browser), 204);
  await service.settle();
  expect(await contactsLeft()).toEqual([]);
  for (const [index, { id }] of [draft, binned, expired].entries()) {
    const row = await rowsOf(id);
    expect([row.title, row.created_by_name, row.search_text, row.purged_at === null]).toEqual([
      "",
      "",
      "",
      false,
    ]);
    for (const { current } of files[index] ?? [])
      expect(await service.platform.files.size(current.sha256)).toBeNull();
    expect((await verifyChain(service.platform.db, id)).ok).toBe(true);
  }
  expect((await everything()).includes("Projet secret")).toBe(false);
});

test("completed envelopes stay as evidence, without the owner's addresses", async () => {
  const { member, browser } = await newcomer();
  const zoe = await createMember(service.platform, { firstName: "Zoé", lastName: "Martin" });
  const envelope = await completedOf(browser, {
    title: "Bail",
    recipients: [{ email: zoe.email, full_name: "Zoé Martin" }],
  });
  const print = (
    await browser.post("/api/signature/prints/generate/", {
      envelope: envelope.id,
      qr_type: "page",
    })
  ).body;
  await expectStatus(erase(browser), 204);
  await service.settle();

  const row = await rowsOf(envelope.id);
  expect([row.title, row.created_by_name, row.status, row.purged_at]).toEqual([
    "Bail",
    "Anne Roux",
    "completed",
    null,
  ]);
  const other = await signIn(service, zoe);
  const seen = await other.get(`${ENVELOPES}${envelope.id}/`);
  expect([seen.status, seen.body.created_by_name, seen.body.status]).toEqual([
    200,
    "Anne Roux",
    "completed",
  ]);
  await expectStatus(other.get(`${ENVELOPES}${envelope.id}/signed-document/`), 200);
  const proof = await openBrowser(service.app).get(
    `/api/signature/prints/${print.id}/verify/?sig=${print.sig}`,
  );
  expect([proof.status, proof.body.title, proof.body.purged]).toEqual([200, "Bail", false]);
  expect((await verifyChain(service.platform.db, envelope.id)).ok).toBe(true);

  const details = await service.platform.db
    .selectFrom("audit_details as d")
    .innerJoin("audit_events as e", (join) =>
      join.onRef("e.envelope_id", "=", "d.envelope_id").onRef("e.sequence", "=", "d.sequence"),
    )
    .select(["e.actor", "e.action", "d.name"])
    .where("d.envelope_id", "=", envelope.id)
    .execute();
  const own = details.filter(({ actor }) => actor === `user:${member.id}`);
  expect(own.map(({ name }) => name)).toContain("actor_name");
  expect(own.filter(({ name }) => name === "ip" || name === "user_agent")).toEqual([]);
  // The signer's own values prove the consent.
  expect(details.some(({ actor, name }) => actor.startsWith("recipient:") && name === "ip")).toBe(
    true,
  );
});

test("other people's data stays, and what the erased person signed or was asked there", async () => {
  const { member, browser } = await newcomer();
  const boss = await newcomer();
  const [signed, open] = [
    await completedOf(boss.browser, {
      title: "Contrat",
      recipients: [{ email: member.email, full_name: "Anne Roux" }],
    }),
    await createSent(boss.browser, {
      title: "Avenant",
      recipients: [{ email: member.email, full_name: "Anne Roux" }, ELOISE],
    }),
  ];
  await service.settle();
  await expectStatus(erase(browser), 204);
  await service.settle();
  for (const { id } of [signed, open]) {
    const seen = (await boss.browser.get(`${ENVELOPES}${id}/`)).body;
    expect(seen.recipients[0]).toMatchObject({ email: member.email, full_name: "Anne Roux" });
  }
  await expectStatus(boss.browser.get(ME), 200);
  // A person who was asked may still sign as a guest: the request is its sender's.
  const guest = await openMailedGuest(service, open.id, member.email);
  await expectStatus(guest.get("guest/"), 200);
});

test("an envelope sent while the account closes is cancelled and purged", async () => {
  const { member, browser } = await newcomer();
  const recipient = someone();
  const draft = await createDraft(browser, { recipients: [recipient] });
  await expectStatus(erase(browser), 204);
  const sent = await createSent((await newcomer()).browser, { recipients: [recipient] });
  await service.platform.db
    .updateTable("envelopes")
    .set({ owner_id: member.id })
    .where("id", "=", sent.id)
    .execute();
  // The erasure comes before the request leaves.
  await sweepErased(service.platform);
  expect([
    (await rowsOf(draft.id)).purged_at === null,
    (await rowsOf(sent.id)).purged_at === null,
  ]).toEqual([false, false]);
  // The request had not left: nobody hears of the end of what they never received.
  expect(await mailFor(service.platform, recipient.email)).toEqual([]);
});

test("a request not sent yet is withdrawn, and its recipient hears nothing", async () => {
  const { member, browser } = await newcomer();
  const recipient = someone();
  const sent = await createSent(browser, { recipients: [recipient] });
  await service.platform.db
    .transaction()
    .execute((trx) =>
      closeAccount(trx, service.platform, { userId: member.id, keepsEvidence: false }),
    );
  await eraseOwnedEnvelopes(service.platform, member.id);
  expect(await mailFor(service.platform, recipient.email)).toEqual([]);
  const kinds = await service.platform.db
    .selectFrom("notices")
    .select("destination")
    .where("envelope_id", "=", sent.id)
    .execute();
  expect(kinds.map(({ destination }) => destination)).not.toContain("");
});

test("later events send nothing to the erased person", async () => {
  const { member, browser } = await newcomer();
  const recipient = someone();
  const sent = await createSent(browser, { recipients: [recipient] });
  await service.platform.db
    .transaction()
    .execute((trx) =>
      closeAccount(trx, service.platform, { userId: member.id, keepsEvidence: false }),
    );
  await recordTestSignature(service.platform, sent.id, sent.recipients[0]?.id ?? "");
  const rows = await service.platform.db
    .selectFrom("notices")
    .select(["kind", "destination"])
    .where("envelope_id", "=", sent.id)
    .where("kind", "=", "completed")
    .execute();
  expect(rows).toEqual([{ kind: "completed", destination: recipient.email }]);
  await service.settle();
});

test("an envelope being sealed delays no other, and is retried daily", async () => {
  const { member, browser } = await newcomer();
  const stuck = await createSent(browser, { recipients: [someone()] });
  service.platform.clock.advance({ seconds: 1 });
  const later = await createDraft(browser, { title: "Brouillon privé" });
  const act = await waitingAct(stuck);
  await service.platform.db
    .transaction()
    .execute((trx) =>
      closeAccount(trx, service.platform, { userId: member.id, keepsEvidence: false }),
    );
  await expect(eraseOwnedEnvelopes(service.platform, member.id)).rejects.toThrow("1 envelopes");
  expect([(await rowsOf(stuck.id)).purged_at, (await rowsOf(later.id)).purged_at === null]).toEqual(
    [null, false],
  );
  await expect(sweepErased(service.platform)).rejects.toThrow("1 erased accounts");
  await service.platform.db.deleteFrom("signing_acts").where("id", "=", act).execute();
  await sweepErased(service.platform);
  expect((await rowsOf(stuck.id)).purged_at).not.toBeNull();
  await service.settle();
});

/** Records a consent that is not sealed yet. */
async function waitingAct(envelope: Envelope): Promise<string> {
  const id = service.platform.newId();
  await service.platform.db
    .insertInto("signing_acts")
    .values({
      id,
      envelope_id: envelope.id,
      recipient_id: envelope.recipients[0]?.id ?? "",
      method: "guest",
      consent_version: "1",
      documents_sha256: Buffer.alloc(32),
      content: "{}",
      signed_at: service.platform.clock(),
    })
    .execute();
  return id;
}

test(`is erased after ${EVIDENCE_RETENTION_YEARS} years, not a moment before: its dates, hashes and chain stay`, async () => {
  const { browser } = await newcomer();
  const envelope = await completedOf(browser, {
    title: "Bail ancien",
    files: [{ name: "Bail.pdf", bytes: ownPdf() }],
  });
  const drafted = await createDraft(browser, { title: "Toujours là" });
  const [document] = await loadDocuments(service.platform.db, envelope.id);
  const start = service.platform.clock();
  const end = new Date(start);
  end.setUTCFullYear(end.getUTCFullYear() + EVIDENCE_RETENTION_YEARS);

  service.platform.clock.set(new Date(end.getTime() - 60_000));
  await endRetention(service.platform);
  expect((await rowsOf(envelope.id)).purged_at).toBeNull();

  service.platform.clock.set(new Date(end.getTime() + 60_000));
  expect(await endRetention(service.platform)).toBeGreaterThan(0);
  expect(await endRetention(service.platform)).toBe(0);
  await service.settle();
  const row = await rowsOf(envelope.id);
  expect([row.title, row.purged_at === null, row.completed_at === null]).toEqual([
    "",
    false,
    false,
  ]);
  expect(
    await service.platform.files.size(document?.current.sha256 ?? new Uint8Array(32)),
  ).toBeNull();
  expect((await verifyChain(service.platform.db, envelope.id)).ok).toBe(true);
  expect((await rowsOf(drafted.id)).purged_at).toBeNull();
  expect((await everything()).includes("Bail ancien")).toBe(false);
  service.platform.clock.set(start);
});
