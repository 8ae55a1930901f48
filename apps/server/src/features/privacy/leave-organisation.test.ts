import { execFileSync } from "node:child_process";
import { beforeEach, describe, expect, test } from "vitest";
import { addDays, parisDay } from "@paraphe/kernel/paris-days";
import { findStoreFaults } from "../../../../cli/testing/find-store-faults.ts";
import { checkRows } from "../../../../cli/src/audit/check-rows.ts";
import { openBrowser, refusal, type TestBrowser } from "../../../testing/browser.ts";
import { openConfirmedGuest, openMailedGuest, TYPED } from "../../../testing/guest.ts";
import {
  actOn,
  createDraft,
  createSent,
  eventsOf,
  readEnvelope,
} from "../../../testing/envelope.ts";
import { linkIn, mailFor } from "../../../testing/mailbox.ts";
import { MEMBER_PASSWORD, type Member, openMember, signIn } from "../../../testing/member.ts";
import { createMemberAs } from "../../../testing/organisation.ts";
import { prepareBail, saveTemplate } from "../../../testing/stages/template-calls.ts";
import { useTestApp } from "../../../testing/use-test-app.ts";
import { selectUsedBytes } from "../accounts/storage-store.ts";
import { countHoldings } from "../envelopes/public.ts";

const service = useTestApp();
const BASE = "/api/organisation";
let owner: Member;
let leaver: Member;
let heir: Member;
let lead: TestBrowser;
let leaving: TestBrowser;

beforeEach(async () => {
  await service.platform.db.deleteFrom("organisation_members").execute();
  const as = (role: "owner" | "member") => createMemberAs(service.platform, role);
  [owner, leaver, heir] = [await as("owner"), await as("member"), await as("member")];
  lead = await signIn(service, owner);
  leaving = await signIn(service, leaver);
});

const CONTACTS = "/api/signature/contacts/";
const remove = (id = leaver.id, heirId = heir.id, by = lead) =>
  by.post(`${BASE}/members/${id}/removal/`, { heir_id: heirId });
const person = (email: string) => ({ who: "person", email, full_name: "Léo Marchand" });
const step = (kind: string, by: object) => ({
  kind,
  by,
  together: false,
  may_return: true,
  may_reassign: true,
  days: null,
  remind: null,
});
const holdingsOf = async ({ id, email }: Member) =>
  countHoldings(service.platform.db, { ownerId: id, emailKey: email });

function addWebhook(holder: { readonly user_id: string; readonly team_id: string | null }) {
  return service.platform.db
    .insertInto("webhooks")
    .values({
      ...holder,
      id: service.platform.newId(),
      url: "https://rappel.exemple.fr/",
      types: ["envelope.sent"],
      secret_wrapped: Buffer.alloc(0),
      seed_wrapped: Buffer.alloc(0),
      public_key: Buffer.alloc(0),
      created_at: new Date(),
    })
    .execute();
}

