import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Delivery, type Envelope, maskEmail, type MemberRole } from "@paraphe/contracts";
import { parseCertificate } from "@paraphe/pades";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { expectRefusal, expectStatus } from "../../../testing/answers.ts";
import type { TestApp } from "../../../testing/app.ts";
import { openBrowser, refusal, type TestBrowser } from "../../../testing/browser.ts";
import {
  createDraft,
  createSent,
  ENVELOPES,
  eventsOf,
  fieldAt,
  PAUL,
  readEnvelope,
} from "../../../testing/envelope.ts";
import { openConfirmedGuest, signAsGuest, TYPED } from "../../../testing/guest.ts";
import { mailFor } from "../../../testing/mailbox.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";
import {
  bytesAt,
  notOk,
  printOf,
  proofIn,
  verifyProven,
} from "../../../testing/proven-envelope.ts";
import { openSenderApp } from "../../../testing/sent-to-guest.ts";
import { grantRole } from "../organisations/public.ts";
import { lockStanding } from "../accounts/public.ts";

const DELEGATIONS = "/api/organisation/delegations/";
const CAPTION = "Maximilien Vandenbroucke, pour Mme Clémence Aubry-Lefèvre, par délégation";

let service: TestApp;
let sender: Member;
let owner: TestBrowser;
let clemence: Member;
let maximilien: Member;

beforeAll(async () => {
  ({ test: service, member: sender, owner } = await openSenderApp());
  [clemence, maximilien] = [
    await memberOf("Clémence", "Aubry-Lefèvre"),
    await memberOf("Maximilien", "Vandenbroucke"),
  ];
});
afterAll(() => service.close());
beforeEach(async () => {
  await service.platform.owner.deleteFrom("delegations").execute();
  service.platform.clock.set(new Date("2026-11-21T10:00:00.000Z"));
  owner = await signIn(service, sender);
});

async function memberOf(firstName: string, lastName: string, role: MemberRole = "member") {
  const member = await createMember(service.platform, { firstName, lastName });
  await service.platform.db
    .transaction()
    .execute((trx) => grantRole(trx, service.platform, { userId: member.id, role, actorId: null }));
  return member;
}

const GIVEN = { starts_on: "2026-11-21", ends_on: "2026-11-27", scope: "all" };
async function delegate(days: object = {}): Promise<string> {
  const browser = await signIn(service, clemence);
  const body = { delegate_id: maximilien.id, ...GIVEN, ...days };
  const answer = await browser.post(DELEGATIONS, body);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.given[0].id;
}

const sendToClemence = (more: object = {}) =>
  createSent(owner, {
    title: "Convention d’honoraires",
    recipients: [{ email: clemence.email, full_name: "Mme Clémence Aubry-Lefèvre" }],
    fields: [fieldAt("signature", 0.5)],
    ...more,
  });
const at = (moment: string) => service.platform.clock.set(new Date(moment));
const asMaximilien = () => signIn(service, maximilien);
const MARK = { ...TYPED, signature: { ...TYPED.signature, text: "Maximilien Vandenbroucke" } };
const sign = (browser: TestBrowser, { id }: Pick<Envelope, "id">) =>
  browser.post(`${ENVELOPES}${id}/sign_authenticated/`, MARK);
const awaited = async (browser: TestBrowser) =>
  (await browser.get(`${ENVELOPES}?status=action_required`)).body;
/** Answers of the page, the detail, the file and the list. */
async function seenBy(browser: TestBrowser, envelope: Envelope) {
  const { id, documents } = envelope;
  const calls = ["sign-page/", "", `documents/${documents[0]?.id}/file/`];
  const answers = [];
  for (const call of calls) answers.push((await browser.get(`${ENVELOPES}${id}/${call}`)).status);
  const { results } = await awaited(browser);
  return [...answers, results.some((one: Envelope) => one.id === id)];
}
const SEEN = [200, 200, 200, true];
const UNSEEN = [404, 404, 404, false];

describe("naming a delegate", () => {
  const ask = async (change: object, path = DELEGATIONS, method: "POST" | "PUT" = "POST") =>
    (await signIn(service, clemence)).send(method, path, {
      body: { delegate_id: maximilien.id, ...GIVEN, ...change },
    });

  test("refuses past, reversed or overlong days, the account itself, a stranger, and the same delegation twice", async () => {
    const faultOf = async (change: object) => Object.keys((await ask(change)).body.errors ?? {});
    expect(await faultOf({ starts_on: "2026-11-20" })).toEqual(["starts_on"]);
    expect(await faultOf({ ends_on: "2026-11-20" })).toEqual(["ends_on"]);
    expect(await faultOf({ ends_on: "2027-11-21" })).toEqual(["ends_on"]);
    expect(await faultOf({ delegate_id: clemence.id })).toEqual(["delegate_id"]);
    expect(await faultOf({ delegate_id: sender.id })).toEqual(["delegate_id"]);
    expect((await ask({ ends_on: "2027-11-20" })).status).toBe(200);
    expect(await faultOf({ starts_on: "2026-12-01", ends_on: "2026-12-02" })).toEqual([
      "delegate_id",
    ]);
  });

  test("asks a delegator for a confirmed address first, and says where to ask for the link", async () => {
    const of = sql`where id = ${clemence.id}`;
    await sql`update users set address_confirmed_at = null ${of}`.execute(service.platform.owner);
    const refused = await ask({});
    await sql`update users set address_confirmed_at = now() ${of}`.execute(service.platform.owner);
    expect([refused.status, refused.body.code]).toEqual([403, "own_address_unconfirmed"]);
    expect(refused.body.detail).toContain("Mon compte");
  });

  test("notifies both by mail; a delegation that has not begun is changed, one that has is stopped or refused", async () => {
    const id = await delegate({ starts_on: "2026-12-01", ends_on: "2026-12-15" });
    const changed = await ask({ ends_on: "2026-11-30" }, `${DELEGATIONS}${id}/`, "PUT");
    expect(changed.body.given[0]).toMatchObject({ state: "current", ends_on: "2026-11-30" });
    const late = ask({ ends_on: "2026-12-02" }, `${DELEGATIONS}${id}/`, "PUT");
    await expectRefusal(late, 409, "organisation_changed");
    const subjects = async (email: string) =>
      (await mailFor(service.platform, email)).map((mail) => mail.subject);
    expect(await subjects(maximilien.email)).toContain(
      "Vous signez pour Clémence Aubry-Lefèvre, du 21 au 30\u00a0novembre 2026",
    );
    expect(await subjects(clemence.email)).toContain(
      "Maximilien Vandenbroucke signe pour vous, du 21 au 30\u00a0novembre 2026",
    );
    const stranger = await signIn(service, sender);
    await expectRefusal(stranger.send("DELETE", `${DELEGATIONS}${id}/`), 403, "members_only");
    const refused = await (await asMaximilien()).send("DELETE", `${DELEGATIONS}${id}/`);
    expect(refused.body.received).toEqual([]);
    expect(await subjects(clemence.email)).toContain(
      "Maximilien Vandenbroucke ne signe pas pour vous",
    );
  });
});

