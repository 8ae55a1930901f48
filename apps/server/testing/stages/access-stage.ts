import { KEY_SCOPES, MEMBER_ROLES, type MemberRole } from "@paraphe/contracts";
import { toBase64 } from "@paraphe/kernel/bytes";
import { createAuthenticator } from "../authenticator.ts";
import type { TestApp } from "../app.ts";
import { multipart, openBrowser, type TestBrowser } from "../browser.ts";
import { createDraft, createSent, ENVELOPES, recordTestSignature } from "../envelope.ts";
import { openConfirmedGuest, openMailedGuest, TYPED } from "../guest.ts";
import { makePng } from "../images.ts";
import { createMember, type Member, signIn } from "../member.ts";
import { createMemberAs, IDENTITY } from "../organisation.ts";
import { makePdf } from "../pdf.ts";
import type { Actor } from "../access-table.ts";

export const UNKNOWN = "01990000-0000-7000-8000-00000000abcd";
export type Names = Readonly<Record<string, string>>;
export type OtherRole = `other ${MemberRole}`;
/** Members whom a recipient of the envelope under way named: from tomorrow, for today, until then. */
export const DELEGATES = ["delegate before", "delegate", "delegate after"] as const;
type Delegate = (typeof DELEGATES)[number];
/** Whoever calls; `headers`: a guest's link. */
export type Caller = {
  readonly browser: TestBrowser;
  readonly headers: Readonly<Record<string, string>>;
};
export type AccessStage = {
  /** The roles of another organisation are named `other reader`, and so on. */
  readonly callers: ReadonlyMap<Actor | OtherRole | Delegate, Caller>;
  /** Ids by kind of address, all of the sender's; of envelopes, first the one under way. */
  readonly known: Readonly<Record<string, readonly Names[]>>;
  /** A confirmed guest of another envelope of the sender. */
  readonly elsewhere: Caller;
  /** A confirmed guest of the envelope under way, a member as well. */
  readonly memberGuest: Caller;
  /** `held`: what the team has. */
  readonly keys: Readonly<Record<"team" | "other team" | "organisation", Caller>> & {
    readonly held: AccessStage["known"];
  };
};

/** One sender with one of everything, and everybody who may ask for it. */
export async function seedAccess(service: TestApp): Promise<AccessStage> {
  const { platform } = service;
  const people = {
    sender: await createMemberAs(platform, "member"),
    recipient: await createMember(platform),
    unconfirmed: await createMember(platform, { confirmed: false }),
    stranger: await createMember(platform),
    delegator: await createMemberAs(platform, "member"),
  };
  const sender = await signIn(service, people.sender);
  const { envelopes, other: elsewhere } = await seedEnvelopes(service, sender, [
    people.recipient,
    people.unconfirmed,
    people.delegator,
  ]);
  const { sent } = envelopes;
  const plain = (browser: TestBrowser): Caller => ({ browser, headers: {} });
  const link = await openMailedGuest(service, sent.id, "link@exemple.fr");
  const guest = async (id: string, email: string): Promise<Caller> => {
    const { token, cookies } = await openConfirmedGuest(service, id, email);
    const browser = openBrowser(service.app);
    for (const [name, cookie] of cookies) browser.cookies.set(name, cookie);
    return { browser, headers: { "x-signature-token": token } };
  };
  const callers: [Actor | OtherRole | Delegate, Caller][] = [
    ["anonymous", plain(openBrowser(service.app))],
    ["link", { browser: openBrowser(service.app), headers: { "x-signature-token": link.token } }],
    ["guest", await guest(sent.id, "guest@exemple.fr")],
    ["stranger", plain(await signIn(service, people.stranger))],
    ["recipient", plain(await signIn(service, people.recipient))],
    ["unconfirmed", plain(await signIn(service, people.unconfirmed))],
    ["sender", plain(sender)],
  ];
  for (const [name, delegate] of await seedDelegates(service, people.delegator))
    callers.push([name, plain(await signIn(service, delegate))]);
  const other = await addOrganisation(service);
  for (const role of MEMBER_ROLES) {
    callers.push([role, plain(await signIn(service, await createMemberAs(platform, role)))]);
    callers.push([`other ${role}`, plain(await signIn(service, await other(role)))]);
  }
  const things = await seedThings(service, { sender, member: people.sender }, envelopes);
  const members = await seedMembers(service);
  return {
    callers: new Map(callers),
    known: { ...things, ...members },
    keys: await seedKeys(service),
    elsewhere: await guest(elsewhere.id, "quatre@exemple.fr"),
    memberGuest: await guest(sent.id, people.delegator.email),
  };
}

