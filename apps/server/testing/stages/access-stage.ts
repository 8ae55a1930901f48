import { MEMBER_ROLES, type MemberRole } from "@paraphe/contracts";
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
/** Whoever calls; `headers`: a guest's link. */
export type Caller = {
  readonly browser: TestBrowser;
  readonly headers: Readonly<Record<string, string>>;
};
export type AccessStage = {
  /** The roles of another organisation are named `other reader`, and so on. */
  readonly callers: ReadonlyMap<Actor | OtherRole, Caller>;
  /** Ids by kind of address, all of the sender's; of envelopes, first the one under way. */
  readonly known: Readonly<Record<string, readonly Names[]>>;
  /** A confirmed guest of another envelope of the sender. */
  readonly elsewhere: Caller;
};

/** One sender with one of everything, and everybody who may ask for it. */
export async function seedAccess(service: TestApp): Promise<AccessStage> {
  const { platform } = service;
  const people = {
    sender: await createMemberAs(platform, "member"),
    recipient: await createMember(platform),
    unconfirmed: await createMember(platform, { confirmed: false }),
    stranger: await createMember(platform),
  };
  const sender = await signIn(service, people.sender);
  const { envelopes, other: elsewhere } = await seedEnvelopes(service, sender, [
    people.recipient,
    people.unconfirmed,
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
  const callers: [Actor | OtherRole, Caller][] = [
    ["anonymous", plain(openBrowser(service.app))],
    ["link", { browser: openBrowser(service.app), headers: { "x-signature-token": link.token } }],
    ["guest", await guest(sent.id, "guest@exemple.fr")],
    ["stranger", plain(await signIn(service, people.stranger))],
    ["recipient", plain(await signIn(service, people.recipient))],
    ["unconfirmed", plain(await signIn(service, people.unconfirmed))],
    ["sender", plain(sender)],
  ];
  const other = await addOrganisation(service);
  for (const role of MEMBER_ROLES) {
    callers.push([role, plain(await signIn(service, await createMemberAs(platform, role)))]);
    callers.push([`other ${role}`, plain(await signIn(service, await other(role)))]);
  }
  return {
    callers: new Map(callers),
    known: {
      ...(await seedThings(service, { sender, member: people.sender }, envelopes)),
      ...(await seedMembers(service)),
    },
    elsewhere: await guest(elsewhere.id, "quatre@exemple.fr"),
  };
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
  return {
    "organisation members": [{ id: member.id }],
    "organisation invitations": invited.body.invitations.map(({ id }: Names) => ({ id })),
  };
}

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
  const mark = { name: "Bail", kind: "typed", text: "Anne Roux", font: "caveat" };
  const print = await post("prints/generate", { envelope: sent.id, qr_type: "page" });
  const contacts = await sender.get("/api/signature/contacts/");
  await signIn(service, member);
  const { results } = (await sender.get("/api/signature/me/sessions/")).body;
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
    templates: [{ id: template.id }],
    layouts: [{ id: layout.id }],
    contacts: [{ id: contacts.body.results[0].id }],
    "saved-signatures": [{ id: (await post("saved-signatures", mark)).id }],
    prints: [{ id: print.id }],
    "batch-jobs": [{ id: batch.body.id, position: "0" }],
    "me/factors/passkeys": [{ id: await addPasskey(sender, service.platform) }],
    "me/sessions": [{ id: results.find(({ current }: { current: boolean }) => !current).id }],
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