describe("what a delegate sees", () => {
  test("a delegate sees nothing the day before and the day after; both days of Paris are included", async () => {
    await delegate({ starts_on: "2026-11-22" });
    const envelope = await sendToClemence();
    at("2026-11-21T22:59:59.000Z");
    expect(await seenBy(await asMaximilien(), envelope)).toEqual(UNSEEN);
    at("2026-11-21T23:00:00.000Z");
    expect(await seenBy(await asMaximilien(), envelope)).toEqual(SEEN);
    at("2026-11-27T22:59:59.000Z");
    expect(await seenBy(await asMaximilien(), envelope)).toEqual(SEEN);
    at("2026-11-27T23:00:00.000Z");
    // The page says why for a day; every other route answers 404.
    expect(await seenBy(await asMaximilien(), envelope)).toEqual([409, 404, 404, false]);
    at("2026-11-28T23:00:00.000Z");
    expect(await seenBy(await asMaximilien(), envelope)).toEqual(UNSEEN);
  });

  test("whose own step precedes reads it as signed while the delegator's is asked of them", async () => {
    await delegate();
    const people = [
      { email: maximilien.email, full_name: "Maximilien Vandenbroucke" },
      { email: clemence.email, full_name: "Mme Clémence Aubry-Lefèvre" },
    ];
    const envelope = await sendToClemence({ recipients: people, flow: "sequential" });
    const browser = await asMaximilien();
    expect((await sign(browser, envelope)).status).toBe(200);
    const [own, asked] = envelope.recipients.map(({ id }) => id);
    const page = async (query = "") =>
      (await browser.get(`${ENVELOPES}${envelope.id}/sign-page/${query}`)).body;
    expect(await page(`?recipient=${own}`)).toMatchObject({ recipient: { id: own, signed: true } });
    expect(await page()).toMatchObject({
      recipient: { id: asked, status: "notified" },
      delegation: { delegate_name: "Maximilien Vandenbroucke" },
    });
    await expectStatus(owner.post(`${ENVELOPES}${envelope.id}/cancel/`), 200);
  });

  test("the row names the delegator and is counted; what comes after the end is not announced", async () => {
    const mine = await sendToClemence();
    await delegate();
    const browser = await asMaximilien();
    const list = await awaited(browser);
    expect(list.count).toBe(list.results.length);
    const row = list.results.find(({ id }: Envelope) => id === mine.id);
    expect(row).toMatchObject({
      status: "action_required",
      on_behalf_of: { full_name: "Mme Clémence Aubry-Lefèvre" },
    });
    expect((await browser.get("/api/signature/dashboard/")).body.counts.actionRequired).toBe(
      list.count,
    );
    at("2026-11-28T08:00:00.000Z");
    owner = await signIn(service, sender);
    const later = await sendToClemence();
    await expectRefusal(
      (await asMaximilien()).get(`${ENVELOPES}${later.id}/sign-page/`),
      404,
      "not_found",
    );
  });

  test("an envelope that waits for both is one row, and is signed for oneself first", async () => {
    await delegate();
    const envelope = await sendToClemence({
      recipients: [
        { email: clemence.email, full_name: "Mme Clémence Aubry-Lefèvre" },
        { email: maximilien.email, full_name: "M. Vandenbroucke" },
      ],
      fields: [],
    });
    const browser = await asMaximilien();
    const rows = (await awaited(browser)).results.filter(({ id }: Envelope) => id === envelope.id);
    expect(rows).toHaveLength(1);
    expect(rows[0].on_behalf_of).toBeUndefined();
    const page = () => browser.get(`${ENVELOPES}${envelope.id}/sign-page/`);
    const { recipient } = (await page()).body;
    expect(recipient.full_name).toBe("M. Vandenbroucke");
    expect((await sign(browser, envelope)).status).toBe(200);
    const shown = `${ENVELOPES}${envelope.id}/decline/?recipient=${recipient.id}`;
    expect((await browser.post(shown, { reason: "Non" })).status).toBe(409);
    expect((await page()).body).toMatchObject({
      recipient: { full_name: "Mme Clémence Aubry-Lefèvre" },
      delegation: { delegate_name: "Maximilien Vandenbroucke", ends_on: "2026-11-27" },
    });
  });

  test("a delegate's delegate signs nothing for the first person", async () => {
    const third = await memberOf("Inès", "Boudjellal");
    await delegate();
    const chained = { delegate_id: third.id, ...GIVEN };
    expect((await (await asMaximilien()).post(DELEGATIONS, chained)).status).toBe(200);
    const envelope = await sendToClemence();
    expect(await seenBy(await signIn(service, third), envelope)).toEqual(UNSEEN);
  });

  test("a delegate who returned the document reads who corrects it", async () => {
    await delegate();
    const visa = { email: clemence.email, full_name: "Mme Clémence Aubry-Lefèvre", role: "visa" };
    const { id } = await sendToClemence({
      recipients: [visa, { ...PAUL, order: 2 }],
      flow: "sequential",
      fields: [],
    });
    const browser = await asMaximilien();
    const page = `${ENVELOPES}${id}/sign-page/`;
    await browser.get(page);
    const back = await browser.post(`${ENVELOPES}${id}/send-back/`, { order: 0, reason: "Titre" });
    expect(back.status, back.text).toBe(200);
    await expectRefusal(browser.get(page), 409, "not_your_turn");
  });

  test("a delegation of another organisation, of a reader or of a leaver opens nothing", async () => {
    const { db, owner: rows } = service.platform;
    await delegate();
    const envelope = await sendToClemence();
    const role = (name: string) =>
      db
        .updateTable("organisation_members")
        .set({ role: name })
        .where("user_id", "=", maximilien.id)
        .execute();
    await role("reader");
    expect(await seenBy(await asMaximilien(), envelope)).toEqual(UNSEEN);
    await role("member");
    expect(await seenBy(await asMaximilien(), envelope)).toEqual(SEEN);
    const other = service.platform.newId();
    await sql`insert into organisations (id, created_at, updated_at) values (${other}, now(), now())`.execute(
      rows,
    );
    await sql`update delegations set organisation_id = ${other}`.execute(rows);
    expect(await seenBy(await asMaximilien(), envelope)).toEqual(UNSEEN);
    await sql`insert into organisation_members values (${other}, ${maximilien.id}, 'member', now())`.execute(
      rows,
    );
    expect(await seenBy(await asMaximilien(), envelope)).toEqual(UNSEEN);
    await sql`delete from organisation_members where organisation_id = ${other}`.execute(rows);
  });
});