async function seedDelegates(
  service: TestApp,
  delegator: Member,
): Promise<readonly (readonly [Delegate, Member])[]> {
  const { platform } = service;
  const browser = await signIn(service, delegator);
  const now = platform.clock().getTime();
  const day = (days: number) => new Date(now + days * 86_400_000).toISOString().slice(0, 10);
  const seeded: [Delegate, Member][] = [];
  for (const name of DELEGATES) {
    const delegate = await createMemberAs(platform, "member");
    const starts_on = day(name === "delegate before" ? 2 : 0);
    await browser.post("/api/organisation/delegations/", {
      delegate_id: delegate.id,
      starts_on,
      ends_on: day(9),
      scope: "all",
    });
    seeded.push([name, delegate]);
  }
  await platform.db
    .updateTable("delegations")
    // Longer ago than the day during which the page explains it.
    .set({ ended_at: new Date(now - 2 * 86_400_000), ended_by: "delegator" })
    .where("delegate_id", "=", seeded[2]?.[1].id ?? "")
    .execute();
  return seeded;
}

type Envelopes = Awaited<ReturnType<typeof seedEnvelopes>>["envelopes"];

async function seedEnvelopes(service: TestApp, sender: TestBrowser, accounts: readonly Member[]) {
  const person = (name: string) => ({ email: `${name}@exemple.fr`, full_name: name });
  const sent = await createSent(sender, {
    recipients: [
      person("guest"),
      person("link"),
      ...accounts.map(({ email }) => ({ email, full_name: "Camille Roux" })),
    ],
  });
  const draft = await createDraft(sender);
  const cancelled = await createSent(sender, { recipients: [person("deux")] });
  await sender.post(`${ENVELOPES}${cancelled.id}/cancel/`);
  const done = await createSent(sender, { recipients: [person("trois")] });
  await recordTestSignature(service.platform, done.id, done.recipients[0]?.id ?? "");
  const purged = await createDraft(sender);
  await sender.post(`${ENVELOPES}${purged.id}/cancel/`);
  await sender.send("DELETE", `${ENVELOPES}${purged.id}/purge/`);
  const other = await createSent(sender, { recipients: [person("quatre")] });
  await service.settle();
  return { envelopes: { sent, draft, cancelled, done, purged }, other };
}

async function addOrganisation({ platform }: TestApp) {
  const now = platform.clock();
  const id = platform.newId();
  await platform.db
    .insertInto("organisations")
    .values({ id, created_at: now, updated_at: now })
    .execute();
  return async (role: (typeof MEMBER_ROLES)[number]): Promise<Member> => {
    const member = await createMember(platform);
    await platform.db
      .insertInto("organisation_members")
      .values({ organisation_id: id, user_id: member.id, role, created_at: now })
      .execute();
    return member;
  };
}

async function seedMembers(service: TestApp): Promise<AccessStage["known"]> {
  const { platform } = service;
  const member = await createMemberAs(platform, "member");
  const leader = await signIn(service, await createMemberAs(platform, "owner"));
  const named = await leader.send("PUT", "/api/organisation/identity/", {
    body: { ...IDENTITY, version: 1 },
  });
  const logo = { colour: null, logo: toBase64(makePng(90, 30)), version: named.body.version };
  await leader.send("PUT", "/api/organisation/appearance/", { body: logo });
  const invited = await leader.post("/api/organisation/invitations/", {
    emails: ["nadia@exemple.fr", "nour@exemple.fr"],
    role: "member",
  });
  for (const name of ["Marchés", "Successions"]) {
    await leader.post("/api/organisation/teams/", { name });
    await leader.post("/api/organisation/circuits/", { ...CIRCUIT, name });
  }
  const idsOf = (list: readonly { readonly id: string }[]) => list.map(({ id }) => ({ id }));
  const { teams } = (await leader.get("/api/organisation/teams/")).body;
  const { circuits } = (await leader.get("/api/organisation/circuits/")).body;
  return {
    "organisation teams": idsOf(teams),
    "organisation circuits": idsOf(circuits),
    "organisation members": [{ id: member.id }],
    "organisation invitations": invited.body.invitations.map(({ id }: Names) => ({ id })),
  };
}

const CIRCUIT = {
  use: "free",
  kinds: [],
  steps: [
    {
      kind: "signature",
      by: { who: "preparer" },
      together: false,
      may_return: false,
      may_reassign: false,
    },
  ],
};
const FIELD = {
  document_rank: 0,
  person_rank: 0,
  type: "signature",
  page: 1,
  x: 0.1,
  y: 0.7,
  width: 0.3,
  height: 0.06,
  required: true,
  label: null,
};

