import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../testing/app.ts";
import { createAuthenticator } from "../../testing/authenticator.ts";
import { type Answer, multipart, openBrowser, type TestBrowser } from "../../testing/browser.ts";
import { createDraft, createSent, ENVELOPES, recordTestSignature } from "../../testing/envelope.ts";
import { openMailedGuest, TYPED } from "../../testing/guest.ts";
import { createMemberAs } from "../../testing/organisation.ts";
import { createMember, signIn } from "../../testing/member.ts";
import { makePdf } from "../../testing/pdf.ts";

/**
 * Every route with an id, from the OpenAPI document, answers an outsider as for this unknown id. A
 * new route without data here fails the test.
 */
const UNKNOWN = "01990000-0000-7000-8000-00000000abcd";

/** Valid bodies, so that the id decides. */
const BODIES: Readonly<Record<string, object>> = {
  "patch /api/signature/envelopes/{id}/": { title: "À moi" },
  "post /api/signature/envelopes/{id}/send/": {},
  "put /api/organisation/members/{id}/role/": { role: "reader", from: "member" },
  "post /api/organisation/members/{id}/removal/": {
    heir_id: "01990000-0000-7000-8000-000000000001",
  },
  "post /api/signature/envelopes/{id}/extend/": { deadline_at: "2027-01-15T12:00:00Z" },
  "put /api/signature/envelopes/{id}/deadline/": { deadline_at: "2027-01-15T12:00:00Z" },
  "put /api/signature/envelopes/{id}/reminders/": { every_days: 3 },
  "put /api/signature/envelopes/{id}/public-page/": { proof_only: true },
  "patch /api/signature/envelopes/{id}/recipients/{recipientId}/": { email: "ailleurs@exemple.fr" },
  "post /api/signature/envelopes/{id}/recipients/{recipientId}/resend/": {},
  "post /api/signature/envelopes/{id}/send_otp/": {},
  "post /api/signature/envelopes/{id}/verify_otp/": { otp: "123456" },
  "post /api/signature/envelopes/{id}/sign/": TYPED,
  "post /api/signature/envelopes/{id}/sign_authenticated/": TYPED,
  "post /api/signature/envelopes/{id}/hsm_sign/": TYPED,
  "post /api/signature/envelopes/{id}/decline/": { reason: "Non" },
  "patch /api/signature/saved-signatures/{id}/": { name: "À moi" },
  "post /api/signature/batch-jobs/{id}/retry/": {},
  "patch /api/signature/templates/{id}/": { name: "À moi" },
  "post /api/signature/templates/{id}/use/": { people: [] },
  "put /api/signature/contacts/{id}/": { full_name: "À moi", email: "moi@exemple.fr" },
};
/** Always the same redirection. */
const REDIRECTS = new Set(["/api/signature/activate/{uid}/{token}/"]);

/** `wrong`: a body that the route refuses. */
type Route = { readonly method: string; readonly path: string; readonly wrong?: object };
type Names = Readonly<Record<string, string>>;
let service: TestApp;
let routes: readonly Route[];
/** Ids by kind of address: an envelope in each state. */
let known: Readonly<Record<string, readonly Names[]>>;
let zoe: TestBrowser;
let otherToken = "";