describe("a signature by delegation", () => {
  test("is made in the delegate's name, is shown everywhere as such, and both are notified", async () => {
    const id = await delegate();
    const envelope = await sendToClemence();
    const browser = await asMaximilien();
    const page = (await browser.get(`${ENVELOPES}${envelope.id}/sign-page/`)).body;
    expect(page.delegation.consent).toBe(
      "J’ai lu le document et j’accepte de le signer électroniquement, pour Mme Clémence Aubry-Lefèvre.",
    );
    await browser.post(`${ENVELOPES}${envelope.id}/view/`);
    const signed = await sign(browser, envelope);
    expect([signed.status, signed.body.recipients[0].delegate_name]).toEqual([
      200,
      "Maximilien Vandenbroucke",
    ]);
    await service.settle();

    const events = await eventsOf(owner, envelope.id);
    for (const action of ["recipient_viewed", "consent_given", "recipient_signed"])
      expect(events.find((one: { action: string }) => one.action === action)).toMatchObject({
        actor: "Maximilien Vandenbroucke",
        detail: { delegation: id, delegate_name: "Maximilien Vandenbroucke" },
      });

    const [mail] = (await mailFor(service.platform, clemence.email)).filter(({ subject }) =>
      subject.includes("a signé pour vous"),
    );
    expect(mail?.subject).toBe(
      "Maximilien Vandenbroucke a signé pour vous «\u00a0Convention d’honoraires\u00a0»",
    );
    const copies = (await mailFor(service.platform, maximilien.email)).filter(({ content }) =>
      content.text.includes(`/signature/detail/${envelope.id}`),
    );
    expect(copies.map(({ subject }) => subject)).toEqual([
      "Document signé par tous\u00a0: Convention d’honoraires",
    ]);
    // Afterwards he sees what he signed, and nothing else.
    const other = await sendToClemence();
    at("2026-12-02T08:00:00.000Z");
    const later = await asMaximilien();
    const completed = async (query = "") =>
      (await later.get(`${ENVELOPES}?status=completed${query}`)).body;
    const found = await completed();
    const row = { id: envelope.id, is_owner: false, signed_for: ["Mme Clémence Aubry-Lefèvre"] };
    expect([found.count, found.results]).toMatchObject([1, [row]]);
    expect((await later.get(`${ENVELOPES}counts/`)).body.completed).toBe(1);
    for (const [query, count] of [
      ["&search=honoraires", 1],
      ["&search=introuvable", 0],
      ["&from=2026-11-21&to=2026-12-31", 1],
      ["&ordering=title", 1],
    ] as const)
      expect([query, (await completed(query)).count]).toEqual([query, count]);
    expect((await later.get(found.results[0].download_url)).status).toBe(200);
    expect((await readEnvelope(later, envelope.id)).status).toBe("completed");
    await expectRefusal(later.get(`${ENVELOPES}${other.id}/`), 404, "not_found");
    const mine = (await (await signIn(service, clemence)).get(DELEGATIONS)).body.given[0];
    expect(mine).toMatchObject({ id, state: "over", signatures: 1 });
  });

  test("is read by other programs, verified offline, and shown on the public page and in the evidence", async () => {
    await delegate();
    const envelope = await sendToClemence();
    expect((await sign(await asMaximilien(), envelope)).status).toBe(200);
    await service.settle();
    const print = await printOf(owner, envelope);
    const anybody = openBrowser(service.app);
    const shown = (await anybody.get(`/api/signature/prints/${print.id}/verify/?sig=${print.sig}`))
      .body;
    expect([shown.verdict, shown.signers[0].full_name]).toEqual(["valid", CAPTION]);
    expect(shown.certificate.subject.CN).toBe("Maximilien Vandenbroucke");
    const [proof, pdf, root] = [
      await bytesAt(anybody, print.proof_url),
      await bytesAt(anybody, print.document_url),
      await bytesAt(anybody, "/pki/root.crt"),
    ];
    const report = await verifyProven({
      test: service,
      member: sender,
      owner,
      anybody,
      envelope,
      print,
      proof,
      pdf,
      roots: [root],
    });
    expect(notOk(report).filter(([, state]) => state === "failed")).toEqual([]);
    const text = JSON.stringify(proofIn(proof).proof.journal);
    expect([text.includes("Maximilien Vandenbroucke"), text.includes(maximilien.email)]).toEqual([
      true,
      false,
    ]);
    const signatures = (await owner.get(`/api/signature/signatures/?envelope=${envelope.id}`)).body;
    expect(signatures.results[0]).toMatchObject({ signer_name: CAPTION, verdict: "valid" });
    await inFolder(async (folder) => {
      const file = join(folder, "signe.pdf");
      await writeFile(file, pdf);
      const words = plain(execFileSync("pdftotext", ["-raw", file, "-"], { encoding: "utf8" }));
      expect(words).toContain(CAPTION);
      const signature = execFileSync("pdfsig", ["-nocert", file], { encoding: "utf8" });
      expect(signature).toContain("Signer Certificate Common Name: Maximilien Vandenbroucke");
      expect(signature).toContain("Signature is Valid");
      execFileSync("qpdf", ["--check", file]);
      const reason = execFileSync("qpdf", ["--qdf", "--json", file], { encoding: "utf8" });
      expect(reason).toContain("Signé pour Mme Clémence Aubry-Lefèvre, par délégation");
    });
    const { certificate_der: der } = await service.platform.db
      .selectFrom("signatures")
      .select("certificate_der")
      .where("envelope_id", "=", envelope.id)
      .executeTakeFirstOrThrow();
    const certificate = parseCertificate(new Uint8Array(der));
    expect([certificate.subject.commonName, certificate.emails]).toEqual([
      "Maximilien Vandenbroucke",
      [maximilien.email],
    ]);
    const subject = execFileSync(
      "openssl",
      ["x509", "-inform", "DER", "-noout", "-subject", "-nameopt", "utf8"],
      { input: der, encoding: "utf8" },
    );
    expect(subject).toContain("CN=Maximilien Vandenbroucke");
    const evidence = (await owner.get(`${ENVELOPES}${envelope.id}/evidence/`)).bytes;
    const said = plain(
      execFileSync("pdftotext", ["-", "-"], { input: evidence, encoding: "utf8" }),
    );
    expect(said).toContain(CAPTION);
    expect(said).toContain(
      "a délégué sa signature à Maximilien Vandenbroucke, du 21 au 27 novembre 2026",
    );
    expect(said).toContain(`Session du compte dont l’adresse est ${maximilien.email}`);
  });

  test("a delegate whose address is not confirmed is promised no copy, and the evidence says so", async () => {
    await delegate();
    const of = sql`where id = ${maximilien.id}`;
    await sql`update users set address_confirmed_at = null ${of}`.execute(service.platform.owner);
    const envelope = await sendToClemence();
    const browser = await asMaximilien();
    const page = (await browser.get(`${ENVELOPES}${envelope.id}/sign-page/`)).body;
    expect([page.delegation.delegate_name, page.mail]).toEqual(["Maximilien Vandenbroucke", false]);
    expect((await sign(browser, envelope)).status).toBe(200);
    await service.settle();
    await sql`update users set address_confirmed_at = now() ${of}`.execute(service.platform.owner);
    const confirmed = await sendToClemence();
    const reading = await asMaximilien();
    expect((await reading.get(`${ENVELOPES}${confirmed.id}/sign-page/`)).body.mail).toBeUndefined();
    const { bytes } = await owner.get(`${ENVELOPES}${envelope.id}/evidence/`);
    const said = plain(execFileSync("pdftotext", ["-", "-"], { input: bytes, encoding: "utf8" }));
    expect(said).toContain("Adresse email Adresse du compte non confirmée");
    expect(said).toContain("Session du compte dont l’adresse n’est pas confirmée");
    expect(said).not.toContain("Donnée effacée");
  });

  test("the delegate may refuse to sign in the delegator's place, and the delegator is notified", async () => {
    await delegate();
    const envelope = await sendToClemence();
    await service.settle();
    const answer = await (await asMaximilien()).post(`${ENVELOPES}${envelope.id}/decline/`, {
      reason: "Montant faux",
    });
    expect(answer.status).toBe(200);
    await service.settle();
    const events = await eventsOf(owner, envelope.id);
    expect(
      events.find((one: { action: string }) => one.action === "envelope_declined"),
    ).toMatchObject({
      actor: "Maximilien Vandenbroucke",
      detail: { delegate_name: "Maximilien Vandenbroucke" },
    });
    const subjects = (await mailFor(service.platform, clemence.email)).map((mail) => mail.subject);
    expect(subjects).toContain(
      `${CAPTION}, a refusé de signer «\u00a0Convention d’honoraires\u00a0»`,
    );
  });
});