async function seedThings(
  service: TestApp,
  { sender, member }: { readonly sender: TestBrowser; readonly member: Member },
  envelopes: Envelopes,
): Promise<AccessStage["known"]> {
  const post = async (path: string, body: object) =>
    (await sender.post(`/api/signature/${path}/`, body)).body;
  const { sent, draft } = envelopes;
  const template = await post("templates", { envelope: draft.id, name: "Bail" });
  const layout = await post("layouts", { name: "Bail", fields: [FIELD] });
  const content = Buffer.from("Nom;Email\nAnne Roux;anne@exemple.fr\n").toString("base64");
  const mailing = await post("mailings", {
    template: template.id,
    file: { name: "a.csv", content },
  });
  const mark = { name: "Bail", kind: "typed", text: "Anne Roux", font: "caveat" };
  const print = await post("prints/generate", { envelope: sent.id, qr_type: "page" });
  const contacts = await sender.get("/api/signature/contacts/");
  await signIn(service, member);
  const { results } = (await sender.get("/api/signature/me/sessions/")).body;
  const delegate = await createMemberAs(service.platform, "member");
  await sender.post("/api/organisation/delegations/", {
    delegate_id: delegate.id,
    starts_on: "2026-12-20",
    ends_on: "2026-12-24",
    scope: "all",
  });
  const { given } = (await sender.get("/api/organisation/delegations/")).body;
  const key = await post("me/keys", { name: "Paie", scopes: ["proof:read"], days: null });
  const hook = { url: "http://localhost:9/", types: ["envelope.sent"] };
  const webhook = await post("me/webhooks", hook);
  await post(`me/webhooks/${webhook.webhook.id}/test`, {});
  await service.settle();
  const { tries } = (await sender.get(`/api/signature/me/webhooks/${webhook.webhook.id}/tries/`))
    .body;
  const form = multipart(
    {
      placement: JSON.stringify({ page: -1, x: 0.5, y: 0.7, width: 0.3, height: 0.1 }),
      signature: JSON.stringify(TYPED.signature),
    },
    [{ field: "files", name: "lot.pdf", bytes: makePdf(), type: "application/pdf" }],
  );
  const batch = await sender.send("POST", "/api/signature/batch-sign/", form);
  return {
    envelopes: Object.values(envelopes).map((envelope) => ({
      id: envelope.id,
      recipientId: envelope.recipients[0]?.id ?? "",
      document_id: envelope.documents[0]?.id ?? "",
    })),
    templates: [{ id: template.id, position: "0" }],
    mailings: [{ id: mailing.id, line: "2" }],
    layouts: [{ id: layout.id }],
    contacts: [{ id: contacts.body.results[0].id }],
    "saved-signatures": [{ id: (await post("saved-signatures", mark)).id }],
    prints: [{ id: print.id }],
    "batch-jobs": [{ id: batch.body.id, position: "0" }],
    "me/factors/passkeys": [{ id: await addPasskey(sender, service.platform) }],
    "organisation delegations": [{ id: given[0].id }],
    "me/keys": [{ id: key.key.id }],
    "me/webhooks": [{ id: webhook.webhook.id, try_id: tries[0].id }],
    "me/sessions": [{ id: results.find(({ current }: { current: boolean }) => !current).id }],
  };
}

async function seedKeys(service: TestApp): Promise<AccessStage["keys"]> {
  const lead = await createMemberAs(service.platform, "owner");
  const browser = await signIn(service, lead);
  const post = async (path: string, body: object) =>
    (await browser.post(`/api/signature/${path}/`, body)).body;
  const members = [{ id: lead.id, is_administrator: true }];
  const { teams } = (await browser.post("/api/organisation/teams/", { name: "Voirie", members }))
    .body;
  const team = teams.find(({ name }: Names) => name === "Voirie").id;
  const other = teams.find(({ name }: Names) => name !== "Voirie").id;
  const organisation = (await browser.get("/api/signature/me/keys/")).body.holders[0].id;
  const make = async (holder: string): Promise<Caller> => {
    const asked = { name: "Paie", scopes: Object.keys(KEY_SCOPES), days: null, holder };
    const { secret } = await post("me/keys", asked);
    return { browser: openBrowser(service.app), headers: { authorization: `Bearer ${secret}` } };
  };
  const recipients = [{ email: "voirie@exemple.fr", full_name: "Zoé" }];
  const sent = await createSent(browser, { team, recipients });
  await recordTestSignature(service.platform, sent.id, sent.recipients[0]?.id ?? "");
  const template = await post("templates", { envelope: sent.id, name: "Voirie", team });
  const url = "http://localhost:9/";
  const { webhook } = await post("me/webhooks", { url, types: ["envelope.sent"], holder: team });
  await service.settle();
  return {
    team: await make(team),
    "other team": await make(other),
    organisation: await make(organisation),
    held: {
      envelopes: [
        {
          id: sent.id,
          recipientId: sent.recipients[0]?.id ?? "",
          document_id: sent.documents[0]?.id ?? "",
        },
      ],
      templates: [{ id: template.id, position: "0" }],
      "me/webhooks": [{ id: webhook.id, try_id: "1" }],
    },
  };
}

async function addPasskey(of: TestBrowser, platform: TestApp["platform"]): Promise<string> {
  const factors = "/api/signature/me/factors/";
  const { body } = await of.post(`${factors}passkeys/options/`);
  const key = createAuthenticator(platform.settings.publicUrl);
  const credential = key.create({ challenge: body.challenge });
  await of.post(`${factors}passkeys/`, { name: "Clé", credential });
  return (await of.get(factors)).body.passkeys[0].id;
}
