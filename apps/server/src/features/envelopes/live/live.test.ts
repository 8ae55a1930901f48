import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LIVE_PATH } from "@paraphe/contracts";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { expectStatus } from "../../../../testing/answers.ts";
import { createTestApp, type TestApp } from "../../../../testing/app.ts";
import { openBrowser, type TestBrowser } from "../../../../testing/browser.ts";
import {
  createDraft,
  createSent,
  ELOISE,
  ENVELOPES,
  recordTestSignature,
} from "../../../../testing/envelope.ts";
import { createMemberAs } from "../../../../testing/organisation.ts";
import { openStream, type TestStream } from "../../../../testing/live-stream.ts";
import { createMember, type Member, signIn, openMember } from "../../../../testing/member.ts";
import { findFreePort, type MainProcess, runMain } from "../../../../testing/run-main.ts";
import { storageFolder } from "../../../../testing/stored-file.ts";
import { EVERYTHING } from "../../../platform/database/announce-changes.ts";
import type { Listening } from "../../../platform/database/lasting-connection.ts";
import { createSecretBox } from "../../../platform/secrets/secret-box.ts";
import { insertDataKey } from "../../../platform/secrets/data-key.ts";
import { declineEnvelope, recordView } from "../public.ts";

let service: TestApp;
/** Two processes of one service share this source. */
const random = (length: number) => new Uint8Array(randomBytes(length));
const masterKey = random(32);
const dataKey = random(32);

beforeAll(async () => {
  const secrets = createSecretBox(dataKey, random);
  // The other process uses the machine's clock.
  service = await createTestApp({
    now: new Date(),
    settings: { rateLimits: "off" },
    platform: { secrets },
  });
});
afterAll(() => service.close());