describe("a visa by delegation", () => {
  test("sent back or given away, names the delegate in the mails and on the pages", async () => {
    const id = await delegate();
    const fabien = await memberOf("Fabien", "Tournier");
    const envelope = await sendToClemence({
      flow: "sequential",
      recipients: [
        { email: fabien.email, full_name: "M. Tournier", role: "visa", order: 1 },
        { email: clemence.email, full_name: "Mme Clémence Aubry-Lefèvre", role: "visa", order: 2 },
        { email: "paul.morel@exemple.fr", full_name: "Paul Morel", order: 3 },
      ],
      fields: [fieldAt("signature", 0.5, { recipient_index: 2 })],
    });
    const post = async (browser: TestBrowser, act: string, body: object = {}) =>
      expect((await browser.post(`${ENVELOPES}${envelope.id}/${act}/`, body)).status).toBeLessThan(
        300,
      );
    await post(await signIn(service, fabien), "visa");
    await post(await asMaximilien(), "send-back", { order: 1, reason: "À revoir" });
    const [asked] = await mailFor(service.platform, fabien.email);
    expect(plain(asked?.content.text ?? "")).toContain(
      `${CAPTION}, vous renvoie ce document : « À revoir »`,
    );
    const [told] = await mailFor(service.platform, sender.email);
    expect(told?.subject).toBe(`${CAPTION}, a renvoyé «\u00a0Convention d’honoraires\u00a0»`);
    const browser = await signIn(service, fabien);
    const page = (await browser.get(`${ENVELOPES}${envelope.id}/sign-page/`)).body;
    expect(page.step.returned).toBe(`Renvoyé par ${CAPTION}\u00a0: «\u00a0À revoir\u00a0»`);
    expect((await readEnvelope(owner, envelope.id)).recipients[1].sent_back).toMatchObject({
      to: ["M. Tournier"],
      delegate_name: "Maximilien Vandenbroucke",
    });

    const hers = async () =>
      (await mailFor(service.platform, clemence.email)).map(({ subject }) => subject);
    const mine = "Maximilien Vandenbroucke a";
    expect(await hers()).toContain(
      `${mine} renvoyé pour vous «\u00a0Convention d’honoraires\u00a0»`,
    );
    const mails = await mailFor(service.platform, clemence.email);
    const back = mails.find(({ subject }) => subject.startsWith(`${mine} renvoyé`))?.content.text;
    expect(plain(back ?? "")).toContain("« Convention d’honoraires » à M. Tournier, avec ce motif");
    expect(back).toContain("À revoir");

    await post(await signIn(service, fabien), "visa");
    const to = { email: "lea.petit@exemple.fr", full_name: "Léa Petit", reason: null };
    await post(await asMaximilien(), "reassign", to);
    const [given] = await mailFor(service.platform, to.email);
    expect(plain(given?.content.text ?? "")).toContain(`${CAPTION}, vous confie cette étape.`);
    expect(await hers()).toContain(
      `${mine} confié à une autre personne pour vous «\u00a0Convention d’honoraires\u00a0»`,
    );
    expect((await mailFor(service.platform, sender.email)).map(({ subject }) => subject)).toContain(
      `${CAPTION}, a confié son étape\u00a0: Convention d’honoraires`,
    );
    const [, lea] = (await readEnvelope(owner, envelope.id)).recipients;
    expect(lea.given_by).toBe(CAPTION);
    const sent = lea.deliveries.map((one: { kind: string; destination: string }) => [
      one.kind,
      one.destination,
    ]);
    expect(sent).toContainEqual(["invitation", to.email]);
    // A failure of the delegator's mail would read as Léa's.
    expect(sent.filter(([kind]: [string]) => kind === "delegation_used")).toEqual([
      ["delegation_used", clemence.email],
    ]);
    expect(await eventsOf(owner, envelope.id)).toContainEqual(
      expect.objectContaining({
        action: "step_reassigned",
        detail: expect.objectContaining({ delegation: id }),
      }),
    );
  });

  const sendForVisa = () =>
    sendToClemence({
      flow: "sequential",
      recipients: [
        { email: clemence.email, full_name: "Mme Clémence Aubry-Lefèvre", role: "visa", order: 1 },
        { email: "paul.morel@exemple.fr", full_name: "Paul Morel", order: 2 },
      ],
      fields: [fieldAt("signature", 0.5, { recipient_index: 1 })],
    });
  const giveVisa = (browser: TestBrowser, { id }: Envelope) =>
    browser.post(`${ENVELOPES}${id}/visa/`, {});

  test("names who gave it and for whom, and opens the step that follows", async () => {
    const id = await delegate();
    const envelope = await sendForVisa();
    expect((await giveVisa(await asMaximilien(), envelope)).status).toBe(200);
    const after = await readEnvelope(owner, envelope.id);
    expect(after.recipients[0].status).toBe("approved");
    const events = await eventsOf(owner, envelope.id);
    expect(events.find((one: { action: string }) => one.action === "visa_given")).toMatchObject({
      actor: "Maximilien Vandenbroucke",
      detail: { delegation: id, delegate_name: "Maximilien Vandenbroucke" },
    });
    expect(after.recipients[0].delegate_name).toBe("Maximilien Vandenbroucke");
    const subjects = (await mailFor(service.platform, clemence.email)).map((mail) => mail.subject);
    expect(subjects).toContain(
      "Maximilien Vandenbroucke a visé pour vous «\u00a0Convention d’honoraires\u00a0»",
    );
  });

  test("is named in the evidence file and on the public page, as a signature is", async () => {
    const id = await delegate({ scope: "visas" });
    const told = await mailFor(service.platform, clemence.email);
    expect(told.map(({ content }) => content.text.replaceAll(/\s+/g, " "))).toContainEqual(
      expect.stringMatching(
        /Vous déléguez vos visas à .* Un message vous informera de chaque visa\. La preuve dira :/,
      ),
    );
    const envelope = await sendForVisa();
    expect((await giveVisa(await asMaximilien(), envelope)).status).toBe(200);
    await signAsGuest(service, envelope.id, "paul.morel@exemple.fr");
    await service.settle();
    const print = await printOf(owner, envelope);
    const anybody = openBrowser(service.app);
    const shown = (await anybody.get(`/api/signature/prints/${print.id}/verify/?sig=${print.sig}`))
      .body;
    expect([shown.verdict, shown.signers.length]).toEqual(["valid", 1]);
    expect(shown.visas).toMatchObject([{ full_name: CAPTION }]);
    const evidence = (await owner.get(`${ENVELOPES}${envelope.id}/evidence/`)).bytes;
    const said = plain(
      execFileSync("pdftotext", ["-", "-"], { input: evidence, encoding: "utf8" }),
    );
    expect(said).toContain(`Visa : ${CAPTION}`);
    expect(said).toContain(
      "a délégué son visa à Maximilien Vandenbroucke, du 21 au 27 novembre 2026, ses visas seulement",
    );
    expect(said).toContain(`Session du compte dont l’adresse est ${maximilien.email}`);
    const { given } = (await (await signIn(service, clemence)).get(DELEGATIONS)).body;
    expect(given[0]).toMatchObject({ id, scope: "visas", signatures: 1 });
  });

  test("refused, is told as a visa in the mail, the history and the evidence", async () => {
    await delegate();
    const envelope = await sendForVisa();
    const declining = (await asMaximilien()).post(`${ENVELOPES}${envelope.id}/decline/`, {
      reason: "Montant faux",
    });
    await expectStatus(declining, 200);
    await service.settle();
    const mails = await mailFor(service.platform, sender.email);
    const told = mails.find(({ subject }) => subject.includes("refusé son visa"));
    expect(told?.subject).toBe(
      `${CAPTION}, a refusé son visa sur «\u00a0Convention d’honoraires\u00a0»`,
    );
    expect(plain(told?.content.text ?? "")).toContain(
      `${CAPTION}, a refusé son visa sur « Convention d’honoraires ».`,
    );
    const { bytes } = await owner.get(`${ENVELOPES}${envelope.id}/evidence/`);
    const said = plain(execFileSync("pdftotext", ["-", "-"], { input: bytes, encoding: "utf8" }));
    expect(said).toContain("Mme Clémence Aubry-Lefèvre a refusé son visa le");
    expect(said).toContain(`${CAPTION}, a refusé son visa Motif`);
    expect(said).not.toContain("a refusé de signer");
  });

  test("a visa is refused once the delegation was stopped while the page was open", async () => {
    const id = await delegate();
    const envelope = await sendForVisa();
    const browser = await asMaximilien();
    expect((await browser.get(`${ENVELOPES}${envelope.id}/sign-page/`)).status).toBe(200);
    await (await signIn(service, clemence)).send("DELETE", `${DELEGATIONS}${id}/`);
    expect(refusal(await giveVisa(browser, envelope))).toEqual([409, "delegation_over"]);
    expect((await readEnvelope(owner, envelope.id)).recipients[0].status).not.toBe("approved");
  });
});

