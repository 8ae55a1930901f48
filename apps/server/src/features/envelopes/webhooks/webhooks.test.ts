import { createPublicKey, verify } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import { Webhook as Verifier } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openBrowser, refusal, type TestBrowser } from "../../../../testing/browser.ts";
import {
  createDraft,
  createSent,
  ENVELOPES,
  PAUL,
  recordTestSignature,
} from "../../../../testing/envelope.ts";
import { createMember, type Member, signIn } from "../../../../testing/member.ts";
import { createMemberAs } from "../../../../testing/organisation.ts";
import { mailFor } from "../../../../testing/mailbox.ts";
import {
  startTrustedServer,
  type TrustedServer,
} from "../../../../testing/servers/trusted-server.ts";
import { useTestApp } from "../../../../testing/use-test-app.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import { closeAccount } from "../../accounts/public.ts";

const service = useTestApp();
const HOOKS = "/api/signature/me/webhooks/";
const ALL = ["envelope.sent", "envelope.completed", "envelope.cancelled", "recipient.signed"];

type Received = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};
type Answering = { status: number; body?: string; headers?: Record<string, string> };

const received: Received[] = [];
let answers: Record<string, Answering> = {};
let receiver: TrustedServer;
let member: Member;
let mine: TestBrowser;
/** Each test has its own path: webhooks of the others may be tried again meanwhile. */
let path: string;
let tests = 0;

beforeAll(async () => {
  receiver = await startTrustedServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    const called = request.url ?? "";
    const body = Buffer.concat(parts).toString();
    received.push({ path: called, headers: request.headers, body });
    const { status, body: answer = "{}", headers } = answers[called] ?? { status: 200 };
    response.writeHead(status, headers).end(answer);
  });
});
afterAll(() => receiver.close());
beforeEach(async () => {
  received.length = 0;
  answers = {};
  path = `/${(tests += 1)}`;
  member = await createMember(service.platform);
  mine = await signIn(service, member);
});

async function create(of = "", types = ALL) {
  const answer = await mine.post(HOOKS, {
    url: `https://localhost:${receiver.port}${path}${of}`,
    types,
  });
  expect(answer.status).toBe(201);
  return { id: answer.body.webhook.id as string, ...answer.body } as {
    id: string;
    secret: string;
    webhook: { public_key: string };
  };
}

async function makeTeam() {
  const { platform } = service;
  await platform.db.deleteFrom("teams").execute();
  await platform.db.deleteFrom("organisation_members").execute();
  const people = {
    owner: await createMemberAs(platform, "owner"),
    admin: await createMemberAs(platform, "member"),
    colleague: await createMemberAs(platform, "member"),
  };
  const lead = await signIn(service, people.owner);
  const { teams } = (
    await lead.post("/api/organisation/teams/", {
      name: "Marchés",
      members: [
        { id: people.admin.id, is_administrator: true },
        { id: people.colleague.id, is_administrator: false },
      ],
    })
  ).body;
  return {
    people,
    team: teams[0].id as string,
    organisation: (await lead.get(HOOKS)).body.holders[0].id as string,
    lead,
    admin: await signIn(service, people.admin),
    colleague: await signIn(service, people.colleague),
  };
}

const tries = async (id: string) => (await mine.get(`${HOOKS}${id}/tries/`)).body.tries;
const mineOf = (of = "") => received.filter((one) => one.path === `${path}${of}`);
const typesAt = (of = "") => mineOf(of).map(({ body }) => JSON.parse(body).type);

/** The service's clock stands still; an outside verifier accepts five minutes either way. */
function verifyOutside(secret: string, { body, headers }: Received): unknown {
  return new Verifier(secret).verify(body, headers as Record<string, string>);
}