describe("whoever leaves the organisation", () => {
  test("has no access from that moment; the heir has their things, with place and counts", async () => {
    const { db } = service.platform;
    await createDraft(leaving, { title: "Bail Haute-Rue" });
    const { id: sentId } = await createSent(leaving, { title: "Mandat" });
    const bytes = await selectUsedBytes(db, leaver.id);
    for (const by of [leaver.id, heir.id])
      await db
        .insertInto("templates")
        .values({
          id: service.platform.newId(),
          owner_id: by,
          name: "Bail",
          name_key: "bail",
          content: JSON.stringify({}),
          created_at: new Date(),
          updated_at: new Date(),
        })
        .execute();
    const said = (await lead.get(`${BASE}/members/${leaver.id}/holdings/`)).body;
    expect(said).toMatchObject({ drafts: 1, templates: 1, open_envelopes: 1, to_sign: 0 });
    expect((await remove()).status).toBe(204);
    expect((await leaving.get("/api/verify-token/")).status).toBe(401);
    const again = await openBrowser(service.app).post("/api/token/", {
      username: leaver.username,
      password: MEMBER_PASSWORD,
      remember_me: false,
    });
    expect(refusal(again)).toEqual([401, "invalid_credentials"]);
    expect(await holdingsOf(leaver)).toMatchObject({ drafts: 0, templates: 0, openEnvelopes: 0 });
    expect(await selectUsedBytes(db, leaver.id)).toBe(0);
    expect(await selectUsedBytes(db, heir.id)).toBe(bytes);
    const inbox = await db
      .selectFrom("inbox_counts")
      .select(["holder_id", "count"])
      .where("holder_id", "in", [leaver.id, heir.id])
      .where("count", ">", 0)
      .execute();
    expect(new Set(inbox.map((row) => row.holder_id))).toEqual(new Set([heir.id]));
    expect(await holdingsOf(heir)).toMatchObject({ drafts: 1, templates: 2 });
    const names = await db
      .selectFrom("templates")
      .select("name")
      .where("owner_id", "=", heir.id)
      .orderBy("name")
      .execute();
    expect(names.map(({ name }) => name)).toEqual([
      "Bail",
      `Bail (${leaver.firstName} ${leaver.lastName})`,
    ]);
    const hers = await signIn(service, heir);
    const list = await hers.get("/api/signature/envelopes/?status=draft");
    expect(list.body.results.map(({ title }: { title: string }) => title)).toEqual([
      "Bail Haute-Rue",
    ]);
    expect((await readEnvelope(hers, sentId)).title).toBe("Mandat");
    expect((await eventsOf(hers, sentId))[0]).toMatchObject({
      action: "envelope_passed",
      detail: { from_name: `${leaver.firstName} ${leaver.lastName}` },
    });
    expect((await actOn(hers, sentId, "cancel")).status).toBe(200);
    const [gone] = await mailFor(service.platform, leaver.email);
    expect(gone?.content.text).toContain("Votre accès a pris fin");
    const [received] = await mailFor(service.platform, heir.email);
    expect(received?.content.text).toContain(
      "1 enveloppe en cours, 1 brouillon, 1 modèle et 2 contacts",
    );
    const [event] = (await lead.get(`${BASE}/journal/`)).body.entries;
    expect(event.sentence).toContain("n’a plus accès");
  });

  test("ends the delegations given and received, and the others are told", async () => {
    const today = parisDay(service.platform.clock());
    const give = (by: TestBrowser, to: Member) =>
      by.post(`${BASE}/delegations/`, {
        delegate_id: to.id,
        starts_on: today,
        ends_on: addDays(today, 5),
        scope: "all",
        circuit_id: null,
      });
    const [first, second] = [await give(lead, leaver), await give(leaving, heir)];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect((await remove()).status).toBe(204);
    const name = `${leaver.firstName} ${leaver.lastName}`;
    const mailed = async ({ email }: Member) =>
      (await mailFor(service.platform, email)).map(({ content }) => content.text).join("\n");
    expect(await mailed(owner)).toContain(
      `${name} n’est plus membre de l’organisation\u00a0: votre délégation est terminée.`,
    );
    expect(await mailed(heir)).toContain(
      `${name} n’est plus membre de l’organisation\u00a0: la délégation qui vous était donnée est terminée.`,
    );
    const [given] = (await lead.get(`${BASE}/delegations/`)).body.given;
    expect([given.state, given.ends_on]).toEqual(["over", today]);
    const sentences = (await lead.get(`${BASE}/journal/`)).body.entries.map(
      ({ sentence }: { readonly sentence: string }) => sentence,
    );
    expect(sentences).toContain(`Délégation à ${name} terminée\u00a0: un départ de l’organisation`);
  });

  test.each(["a member", "a team"])(
    "leaves their own contacts to %s, whose own ones stay",
    async (to) => {
      const hers = await signIn(service, heir);
      const members = [{ id: heir.id, is_administrator: true }];
      const name = to === "a team" ? "Service Foncier" : "Voirie";
      const { teams } = (await lead.post(`${BASE}/teams/`, { name, members })).body;
      const team = teams.find((one: { name: string }) => one.name === name).id;
      const steps = [step("signature", person(leaver.email))];
      const circuit = { name: "Congés", use: "imposed", kinds: ["Congé"], steps };
      if (to === "a team") await lead.post(`${BASE}/circuits/`, circuit);
      const shared = to === "a team" ? { team } : {};
      const paul = { full_name: "Paul Martin", email: "PAUL@exemple.fr", company: "Mairie" };
      const known = await hers.post(CONTACTS, { ...paul, ...shared });
      const more = { second_email: "paul@perso.fr", phone_number: "0612345678", company: "Autre" };
      await leaving.post(CONTACTS, { full_name: "P. M.", email: "paul@exemple.fr", ...more });
      const anne = await leaving.post(CONTACTS, {
        full_name: "Anne Roy",
        email: "anne@exemple.fr",
      });
      expect([known.status, anne.status]).toEqual([201, 201]);
      expect((await lead.get(`${BASE}/members/${leaver.id}/holdings/`)).body.contacts).toBe(2);
      const heirs = to === "a team" ? { team_id: team } : { heir_id: heir.id };
      const removed = await lead.post(`${BASE}/members/${leaver.id}/removal/`, heirs);
      expect(removed.status).toBe(204);
      const where = to === "a team" ? team : "mine";
      const { results } = (await hers.get(`${CONTACTS}?ordering=name&team=${where}`)).body;
      expect(results).toMatchObject([
        { id: anne.body.id, full_name: "Anne Roy" },
        { ...paul, id: known.body.id, second_email: "paul@perso.fr", phone_number: "+33612345678" },
      ]);
      expect(await holdingsOf(leaver)).toMatchObject({ contacts: 0 });
      const [mail] = await mailFor(service.platform, heir.email);
      expect(mail?.subject).toMatch(
        to === "a team" ? /est confié au service Foncier$/ : /vous est confié$/,
      );
      expect(mail?.content.text).toContain("2 contacts");
      expect(mail?.content.text).toContain(
        to === "a team"
          ? "L’étape de circuit à son nom vous revient, à vous."
          : "https://localhost:8443/settings/contacts\n",
      );
    },
  );

  test("leaves the signatures asked of them: the senders are notified, and ask somebody else", async () => {
    const asking = await signIn(service, await createMemberAs(service.platform, "member"));
    const asked = [{ email: leaver.email, full_name: "Camille Roux" }];
    const { id } = await createSent(asking, { title: "Convention", recipients: asked });
    await createSent(leaving, { title: "Mandat", recipients: asked });
    await createSent(await openMember(service), { recipients: asked });
    expect((await lead.get(`${BASE}/members/${leaver.id}/holdings/`)).body.to_sign).toBe(2);
    expect((await remove()).status).toBe(204);
    const mailed = await service.platform.db
      .selectFrom("notices")
      .select("dedupe_key")
      .where("kind", "=", "leaver_awaited")
      .execute();
    // The heir hears what passed to the heir; nobody outside the organisation does.
    const told = mailed.map(({ dedupe_key }) => dedupe_key.split(":")[2]);
    expect(told).toHaveLength(2);
    expect(told).toContain(heir.id);
    const seen = await readEnvelope(asking, id);
    expect(seen.status).toBe("sent");
    const [recipient] = seen.recipients;
    const corrected = await asking.send(
      "PATCH",
      `/api/signature/envelopes/${id}/recipients/${recipient.id}/`,
      {
        body: { email: "paul.martin@exemple.fr" },
      },
    );
    expect(corrected.status).toBe(200);
    const [mail] = await mailFor(service.platform, "paul.martin@exemple.fr");
    expect(mail?.content.text).toContain("Convention");
  });

  test("has no step of a circuit any more: the heir has it, and a draft with the former one is not sent", async () => {
    const steps = [
      step("visa", person(leaver.email.toUpperCase())),
      step("signature", person("maire@ville.fr")),
    ];
    const circuit = { name: "Arrêtés", use: "imposed", kinds: ["Arrêté"], steps };
    const added = (await lead.post(`${BASE}/circuits/`, circuit)).body.circuits[0];
    const chosen = { kind: "Arrêté", circuit_id: null };
    const by = await signIn(service, heir);
    const prepare = async () => {
      const { id } = await createDraft(by, { recipients: [], fields: [] });
      const path = `/api/signature/envelopes/${id}/`;
      return { path, put: await by.send("PUT", `${path}circuit/`, { body: chosen }) };
    };
    const { path, put } = await prepare();
    expect(put.status).toBe(200);
    const held = await lead.get(`${BASE}/members/${leaver.id}/holdings/`);
    expect(held.body.circuit_steps).toBe(1);
    expect((await remove()).status).toBe(204);

    const [after] = (await by.get(`${BASE}/circuits/`)).body.circuits;
    expect(after.steps.map((one: { by: { email: string } }) => one.by.email)).toEqual([
      heir.email,
      "maire@ville.fr",
    ]);
    expect(after.version).toBe(2);
    const [received] = await mailFor(service.platform, heir.email);
    expect(received?.content.text).toContain("1 étape de circuit");
    expect(received?.content.text).toContain("/settings/circuits");
    const [event] = (await lead.get(`${BASE}/journal/`)).body.entries;
    expect(event.sentence).toContain("étapes de circuit");
    const refused = await by.post(`${path}send/`, {});
    expect(refusal(refused)).toEqual([409, "not_ready_to_send"]);
    expect(refused.body.detail).toContain(
      "Étape 1 (visa)\u00a0: Léo Marchand n’y est pas prévu. Appliquez de nouveau le circuit «\u00a0Arrêtés\u00a0»",
    );
    const again = await prepare();
    expect(again.put.body.recipients[0].email).toBe(heir.email);
    expect((await by.post(`${again.path}send/`, {})).status).toBe(200);

    // Somebody names the leaver again.
    const body = { ...circuit, version: 2 };
    await lead.send("PUT", `${BASE}/circuits/${added.id}/`, { body });
    const { put: late } = await prepare();
    expect(late.body.errors.circuit_id).toEqual([
      "Étape 1 (visa)\u00a0: Léo Marchand n’est plus membre. Une personne qui administre l’organisation doit changer le circuit «\u00a0Arrêtés\u00a0».",
    ]);
  });

  test("has no step of an envelope under way any more: the heir is asked now, or when its turn comes", async () => {
    const steps = [
      step("visa", person("eloise@ville.fr")),
      step("visa", person(leaver.email)),
      step("signature", { who: "other_party" }),
      step("copy", person("archives@ville.fr")),
    ];
    const circuit = { name: "Marchés", use: "imposed", kinds: ["Marché"], steps };
    await lead.post(`${BASE}/circuits/`, circuit);
    const by = await signIn(service, await createMemberAs(service.platform, "member"));
    const send = async (other_party: readonly object[]) => {
      const { id } = await createDraft(by, { recipients: [], fields: [] });
      const path = `/api/signature/envelopes/${id}/`;
      const body = { kind: "Marché", circuit_id: null, other_party };
      expect((await by.send("PUT", `${path}circuit/`, { body })).status).toBe(200);
      expect((await by.post(`${path}send/`, {})).status).toBe(200);
      return id;
    };
    const later = await send([{ email: "paul@exemple.fr", full_name: "Paul Martin" }]);
    const now = await send([{ email: leaver.email, full_name: "Léo Marchand" }]);
    const eloise = await openConfirmedGuest(service, now, "eloise@ville.fr");
    expect((await eloise.post("visa/")).status).toBe(200);
    const asked = await openMailedGuest(service, now, leaver.email);
    const holdings = (await lead.get(`${BASE}/members/${leaver.id}/holdings/`)).body;
    // One of the circuit, one of each envelope; what is signed for oneself stays one's own.
    expect([holdings.circuit_steps, holdings.to_sign]).toEqual([3, 0]);
    expect((await remove()).status).toBe(204);

    const people = async (id: string) =>
      (await readEnvelope(by, id)).recipients.map((one: { email: string; status: string }) => [
        one.email,
        one.status,
      ]);
    expect(await people(later)).toEqual([
      ["eloise@ville.fr", "notified"],
      [heir.email, "waiting"],
      ["paul@exemple.fr", "waiting"],
      ["archives@ville.fr", "waiting"],
    ]);
    expect(await people(now)).toEqual([
      ["eloise@ville.fr", "approved"],
      [heir.email, "notified"],
      [leaver.email, "waiting"],
      ["archives@ville.fr", "waiting"],
    ]);
    const mails = await mailFor(service.platform, heir.email);
    const texts = mails.map(({ content }) => content.text).join("\n");
    expect(texts).toContain("Cette étape vous revient\u00a0: Léo Marchand n’est plus membre");
    expect(texts).toContain("3 étapes de circuit");
    expect(texts).toContain("/signature/envelopes/action-required");
    const event = (await eventsOf(by, now)).find(
      (one: { action: string }) => one.action === "step_reassigned",
    );
    expect(event).toMatchObject({
      actor: "Paraphe",
      detail: { departed: true, from_name: "Léo Marchand", email: heir.email },
    });
    expect(refusal(await asked.get("guest/"))).toEqual([410, "step_reassigned"]);
  });

  test("and the visa that they give at this moment have one outcome", async () => {
    const steps = [step("visa", person(leaver.email)), step("signature", { who: "other_party" })];
    const circuit = { name: "Avis", use: "imposed", kinds: ["Avis"], steps };
    await lead.post(`${BASE}/circuits/`, circuit);
    const by = await signIn(service, await createMemberAs(service.platform, "member"));
    const { id } = await createDraft(by, { recipients: [], fields: [] });
    const path = `/api/signature/envelopes/${id}/`;
    const other_party = [{ email: "paul@exemple.fr", full_name: "Paul Martin" }];
    const body = { kind: "Avis", circuit_id: null, other_party };
    await by.send("PUT", `${path}circuit/`, { body });
    await by.post(`${path}send/`, {});
    const guest = await openConfirmedGuest(service, id, leaver.email);
    const [removed, given] = await Promise.all([remove(), guest.post("visa/")]);
    expect(removed.status).toBe(204);
    const [asked] = (await readEnvelope(by, id)).recipients;
    expect([given.status, asked.email, asked.status]).toEqual(
      given.status === 200 ? [200, leaver.email, "approved"] : [410, heir.email, "notified"],
    );
  });

  test("tells the heir of a returned document, and leads to it", async () => {
    const recipients = [{ email: "eloise@ville.fr", full_name: "Éloïse Martin", role: "visa" }];
    const { id } = await createSent(leaving, {
      recipients: [...recipients, { email: "paul@exemple.fr", full_name: "Paul Martin", order: 2 }],
      flow: "sequential",
    });
    const eloise = await openConfirmedGuest(service, id, "eloise@ville.fr");
    expect((await eloise.post("send-back/", { order: 0, reason: "Titre" })).status).toBe(200);
    expect((await remove()).status).toBe(204);
    const [received] = await mailFor(service.platform, heir.email);
    expect(received?.content.text).toContain("1 document renvoyé à corriger et 2 contacts.");
    expect(received?.content.text).toContain("/signature/envelopes/drafts");
  });

  test("stays who had the document when it was sent back; the heir is named for sending it again", async () => {
    const recipients = [
      { email: "eloise@ville.fr", full_name: "Éloïse Martin", role: "visa", order: 1 },
      { email: "paul@exemple.fr", full_name: "Paul Martin", order: 2 },
    ];
    const { id } = await createSent(leaving, { title: "Bail", recipients, flow: "sequential" });
    const eloise = await openConfirmedGuest(service, id, "eloise@ville.fr");
    expect((await eloise.post("send-back/", { order: 0, reason: "Titre" })).status).toBe(200);
    expect((await remove()).status).toBe(204);
    const hers = await signIn(service, heir);
    const by = ({ firstName, lastName }: Member) => `${firstName} ${lastName}`;
    const back = await readEnvelope(hers, id);
    expect(back.recipients[0].sent_back.to).toEqual([by(leaver)]);
    expect([back.returned.corrected_by, back.resent_by]).toEqual([by(heir), undefined]);
    expect((await hers.post(`/api/signature/envelopes/${id}/send/`)).status).toBe(200);
    const again = await readEnvelope(hers, id);
    expect([again.created_by_name, again.resent_by]).toEqual([by(leaver), by(heir)]);
    expect(again.recipients[0].sent_back.to).toEqual([by(leaver)]);
  });

  test("is the sender no more: requests, pages and proofs name who has the envelope", async () => {
    const { platform } = service;
    const recipients = [
      { email: "eloise@ville.fr", full_name: "Éloïse Martin", role: "visa", order: 1 },
      { email: "paul@exemple.fr", full_name: "Paul Martin", order: 2 },
    ];
    const { id } = await createSent(leaving, { title: "Mandat", recipients, flow: "sequential" });
    const by = ({ firstName, lastName }: Member) => `${firstName} ${lastName}`;
    const hers = await signIn(service, heir);
    const sender = async (browser: TestBrowser) => {
      const pdf = (await browser.get(`/api/signature/envelopes/${id}/evidence/`)).bytes;
      const text = execFileSync("pdftotext", ["-", "-"], { input: pdf, encoding: "utf8" });
      return text.normalize("NFC").replaceAll(/\s+/g, " ");
    };
    expect((await remove()).status).toBe(204);
    expect(await sender(hers)).toContain(`Expéditeur ${by(leaver)} ${leaver.email}`);
    const eloise = await openConfirmedGuest(service, id, "eloise@ville.fr");
    expect((await eloise.get("guest/")).body).toMatchObject({
      sender_name: by(heir),
      step: { returns: [{ order: 0, names: [by(heir)] }] },
    });
    const [code] = await mailFor(platform, "eloise@ville.fr");
    expect(code?.content.text).toContain(`envoyé par ${by(heir)}`);
    expect((await eloise.post("send-back/", { order: 0, reason: "Titre" })).status).toBe(200);
    expect((await eloise.get("guest/")).body).toMatchObject({
      detail: expect.stringContaining(`corrigé par ${by(heir)}`),
      sent_back: `Renvoyé à ${by(heir)}`,
    });
    expect((await readEnvelope(hers, id)).returned).toMatchObject({ corrected_by: by(heir) });
    expect((await hers.post(`/api/signature/envelopes/${id}/send/`)).status).toBe(200);
    const [mail] = await mailFor(platform, "eloise@ville.fr");
    expect(mail?.content.text).toContain(`${by(heir)} (${heir.email}) vous demande votre visa`);
    expect(await sender(hers)).toContain(`Expéditeur ${by(heir)} ${heir.email}`);
    expect(await findStoreFaults(platform)).toEqual([]);
    expect((await checkRows(platform)).faults).toEqual([]);
  });

  test("keeps their signatures: journal and proof do not change, and the heir may show them", async () => {
    await service.platform.db
      .updateTable("users")
      .set({ address_confirmed_at: service.platform.clock() })
      .where("id", "=", leaver.id)
      .execute();
    const recipients = [{ email: leaver.email, full_name: "Camille Roux" }];
    const { id } = await createSent(leaving, { title: "Acte", recipients });
    expect(
      (await leaving.post(`/api/signature/envelopes/${id}/sign_authenticated/`, TYPED)).status,
    ).toBeLessThan(300);
    await service.platform.settle();
    const before = await eventsOf(leaving, id);
    expect((await remove()).status).toBe(204);
    const hers = await signIn(service, heir);
    expect(await readEnvelope(hers, id)).toMatchObject({ status: "completed", is_owner: true });
    expect(await eventsOf(hers, id)).toEqual(before);
    expect((await hers.get(`/api/signature/envelopes/${id}/evidence/`)).status).toBe(200);
    const signatures = (await hers.get(`/api/signature/signatures/?envelope=${id}`)).body;
    expect(signatures.results).toMatchObject([{ verdict: "valid", signer_name: "Camille Roux" }]);
  });

  test("returns by an invitation, with the same account and without former work", async () => {
    await remove();
    // The mail about the removal came before the invitation.
    await mailFor(service.platform, leaver.email);
    await lead.post(`${BASE}/invitations/`, { emails: [leaver.email], role: "reader" });
    const [mail] = await mailFor(service.platform, leaver.email);
    const token = linkIn(mail, "https://localhost:8443/invitation#").split("#")[1];
    const visitor = openBrowser(service.app);
    expect((await visitor.post(`${BASE}/invitations/check/`, { token })).body.account).toBe(
      "closed",
    );
    expect((await visitor.post(`${BASE}/invitations/accept/`, { token })).status).toBe(200);
    const back = await signIn(service, leaver);
    expect((await back.get("/api/verify-token/")).body.user.organisation_role).toBe("reader");
  });

  test("leaves no key nor webhook of their own, and those they made for the team go on", async () => {
    const { db } = service.platform;
    const members = [leaver, heir].map(({ id }) => ({ id, is_administrator: true }));
    const { teams } = (await lead.post(`${BASE}/teams/`, { name: "Paie", members })).body;
    const team = teams.find(({ name }: { name: string }) => name === "Paie").id;
    const make = async (more: object) => {
      const asked = { name: "CRM", scopes: ["envelopes:read"], days: null, ...more };
      return (await leaving.post("/api/signature/me/keys/", asked)).body.secret;
    };
    const [own, shared] = [await make({}), await make({ holder: team })];
    for (const team_id of [null, team]) await addWebhook({ user_id: leaver.id, team_id });
    expect((await remove()).status).toBe(204);
    await db
      .updateTable("users")
      .set({ deactivated_at: null })
      .where("id", "=", leaver.id)
      .execute();
    const statusOf = async (secret: string) =>
      (
        await service.app.inject({
          url: "/api/signature/envelopes/",
          headers: { authorization: `Bearer ${secret}` },
        })
      ).statusCode;
    expect([await statusOf(own), await statusOf(shared)]).toEqual([401, 200]);
    const left = db.selectFrom("webhooks").select("team_id").where("user_id", "=", leaver.id);
    expect(await left.execute()).toEqual([{ team_id: team }]);
  });

  test("withdraws what their delegate was about to be asked for them", async () => {
    const day = parisDay(service.platform.clock());
    const given = { delegate_id: heir.id, starts_on: day, ends_on: day, scope: "all" };
    expect((await leaving.post(`${BASE}/delegations/`, given)).status).toBe(200);
    const asked = { email: leaver.email, full_name: "Camille Roux" };
    await createSent(await openMember(service), { title: "Bail discret", recipients: [asked] });
    expect((await remove(leaver.id, owner.id)).status).toBe(204);
    const subjects = (await mailFor(service.platform, heir.email)).map(({ subject }) => subject);
    expect(subjects.filter((subject) => subject.includes("Bail discret"))).toEqual([]);
  });

  test("leaves nothing of a last upload: a later pass gives it to the heir too", async () => {
    await remove();
    const { db } = service.platform;
    await db
      .updateTable("users")
      .set({ deactivated_at: null })
      .where("id", "=", leaver.id)
      .execute();
    await createDraft(await signIn(service, leaver), { title: "Arrivé après" });
    await db
      .updateTable("users")
      .set({ deactivated_at: service.platform.clock() })
      .where("id", "=", leaver.id)
      .execute();
    service.platform.clock.advance({ minutes: 16 });
    await service.platform.settle();
    expect(await holdingsOf(heir)).toMatchObject({ drafts: 1 });
  });

  test("is not the last owner, and an owner is removed by an owner alone", async () => {
    const administrator = await signIn(
      service,
      await createMemberAs(service.platform, "administrator"),
    );
    expect(refusal(await remove(owner.id, heir.id, administrator))).toEqual([403, "owners_only"]);
    expect(refusal(await remove(owner.id))).toEqual([409, "last_owner"]);
    expect((await lead.get("/api/verify-token/")).status).toBe(200);
  });

  test("needs an heir who may send documents, and is a member until there is one", async () => {
    const reader = await createMemberAs(service.platform, "reader");
    for (const heirId of [reader.id, leaver.id, service.platform.newId()])
      expect(Object.keys((await remove(leaver.id, heirId)).body.errors)).toEqual(["heir_id"]);
    expect((await leaving.get(`${BASE}/members/`)).status).toBe(200);
  });
});