describe("the live stream", () => {
  let url: string;
  let [anneMember, paulMember, strangerMember]: Member[] = [];
  let [anne, paul, stranger]: TestBrowser[] = [];
  const streams: TestStream[] = [];
  const client = { ip: "192.0.2.9", userAgent: "Safari" };

  beforeAll(async () => {
    url = await service.app.listen({ host: "127.0.0.1", port: 0 });
  });
  beforeEach(async () => {
    [anneMember, paulMember, strangerMember] = [
      await createMember(service.platform, { firstName: "Anne", lastName: "Roux" }),
      await createMember(service.platform, { firstName: "Paul", lastName: "Morel" }),
      await createMember(service.platform),
    ];
    [anne, paul, stranger] = await Promise.all(
      [anneMember, paulMember, strangerMember].map((member) => signIn(service, member)),
    );
  });
  afterEach(() => {
    for (const stream of streams.splice(0)) stream.close();
  });

  async function open(browser: TestBrowser | undefined, headers = {}): Promise<TestStream> {
    const stream = await openStream(url, browser as TestBrowser, headers);
    streams.push(stream);
    return stream;
  }

  const member = (who: Member | undefined, rest: object = {}) => ({
    email: who?.email,
    full_name: `${who?.firstName} ${who?.lastName}`,
    ...rest,
  });
  const told = (stream: TestStream, name = "envelope") =>
    stream.events.filter((event) => event.name === name).map((event) => event.data);
  const last = (stream: TestStream, name = "envelope") => told(stream, name).at(-1);

  /** Waits until the last event of this name equals this. */
  async function expectLast(
    stream: TestStream,
    name: "envelope" | "counts" | "end",
    data: object,
  ): Promise<void> {
    await expect.poll(() => last(stream, name), { timeout: 5_000 }).toMatchObject(data);
  }

  test("a stream is unbuffered and begins with the counts", async () => {
    await createDraft(anne as TestBrowser);
    const stream = await open(anne, { "accept-encoding": "br, gzip" });
    expect(stream.status).toBe(200);
    expect(stream.headers).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
      "x-content-type-options": "nosniff",
    });
    expect(stream.headers["content-encoding"]).toBeUndefined();
    await expectLast(stream, "counts", {
      draft: 1,
      sent: 0,
      completed: 0,
      action_required: 0,
      cancelled: 0,
    });
    expect(stream.text()).toMatch(/^retry: [2-5]\d{3}$/m);
  });

  test("a stream needs a living session: 401 otherwise", async () => {
    await expectStatus(open(openBrowser(service.app)), 401);
    await expectStatus(open(anne, { "x-signature-token": "0".repeat(43) }), 401);
    const cookies = new Map(anne?.cookies);
    await anne?.post("/api/logout/");
    await expectStatus(open({ ...(anne as TestBrowser), cookies }), 401);
    expect((await (anne as TestBrowser).get(LIVE_PATH)).body.code).toBe("session_expired");
  });

  test("a stream answers no HEAD, which would never end", async () => {
    const answer = await service.app.inject({ method: "HEAD", url: LIVE_PATH });
    expect([answer.statusCode, answer.headers["allow"]]).toEqual([405, "GET"]);
  });

  test("a change reaches the owner and recipients with an account, through an envelope's life", async () => {
    const [owner, recipient] = [await open(anne), await open(paul)];
    const draft = await createDraft(anne as TestBrowser, {
      recipients: [member(paulMember), ELOISE],
    });
    await expectLast(owner, "envelope", { id: draft.id, version: 1, status: "draft" });
    await expectLast(owner, "counts", { draft: 1 });
    await anne?.send("PATCH", `${ENVELOPES}${draft.id}/`, { body: { message: "Bonjour" } });
    await expectLast(owner, "envelope", { version: 2 });
    // The journal does not record this change; open pages follow it all the same.
    await anne?.send("PATCH", `${ENVELOPES}${draft.id}/`, {
      body: { message: "Bonjour à vous" },
    });
    await expectLast(owner, "envelope", { version: 3 });
    expect(told(recipient)).toEqual([]);

    const sent = (await (anne as TestBrowser).post(`${ENVELOPES}${draft.id}/send/`)).body;
    await expectLast(owner, "envelope", { id: draft.id, version: sent.version, status: "sent" });
    await expectLast(recipient, "envelope", { id: draft.id, status: "action_required" });
    await expectLast(recipient, "counts", { action_required: 1 });
    const [own, other] = sent.recipients;

    const beforeView = told(owner).length;
    await recordView(service.platform, { envelopeId: draft.id, recipientId: other.id, client });
    await expect.poll(() => told(owner).length).toBeGreaterThan(beforeView);

    await recordTestSignature(service.platform, draft.id, own.id);
    await expectLast(owner, "envelope", { status: "pending" });
    await expectLast(recipient, "envelope", { status: "pending" });
    await expectLast(recipient, "counts", { action_required: 0 });

    await anne?.post(`${ENVELOPES}${draft.id}/cancel/`);
    await expectLast(owner, "envelope", { status: "cancelled" });
    await expectLast(recipient, "envelope", { status: "cancelled" });
    await anne?.post(`${ENVELOPES}${draft.id}/restore/`);
    await expectLast(owner, "envelope", { status: "pending" });
    const guest = { envelopeId: draft.id, recipientId: other.id, reason: "Clause 4", client };
    await declineEnvelope(service.platform, guest as never);
    await expectLast(owner, "envelope", { status: "declined" });

    await anne?.post(`${ENVELOPES}${draft.id}/cancel/`);
    await expectLast(owner, "counts", { cancelled: 1, sent: 0 });
    const toldBefore = told(recipient).length;
    await anne?.send("DELETE", `${ENVELOPES}${draft.id}/purge/`);
    await expectLast(owner, "envelope", { id: draft.id, status: "purged" });
    await expectLast(owner, "counts", { cancelled: 0 });
    expect(
      told(recipient)
        .slice(toldBefore)
        .filter(({ status }) => status === "purged"),
    ).toEqual([]);
  });

  test("a message's delivery reaches the owner", async () => {
    const owner = await open(anne);
    const sent = await createSent(anne as TestBrowser, { recipients: [ELOISE] });
    await expectLast(owner, "envelope", { id: sent.id, status: "sent" });
    await sleep(300);
    const before = told(owner).length;
    await service.settle();
    await expect.poll(() => told(owner).length).toBeGreaterThan(before);
    expect(
      (await (anne as TestBrowser).get(`${ENVELOPES}${sent.id}/`)).body.recipients[0].deliveries[0]
        .state,
    ).toBe("sent");
  });

  test("a change is hidden from others, and from recipients of drafts or later turns", async () => {
    const [nobody, later] = [await open(stranger), await open(paul)];
    const owner = await open(anne);
    const recipients = [{ ...ELOISE, order: 1 }, member(paulMember, { order: 2 })];
    const sent = await createSent(anne as TestBrowser, { flow: "sequential", recipients });
    await expectLast(owner, "envelope", { id: sent.id, status: "sent" });
    await sleep(300);
    expect([told(nobody), told(later)]).toEqual([[], []]);
    await recordTestSignature(service.platform, sent.id, sent.recipients[0]?.id ?? "");
    await expectLast(later, "envelope", { id: sent.id, status: "action_required" });
    expect(told(nobody)).toEqual([]);
    expect(told(nobody, "counts")).toHaveLength(1);
  });

  test("whoever gave a visa is told that the document went back to its sender", async () => {
    const [giver, returner] = [paul as TestBrowser, stranger as TestBrowser];
    const [first, later] = [await open(giver), await open(returner)];
    const visa = (who: Member | undefined, order: number) => member(who, { role: "visa", order });
    const sent = await createSent(anne as TestBrowser, {
      flow: "sequential",
      recipients: [visa(paulMember, 1), visa(strangerMember, 2), { ...ELOISE, order: 3 }],
    });
    await expectStatus(giver.post(`${ENVELOPES}${sent.id}/visa/`), 200);
    await expectLast(later, "envelope", { id: sent.id, status: "action_required" });
    const back = { order: 0, reason: "Il manque l’année" };
    await expectStatus(returner.post(`${ENVELOPES}${sent.id}/send-back/`, back), 200);
    await expectLast(first, "envelope", { id: sent.id, status: "draft" });
    for (const part of ["", "download/"])
      expect((await giver.get(`${ENVELOPES}${sent.id}/${part}`)).body.code).toBe("not_your_turn");
  });

  test("a removed recipient only gets new counts", async () => {
    const gone = await open(paul);
    const sent = await createSent(anne as TestBrowser, { recipients: [member(paulMember)] });
    await expectLast(gone, "counts", { action_required: 1 });
    const corrected = await anne?.send(
      "PATCH",
      `${ENVELOPES}${sent.id}/recipients/${sent.recipients[0]?.id}/`,
      {
        body: { email: "ailleurs@exemple.fr" },
      },
    );
    expect(corrected?.status).toBe(200);
    expect(corrected?.body.version).toBeGreaterThan(sent.version);
    await expectLast(gone, "counts", { action_required: 0 });
    // The draft and its sending are two changes: announced separately or together, they end as the
    // sent envelope.
    expect(new Set(told(gone).map(({ version }) => version))).toEqual(new Set([sent.version]));
  });

  test("a change rolled back is sent to nobody", async () => {
    const owner = await open(anne);
    const sent = await createSent(anne as TestBrowser, { recipients: [ELOISE] });
    await expectLast(owner, "envelope", { id: sent.id });
    await sleep(300);
    const before = told(owner).length;
    const failing = service.platform.db.transaction().execute(async (trx) => {
      await sql`insert into audit_events values (${sent.id}, 99, now(), 'system', 'envelope_expired', '{}', '', null)`.execute(
        trx,
      );
      throw new Error("rolled back");
    });
    await expect(failing).rejects.toThrow("rolled back");
    await sleep(300);
    expect(told(owner)).toHaveLength(before);
  });

  test("an announcement has ids only", async () => {
    const heard: string[] = [];
    const listening = service.platform.listen("envelope_changed", {
      onMessage: (payload) => heard.push(payload),
      onGap() {},
    });
    expect(await listening.arrives(5_000)).toBe(true);
    const sent = await createSent(anne as TestBrowser, { recipients: [member(paulMember)] });
    await anne?.send("PATCH", `${ENVELOPES}${sent.id}/recipients/${sent.recipients[0]?.id}/`, {
      body: { email: "ici@exemple.fr" },
    });
    await expect.poll(() => heard).toContain(`${sent.id} ${paulMember?.id}`);
    expect(
      heard.every((payload) => /^((session|teams) )?[0-9a-f-]{36}( [0-9a-f-]{36})?$/.test(payload)),
    ).toBe(true);
    await listening.close();
  });

  test("a logout ends the stream with its reason", async () => {
    const [own, other] = [
      await open(anne),
      await open(await signIn(service, anneMember as Member)),
    ];
    await anne?.post("/api/logout/");
    const sender = await signIn(service, anneMember as Member);
    const draft = await createDraft(sender);
    await expectLast(own, "end", { reason: "session_ended" });
    await expect.poll(() => own.hasEnded()).toBe(true);
    expect(told(own)).toEqual([]);
    await expectLast(other, "envelope", { id: draft.id });
    expect(other.hasEnded()).toBe(false);
  });

  test("an ended session's pages close at once, though nothing else happens", async () => {
    const stream = await open(anne);
    await anne?.post("/api/logout/");
    // The end comes well before the heartbeat.
    await expectLast(stream, "end", { reason: "session_ended" });
    await expect.poll(() => stream.hasEnded()).toBe(true);
  });

  test("whoever joins or leaves a team reads the list again, reconnects, and gets its events while in it", async () => {
    const { platform } = service;
    const lead = await signIn(service, await createMemberAs(platform, "owner"));
    const [maker, leaver] = [
      await createMemberAs(platform, "member"),
      await createMemberAs(platform, "member"),
    ];
    const places = [maker, leaver].map(({ id }) => ({ id, is_administrator: false }));
    const [making, leaving] = [await signIn(service, maker), await signIn(service, leaver)];
    const joining = await open(leaving);
    const made = await lead.post("/api/organisation/teams/", {
      name: "Urbanisme",
      members: places,
    });
    const team = made.body.teams[0].id;
    // The stream comes back with the new team.
    await expect.poll(() => joining.hasEnded(), { timeout: 5_000 }).toBe(true);
    const before = await open(leaving);
    const { id } = await createDraft(making, { team });
    await expectLast(before, "envelope", { id });
    await lead.send("PUT", `/api/organisation/members/${leaver.id}/teams/`, {
      body: { teams: [] },
    });
    await expect.poll(() => before.hasEnded(), { timeout: 5_000 }).toBe(true);
    expect([told(before, "refresh").length, told(before, "end")]).toEqual([1, []]);
    const after = await open(leaving);
    const watching = await open(making);
    await making.send("PATCH", `${ENVELOPES}${id}/`, { body: { title: "Arrêté" } });
    await expectLast(watching, "envelope", { id });
    expect(told(after)).toEqual([]);
    await expectLast(after, "counts", { draft: 0 });
  });

  test("an eleventh stream ends the account's oldest, which does not come back", async () => {
    const opened: TestStream[] = [];
    for (let n = 0; n < 11; n++) opened.push(await open(anne));
    const elsewhere = await open(paul);
    await expectLast(opened[0] as TestStream, "end", { reason: "replaced" });
    await expect.poll(() => opened[0]?.hasEnded()).toBe(true);
    expect(opened.slice(1).map((stream) => stream.hasEnded())).toEqual(
      Array.from({ length: 10 }, () => false),
    );
    expect(elsewhere.hasEnded()).toBe(false);
  });

  test("a browser that leaves frees its place", async () => {
    for (let n = 0; n < 10; n++) (await open(anne)).close();
    const kept = await open(anne);
    await sleep(200);
    for (let n = 0; n < 9; n++) await open(anne);
    await sleep(200);
    expect(kept.hasEnded()).toBe(false);
  });
});

