import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { KEY_SCOPES, type KeyRequest, type KeyScope, LIVE_PATH } from "@paraphe/contracts";
import { toBase64 } from "@paraphe/kernel/bytes";
import { beforeEach, describe, expect, test } from "vitest";
import { expectRefusal } from "../../../../testing/answers.ts";
import { openBrowser, refusal, type TestBrowser } from "../../../../testing/browser.ts";
import {
  createDraft,
  createSent,
  ENVELOPES,
  envelopeForm,
  PAUL,
} from "../../../../testing/envelope.ts";
import { openStream } from "../../../../testing/live-stream.ts";
import { mailFor } from "../../../../testing/mailbox.ts";
import { makePdf } from "../../../../testing/pdf.ts";
import { createMember, type Member, signIn } from "../../../../testing/member.ts";
import { useTestApp } from "../../../../testing/use-test-app.ts";
import { scopeOfRoute } from "./keys.ts";
import { createMemberAs } from "../../../../testing/organisation.ts";

const service = useTestApp();
const KEYS = "/api/signature/me/keys/";
let served: Promise<string> | undefined;
const serve = () => (served ??= service.app.listen({ host: "127.0.0.1", port: 0 }));
const ALL = Object.keys(KEY_SCOPES) as KeyScope[];

let member: Member;
let mine: TestBrowser;

beforeEach(async () => {
  member = await createMember(service.platform);
  mine = await signIn(service, member);
});

async function create(asked: Partial<KeyRequest> = {}): Promise<{ id: string; secret: string }> {
  const body = { name: "Logiciel de gestion", scopes: ALL, days: 365, ...asked };
  const answer = await mine.post(KEYS, body);
  expect(answer.status).toBe(201);
  return { id: answer.body.key.id, secret: answer.body.secret };
}

test("a key that would end on another day hears when it may", async () => {
  const answer = await mine.post(KEYS, { name: "Paie", scopes: ALL, days: 30 });
  expect([answer.status, answer.body.errors]).toEqual([
    400,
    { days: ["365, 90 ou null (sans fin)"] },
  ]);
});

test("a reader's key reads, and nothing else", async () => {
  mine = await signIn(service, await createMemberAs(service.platform, "reader"));
  const asked = { name: "Paie", days: null };
  for (const scope of ALL.filter((one) => !one.endsWith(":read"))) {
    const answer = mine.post(KEYS, { ...asked, scopes: ["envelopes:read", scope] });
    await expectRefusal(answer, 403, "readers_only_read");
  }
  expect((await mine.get(KEYS)).body.keys).toEqual([]);
  await create({ scopes: ALL.filter((one) => one.endsWith(":read")) });
});

test("a session goes on when its access token ends while a body arrives", async () => {
  const { body, headers } = envelopeForm();
  const slowly = async function* () {
    yield body.subarray(0, 9);
    service.platform.clock.advance({ minutes: 16 });
    await sleep(1_050);
    yield body.subarray(9);
  };
  const answer = await mine.send("POST", ENVELOPES, { body: Readable.from(slowly()), headers });
  expect(answer.status, answer.text).toBe(201);
});

type Call = {
  readonly method?: "GET" | "POST" | "PATCH" | "DELETE";
  readonly ip?: string;
  body?: object;
};

/** Calls as a program does: no cookie, no CSRF token. */
async function call(secret: string, url: string, { method = "GET", ip, body }: Call = {}) {
  const answer = await service.app.inject({
    method,
    url,
    headers: { authorization: `Bearer ${secret}` },
    ...(ip === undefined ? {} : { remoteAddress: ip }),
    ...(body === undefined ? {} : { payload: body }),
  });
  const isJson = /json/.test(String(answer.headers["content-type"]));
  return {
    status: answer.statusCode,
    headers: answer.headers,
    body: isJson ? answer.json() : null,
  };
}

