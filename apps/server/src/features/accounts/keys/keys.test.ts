import { KEY_SCOPES, type KeyRequest, type KeyScope, LIVE_PATH } from "@paraphe/contracts";
import { toBase64 } from "@paraphe/kernel/bytes";
import { beforeEach, describe, expect, test } from "vitest";
import { expectRefusal } from "../../../../testing/answers.ts";
import { openBrowser, refusal, type TestBrowser } from "../../../../testing/browser.ts";
import { createDraft, ENVELOPES, envelopeForm, PAUL } from "../../../../testing/envelope.ts";
import { openStream } from "../../../../testing/live-stream.ts";
import { makePdf } from "../../../../testing/pdf.ts";
import { createMember, type Member, signIn } from "../../../../testing/member.ts";
import { useTestApp } from "../../../../testing/use-test-app.ts";
import { scopeOfRoute } from "./keys.ts";
import { createMemberAs } from "../../../../testing/organisation.ts";

const service = useTestApp();
const KEYS = "/api/signature/me/keys/";
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

type Call = { readonly method?: "GET" | "POST" | "DELETE"; readonly ip?: string; body?: object };

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
    const url = await service.app.listen({ host: "127.0.0.1", port: 0 });
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

  test("belongs to its account: another one neither sees nor revokes it", async () => {
    const { id, secret } = await create();
    const other = await signIn(service, await createMember(service.platform));
    expect((await other.get(KEYS)).body.keys).toEqual([]);
    expect(refusal(await other.send("DELETE", `${KEYS}${id}/`))).toEqual([404, "not_found"]);
    expect((await call(secret, ENVELOPES)).status).toBe(200);
  });

  test("a member's key is recorded in the organisation's journal", async () => {
    mine = await signIn(service, await createMemberAs(service.platform, "administrator"));
    const { id } = await create({ name: "Paie" });
    await mine.send("DELETE", `${KEYS}${id}/`);
    const { entries } = (await mine.get("/api/organisation/journal/")).body;
    expect(entries.slice(0, 2).map(({ sentence }: { sentence: string }) => sentence)).toEqual([
      "Clé d’API «\u00a0Paie\u00a0» révoquée",
      "Clé d’API «\u00a0Paie\u00a0» créée",
    ]);
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
  ],
  "envelopes:write": [
    "POST /api/signature/envelopes/",
    `PATCH ${E}`,
    `POST ${E}duplicate/`,
    `POST ${E}restore/`,
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
    ] as const)
      expect([url, ...refusal(await call(secret, url, { method }))]).toEqual([
        url,
        403,
        "key_not_for_programs",
      ]);
    expect((await call(secret, "/api/signature/me/")).body.user.username).toBe(member.username);
  });
});