describe("a delegation of some steps alone", () => {
  const step = (kind: string, email: string, full_name: string) => ({
    kind,
    by: { who: "person", email, full_name },
    together: false,
    may_return: true,
    may_reassign: true,
  });
  const NAME = "Mme Clémence Aubry-Lefèvre";
  const signerAlone = () => sendToClemence();
  const visaAlone = () =>
    sendToClemence({
      flow: "sequential",
      recipients: [
        { email: clemence.email, full_name: NAME, role: "visa", order: 1 },
        { email: "paul.morel@exemple.fr", full_name: "Paul Morel", order: 2 },
      ],
      fields: [fieldAt("signature", 0.5, { recipient_index: 1 })],
    });

  test("a delegation of visas or of signatures opens those steps and no other, in the list, the count and the page", async () => {
    for (const [scope, open, closed] of [
      ["visas", visaAlone, signerAlone],
      ["signatures", signerAlone, visaAlone],
    ] as const) {
      await service.platform.owner.deleteFrom("delegations").execute();
      await delegate({ scope });
      const [seen, unseen] = [await open(), await closed()];
      const browser = await asMaximilien();
      expect(await seenBy(browser, seen)).toEqual(SEEN);
      expect(await seenBy(browser, unseen)).toEqual(UNSEEN);
      const list = await awaited(browser);
      expect(list.count).toBe(list.results.length);
      const { received } = (await browser.get(DELEGATIONS)).body;
      expect(received[0]).toMatchObject({ scope, circuit: null, waiting: list.count });
      await expectRefusal(sign(browser, unseen), 404, "not_found");
      await expectRefusal(browser.post(`${ENVELOPES}${unseen.id}/visa/`, {}), 404, "not_found");
    }
  });

  test("a delegation of a circuit opens its envelopes alone, also once the circuit is deleted", async () => {
    const leader = await signIn(service, await memberOf("Aline", "Roux", "administrator"));
    const circuits = "/api/organisation/circuits/";
    const steps = [step("signature", clemence.email, NAME)];
    const made = { name: "Conventions", use: "free", kinds: [], steps };
    const { body } = await leader.post(circuits, made);
    const circuit = body.circuits[0];
    const faulty = { delegate_id: maximilien.id, ...GIVEN, scope: "circuit" };
    const refused = await (await signIn(service, clemence)).post(DELEGATIONS, faulty);
    expect(Object.keys(refused.body.errors)).toEqual(["circuit_id"]);
    await delegate({ scope: "circuit", circuit_id: circuit.id });

    const member = await signIn(service, await memberOf("Fanny", "Delaunay"));
    const draft = await createDraft(member, { recipients: [], fields: [] });
    const address = `${ENVELOPES}${draft.id}/`;
    const chosen = { kind: null, circuit_id: circuit.id };
    await expectStatus(member.send("PUT", `${address}circuit/`, { body: chosen }), 200);
    await expectStatus(member.post(`${address}send/`, {}), 200);
    await expectStatus(leader.send("DELETE", `${circuits}${circuit.id}/`), 200);

    const browser = await asMaximilien();
    expect(await seenBy(browser, draft)).toEqual(SEEN);
    expect(await seenBy(browser, await signerAlone())).toEqual(UNSEEN);
    const page = (await browser.get(`${address}sign-page/`)).body;
    expect(page.delegation.scope).toBe("circuit «\u00a0Conventions\u00a0»");
    const { received } = (await browser.get(DELEGATIONS)).body;
    expect(received[0]).toMatchObject({ circuit: { id: circuit.id, deleted: true }, waiting: 1 });
    expect((await sign(browser, draft)).status).toBe(200);
    await service.settle();
    const evidence = (await member.get(`${address}evidence/`)).bytes;
    const said = plain(
      execFileSync("pdftotext", ["-", "-"], { input: evidence, encoding: "utf8" }),
    );
    expect(said).toContain("du 21 au 27 novembre 2026, circuit « Conventions » (jours inclus");
  });

  test("one person may get two scopes, the same one not twice", async () => {
    await delegate({ scope: "visas" });
    await delegate({ scope: "signatures" });
    for (const scope of ["visas", "all"])
      await expect(delegate({ scope })).rejects.toThrow("signe déjà pour vous");
  });
});