describe("a key", () => {
  test("is shown once, listed by its first characters, and stored as a hash alone", async () => {
    const answer = await mine.post(KEYS, { name: "Paie", scopes: ["proof:read"], days: null });
    expect(answer.headers["cache-control"]).toBe("no-store");
    const { secret } = answer.body;
    expect(secret).toMatch(/^pk_live_[0-9A-Za-z]{32}$/);
    expect((await mine.get(KEYS)).body.keys).toEqual([
      {
        id: answer.body.key.id,
        holder: { kind: "person", id: member.id, name: "Camille Roux" },
        by: "Camille Roux",
        name: "Paie",
        hint: secret.slice(0, 12),
        scopes: ["proof:read"],
        addresses: [],
        origins: [],
        created_at: expect.any(String),
        expires_at: null,
        last_used_at: null,
      },
    ]);
    const rows = await service.platform.db.selectFrom("api_keys").selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(secret.slice(12));
    const mails = await service.platform.db
      .selectFrom("notices")
      .select("kind")
      .where("user_id", "=", member.id)
      .where("dedupe_key", "like", "key_created:%")
      .execute();
    expect(mails).toHaveLength(1);
  });

  test("sends an envelope as its owner, without cookie nor CSRF token", async () => {
    const { secret } = await create();
    const form = envelopeForm({ title: "Bail", recipients: [PAUL] });
    const draft = await service.app.inject({
      method: "POST",
      url: ENVELOPES,
      payload: form.body,
      headers: { ...form.headers, authorization: `Bearer ${secret}` },
    });
    expect(draft.statusCode).toBe(201);
    const { id } = draft.json();
    expect((await call(secret, `${ENVELOPES}${id}/`)).body.title).toBe("Bail");
    expect((await mine.get(`${ENVELOPES}${id}/`)).body.title).toBe("Bail");
    const sent = await call(secret, `${ENVELOPES}${id}/send/`, { method: "POST" });
    expect([sent.status, sent.body.status]).toEqual([200, "sent"]);
  });

  test("is revoked at once, and shows its last use to the minute", async () => {
    const { id, secret } = await create();
    expect((await call(secret, ENVELOPES)).status).toBe(200);
    const used = (await mine.get(KEYS)).body.keys[0].last_used_at;
    expect(used).toBe(service.platform.clock().toISOString());
    service.platform.clock.advance({ seconds: 30 });
    await call(secret, ENVELOPES);
    expect((await mine.get(KEYS)).body.keys[0].last_used_at).toBe(used);
    service.platform.clock.advance({ seconds: 31 });
    await call(secret, ENVELOPES);
    expect((await mine.get(KEYS)).body.keys[0].last_used_at).not.toBe(used);
    expect((await mine.send("DELETE", `${KEYS}${id}/`)).status).toBe(204);
    const answer = await call(secret, ENVELOPES);
    expect(refusal(answer)).toEqual([401, "key_unknown"]);
    expect(answer.headers["www-authenticate"]).toBe('Bearer error="invalid_token"');
    expect(refusal(await mine.send("DELETE", `${KEYS}${id}/`))).toEqual([404, "not_found"]);
  });

  test("is not used by a call that is refused or asks for another's", async () => {
    const { id, secret } = await create({ scopes: ["envelopes:read"], addresses: ["10.0.0.1"] });
    const other = await createDraft(await signIn(service, await createMember(service.platform)));
    const ip = "10.0.0.1";
    const lastUse = async () =>
      (await mine.get(KEYS)).body.keys.find((key: { id: string }) => key.id === id).last_used_at;
    for (const [status, url, asked] of [
      [403, ENVELOPES, { ip: "10.0.0.2" }],
      [403, `${ENVELOPES}${other.id}/send/`, { ip, method: "POST" }],
      [403, KEYS, { ip }],
      [404, `${ENVELOPES}${other.id}/`, { ip }],
    ] as const) {
      expect((await call(secret, url, asked)).status).toBe(status);
      expect(await lastUse()).toBeNull();
    }
    expect((await call(secret, `${ENVELOPES}?page=0`, { ip })).status).toBe(400);
    expect(await lastUse()).toBe(service.platform.clock().toISOString());
  });

  test("expires, and ends with its account", async () => {
    const { secret } = await create({ days: 90 });
    const lasting = await create({ days: null });
    service.platform.clock.advance({ days: 90 });
    expect(refusal(await call(secret, ENVELOPES))).toEqual([401, "key_expired"]);
    expect((await call(lasting.secret, ENVELOPES)).status).toBe(200);
    await service.platform.db
      .updateTable("users")
      .set({ deactivated_at: service.platform.clock() })
      .where("id", "=", member.id)
      .execute();
    expect(refusal(await call(lasting.secret, ENVELOPES))).toEqual([401, "key_unknown"]);
  });

  test("works from its addresses alone, IPv6 ranges included", async () => {
    const { secret } = await create({ addresses: ["203.0.113.7", "2001:db8:1::/48"] });
    for (const ip of ["203.0.113.7", "2001:db8:1:2::9"])
      expect((await call(secret, ENVELOPES, { ip })).status).toBe(200);
    for (const ip of ["203.0.113.8", "2001:db8:2::9"]) {
      const answer = await call(secret, ENVELOPES, { ip });
      expect(refusal(answer)).toEqual([403, "key_address"]);
      expect(answer.body.detail).toContain(ip);
    }
  });

  test("follows the live stream with its scope, and hears nothing once it is revoked", async () => {
    const { id, secret } = await create({ scopes: ["envelopes:read"] });
    const { secret: other } = await create({ scopes: ["proof:read"] });
    expect(refusal(await call(other, LIVE_PATH))).toEqual([403, "key_scope"]);
    const url = await serve();
    const stream = await openStream(
      url,
      { cookies: new Map() },
      { authorization: `Bearer ${secret}` },
    );
    const heard = () => stream.events.filter(({ name }) => name === "envelope").length;
    await createDraft(mine);
    await expect.poll(heard, { timeout: 10_000 }).toBe(1);
    await mine.send("DELETE", `${KEYS}${id}/`);
    await createDraft(mine);
    await expect.poll(stream.hasEnded, { timeout: 10_000 }).toBe(true);
    expect([heard(), stream.events.at(-1)]).toEqual([
      1,
      { name: "end", data: { reason: "session_ended" } },
    ]);
  });

  test("ends the live stream of an address that it may not call from any more", async () => {
    const { id, secret } = await create({ scopes: ["envelopes:read"] });
    const headers = { authorization: `Bearer ${secret}` };
    const stream = await openStream(await serve(), { cookies: new Map() }, headers);
    const body = { addresses: ["198.51.100.1"] };
    expect((await mine.send("PATCH", `${KEYS}${id}/`, { body })).status).toBe(200);
    await expect.poll(stream.hasEnded, { timeout: 10_000 }).toBe(true);
  });

  test("is refused once revoked while a body arrives, as JSON or as a form", async () => {
    const form = envelopeForm();
    const json = { body: Buffer.from('{"title": "Bail"}'), headers: {} };
    for (const { body, headers } of [
      form,
      { ...json, headers: { "content-type": "application/json" } },
    ]) {
      const { id, secret } = await create();
      const slowly = async function* () {
        yield body.subarray(0, 9);
        await mine.send("DELETE", `${KEYS}${id}/`);
        await sleep(1_050);
        yield body.subarray(9);
      };
      const before = (await mine.get(ENVELOPES)).body.count;
      const answer = await service.app.inject({
        method: "POST",
        url: ENVELOPES,
        headers: { ...headers, authorization: `Bearer ${secret}` },
        payload: Readable.from(slowly()),
      });
      expect([answer.statusCode, answer.json().code]).toEqual([401, "key_unknown"]);
      expect((await mine.get(ENVELOPES)).body.count).toBe(before);
    }
  });

  test("opens no call that is for everybody", async () => {
    const { secret } = await create();
    for (const key of [secret, `pk_live_${"0".repeat(32)}`]) {
      const asked = { method: "POST", body: { email: member.email } } as const;
      const answer = await call(key, "/api/signature/password-reset/", asked);
      expect(refusal(answer)).toEqual([403, "key_not_for_programs"]);
    }
  });

  test("belongs to its account: another one neither sees nor revokes it", async () => {
    const { id, secret } = await create();
    const other = await signIn(service, await createMember(service.platform));
    expect((await other.get(KEYS)).body.keys).toEqual([]);
    for (const [method, body] of [
      ["DELETE", undefined],
      ["PATCH", { name: "À moi" }],
    ] as const)
      expect(refusal(await other.send(method, `${KEYS}${id}/`, { body }))).toEqual([
        404,
        "not_found",
      ]);
    expect((await call(secret, ENVELOPES)).status).toBe(200);
  });

  test("a member's key is recorded in the organisation's journal", async () => {
    mine = await signIn(service, await createMemberAs(service.platform, "administrator"));
    const { id } = await create({ name: "Paie" });
    for (const body of [{}, { name: "Paie", scopes: ALL, addresses: [] }])
      expect((await mine.send("PATCH", `${KEYS}${id}/`, { body })).status).toBe(200);
    await mine.send("DELETE", `${KEYS}${id}/`);
    const { entries } = (await mine.get("/api/organisation/journal/")).body;
    expect(entries.slice(0, 2).map(({ sentence }: { sentence: string }) => sentence)).toEqual([
      "Clé d’API «\u00a0Paie\u00a0» révoquée",
      "Clé d’API «\u00a0Paie\u00a0» créée",
    ]);
  });
});