describe("a delivery", () => {
  test("a delivery is verified by the reference library, and has what its owner sees", async () => {
    service.platform.clock.set(new Date());
    mine = await signIn(service, member);
    const { secret, webhook } = await create();
    const { id } = await createSent(mine, { title: "Bail", recipients: [PAUL] });
    await service.settle();
    const [sent] = mineOf();
    if (sent === undefined) throw new Error("nothing was received");
    expect(verifyOutside(secret, sent)).toEqual({
      type: "envelope.sent",
      timestamp: service.platform.clock().toISOString(),
      data: { id, title: "Bail", status: "sent", recipients: 1 },
    });
    expect(() => verifyOutside(`whsec_${"A".repeat(32)}`, sent)).toThrow();
    expect(() =>
      verifyOutside(secret, { ...sent, body: sent.body.replace("Bail", "Bal") }),
    ).toThrow();
    const { "webhook-id": messageId, "webhook-timestamp": at } = sent.headers;
    const v1a = /v1a,(\S+)/.exec(String(sent.headers["webhook-signature"]))?.[1] ?? "";
    const x = Buffer.from(webhook.public_key.slice("whpk_".length), "base64").toString("base64url");
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
    const signed = Buffer.from(`${String(messageId)}.${String(at)}.${sent.body}`);
    expect(verify(null, signed, key, Buffer.from(v1a, "base64"))).toBe(true);
  });

  test("a signature is delivered with its signer, before the completion", async () => {
    const { id } = await create();
    const envelope = await createSent(mine, { recipients: [PAUL] });
    await recordTestSignature(service.platform, envelope.id, envelope.recipients[0]?.id ?? "");
    await service.settle();
    expect(typesAt()).toEqual(["envelope.sent", "recipient.signed", "envelope.completed"]);
    expect(JSON.parse(mineOf()[1]?.body ?? "").data.recipient).toEqual({
      id: envelope.recipients[0]?.id,
      full_name: PAUL.full_name,
      email: PAUL.email,
      role: "signer",
      status: "signed",
    });
    expect((await tries(id)).map((one: { status: number }) => one.status)).toEqual([200, 200, 200]);
  });

  test("an event goes to its owner's webhooks of that type alone", async () => {
    await create("/cancelled", ["envelope.cancelled"]);
    const other = await signIn(service, await createMember(service.platform));
    await createSent(other, { recipients: [PAUL] });
    await createSent(mine, { recipients: [PAUL] });
    await service.settle();
    expect(received.filter((one) => one.path.startsWith(path))).toEqual([]);
  });

  test("a closed account's webhooks get nothing", async () => {
    await create();
    await createSent(mine, { recipients: [PAUL] });
    await service.platform.db
      .updateTable("users")
      .set({ deactivated_at: service.platform.clock() })
      .where("id", "=", member.id)
      .execute();
    await service.settle();
    expect(mineOf()).toEqual([]);
  });

  test("an event goes to the webhooks of its owner, its team and the organisation, once to each", async () => {
    const { team, organisation, lead, admin, colleague } = await makeTeam();
    const url = (of: string) => `https://localhost:${receiver.port}${path}/${of}`;
    const make = async (by: TestBrowser, of: string, holder?: string) => {
      const answer = await by.post(HOOKS, { url: url(of), types: ALL, holder });
      expect(answer.status).toBe(201);
      return answer.body.webhook;
    };
    const shared = await make(admin, "team", team);
    await make(lead, "whole", organisation);
    await make(colleague, "own");
    await make(admin, "other");
    expect(shared).toMatchObject({ holder: { kind: "team", name: "Marchés" }, by: "Camille Roux" });
    const heard = () =>
      ["team", "whole", "own", "other"].map((of) => mineOf(`/${of}`).length).join(" ");
    await createSent(colleague, { recipients: [PAUL], team });
    await service.settle();
    expect(heard()).toBe("1 1 1 0");
    await createSent(colleague, { recipients: [PAUL] });
    await service.settle();
    expect(heard()).toBe("1 1 2 0");
    for (const who of [lead, admin])
      expect((await who.get(`${HOOKS}${shared.id}/tries/`)).body.tries).toHaveLength(1);
    expect(refusal(await colleague.get(`${HOOKS}${shared.id}/tries/`))).toEqual([404, "not_found"]);
    const key = (
      await admin.post("/api/signature/me/keys/", {
        name: "Paie",
        scopes: ["webhooks:write"],
        days: null,
        holder: team,
      })
    ).body.secret;
    const asKey = { headers: { authorization: `Bearer ${key}` }, url: HOOKS };
    const listed = (await service.app.inject(asKey)).json().webhooks;
    expect(listed.map((one: { url: string }) => one.url)).toEqual([url("team")]);
    const payload = { url: url("key"), types: ALL };
    const made = await service.app.inject({ ...asKey, method: "POST", payload });
    expect(made.json().webhook.holder).toEqual(shared.holder);
    for (const body of [{ url: shared.url, types: ALL }, { paused: true }, { paused: true }])
      expect((await lead.send("PATCH", `${HOOKS}${shared.id}/`, { body })).status).toBe(200);
    await lead.send("DELETE", `${HOOKS}${shared.id}/`);
    const { entries } = (await lead.get("/api/organisation/journal/")).body;
    expect(entries.slice(0, 3).map(({ sentence }: { sentence: string }) => sentence)).toEqual(
      ["supprimé", "modifié", "créé"].map((done) =>
        expect.stringMatching(
          `^Webhook «\u00a0localhost:${receiver.port}\u00a0» ${done}, au nom de l’équipe «\u00a0Marchés\u00a0»$`,
        ),
      ),
    );
  });

  test("a team's webhook that pauses is told to all who manage it, also once its maker left", async () => {
    const { team, lead, admin, people } = await makeTeam();
    const url = `https://localhost:${receiver.port}${path}`;
    await admin.post(HOOKS, { url, types: ALL, holder: team });
    const removal = { heir_id: people.colleague.id };
    await lead.post(`/api/organisation/members/${people.admin.id}/removal/`, removal);
    answers[path] = { status: 410 };
    await createSent(await signIn(service, people.colleague), { recipients: [PAUL], team });
    await service.settle();
    expect(mineOf()).toHaveLength(1);
    const told = async ({ email }: Member) =>
      (await mailFor(service.platform, email)).filter(({ content }) =>
        /Webhook en pause/.test(JSON.stringify(content)),
      ).length;
    expect([
      await told(people.owner),
      await told(people.colleague),
      await told(people.admin),
    ]).toEqual([1, 0, 0]);
    const by = `${people.colleague.firstName} ${people.colleague.lastName}`;
    expect((await lead.get(HOOKS)).body.webhooks).toContainEqual(
      expect.objectContaining({ url, by, paused: "gone", waiting: 1 }),
    );
  });

  test("a message that no server takes is delivered as `message.bounced`", async () => {
    await create("/bounced", ["message.bounced"]);
    const envelope = await createSent(mine, { recipients: [PAUL] });
    await service.platform.db
      .updateTable("notices")
      .set({ state: "refused" })
      .where("envelope_id", "=", envelope.id)
      .execute();
    await service.settle();
    expect(typesAt("/bounced")).toEqual(["message.bounced"]);
  });
});