describe("a delegation that ends while the page is open", () => {
  test("nothing is signed, the page says why, and the delegator is notified once", async () => {
    await delegate();
    const envelope = await sendToClemence();
    at("2026-11-27T22:59:00.000Z");
    const browser = await asMaximilien();
    await browser.get(`${ENVELOPES}${envelope.id}/sign-page/`);
    owner = await signIn(service, sender);
    at("2026-11-27T23:00:00.000Z");
    const refused = await sign(browser, envelope);
    expect([...refusal(refused), refused.body.explanation]).toEqual([
      409,
      "delegation_over",
      "Elle allait jusqu’au 27\u00a0novembre 2026 à minuit. Rien n’a été signé\u00a0: le document revient à Mme Clémence Aubry-Lefèvre, que nous prévenons.",
    ]);
    await sign(browser, envelope);
    await service.settle();
    const news = (await mailFor(service.platform, clemence.email)).filter(
      ({ subject, content }) =>
        content.text.includes(envelope.id) &&
        subject === "«\u00a0Convention d’honoraires\u00a0» attend votre signature",
    );
    expect(news).toHaveLength(1);
    expect(await actions(envelope)).not.toContain("consent_given");
  });

  test("its sender, who was the delegate, is refused too, by each act", async () => {
    const id = await delegate();
    owner = await asMaximilien();
    const envelope = await sendToClemence({
      flow: "sequential",
      recipients: [
        { email: "lea.petit@exemple.fr", full_name: "Léa Petit", role: "visa", order: 1 },
        { email: clemence.email, full_name: "Mme Clémence Aubry-Lefèvre", role: "visa", order: 2 },
        { email: "paul.morel@exemple.fr", full_name: "Paul Morel", order: 3 },
      ],
      fields: [fieldAt("signature", 0.5, { recipient_index: 2 })],
    });
    const lea = await openConfirmedGuest(service, envelope.id, "lea.petit@exemple.fr");
    await expectStatus(lea.post("visa/"), 200);
    const toSign = await sendToClemence();
    const browser = await asMaximilien();
    await expectStatus(browser.get(`${ENVELOPES}${envelope.id}/sign-page/`), 200);
    const stopping = await signIn(service, clemence);
    await expectStatus(stopping.send("DELETE", `${DELEGATIONS}${id}/`), 200);

    const post = (act: string, body: object = {}) =>
      browser.post(`${ENVELOPES}${envelope.id}/${act}/`, body);
    const recipient = envelope.recipients[1]?.id;
    for (const [index, refused] of [
      await sign(browser, toSign),
      await post("visa"),
      await post("decline", { reason: "Désaccord" }),
      await post("send-back", { order: 1, reason: "À revoir" }),
      await post("reassign", { email: "ines@exemple.fr", full_name: "Inès", reason: null }),
      await browser.get(`${ENVELOPES}${envelope.id}/sign-page/?recipient=${recipient}`),
    ].entries())
      expect([...refusal(refused), refused.body.explanation]).toEqual([
        409,
        "delegation_over",
        expect.stringContaining(
          `Elle a été arrêtée. Rien n’a été ${index === 0 ? "signé" : "visé"}\u00a0: le document revient à Mme Clémence Aubry-Lefèvre`,
        ),
      ]);
    expect((await readEnvelope(owner, envelope.id)).status).toBe("sent");
  });

  test("stopped in the middle of a signature, the signature waits, then is refused", async () => {
    const id = await delegate();
    const envelope = await sendToClemence();
    const browser = await asMaximilien();
    const { refused } = await service.platform.db.transaction().execute(async (trx) => {
      await sql`update delegations set ended_at = ${service.platform.clock()}, ended_by = 'delegator' where id = ${id}`.execute(
        trx,
      );
      const signing = sign(browser, envelope);
      expect(await isPending(signing)).toBe(true);
      return { refused: signing };
    });
    const answer = await refused;
    expect([...refusal(answer), answer.body.explanation]).toEqual([
      409,
      "delegation_over",
      "Elle a été arrêtée. Rien n’a été signé\u00a0: le document revient à Mme Clémence Aubry-Lefèvre, que nous prévenons.",
    ]);
    expect(await actions(envelope)).not.toContain("consent_given");
  });

  test("a stop waits for the signature that began before it, which stays", async () => {
    const id = await delegate();
    const envelope = await sendToClemence();
    const stopping = await service.platform.db.transaction().execute(async (trx) => {
      expect(await lockStanding(trx, { id, now: service.platform.clock() })).toBe(true);
      const browser = await signIn(service, clemence);
      const stop = browser.send("DELETE", `${DELEGATIONS}${id}/`);
      expect(await isPending(stop)).toBe(true);
      return { stop };
    });
    expect((await stopping.stop).body.given[0].state).toBe("over");
    await expectRefusal(sign(await asMaximilien(), envelope), 409, "delegation_over");
  });

  test("signatures given stay valid after the delegator stops it", async () => {
    const id = await delegate();
    const envelope = await sendToClemence();
    expect((await sign(await asMaximilien(), envelope)).status).toBe(200);
    const browser = await signIn(service, clemence);
    expect((await browser.send("DELETE", `${DELEGATIONS}${id}/`)).status).toBe(200);
    const signatures = (await owner.get(`/api/signature/signatures/?envelope=${envelope.id}`)).body;
    expect(signatures.results[0]).toMatchObject({ signer_name: CAPTION, verdict: "valid" });
  });
});