describe("a change of a key", () => {
  const change = (id: string, body: object) => mine.send("PATCH", `${KEYS}${id}/`, { body });

  test("holds from the next call on: name, rights, addresses and sites", async () => {
    const { id, secret } = await create({ addresses: ["203.0.113.7"] });
    expect(refusal(await call(secret, ENVELOPES))).toEqual([403, "key_address"]);
    const asked = {
      name: "Gestion",
      scopes: ["envelopes:read"],
      addresses: ["127.0.0.1"],
      origins: ["https://client.exemple.fr"],
    };
    const answer = await change(id, asked);
    expect([answer.status, answer.body]).toMatchObject([200, { ...asked, id }]);
    expect((await mine.get(KEYS)).body.keys).toEqual([answer.body]);
    expect((await call(secret, ENVELOPES)).status).toBe(200);
    expect(refusal(await call(secret, "/api/signature/contacts/"))).toEqual([403, "key_scope"]);
  });

  test("is mailed when the key may do more, and only then", async () => {
    const { id } = await create({ scopes: ["envelopes:read"], addresses: ["203.0.113.7"] });
    const mails = async () =>
      (await mailFor(service.platform, member.email)).filter(
        ({ subject }) => subject === "Clé d’API étendue",
      );
    const addresses = ["203.0.113.7", "203.0.113.8"];
    const scopes = ["envelopes:read", "proof:read"];
    const origins = ["https://client.exemple.fr"];
    let told = 0;
    for (const [body, isTold] of [
      [{ scopes }, true],
      [{ addresses }, true],
      [{ origins }, true],
      [{ scopes, addresses, origins }, false],
      [{ name: "Gestion", scopes: ["proof:read"], addresses: ["203.0.113.8"], origins: [] }, false],
      [{ addresses: [] }, true],
      [{ addresses: ["203.0.113.9"] }, false],
    ] as const) {
      expect((await change(id, body)).status).toBe(200);
      if (isTold) told += 1;
      expect([body, (await mails()).length]).toEqual([body, told]);
    }
    expect((await mails())[0]?.content.text).toContain("/settings/programmes");
  });

  test("is refused with its field, or after an old sign-in, and then changes nothing", async () => {
    const { id } = await create();
    for (const [body, field] of [
      [{ name: " " }, "name"],
      [{ scopes: [] }, "scopes"],
      [{ addresses: ["10.0.0.0/33"] }, "addresses.0"],
      [{ origins: ["http://exemple.fr"] }, "origins.0"],
    ] as const) {
      const answer = await change(id, body);
      expect([...refusal(answer), Object.keys(answer.body.errors)]).toEqual([
        400,
        "validation",
        [field],
      ]);
    }
    service.platform.clock.advance({ minutes: 11 });
    await expectRefusal(change(id, { name: "Autre" }), 403, "fresh_sign_in_required");
    expect((await mine.get(KEYS)).body.keys[0].name).toBe("Logiciel de gestion");
  });
});