describe("two processes", { timeout: 60_000 }, () => {
  let folder: string;
  let other: MainProcess;
  let url: string;
  const heard: string[] = [];
  let listening: Listening;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "paraphe-live-"));
    listening = service.platform.listen("envelope_changed", {
      onMessage: (change) => void heard.push(change),
      onGap() {},
    });
    await listening.arrives(5_000);
    const port = await findFreePort();
    await insertDataKey(
      service.platform.db,
      createSecretBox(masterKey, random).wrap(dataKey, "data key"),
    );
    const { database } = service.platform.settings;
    if (database.kind !== "external") throw new Error("Expected the tests' database");
    const { storage } = service.platform.settings;
    const shared = {
      STORAGE_URL: storageFolder({ storage }),
      MASTER_KEY: Buffer.from(masterKey).toString("base64"),
    };
    const settings = { ...shared, DATA_DIR: folder, PORT: String(port) };
    other = runMain({ ...settings, DATABASE_URL: database.url, ROLE: "web" }, folder);
    await other.ready;
    url = `https://127.0.0.1:${port}`;
  });
  afterAll(async () => {
    other.child.kill("SIGTERM");
    await other.exit;
    await listening.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });

  test("a starting process makes every page refresh", async () => {
    await expect.poll(() => heard).toContain(EVERYTHING);
  });

  test("a change reaches streams of another process over HTTP/2, and the stop ends them", async () => {
    const browser = await openMember(service);
    const stream = await openStream(url, browser);
    expect([
      stream.status,
      stream.headers["x-accel-buffering"],
      stream.headers["connection"],
    ]).toEqual([200, "no", undefined]);
    await expect.poll(() => stream.events.map(({ name }) => name)).toEqual(["counts"]);
    const draft = await createDraft(browser);
    await expect
      .poll(() => stream.events.at(-1))
      .toMatchObject({ name: "counts", data: { draft: 1 } });
    expect(stream.events).toContainEqual({
      name: "envelope",
      data: { id: draft.id, version: 1, status: "draft" },
    });
    const changed = performance.now();
    await browser.send("PATCH", `${ENVELOPES}${draft.id}/`, { body: { message: "Bonjour" } });
    await expect
      .poll(() => stream.events.at(-1), { interval: 10 })
      .toMatchObject({ name: "envelope", data: { version: 2 } });
    expect(performance.now() - changed).toBeLessThan(1_000);

    const stopped = performance.now();
    other.child.kill("SIGTERM");
    await expect.poll(() => stream.hasEnded(), { interval: 10 }).toBe(true);
    // The stream ends at once, not after the 5 s left to running requests: the browser goes to
    // another process meanwhile.
    expect(performance.now() - stopped).toBeLessThan(1_500);
    expect(await other.exit).toBe(0);
    expect(performance.now() - stopped).toBeLessThan(5_000);
    expect(stream.text()).not.toContain("event: end");
  });
});