const actions = async ({ id }: Envelope) =>
  (await eventsOf(owner, id)).map(({ action }: { action: string }) => action);
const isPending = (work: Promise<unknown>) =>
  Promise.race([
    work.then(() => false),
    new Promise<boolean>((resolve) => setTimeout(() => resolve(true), 400)),
  ]);
const plain = (text: string) => text.normalize("NFC").replaceAll(/\s+/g, " ");
async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "deleg-"));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe("what a delegate is told by mail", () => {
  const told = async (title: string) =>
    (await mailFor(service.platform, maximilien.email)).filter(({ subject }) =>
      subject.includes(title),
    );
  const kindAndPlace = ({ kind, destination }: Delivery) => [kind, destination];
  const forHer = " (pour Mme Clémence Aubry-Lefèvre)";

  test("a document that arrives for the delegator, once, with whom they act for, until when, and no link of a guest", async () => {
    await delegate();
    const { id } = await sendToClemence({ title: "Bail de chasse" });
    const [mail, ...others] = await told("Bail de chasse");
    expect(others).toEqual([]);
    expect(mail?.subject).toBe(`Document à signer\u00a0: Bail de chasse${forHer}`);
    const { text } = mail?.content ?? { text: "" };
    expect(plain(text)).toContain(
      "Vous répondez pour Mme Clémence Aubry-Lefèvre, par délégation, jusqu’au 27 novembre 2026.",
    );
    expect(text).toContain(`/signature/sign/${id}`);
    expect(text).not.toContain("token=");
    const hers = await mailFor(service.platform, clemence.email);
    expect(hers.find(({ subject }) => subject.includes("Bail de chasse"))?.subject).not.toContain(
      "pour",
    );
    await service.settle();
    // The sender reads that a delegate was asked, not which.
    const { recipients } = await readEnvelope(owner, id);
    expect(JSON.stringify(recipients)).not.toContain(maximilien.email);
    const masked = maskEmail(maximilien.email);
    expect(recipients[0].deliveries.map(kindAndPlace)).toEqual([["invitation", clemence.email]]);
    expect(recipients[0].delegate_deliveries).toMatchObject([
      { kind: "invitation", destination: masked, subject: mail?.subject, state: "sent" },
    ]);
    for (const reader of [clemence, maximilien]) {
      const seen = await readEnvelope(await signIn(service, reader), id);
      expect(JSON.stringify(seen.recipients)).not.toContain("deliveries");
    }

    await expectStatus(owner.post(`${ENVELOPES}${id}/remind/`, {}), 200);
    const reminded = (await mailFor(service.platform, maximilien.email)).filter(({ subject }) =>
      subject.startsWith("Rappel"),
    );
    expect(reminded.map(({ subject }) => subject)).toEqual([
      `Rappel\u00a0: Camille Roux attend votre signature${forHer}`,
    ]);

    await expectStatus(sign(await asMaximilien(), { id }), 200);
    await service.settle();
    const [after] = (await readEnvelope(owner, id)).recipients;
    expect(after.delegate_deliveries.map(kindAndPlace)).toEqual(
      ["completed", "reminder", "invitation"].map((kind) => [kind, masked]),
    );
    const file = (await owner.get(`${ENVELOPES}${id}/evidence/`)).bytes;
    const said = plain(execFileSync("pdftotext", ["-raw", "-", "-"], { input: file }).toString());
    const register = said.slice(said.indexOf("7. Les messages"), said.indexOf("8. L’historique"));
    expect(register.match(/Au délégué de Mme/g)).toHaveLength(3);
    expect(register).toContain(masked);
    expect(register).not.toContain(maximilien.email);
  });

  test("a purge deletes it", async () => {
    await delegate();
    const { id, recipients } = await sendToClemence({ title: "Bail purgé" });
    await service.settle();
    const rows = () =>
      service.platform.db
        .selectFrom("notices")
        .select("id")
        .where("delegator_id", "=", recipients[0]?.id as string)
        .execute();
    expect(await rows()).toHaveLength(1);
    await expectStatus(owner.post(`${ENVELOPES}${id}/cancel/`), 200);
    await service.settle();
    await expectStatus(owner.send("DELETE", `${ENVELOPES}${id}/purge/`), 204);
    expect(await rows()).toEqual([]);
  });

  test("a refusal that names the delegate's address is not shown to the sender", async () => {
    await delegate();
    const sent = await sendToClemence({ title: "Bail refusé" });
    await service.settle();
    const answer = `550 5.1.1 <${maximilien.email.toUpperCase()}> unknown`;
    await service.platform.db
      .updateTable("notices")
      .set({ state: "refused", server_answer: answer })
      .where("delegator_id", "=", sent.recipients[0]?.id as string)
      .execute();
    const [asked] = (await readEnvelope(owner, sent.id)).recipients;
    expect(asked.delegate_deliveries).toMatchObject([
      { state: "refused", server_answer: null, failure: { code: "unknown_address" } },
    ]);
    expect(asked.status).toBe("notified");
  });

  test("a document whose turn comes later is told then, not before", async () => {
    await delegate();
    const first = await memberOf("Fabien", "Tournier");
    const { id } = await sendToClemence({
      title: "Bail rural",
      flow: "sequential",
      recipients: [
        { email: first.email, full_name: "M. Tournier", order: 1 },
        { email: clemence.email, full_name: "Mme Aubry", order: 2 },
      ],
      fields: [],
    });
    expect(await told("Bail rural")).toEqual([]);
    await expectStatus(sign(await signIn(service, first), { id }), 200);
    expect(await told("Bail rural")).toHaveLength(1);
  });

  test.each<[title: string, days: object]>([
    ["Bail d’avant", { starts_on: "2026-11-22" }],
    ["Bail sans visa", { scope: "visas" }],
  ])("nothing of « %s », which the delegation does not cover", async (title, days) => {
    await delegate(days);
    await sendToClemence({ title });
    expect(await told(title)).toEqual([]);
  });

  test("nothing once the delegation was stopped or has ended, nor what has not left by then", async () => {
    const id = await delegate();
    await sendToClemence({ title: "Bail arrêté" });
    await (await signIn(service, clemence)).send("DELETE", `${DELEGATIONS}${id}/`);
    await sendToClemence({ title: "Bail arrêté, bis" });
    expect(await told("Bail arrêté")).toEqual([]);
    await delegate();
    at("2026-11-27T23:00:00.000Z");
    owner = await signIn(service, sender);
    await sendToClemence({ title: "Bail du lendemain" });
    expect(await told("Bail du lendemain")).toEqual([]);
  });

  test("nothing that was asked at an address corrected before it left", async () => {
    await delegate();
    const sent = await sendToClemence({ title: "Bail corrigé" });
    await expectStatus(
      owner.send("PATCH", `${ENVELOPES}${sent.id}/recipients/${sent.recipients[0]?.id}/`, {
        body: { email: "autre@exemple.fr" },
      }),
      200,
    );
    expect(await told("Bail corrigé")).toEqual([]);
  });

  test("nothing at an address that the delegate has not confirmed", async () => {
    await delegate();
    const of = sql`where id = ${maximilien.id}`;
    await sql`update users set address_confirmed_at = null ${of}`.execute(service.platform.owner);
    await sendToClemence({ title: "Bail muet" });
    await sql`update users set address_confirmed_at = now() ${of}`.execute(service.platform.owner);
    expect(await told("Bail muet")).toEqual([]);
  });

  test("by the channels that the delegate chose", async () => {
    await delegate();
    const phone = { phone_number: "+33611223344", phone_verified_at: new Date() };
    const choose = (chosen: object) =>
      service.platform.owner
        .updateTable("users")
        .set(chosen)
        .where("id", "=", maximilien.id)
        .execute();
    await choose({ ...phone, notify_email: false, notify_sms: true });
    const { id } = await sendToClemence({ title: "Bail par SMS" });
    const texts = await mailFor(service.platform, phone.phone_number);
    expect((await readEnvelope(owner, id)).recipients[0].delegate_deliveries).toEqual([]);
    await choose({ notify_email: true, notify_sms: false });
    expect(await told("Bail par SMS")).toEqual([]);
    expect(texts.map(({ content }) => content.text)).toEqual([
      expect.stringMatching(
        new RegExp(`document à signer pour Mme Clémence Aubry.*/signature/sign/${id}$`),
      ),
    ]);
  });
});

test("the next signer is told who signed for whom", async () => {
  at("2026-12-21T10:00:00.000Z");
  owner = await signIn(service, sender);
  await delegate({ starts_on: "2026-12-21", ends_on: "2026-12-27" });
  const recipients = [
    { email: clemence.email, full_name: "Mme Clémence Aubry-Lefèvre", order: 1 },
    { ...PAUL, order: 2 },
  ];
  const fields = [fieldAt("signature", 0.5), { ...fieldAt("signature", 0.7), recipient_index: 1 }];
  const envelope = await sendToClemence({ flow: "sequential", recipients, fields });
  expect((await sign(await asMaximilien(), envelope)).status).toBe(200);
  const paul = await openConfirmedGuest(service, envelope.id, PAUL.email);
  const shown: readonly { filled_by?: string }[] = (await paul.get("guest/")).body.fields;
  expect(shown.flatMap(({ filled_by = [] }) => filled_by)).toEqual([CAPTION]);
});