describe("a key of a team or of the organisation", () => {
  const TEAMS = "/api/organisation/teams/";
  let owner: Member;
  let lead: TestBrowser;
  let colleague: Member;
  let theirs: TestBrowser;
  let team: string;
  let other: string;
  let organisation: string;
  const place = ({ id }: Member, is_administrator = false) => ({ id, is_administrator });
  const make = async (by: TestBrowser, holder: string, name = "Paie") => {
    const answer = await by.post(KEYS, { name, scopes: ALL, days: null, holder });
    expect([answer.status, answer.body.key?.holder.id]).toEqual([201, holder]);
    return { id: answer.body.key.id as string, secret: answer.body.secret as string };
  };
  const draft = (secret: string, more: object = {}) =>
    call(secret, ENVELOPES, {
      method: "POST",
      body: {
        title: "Bail",
        recipients: [PAUL],
        files: [{ name: "Bail.pdf", content: toBase64(makePdf()) }],
        ...more,
      },
    });
  const titles = async (secret: string, query = "") =>
    (await call(secret, `${ENVELOPES}${query}`)).body.results
      .map(({ title }: { title: string }) => title)
      .toSorted();
  const by = async (browser: TestBrowser, id: string) =>
    (await browser.get(KEYS)).body.keys.find((key: { id: string }) => key.id === id)?.by;
  const rename = (person: Member, first_name: string) =>
    service.platform.db
      .updateTable("users")
      .set({ first_name })
      .where("id", "=", person.id)
      .execute();

  beforeEach(async () => {
    const { db } = service.platform;
    await db.deleteFrom("teams").execute();
    await db.deleteFrom("organisation_members").execute();
    owner = await createMemberAs(service.platform, "owner");
    lead = await signIn(service, owner);
    member = await createMemberAs(service.platform, "member");
    mine = await signIn(service, member);
    colleague = await createMemberAs(service.platform, "member");
    theirs = await signIn(service, colleague);
    for (const [person, name] of [
      [owner, "Odile"],
      [member, "Marc"],
      [colleague, "Carla"],
    ] as const)
      await rename(person, name);
    const members = [place(member, true), place(colleague)];
    await lead.post(TEAMS, { name: "Marchés", members });
    const { teams } = (await lead.post(TEAMS, { name: "Archives", members: [] })).body;
    [other, team] = teams.map(({ id }: { id: string }) => id);
    organisation = (await lead.get(KEYS)).body.holders[0].id;
  });

  test("is made by those who administer it alone", async () => {
    const kinds = async (browser: TestBrowser) =>
      (await browser.get(KEYS)).body.holders.map(({ kind, name }: Record<string, string>) =>
        kind === "team" ? name : kind,
      );
    expect(await kinds(lead)).toEqual(["organisation", "Archives", "Marchés", "person"]);
    expect(await kinds(mine)).toEqual(["Marchés", "person"]);
    expect(await kinds(theirs)).toEqual(["person"]);
    for (const [browser, holder] of [
      [mine, organisation],
      [mine, other],
      [theirs, team],
      [lead, member.id],
      [lead, "01990000-0000-7000-8000-00000000abcd"],
    ] as const) {
      const answer = await browser.post(KEYS, { name: "Paie", scopes: ALL, days: null, holder });
      expect([...refusal(answer), Object.keys(answer.body.errors)]).toEqual([
        400,
        "validation",
        ["holder"],
      ]);
    }
  });

  test("sees and makes what its team has, and nothing of the person behind it", async () => {
    await createDraft(mine, { title: "À moi" });
    await createDraft(theirs, { title: "À l’équipe", team });
    const asked = { email: member.email, full_name: "Marc Roux" };
    const sent = await createSent(lead, { title: "À signer", recipients: [asked] });
    const { secret } = await make(mine, team);
    expect(await titles(secret)).toEqual(["À l’équipe"]);
    expect(await titles(secret, "?status=action_required")).toEqual([]);
    expect((await call(secret, `${ENVELOPES}counts/`)).body).toEqual({
      draft: 1,
      sent: 0,
      completed: 0,
      action_required: 0,
      cancelled: 0,
    });
    expect(refusal(await call(secret, `${ENVELOPES}${sent.id}/`))).toEqual([404, "not_found"]);
    const me = (await call(secret, "/api/signature/me/")).body.user;
    expect([me.unread_actions, me.teams]).toEqual([0, [{ id: team, name: "Marchés" }]]);
    const made = await draft(secret, { title: "Du programme" });
    expect([made.status, made.body.team]).toEqual([201, { id: team, name: "Marchés" }]);
    expect(
      (await call(secret, `${ENVELOPES}${made.body.id}/send/`, { method: "POST" })).status,
    ).toBe(200);
    expect((await theirs.get(`${ENVELOPES}${made.body.id}/`)).status).toBe(200);
    const elsewhere = await draft(secret, { team: other });
    expect([elsewhere.status, Object.keys(elsewhere.body.errors)]).toEqual([400, ["team"]]);
    // The person's own contacts keep nothing of it.
    expect((await mine.get("/api/signature/contacts/")).body.count).toBe(0);
    expect(await titles(secret, "?team=mine")).toEqual(await titles(secret));
  });

  test("lists the printed copies of its team's envelopes, whoever made them", async () => {
    const prints = "/api/signature/prints/";
    const print = async (by: TestBrowser, more: object) => {
      const { id } = await createSent(by, { recipients: [PAUL], ...more });
      return (await by.post(`${prints}generate/`, { envelope: id, qr_type: "page" })).body.id;
    };
    await print(mine, {});
    const shared = await print(theirs, { team });
    const { secret } = await make(mine, team);
    const listed = (await call(secret, prints)).body;
    expect([listed.count, listed.results[0].id]).toEqual([1, shared]);
  });

  test("of the organisation has all teams, later ones too, and names one to create", async () => {
    await createDraft(mine, { title: "À moi" });
    await createDraft(mine, { title: "À l’équipe", team });
    const { secret } = await make(lead, organisation);
    expect(await titles(secret)).toEqual(["À l’équipe"]);
    expect(await titles(secret, "?team=mine")).toEqual([]);
    const unnamed = await draft(secret);
    expect([...refusal(unnamed), unnamed.body.errors.team[0]]).toEqual([
      400,
      "validation",
      expect.stringContaining(`Marchés\u00a0: ${team}`),
    ]);
    const { teams } = (await lead.post(TEAMS, { name: "Voirie", members: [place(member)] })).body;
    const later = teams.find(({ name }: { name: string }) => name === "Voirie").id;
    expect((await draft(secret, { title: "Voirie", team: later })).status).toBe(201);
    await createDraft(mine, { title: "Voirie aussi", team: later });
    expect(await titles(secret)).toEqual(["Voirie", "Voirie aussi", "À l’équipe"]);
  });

  test("learns by its account whose it is and what it may", async () => {
    const ME = "/api/signature/me/";
    const scopes = ["proof:read", "envelopes:read"];
    const holders = {
      team: { kind: "team", id: team, name: "Marchés" },
      organisation: { kind: "organisation", id: organisation, name: null },
      person: { kind: "person", id: owner.id, name: `Odile ${owner.lastName}` },
    };
    for (const holder of Object.values(holders)) {
      const { id, secret } = await make(lead, holder.id);
      await lead.send("PATCH", `${KEYS}${id}/`, { body: { scopes } });
      const { user, key } = (await call(secret, ME)).body;
      expect(key).toEqual({ id, name: "Paie", holder, scopes });
      expect(user.id).toBe(owner.id);
    }
    expect(Object.keys((await lead.get(ME)).body)).toEqual(["user"]);
  });

  test("is seen, changed and revoked by all who administer it, and by nobody else", async () => {
    const { id, secret } = await make(mine, team);
    expect([await by(mine, id), await by(lead, id), await by(theirs, id)]).toEqual([
      "Marc Roux",
      "Marc Roux",
      undefined,
    ]);
    const change = { body: { name: "Gestion" } };
    expect(refusal(await theirs.send("PATCH", `${KEYS}${id}/`, change))).toEqual([
      404,
      "not_found",
    ]);
    expect((await lead.send("PATCH", `${KEYS}${id}/`, change)).body.name).toBe("Gestion");
    expect((await lead.send("DELETE", `${KEYS}${id}/`)).status).toBe(204);
    expect(refusal(await call(secret, ENVELOPES))).toEqual([401, "key_unknown"]);
    const { entries } = (await lead.get("/api/organisation/journal/")).body;
    const said = entries.slice(0, 3).map((entry: Record<string, unknown>) => entry["sentence"]);
    const team_ = ", au nom de l’équipe «\u00a0Marchés\u00a0»";
    expect(said).toEqual([
      `Clé d’API «\u00a0Gestion\u00a0» révoquée${team_}`,
      `Clé d’API «\u00a0Gestion\u00a0» modifiée${team_}`,
      `Clé d’API «\u00a0Paie\u00a0» créée${team_}`,
    ]);
  });

  test("passes to another administrator of its team, or else to the owner, and goes on", async () => {
    const { id, secret } = await make(mine, team);
    const put = (members: readonly object[]) =>
      lead.send("PUT", `${TEAMS}${team}/`, { body: { name: "Marchés", members } });
    await put([place(member), place(colleague, true)]);
    expect(await by(lead, id)).toBe("Carla Roux");
    expect((await mine.get(KEYS)).body.keys).toEqual([]);
    await put([place(colleague)]);
    expect(await by(lead, id)).toBe("Carla Roux");
    await put([]);
    expect(await by(lead, id)).toBe("Odile Roux");
    const made = await draft(secret, { title: "Reprise" });
    expect([made.status, made.body.created_by_name]).toEqual([201, "Odile Roux"]);
  });

  test("of a leaver passes to the team, or to the first owner, whoever the heir is", async () => {
    const second = await createMemberAs(service.platform, "administrator");
    const [ofTeam, ofAll] = [await make(mine, team), await make(lead, organisation)];
    const next = await createMemberAs(service.platform, "owner");
    await rename(next, "Luc");
    const last = await signIn(service, next);
    for (const [leaver, heir] of [
      [member, second],
      [owner, second],
    ] as const) {
      const path = `/api/organisation/members/${leaver.id}/removal/`;
      expect((await last.post(path, { heir_id: heir.id })).status).toBe(204);
    }
    expect(await by(last, ofTeam.id)).toBe("Carla Roux");
    expect(await by(last, ofAll.id)).toBe("Luc Roux");
    for (const { secret } of [ofTeam, ofAll])
      expect((await call(secret, ENVELOPES)).status).toBe(200);
  });

  test("is judged by the rights that its administrator has once the request is whole", async () => {
    const { id } = await make(mine, team);
    const webhook = service.platform.newId();
    await service.platform.db
      .insertInto("webhooks")
      .values({
        id: webhook,
        user_id: member.id,
        team_id: team,
        url: "https://exemple.fr/",
        types: ["envelope.sent"],
        secret_wrapped: Buffer.alloc(0),
        seed_wrapped: Buffer.alloc(0),
        public_key: Buffer.alloc(0),
        created_at: new Date(),
      })
      .execute();
    const put = (is_administrator: boolean) =>
      lead.send("PUT", `${TEAMS}${team}/`, {
        body: { name: "Marchés", members: [place(member, is_administrator)] },
      });
    const asked = { name: "Paie", scopes: ALL, days: null };
    for (const [method, path, body, status] of [
      ["POST", KEYS, { ...asked, holder: team }, 400],
      ["PATCH", `${KEYS}${id}/`, { scopes: ALL }, 404],
      ["PATCH", `/api/signature/me/webhooks/${webhook}/`, { paused: true }, 404],
      ["PUT", `${TEAMS}${team}/`, { name: "À moi", members: [place(member, true)] }, 403],
    ] as const) {
      await put(true);
      async function* slowly() {
        await put(false);
        yield JSON.stringify(body);
      }
      const headers = { "content-type": "application/json" };
      const answer = await mine.send(method, path, { body: Readable.from(slowly()), headers });
      expect([path, answer.status]).toEqual([path, status]);
    }
    async function* demoted() {
      await service.platform.db
        .updateTable("organisation_members")
        .set({ role: "reader" })
        .where("user_id", "=", member.id)
        .execute();
      yield JSON.stringify(asked);
    }
    const headers = { "content-type": "application/json" };
    const refused = mine.send("POST", KEYS, { body: Readable.from(demoted()), headers });
    await expectRefusal(refused, 403, "readers_only_read");
  });

  test("ends with its team; fifty are a holder's, not a person's", async () => {
    const { secret } = await make(mine, team);
    for (let made = 1; made < 50; made++) await make(mine, team, `Clé ${made}`);
    const more = { name: "Encore", scopes: ["proof:read"], days: null };
    expect(refusal(await lead.post(KEYS, { ...more, holder: team }))).toEqual([
      409,
      "too_many_keys",
    ]);
    expect((await mine.post(KEYS, more)).status).toBe(201);
    const whole = await make(lead, organisation);
    for (const id of [team, other]) await lead.send("DELETE", `${TEAMS}${id}/`);
    expect(refusal(await call(secret, ENVELOPES))).toEqual([401, "key_unknown"]);
    for (const path of ["", "?search=bail", "counts/"])
      expect((await call(whole.secret, `${ENVELOPES}${path}`)).status).toBe(200);
    expect((await call(whole.secret, "/api/signature/dashboard/")).status).toBe(200);
  });

  test("follows its team's changes alone on the live stream", async () => {
    const { secret } = await make(mine, team);
    const url = await serve();
    const headers = { authorization: `Bearer ${secret}` };
    const stream = await openStream(url, { cookies: new Map() }, headers);
    const heard = () =>
      stream.events.filter(({ name }) => name === "envelope").map(({ data }) => data["id"]);
    await createDraft(mine);
    const { id } = await createDraft(theirs, { team });
    await expect.poll(heard, { timeout: 10_000 }).toEqual([id]);
    await lead.send("DELETE", `${TEAMS}${team}/`);
    await expect.poll(stream.hasEnded, { timeout: 10_000 }).toBe(true);
  });
});