beforeAll(async () => {
  service = await createTestApp();
  const { platform } = service;
  const anne = await signIn(
    service,
    await createMember(platform, { firstName: "Anne", lastName: "Roux" }),
  );
  zoe = await signIn(
    service,
    await createMember(platform, { firstName: "Zoë", lastName: "Œuvrard" }),
  );
  const document = await service.app.inject({ url: "/api/openapi.json" });
  routes = Object.entries(document.json().paths as Record<string, object>).flatMap(
    ([path, operations]) => Object.keys(operations).map((method) => ({ method, path })),
  );
  const person = (name: string) => ({ email: `${name}@exemple.fr`, full_name: name });
  const draft = await createDraft(anne);
  const sent = await createSent(anne, { recipients: [person("un")] });
  const cancelled = await createSent(anne, { recipients: [person("deux")] });
  await anne.post(`${ENVELOPES}${cancelled.id}/cancel/`);
  const done = await createSent(anne, { recipients: [person("trois")] });
  await recordTestSignature(platform, done.id, done.recipients[0]?.id ?? "");
  const purged = await createDraft(anne);
  await anne.post(`${ENVELOPES}${purged.id}/cancel/`);
  await anne.send("DELETE", `${ENVELOPES}${purged.id}/purge/`);
  const other = await createSent(anne, { recipients: [person("quatre")] });
  await service.settle();
  otherToken = (await openMailedGuest(service, other.id, "quatre@exemple.fr")).token;
  const template = await anne.post("/api/signature/templates/", {
    envelope: draft.id,
    name: "Bail",
  });
  const field = {
    document_rank: 0,
    person_rank: 0,
    type: "signature",
    page: 1,
    x: 0.1,
    y: 0.7,
    width: 0.3,
    height: 0.06,
    required: true,
  };
  const layout = await anne.post("/api/signature/layouts/", {
    name: "Bail",
    fields: [{ ...field, label: null }],
  });
  const mark = { name: "Bail", kind: "typed", text: "Anne Roux", font: "caveat" };
  const signature = await anne.post("/api/signature/saved-signatures/", mark);
  const print = await anne.post("/api/signature/prints/generate/", {
    envelope: sent.id,
    qr_type: "page",
  });
  const contacts = await anne.get("/api/signature/contacts/");
  const session = (await anne.get("/api/signature/me/sessions/")).body;
  const passkey = await addPasskey(anne, platform);
  const form = multipart(
    {
      placement: JSON.stringify({ page: -1, x: 0.5, y: 0.7, width: 0.3, height: 0.1 }),
      signature: JSON.stringify(TYPED.signature),
    },
    [{ field: "files", name: "lot.pdf", bytes: makePdf(), type: "application/pdf" }],
  );
  const batch = await anne.post("/api/signature/batch-sign/", form.body, { headers: form.headers });
  const owner = await createMemberAs(platform, "owner");
  const invitation = await (await signIn(service, owner)).post("/api/organisation/invitations/", {
    emails: ["nadia@exemple.fr"],
    role: "member",
  });
  known = {
    "organisation members": [{ id: owner.id }],
    "organisation invitations": [{ id: invitation.body.invitations[0].id }],
    envelopes: [draft, sent, cancelled, done, purged].map((envelope) => ({
      id: envelope.id,
      recipientId: envelope.recipients[0]?.id ?? "",
      document_id: envelope.documents[0]?.id ?? "",
    })),
    templates: [{ id: template.body.id }],
    layouts: [{ id: layout.body.id }],
    contacts: [{ id: contacts.body.results[0].id }],
    "saved-signatures": [{ id: signature.body.id }],
    prints: [{ id: print.body.id }],
    "batch-jobs": [{ id: batch.body.id, position: "0" }],
    "me/factors/passkeys": [{ id: passkey }],
    "me/sessions": [{ id: (session.results ?? session)[0].id }],
  };
});
afterAll(() => service.close());

async function addPasskey(of: TestBrowser, platform: TestApp["platform"]): Promise<string> {
  const factors = "/api/signature/me/factors/";
  const { body } = await of.post(`${factors}passkeys/options/`);
  const key = createAuthenticator(platform.settings.publicUrl);
  const credential = key.create({ challenge: body.challenge });
  await of.post(`${factors}passkeys/`, { name: "Clé", credential });
  return (await of.get(factors)).body.passkeys[0].id;
}

/** `kind` is a word that everybody knows: the roles of its routes are in `host.test.ts`. */
const withId = () => routes.filter(({ path }) => /\{(?!kind\})/.test(path) && !REDIRECTS.has(path));
const kindOf = (path: string) =>
  /^\/api\/(?:signature\/)?(.+?)\/\{/.exec(path)?.[1]?.replace("organisation/", "organisation ") ??
  path;
/** The organisation's routes ask for a role before they look for what is named. */
const refusalAt = (path: string) => (path.startsWith("/api/organisation/") ? 403 : 404);

function addressOf(path: string, names: Names): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = names[name];
    if (!value)
      throw new Error(`unknown-ids.test.ts has no ${name} for ${path}: add it to \`known\``);
    return value;
  });
}