describe("a receiver that fails", () => {
  test.each([
    ["500", { status: 500, body: "x".repeat(5_000) }, 500, "x".repeat(1_000)],
    [
      "a redirection",
      { status: 302, headers: { location: "/" } },
      302,
      "Réponse 302\u00a0: les redirections ne sont pas suivies.",
    ],
    ["10 MB", { status: 503, body: "y".repeat(10_000_000) }, 503, "y".repeat(1_000)],
  ])(
    "a receiver that answers %s is tried again, in order, under the same id",
    async (_name, answer, status, shown) => {
      const { id } = await create();
      answers[path] = answer;
      const envelope = await createSent(mine, { recipients: [PAUL] });
      await recordTestSignature(service.platform, envelope.id, envelope.recipients[0]?.id ?? "");
      await service.settle();
      expect(typesAt()).toEqual(["envelope.sent"]);
      expect(await tries(id)).toMatchObject([{ status, answer: shown }]);
      answers = {};
      await service.settle({ deferred: "run" });
      await service.settle({ deferred: "run" });
      expect(typesAt()).toEqual([
        "envelope.sent",
        "envelope.sent",
        "recipient.signed",
        "envelope.completed",
      ]);
      const ids = mineOf().map(({ headers }) => headers["webhook-id"]);
      expect(new Set(ids).size).toBe(3);
      expect(mineOf()[0]?.body).toBe(mineOf()[1]?.body);
    },
  );

  test.each([
    [
      "of another name",
      { names: ["ailleurs.exemple"] },
      /: le certificat est fait pour un autre nom/,
    ],
    [
      "that has expired",
      { now: new Date(Date.now() - 10 * 86_400_000) },
      /: le certificat a expiré/,
    ],
    ["of an unknown authority", { isTrusted: false }, /: l’autorité du certificat est inconnue/],
  ])("a certificate %s is said in words, with its code", async (_what, issue, words) => {
    const other = await startTrustedServer((_request, response) => response.end(), issue);
    const url = `https://localhost:${other.port}/`;
    const made = await mine.post(HOOKS, { url, types: ["envelope.sent"] });
    await createSent(mine, { recipients: [PAUL] });
    await service.settle();
    const [tried] = await tries(made.body.webhook.id);
    expect([tried.status, tried.answer]).toEqual([null, expect.stringMatching(words)]);
    expect(tried.answer).toMatch(/ \([A-Z_]+\)\.$/);
    await other.close();
  });

  test("a receiver that answers 10 MB has taken the event", async () => {
    const { id } = await create();
    answers[path] = { status: 200, body: "y".repeat(10_000_000) };
    await createSent(mine, { recipients: [PAUL] });
    await service.settle();
    expect(await tries(id)).toMatchObject([{ status: 200, answer: "y".repeat(1_000) }]);
  });

  test("three days of failures pause a webhook: one mail, and nothing is lost", async () => {
    const { id } = await create();
    answers[path] = { status: 500 };
    await createSent(mine, { recipients: [PAUL] });
    await createSent(mine, { recipients: [PAUL] });
    await service.settle();
    service.platform.clock.advance({ hours: 71 });
    await service.settle({ deferred: "run" });
    mine = await signIn(service, member);
    expect((await mine.get(HOOKS)).body.webhooks[0]).toMatchObject({ paused: null, waiting: 2 });
    service.platform.clock.advance({ hours: 2 });
    await service.settle({ deferred: "run" });
    mine = await signIn(service, member);
    const [paused] = (await mine.get(HOOKS)).body.webhooks;
    expect(paused).toMatchObject({ paused: "failing", waiting: 2 });
    expect(
      (await mailFor(service.platform, member.email)).filter(({ content }) =>
        /en pause/.test(JSON.stringify(content)),
      ),
    ).toHaveLength(1);
    const [last] = await tries(id);
    const replay = await mine.post(`${HOOKS}${id}/tries/${last.id}/replay/`);
    expect(refusal(replay)).toEqual([409, "webhook_paused"]);
    // The test event is tried first; its failure is not repeated.
    received.length = 0;
    expect((await mine.post(`${HOOKS}${id}/test/`)).status).toBe(202);
    await service.settle({ deferred: "run" });
    expect(typesAt()).toEqual(["test.ping"]);
    received.length = 0;
    await createDraft(mine);
    await service.settle({ deferred: "run" });
    expect(received.filter((one) => one.path.startsWith(path))).toEqual([]);
    answers = {};
    expect(
      (await mine.send("PATCH", `${HOOKS}${id}/`, { body: { paused: false } })).body.paused,
    ).toBe(null);
    await service.settle();
    expect(typesAt()).toEqual(["envelope.sent", "envelope.sent"]);
  });

  test("a webhook whose secret is unreadable does not stop the others", async () => {
    const { id } = await create("/unreadable");
    await create("/readable");
    await service.platform.db
      .updateTable("webhooks")
      .set({ secret_wrapped: new Uint8Array(60) })
      .where("id", "=", id)
      .execute();
    await createSent(mine, { recipients: [PAUL] });
    await service.settle();
    expect(typesAt("/readable")).toEqual(["envelope.sent"]);
    expect(await tries(id)).toMatchObject([
      { status: null, answer: "Le service n’a pas pu préparer cet envoi.", request: null },
    ]);
  });

  test("a receiver's 410 pauses the webhook at once", async () => {
    await create();
    answers[path] = { status: 410 };
    await createSent(mine, { recipients: [PAUL] });
    await service.settle();
    expect((await mine.get(HOOKS)).body.webhooks[0]).toMatchObject({ paused: "gone", waiting: 1 });
  });

  test("a dead receiver delays no other webhook", async () => {
    await create("/dead");
    await create("/alive");
    answers[`${path}/dead`] = { status: 500 };
    for (let sent = 0; sent < 10; sent += 1) await createSent(mine, { recipients: [PAUL] });
    await service.settle();
    expect(typesAt("/alive")).toHaveLength(10);
    expect(typesAt("/dead").length).toBeLessThan(10);
  });
});