test("an envelope's history names the program and whose key it used", async () => {
  const { secret } = await create({ name: "Paie" });
  const file = { name: "Bail.pdf", content: toBase64(makePdf()) };
  const made = await call(secret, ENVELOPES, {
    method: "POST",
    body: { title: "Bail", recipients: [PAUL], files: [file] },
  });
  await call(secret, `${ENVELOPES}${made.body.id}/send/`, { method: "POST" });
  await mine.post(`${ENVELOPES}${made.body.id}/cancel/`);
  const { results } = (await mine.get(`${ENVELOPES}${made.body.id}/events/`)).body;
  const actors = results.map(({ action, actor }: { action: string; actor: string }) => [
    action,
    actor,
  ]);
  const name = `${member.firstName} ${member.lastName}`;
  const program = expect.stringMatching(
    new RegExp(`^le programme «\u00a0Paie\u00a0», clé (de |d’)${name}$`),
  );
  expect(actors).toEqual(
    expect.arrayContaining([
      ["envelope_created", program],
      ["envelope_sent", program],
      ["envelope_cancelled", name],
    ]),
  );
});

test("a refusal says to a program what to send, to a person what to do", async () => {
  const { secret } = await create();
  const unread = { method: "POST", body: { title: 7 } } as const;
  expect((await call(secret, ENVELOPES, unread)).body.detail).toContain("errors");
  expect((await mine.post(ENVELOPES, unread.body)).body.detail).not.toContain("errors");
  const unknown = `${ENVELOPES}01990000-0000-7000-8000-00000000abcd/`;
  expect((await call(secret, unknown)).body.detail).toContain("cette clé");
});