/** All that could distinguish one id from another. */
function comparable(answer: Answer): object {
  const { status, body, headers, text } = answer;
  const { request_id: _own, instance: _address, ...rest } = body ?? {};
  const {
    date: _date,
    "x-request-id": _id,
    "content-length": _length,
    "set-cookie": _cookie,
    ...kept
  } = headers as Record<string, unknown>;
  return { status, body: body === null ? text : rest, headers: Object.keys(kept).sort() };
}

function ask(
  browser: TestBrowser,
  { method, path, wrong }: Route,
  names: Names,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const url = addressOf(path, names);
  if (method === "get") return browser.get(url, { headers });
  const body = wrong ?? BODIES[`${method} ${path}`];
  return browser.send(method.toUpperCase() as "POST", url, {
    headers,
    ...(body === undefined ? {} : { body }),
  });
}

async function compare(
  route: Route,
  browser: TestBrowser,
  headers: Readonly<Record<string, string>> = {},
): Promise<ReadonlySet<number>> {
  const statuses = new Set<number>();
  for (const names of known[kindOf(route.path)] ?? []) {
    const unknown = Object.fromEntries(Object.keys(names).map((name) => [name, UNKNOWN]));
    const [one, other] = [
      await ask(browser, route, names, headers),
      await ask(browser, route, unknown, headers),
    ];
    expect({ ...route, answer: comparable(one) }).toEqual({ ...route, answer: comparable(other) });
    statuses.add(one.status);
  }
  return statuses;
}

describe("a route whose address holds an id", () => {
  it("this test knows every route with an id", () => {
    expect(withId().length).toBeGreaterThan(30);
    const missing = withId().filter(({ path }) => known[kindOf(path)] === undefined);
    expect(missing, "add what these addresses name to `known`").toEqual([]);
  });

  it("somebody else's account gets 404, as for an unknown id", async () => {
    for (const route of withId()) {
      const statuses = [...(await compare(route, zoe))];
      // Without its link a guest's call is a 404 too.
      expect({ ...route, statuses }).toEqual({ ...route, statuses: [refusalAt(route.path)] });
    }
  });

  it("a wrong body changes nothing for another account: 404 for any content", async () => {
    for (const route of withId().filter(({ method }) =>
      ["post", "put", "patch"].includes(method),
    )) {
      const statuses = [
        ...(await compare({ ...route, wrong: { inconnu: 7, title: 7, name: 7, id: [] } }, zoe)),
      ];
      expect({ ...route, statuses }).toEqual({ ...route, statuses: [refusalAt(route.path)] });
    }
  });

  it("a guest of another envelope gets the answer of an unknown id", async () => {
    for (const route of withId()) {
      const statuses = await compare(route, openBrowser(service.app), {
        "x-signature-token": otherToken,
      });
      for (const status of statuses)
        expect({ ...route, refused: status === 404 || status === 401 }).toEqual({
          ...route,
          refused: true,
        });
    }
  });

  it("a browser without a session gets the same answer for any id", async () => {
    for (const route of withId()) {
      const statuses = await compare(route, openBrowser(service.app));
      for (const status of statuses)
        expect({ ...route, refused: status === 404 || status === 401 }).toEqual({
          ...route,
          refused: true,
        });
    }
  });

  it("none of these calls changes anything", async () => {
    const rows = await service.platform.db
      .selectFrom("envelopes")
      .select(["title", "status", "version"])
      .execute();
    expect(rows.filter((row) => row.title === "À moi")).toEqual([]);
    expect(rows.map((row) => row.status).toSorted()).toEqual([
      "cancelled",
      "cancelled",
      "completed",
      "draft",
      "sent",
      "sent",
    ]);
  });
});