describe("what its owner does", () => {
  test("the log says when what failed is tried again, and it is tried at once when asked", async () => {
    const { id } = await create();
    answers[path] = { status: 500 };
    const { id: sent } = await createSent(mine, { recipients: [PAUL] });
    await service.settle();
    const [failed] = await tries(id);
    expect(Date.parse(failed.next_try_at)).toBeGreaterThan(Date.now());
    const replay = () => mine.post(`${HOOKS}${id}/tries/${failed.id}/replay/`);
    expect([(await replay()).body, await service.settle()]).toEqual([{ waits: false }, undefined]);
    const [again, before] = await tries(id);
    expect([typeof again.next_try_at, before.next_try_at]).toEqual(["string", null]);
    answers = {};
    await replay();
    await service.settle();
    expect((await tries(id)).map((one: { status: number }) => one.status)).toEqual([200, 500, 500]);
    expect((await tries(id))[0].next_try_at).toBe(null);
    expect(new Set(mineOf().map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(JSON.parse(mineOf()[2]?.body ?? "").data.id).toBe(sent);
  });

  test("a webhook that fails and rests is resumed at once, in order", async () => {
    const { id } = await create();
    answers[path] = { status: 500 };
    for (let sent = 0; sent < 4; sent += 1)
      await createSent(mine, { title: `Bail ${sent}`, recipients: [PAUL] });
    await service.settle();
    await service.settle({ deferred: "run" });
    const [rests] = await tries(id);
    expect(Date.parse(rests.next_try_at)).toBeGreaterThan(Date.now() + 5_000);
    expect((await mine.get(HOOKS)).body.webhooks[0]).toMatchObject({ failing: true, waiting: 4 });
    answers = {};
    received.length = 0;
    await service.settle();
    expect(mineOf()).toEqual([]);
    const resumed = await mine.send("PATCH", `${HOOKS}${id}/`, { body: { paused: false } });
    expect(resumed.status).toBe(200);
    await service.settle();
    expect(mineOf().map(({ body }) => JSON.parse(body).data.title)).toEqual(
      [0, 1, 2, 3].map((sent) => `Bail ${sent}`),
    );
    expect((await mine.get(HOOKS)).body.webhooks[0]).toMatchObject({ failing: false, waiting: 0 });
  });

  test("a test and a replay are tried while the webhook rests, and lengthen no rest", async () => {
    const { id } = await create();
    answers[path] = { status: 500 };
    const first = await createSent(mine, { recipients: [PAUL] });
    await recordTestSignature(service.platform, first.id, first.recipients[0]?.id ?? "");
    for (let sent = 0; sent < 3; sent += 1) await createSent(mine, { recipients: [PAUL] });
    await service.settle();
    const rest = async () =>
      await service.platform.db
        .selectFrom("webhooks")
        .select(["rests_until", "failures"])
        .where("id", "=", id)
        .executeTakeFirstOrThrow();
    const before = await rest();
    expect(before.failures).toBeGreaterThan(2);
    received.length = 0;
    expect((await mine.post(`${HOOKS}${id}/test/`)).status).toBe(202);
    await service.settle();
    expect(typesAt()).toEqual(["test.ping"]);
    expect(await rest()).toEqual(before);
    const [listed] = (await mine.get(HOOKS)).body.webhooks;
    expect(listed).toMatchObject({ paused: null, failing: true });
    const failed = (await tries(id)).find((one: { type: string }) => one.type === "envelope.sent");
    const replay = await mine.post(`${HOOKS}${id}/tries/${failed.id}/replay/`);
    expect([replay.status, replay.body]).toEqual([202, { waits: false }]);
    answers = {};
    await service.settle();
    expect(typesAt()).toEqual(["test.ping", "envelope.sent"]);
    expect((await mine.get(HOOKS)).body.webhooks[0].failing).toBe(false);
  });

  test("a replay says that an earlier event of its envelope goes first", async () => {
    const { id } = await create();
    const envelope = await createSent(mine, { recipients: [PAUL] });
    await recordTestSignature(service.platform, envelope.id, envelope.recipients[0]?.id ?? "");
    await service.settle();
    const [completed, , sent] = await tries(id);
    answers[path] = { status: 500 };
    await mine.post(`${HOOKS}${id}/tries/${sent.id}/replay/`);
    await service.settle();
    const replay = await mine.post(`${HOOKS}${id}/tries/${completed.id}/replay/`);
    expect(replay.body).toEqual({ waits: true });
  });

  test("replaced secrets sign beside the new one for a day, retries included", async () => {
    service.platform.clock.set(new Date());
    mine = await signIn(service, member);
    const { id, secret } = await create();
    answers[path] = { status: 500 };
    await createSent(mine, { recipients: [PAUL] });
    await service.settle();
    const [second, renewed] = [
      (await mine.post(`${HOOKS}${id}/secret/`)).body.secret,
      (await mine.post(`${HOOKS}${id}/secret/`)).body.secret,
    ];
    answers = {};
    await service.settle({ deferred: "run" });
    const [, again] = mineOf();
    if (again === undefined) throw new Error("nothing was sent again");
    for (const one of [secret, second, renewed]) verifyOutside(one, again);
    const { secret_wrapped: stored } = await service.platform.db
      .selectFrom("webhooks")
      .select("secret_wrapped")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    expect(Buffer.from(stored).includes(Buffer.from(renewed.slice(6), "base64"))).toBe(false);
    service.platform.clock.advance({ hours: 25 });
    await createSent(await signIn(service, member), { recipients: [PAUL] });
    await service.settle();
    const signatures = String(mineOf().at(-1)?.headers["webhook-signature"]).match(/v1,/g);
    expect(signatures).toHaveLength(1);
  });

  test("a test is sent, and replayed under the same id", async () => {
    const { id } = await create();
    expect((await mine.post(`${HOOKS}${id}/test/`)).status).toBe(202);
    await service.settle();
    const [first] = await tries(id);
    expect(first).toMatchObject({ type: "test.ping", status: 200 });
    expect(JSON.parse(first.request).data).toEqual({});
    expect((await mine.post(`${HOOKS}${id}/tries/${first.id}/replay/`)).status).toBe(202);
    await service.settle();
    const [again] = await tries(id);
    expect(again.id).not.toBe(first.id);
    expect(again.headers["webhook-id"]).toBe(first.headers["webhook-id"]);
  });

  test("a purged envelope's events have its id alone, and its log is erased", async () => {
    const { id } = await create("", ["envelope.sent", "envelope.purged"]);
    answers[path] = { status: 500, body: "Bail secret" };
    const envelope = await createSent(mine, { title: "Bail secret", recipients: [PAUL] });
    await service.settle();
    await mine.post(`${ENVELOPES}${envelope.id}/cancel/`);
    await mine.send("DELETE", `${ENVELOPES}${envelope.id}/purge/`);
    expect(JSON.stringify(await tries(id))).not.toContain("Bail secret");
    answers = {};
    received.length = 0;
    for (let round = 0; round < 2; round += 1) await service.settle({ deferred: "run" });
    expect(typesAt()).toEqual(["envelope.sent", "envelope.purged"]);
    for (const { body } of mineOf())
      expect(JSON.parse(body).data).toEqual({ id: envelope.id, status: "purged" });
    expect(JSON.stringify(await tries(id))).not.toContain("Bail secret");
  });

  test("another account neither sees, changes nor replays a webhook", async () => {
    const { id } = await create();
    await mine.post(`${HOOKS}${id}/test/`);
    await service.settle();
    const [first] = await tries(id);
    const other = await signIn(service, await createMember(service.platform));
    expect((await other.get(HOOKS)).body.webhooks).toEqual([]);
    for (const answer of [
      await other.send("PATCH", `${HOOKS}${id}/`, { body: { paused: true } }),
      await other.send("DELETE", `${HOOKS}${id}/`),
      await other.post(`${HOOKS}${id}/secret/`),
      await other.get(`${HOOKS}${id}/tries/`),
      await other.post(`${HOOKS}${id}/tries/${first.id}/replay/`),
    ])
      expect(refusal(answer)).toEqual([404, "not_found"]);
    expect((await mine.send("DELETE", `${HOOKS}${id}/`)).status).toBe(204);
  });

  test("another address is guarded as at the creation, and gets what waits", async () => {
    const { id } = await create("/before");
    const change = (body: object) => mine.send("PATCH", `${HOOKS}${id}/`, { body });
    answers[`${path}/before`] = { status: 500 };
    await createSent(mine, { recipients: [PAUL] });
    await service.settle();
    const inside = await change({ url: "https://10.0.0.1/hook" });
    expect(refusal(inside)).toEqual([400, "validation"]);
    const url = `https://localhost:${receiver.port}${path}/after`;
    expect((await change({ url, types: ["envelope.sent"] })).body).toMatchObject({
      url,
      types: ["envelope.sent"],
      waiting: 1,
    });
    await service.settle();
    expect(typesAt("/after")).toEqual(["envelope.sent"]);
    expect((await tries(id)).map((one: { path: string }) => one.path)).toEqual([
      `${path}/after`,
      `${path}/before`,
    ]);
    service.platform.clock.advance({ minutes: 11 });
    const elsewhere = await change({ url: `${url}/2` });
    expect(refusal(elsewhere)).toEqual([403, "fresh_sign_in_required"]);
    expect((await change({ types: ALL })).body.url).toBe(url);
  });

  test("a key with the scope of webhooks makes one, without a fresh sign-in", async () => {
    const made = await mine.post("/api/signature/me/keys/", {
      name: "Paie",
      scopes: ["webhooks:write"],
      days: null,
    });
    service.platform.clock.advance({ minutes: 11 });
    const url = `https://localhost:${receiver.port}/key`;
    const answer = await service.app.inject({
      method: "POST",
      url: HOOKS,
      headers: { authorization: `Bearer ${made.body.secret}` },
      payload: { url, types: ["envelope.sent"] },
    });
    expect(answer.statusCode).toBe(201);
    const late = await mine.post(HOOKS, { url, types: ["envelope.sent"] });
    expect(refusal(late)).toEqual([403, "fresh_sign_in_required"]);
  });

  test("an account that closes while its program's request comes in keeps no webhook", async () => {
    const { platform } = service;
    const made = await mine.post("/api/signature/me/keys/", {
      name: "Paie",
      scopes: ["webhooks:write"],
      days: null,
    });
    async function* closing() {
      await inTransaction(platform.db, (trx) =>
        closeAccount(trx, platform, { userId: member.id, keepsEvidence: false }),
      );
      yield JSON.stringify({ url: `https://localhost:${receiver.port}/tard`, types: ALL });
    }
    const answer = await service.app.inject({
      method: "POST",
      url: HOOKS,
      headers: {
        authorization: `Bearer ${made.body.secret}`,
        "content-type": "application/json",
      },
      payload: Readable.from(closing()),
    });
    expect([answer.statusCode, answer.json().code]).toEqual([401, "key_unknown"]);
    const kept = platform.db.selectFrom("webhooks").select("url").where("user_id", "=", member.id);
    expect(await kept.execute()).toEqual([]);
  });

  test.each(["https://10.0.0.1/hook", "https://[fd00::1]/", "https://nulle-part.invalid/"])(
    "the address %s is refused in its field",
    async (url) => {
      const answer = await mine.post(HOOKS, { url, types: ["envelope.sent"] });
      expect(refusal(answer)).toEqual([400, "validation"]);
      expect(answer.body.errors.url[0]).toContain("n’est pas joignable depuis Internet");
    },
  );

  test.each([
    ["http://192.168.1.20/hook", "en http, localhost et 127.0.0.1 seuls"],
    ["http://exemple.fr/", "en http, localhost et 127.0.0.1 seuls"],
    ["ftp://localhost/", "une adresse complète en https"],
    ["localhost", "une adresse complète en https"],
  ])("the address %s is asked for in https", async (url, sentence) => {
    const answer = await mine.post(HOOKS, { url, types: ["envelope.sent"] });
    expect(refusal(answer)).toEqual([400, "validation"]);
    expect(answer.body.errors.url[0]).toContain(sentence);
  });

  test.each([
    "https://user:word@localhost/",
    "https:///user@localhost/",
    "https:/\\u:p@localhost/",
  ])("the address %s may not name anybody", async (url) => {
    const made = await create();
    for (const answer of [
      await mine.post(HOOKS, { url, types: ["envelope.sent"] }),
      await mine.send("PATCH", `${HOOKS}${made.id}/`, { body: { url } }),
    ])
      expect([answer.status, String(answer.body.errors.url)]).toEqual([
        400,
        expect.stringMatching(/identifiant ou mot de passe|une adresse complète/),
      ]);
  });

  test("an unknown type of event hears which there are", async () => {
    const answer = await mine.post(HOOKS, { url: "https://localhost/", types: ["envelope.lost"] });
    expect(answer.body.errors["types.0"][0]).toMatch(/^Au choix\u00a0: envelope\.sent, .*bounced$/);
  });

  test("the twenty-first webhook is refused", async () => {
    for (let made = 0; made < 20; made += 1) await create();
    const url = `https://localhost:${receiver.port}/`;
    const answer = await mine.post(HOOKS, { url, types: ["envelope.sent"] });
    expect(refusal(answer)).toEqual([409, "too_many_webhooks"]);
  });

  test("a visitor without a session gets no answer about webhooks", async () => {
    expect((await openBrowser(service.app).get(HOOKS)).status).toBe(401);
  });
});