describe("bad input", () => {
  test.each([
    [{ name: " " }, "name"],
    [{ scopes: [] }, "scopes"],
    [{ scopes: ["tout"] }, "scopes"],
    [{ days: 10_000 }, "days"],
    [{ addresses: ["exemple.fr"] }, "addresses"],
    [{ addresses: ["10.0.0.0/33"] }, "addresses"],
  ])("%j names its field", async (change, field) => {
    const body = { name: "Paie", scopes: ["proof:read"], days: null, ...change };
    const answer = await mine.post(KEYS, body);
    expect(refusal(answer)).toEqual([400, "validation"]);
    expect(Object.keys(answer.body.errors).join()).toContain(field);
  });

  test("an old sign-in makes no key", async () => {
    service.platform.clock.advance({ minutes: 11 });
    const answer = await mine.post(KEYS, { name: "Paie", scopes: ["proof:read"], days: null });
    expect(refusal(answer)).toEqual([403, "fresh_sign_in_required"]);
  });

  test("a key in an address is refused, whatever else the call has", async () => {
    const { secret } = await create();
    for (const url of [`${ENVELOPES}?access_token=${secret}`, `${ENVELOPES}?search=${secret}`])
      expect(refusal(await call(secret, url))).toEqual([400, "key_in_address"]);
    expect((await mine.get(`/verify/${secret}`)).status).toBe(400);
  });

  test("an unknown key does not fall back on the session", async () => {
    const answer = await mine.get(ENVELOPES, {
      headers: { authorization: `Bearer pk_live_${"0".repeat(32)}` },
    });
    expect(refusal(answer)).toEqual([401, "key_unknown"]);
  });

  test("the fifty-first key is refused", async () => {
    for (let made = 0; made < 50; made += 1) await create({ scopes: ["proof:read"] });
    const answer = await mine.post(KEYS, { name: "Paie", scopes: ["proof:read"], days: null });
    expect(refusal(answer)).toEqual([409, "too_many_keys"]);
  });
});