describe("a team's things, when their owner erases the account,", () => {
  const teamOf = async (members: readonly Member[]): Promise<string> => {
    const places = members.map(({ id }) => ({ id, is_administrator: id === leaver.id }));
    const name = service.platform.newId();
    const { teams } = (await lead.post(`${BASE}/teams/`, { name, members: places })).body;
    return teams.find((team: { name: string }) => team.name === name).id;
  };
  const erase = (by: TestBrowser, cancel_open = false) =>
    by.send("DELETE", "/api/signature/me/", { body: { password: MEMBER_PASSWORD, cancel_open } });
  const fill = async (by: TestBrowser, team: string) => {
    const api = "/api/signature";
    const asked = { name: "CRM", scopes: ["envelopes:send"], days: null, holder: team };
    const box = { x: 0.1, y: 0.1, width: 0.2, height: 0.05, required: true, label: null };
    const field = { type: "signature", page: 1, document_rank: 0, person_rank: 0, ...box };
    const made = [
      await saveTemplate(by, (await prepareBail(by)).id, { team }),
      await by.post(`${api}/layouts/`, { name: "Bail", fields: [field], team }),
      await by.post(CONTACTS, { full_name: "Zoé Roy", email: "zoe@exemple.fr", team }),
      await by.post(`${api}/me/keys/`, asked),
    ];
    expect(made.map(({ status, text }) => [status, status === 201 ? "" : text])).toEqual(
      made.map(() => [201, ""]),
    );
    const mailing = await service.app.inject({
      method: "POST",
      url: `${api}/mailings/`,
      headers: { authorization: `Bearer ${made[3]?.body.secret}` },
      payload: {
        template: made[0]?.body.id,
        file: {
          name: "a.csv",
          content: Buffer.from("Nom;Email\nA;a@exemple.fr").toString("base64"),
        },
      },
    });
    expect(mailing.statusCode, mailing.body).toBe(201);
    await addWebhook({ user_id: owner.id, team_id: team });
  };
  const SHARED = ["templates", "layouts", "contacts", "api_keys", "webhooks", "mailings"] as const;
  const heldBy = (holder: string) =>
    Promise.all(
      SHARED.map(async (table) => {
        const rows = service.platform.db.selectFrom(table).select("id");
        return (await rows.where("holder_id", "=", holder).execute()).length;
      }),
    );
  const rowsOf = (ids: readonly string[]) =>
    service.platform.db
      .selectFrom("envelopes")
      .select(["status", "owner_id", "purged_at"])
      .where("id", "in", [...ids])
      .orderBy("status")
      .execute();
  const kept = (status: string, owner_id: string) => ({ status, owner_id, purged_at: null });

  test("go on under another member, and only what was theirs alone is cancelled and erased", async () => {
    const { db } = service.platform;
    const team = await teamOf([leaver, heir]);
    const { id: drafted } = await createDraft(leaving, { title: "Préparé", team });
    const { id: sent } = await createSent(leaving, { title: "Avenant", team });
    const { id: binned } = await createSent(leaving, { title: "Ancien", team });
    await actOn(leaving, binned, "cancel");
    const { id: own } = await createSent(leaving, { title: "À moi" });
    await leaving.post(CONTACTS, { full_name: "Jean Privé", email: "prive@exemple.fr" });
    await db
      .insertInto("templates")
      .values({
        id: service.platform.newId(),
        owner_id: leaver.id,
        team_id: team,
        name: "Bail",
        name_key: "bail",
        content: JSON.stringify({}),
        created_at: new Date(),
        updated_at: new Date(),
      })
      .execute();
    const refused = await erase(leaving);
    expect([...refusal(refused), refused.body.open_envelopes]).toEqual([
      409,
      "open_envelopes",
      [{ id: own, title: "À moi" }],
    ]);
    expect((await erase(leaving, true)).status).toBe(204);
    await service.settle();
    const kin = db.selectFrom("contacts").select("id").where("email", "=", "prive@exemple.fr");
    expect(await kin.execute()).toEqual([]);
    expect(await rowsOf([drafted, sent, binned])).toEqual([
      kept("cancelled", heir.id),
      kept("draft", heir.id),
      kept("sent", heir.id),
    ]);
    expect((await rowsOf([own]))[0]?.purged_at).not.toBeNull();
    expect(await holdingsOf(heir)).toMatchObject({ drafts: 1, templates: 1, openEnvelopes: 1 });
    expect(await selectUsedBytes(db, leaver.id)).toBe(0);
    expect(await selectUsedBytes(db, heir.id)).toBeGreaterThan(0);
    const hers = await signIn(service, heir);
    const events = await eventsOf(hers, sent);
    expect(events[0]).toMatchObject({
      action: "envelope_passed",
      detail: { from_name: `${leaver.firstName} ${leaver.lastName}` },
    });
    const addresses = await db
      .selectFrom("audit_details")
      .select("name")
      .where("envelope_id", "=", sent)
      .where("name", "=", "ip")
      .execute();
    expect(addresses).toEqual([]);
    expect((await actOn(hers, sent, "cancel")).status).toBe(200);
  });

  test("pass to the organisation's owner when nobody else works in the team", async () => {
    const team = await teamOf([leaver]);
    const { id } = await createSent(leaving, { title: "Avenant", team });
    expect((await erase(leaving)).status).toBe(204);
    await service.settle();
    expect(await rowsOf([id])).toEqual([kept("sent", owner.id)]);
  });

  test("end with the account of whoever works in the organisation alone", async () => {
    for (const person of [leaver, heir])
      await service.platform.db
        .deleteFrom("organisation_members")
        .where("user_id", "=", person.id)
        .execute();
    const team = await teamOf([owner]);
    await fill(lead, team);
    const { id } = await createSent(lead, { title: "Avenant", team });
    expect(await heldBy(team)).toEqual(SHARED.map(() => 1));
    expect(refusal(await erase(lead))).toEqual([409, "open_envelopes"]);
    expect((await erase(lead, true)).status).toBe(204);
    await service.settle();
    expect((await rowsOf([id]))[0]?.purged_at).not.toBeNull();
    expect(await heldBy(team)).toEqual(SHARED.map(() => 0));
  });

  test.each(["removed", "erased"])(
    "and a deleted team's, are somebody's once a member was %s",
    async (how) => {
      const team = await teamOf([leaver, heir]);
      await fill(leaving, team);
      const left = how === "removed" ? await remove() : await erase(leaving);
      expect(left.status).toBe(204);
      await service.settle();
      await lead.send("DELETE", `${BASE}/teams/${team}/`);
      expect((await heldBy(heir.id)).slice(0, 3)).toEqual([1, 1, 1]);
    },
  );
});