const E = "/api/signature/envelopes/{id}/";
/** Routes that one scope opens and another does not. */
const OPEN: Readonly<Record<KeyScope, readonly string[]>> = {
  "envelopes:read": [
    "GET /api/signature/envelopes/",
    "GET /api/signature/envelopes/counts/",
    `GET ${E}`,
    `GET ${E}form/`,
    `GET ${E}documents/{document_id}/correction/`,
    `GET ${E}events/`,
    "GET /api/signature/events/stream/",
    `GET ${E}documents/{document_id}/file/`,
    `GET ${E}documents/{document_id}/first-page/`,
    "GET /api/signature/layouts/",
    "GET /api/signature/mailings/",
    "GET /api/signature/mailings/{id}/",
    "GET /api/signature/mailings/{id}/report/",
    "GET /api/signature/mailings/{id}/rows/",
    "GET /api/signature/mailings/{id}/rows/{line}/preview/",
    "GET /api/signature/templates/",
    "GET /api/signature/templates/{id}/",
    "GET /api/signature/templates/{id}/documents/{position}/file/",
    "GET /api/signature/dashboard/",
    "GET /api/organisation/circuits/",
  ],
  "envelopes:write": [
    "POST /api/signature/envelopes/",
    `PATCH ${E}`,
    `POST ${E}duplicate/`,
    `PUT ${E}circuit/`,
    "POST /api/signature/layouts/",
    "DELETE /api/signature/layouts/{id}/",
    "POST /api/signature/templates/",
    "PATCH /api/signature/templates/{id}/",
    "DELETE /api/signature/templates/{id}/",
    "POST /api/signature/templates/{id}/use/",
    "POST /api/signature/uploads/",
  ],
  "envelopes:send": [
    "POST /api/signature/mailings/",
    "DELETE /api/signature/mailings/{id}/",
    "PUT /api/signature/mailings/{id}/plan/",
    "PATCH /api/signature/mailings/{id}/rows/{line}/",
    "POST /api/signature/mailings/{id}/start/",
    "POST /api/signature/mailings/{id}/stop/",
    `POST ${E}send/`,
    `POST ${E}cancel/`,
    `POST ${E}restore/`,
    `DELETE ${E}purge/`,
    `POST ${E}remind/`,
    `POST ${E}extend/`,
    `PUT ${E}deadline/`,
    `PUT ${E}reminders/`,
    `PUT ${E}public-page/`,
    `PATCH ${E}recipients/{recipientId}/`,
    `POST ${E}recipients/{recipientId}/embed/`,
    `POST ${E}recipients/{recipientId}/resend/`,
  ],
  "proof:read": [
    `GET ${E}download/`,
    "POST /api/signature/prints/generate/",
    "GET /api/signature/prints/",
    "GET /api/signature/prints/{id}/verify/",
    "GET /api/signature/prints/{id}/proof/",
    "GET /api/signature/prints/{id}/document/",
    "GET /api/signature/prints/{id}/printable/",
    `GET ${E}evidence/`,
  ],
  "webhooks:write": [
    "GET /api/signature/me/webhooks/",
    "POST /api/signature/me/webhooks/",
    "PATCH /api/signature/me/webhooks/{id}/",
    "DELETE /api/signature/me/webhooks/{id}/",
    "POST /api/signature/me/webhooks/{id}/secret/",
    "POST /api/signature/me/webhooks/{id}/test/",
    "GET /api/signature/me/webhooks/{id}/tries/",
    "POST /api/signature/me/webhooks/{id}/tries/{try_id}/replay/",
  ],
  "contacts:read": [
    "GET /api/signature/contacts/",
    "GET /api/signature/recipients/suggestions/",
    "GET /api/signature/recipients/domains/",
  ],
};

describe("scopes", () => {
  test("scopes open their own routes alone", async () => {
    const { paths } = (await openBrowser(service.app).get("/api/openapi.json")).body;
    const found = new Map<string | null, string[]>();
    for (const [path, methods] of Object.entries<Record<string, unknown>>(paths))
      for (const name of Object.keys(methods)) {
        const method = name.toUpperCase();
        const scope = scopeOfRoute(method, path.replaceAll(/\{(\w+)\}/g, ":$1"));
        found.set(scope, [...(found.get(scope) ?? []), `${method} ${path}`]);
      }
    for (const scope of ALL)
      expect(found.get(scope)?.toSorted()).toEqual([...OPEN[scope]].toSorted());
    expect(found.get("any")).toEqual(["POST /api/mcp/", "GET /api/signature/me/"]);
  });

  test("each scope opens what the document says, and nothing else", {
    timeout: 120_000,
  }, async () => {
    type Operation = { readonly security: readonly Readonly<Record<string, readonly string[]>>[] };
    const { paths } = (await openBrowser(service.app).get("/api/openapi.json")).body;
    const calls = Object.entries<Record<string, Operation>>(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { security }]) => ({
        method: method.toUpperCase() as "GET",
        url: path.replaceAll(/\{\w+\}/g, "01990000-0000-7000-8000-00000000abcd"),
        named: security.some((one) => "session" in one),
        opens: security.find((one) => "key" in one)?.["key"] ?? null,
      })),
    );
    const asked = calls.filter(({ named }) => named);
    expect(asked.length).toBeGreaterThan(100);
    for (const scope of ALL) {
      const { secret } = await create({ scopes: [scope] });
      for (const { method, url, opens } of asked) {
        // A route that no key opens is asked for once.
        if (opens === null && scope !== ALL[0]) continue;
        // An open stream has no end.
        if (url.endsWith("/events/stream/") && opens?.includes(scope)) continue;
        const { body } = await call(secret, url, { method });
        const refused = String(body?.code).startsWith("key_") ? body.code : "open";
        const isOpen = opens !== null && (opens.length === 0 || opens.includes(scope));
        const expected = opens === null ? "key_not_for_programs" : isOpen ? "open" : "key_scope";
        expect([scope, method, url, refused]).toEqual([scope, method, url, expected]);
      }
    }
  });

  test("a refusal challenges for a key, as RFC 6750 has it", async () => {
    const { secret } = await create({ scopes: ["proof:read"] });
    const asked = async (authorization?: string, url = ENVELOPES) => {
      const headers = authorization === undefined ? {} : { authorization };
      const answer = await service.app.inject({ url, headers });
      return [answer.statusCode, answer.headers["www-authenticate"]];
    };
    expect(await asked()).toEqual([401, "Bearer"]);
    for (const wrong of [`${secret}x`, "eyJhbGciOiJub25lIn0.e30."])
      expect(await asked(`Bearer ${wrong}`)).toEqual([401, 'Bearer error="invalid_token"']);
    expect(await asked(`Bearer ${secret}`, KEYS)).toEqual([
      403,
      'Bearer error="insufficient_scope"',
    ]);
    expect(await asked(`Bearer ${secret}`, "/api/signature/me/")).toEqual([200, undefined]);
  });

  test("a missing scope, or a call that no program may make, is refused, each in its own words", async () => {
    const { secret } = await create({ scopes: ["proof:read"] });
    const missing = await call(secret, ENVELOPES);
    expect(refusal(missing)).toEqual([403, "key_scope"]);
    expect(missing.body.detail).toContain("envelopes:read");
    expect(missing.headers["www-authenticate"]).toBe(
      'Bearer error="insufficient_scope", scope="envelopes:read"',
    );
    for (const [method, url] of [
      ["GET", KEYS],
      ["POST", KEYS],
      ["GET", "/api/signature/me/factors/"],
      ["DELETE", "/api/signature/me/"],
      ["GET", "/api/organisation/members/"],
      ["POST", "/api/signature/self-sign/"],
      ["POST", "/api/signature/batch-sign/"],
      ["POST", `${ENVELOPES}01990000-0000-7000-8000-00000000abcd/sign/`],
    ] as const)
      expect([url, ...refusal(await call(secret, url, { method }))]).toEqual([
        url,
        403,
        "key_not_for_programs",
      ]);
    expect((await call(secret, "/api/signature/me/")).body.user.username).toBe(member.username);
  });
});
