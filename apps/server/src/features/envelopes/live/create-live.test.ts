import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestPlatform, type TestPlatform } from "../../../../testing/platform.ts";
import { EVERYTHING } from "../../../platform/database/announce-changes.ts";
import type { Listen, ListenHandlers } from "../../../platform/database/lasting-connection.ts";
import type { SessionUser } from "../../accounts/public.ts";
import {
  type Live,
  type WatchedEnvelope,
  createLive,
  createStreamBook,
  envelopeEvent,
  eventText,
  retryText,
} from "./create-live.ts";

const PAUL = {
  id: "paul",
  email_key: "paul@exemple.fr",
  recipient_key: "paul@exemple.fr" as string | null,
  teams: [] as readonly { readonly id: string }[],
};
const recipient = (rest: object = {}) => ({
  emailKey: PAUL.email_key,
  isInvited: true,
  isAwaited: false,
  ...rest,
});
const envelope = (rest: Partial<WatchedEnvelope> = {}): WatchedEnvelope => ({
  id: "e",
  version: 3,
  status: "sent",
  ownerId: "anne",
  teamId: null,
  sentAt: null,
  isPurged: false,
  recipients: [recipient()],
  ...rest,
});
const statusFor = (rest: Partial<WatchedEnvelope>, person = PAUL) =>
  envelopeEvent(envelope(rest), person)?.status ?? null;

test("an owner's stream has every state, a recipient's what they may know", () => {
  const anne = { ...PAUL, id: "anne", email_key: "anne@exemple.fr" };
  expect(statusFor({ status: "draft" }, anne)).toBe("draft");
  expect(statusFor({ isPurged: true, status: "cancelled" }, anne)).toBe("purged");
  expect(statusFor({})).toBe("sent");
  expect(statusFor({ status: "draft", sentAt: new Date(0) })).toBe("draft");
  expect(statusFor({ status: "cancelled" })).toBe("cancelled");
  for (const hidden of [
    { status: "draft" },
    { isPurged: true },
    { recipients: [recipient({ isInvited: false })] },
    { recipients: [] },
  ] as const)
    expect(statusFor(hidden)).toBeNull();
});

test("an awaited person's stream has their action in any of their places", () => {
  expect(statusFor({ recipients: [recipient(), recipient({ isAwaited: true })] })).toBe(
    "action_required",
  );
  expect(
    statusFor({
      recipients: [recipient(), recipient({ isAwaited: true, emailKey: "autre@exemple.fr" })],
    }),
  ).toBe("sent");
  expect(statusFor({ ownerId: "paul", recipients: [recipient({ isAwaited: true })] })).toBe(
    "action_required",
  );
  // An address that nobody has confirmed shows only what its own account sent.
  const unconfirmed = { ...PAUL, recipient_key: null };
  expect(
    statusFor({ ownerId: "paul", recipients: [recipient({ isAwaited: true })] }, unconfirmed),
  ).toBe("action_required");
  expect(statusFor({ recipients: [recipient({ isAwaited: true })] }, unconfirmed)).toBeNull();
});

test("an event is one line of data, and browsers reconnect within 2 to 5 s", () => {
  expect(eventText("envelope", { id: "e", version: 3, status: "sent" })).toBe(
    'event: envelope\ndata: {"id":"e","version":3,"status":"sent"}\n\n',
  );
  expect([retryText(0), retryText(1)]).toEqual(["retry: 2000\n\n", "retry: 5000\n\n"]);
});

const stream = (id: string, emailKey = `${id}@exemple.fr`) => ({
  user: {
    id,
    email_key: emailKey,
    teams: id === "a" ? [{ id: "t", name: "Marchés", isAdministrator: false }] : [],
  },
});

test("a stream is found by account and by address until it leaves", () => {
  const book = createStreamBook(10);
  const [first, second, other] = [stream("a"), stream("a"), stream("b")];
  for (const one of [first, second, other]) expect(book.add(one)).toBeNull();
  expect(book.ofUser("a")).toEqual([first, second]);
  expect(book.ofAddress("b@exemple.fr")).toEqual([other]);
  expect(book.ofTeam("t")).toEqual([first, second]);
  book.remove(first);
  book.remove(first);
  expect([book.ofUser("a"), book.ofAddress("a@exemple.fr"), book.size]).toEqual([
    [second],
    [second],
    2,
  ]);
  book.remove(second);
  expect([book.ofUser("a"), book.ofTeam("t"), book.all()]).toEqual([[], [], [other]]);
});

test("a stream beyond the limit replaces the oldest of the same account only", () => {
  const book = createStreamBook(2);
  const [first, second, third, other] = [stream("a"), stream("a"), stream("a"), stream("b")];
  book.add(other);
  book.add(first);
  book.add(second);
  expect(book.add(third)).toBe(first);
  expect(book.all()).toEqual([other, second, third]);
});

describe("live", () => {
  let platform: TestPlatform;
  let user: SessionUser;
  let live: Live;
  let handlers: ListenHandlers | null;

  beforeAll(async () => {
    platform = await createTestPlatform();
  });
  afterAll(() => platform.close());
  beforeEach(async () => {
    user = await createUser();
    handlers = null;
  });
  afterEach(() => live.close());

  async function createUser(): Promise<SessionUser> {
    const [id, session] = [platform.newId(), platform.newId()];
    const { db } = platform;
    const now = platform.clock();
    const texts = {
      username: id,
      username_key: id,
      email: `${id}@exemple.fr`,
      email_key: `${id}@exemple.fr`,
      password_hash: "",
    };
    await db
      .insertInto("users")
      .values({
        id,
        ...texts,
        activated_at: now,
        address_confirmed_at: now,
        created_at: now,
        updated_at: now,
      })
      .execute();
    const ends = new Date(now.getTime() + 3_600_000);
    const times = { created_at: now, last_used_at: now, expires_at: ends };
    await db
      .insertInto("sessions")
      .values({ id: session, user_id: id, remembered: false, means: "password", ...times })
      .execute();
    const token = {
      token_sha256: Buffer.from(platform.random(32)),
      session_id: session,
      kind: "refresh",
    };
    await db
      .insertInto("session_tokens")
      .values({ ...token, created_at: now, expires_at: ends })
      .execute();
    const names = { username: id, first_name: "", last_name: "", full_name: id };
    return {
      id,
      session_id: session,
      email_key: texts.email_key,
      recipient_key: texts.email_key,
      means: "password",
      second_factor_by: null,
      role: null,
      teams: [],
      email: texts.email,
      ...names,
    };
  }

  /** Hears nothing by itself: the test decides what is announced. */
  const silent =
    (arrives: boolean): Listen =>
    (_channel, given) => {
      handlers = given;
      return { arrives: async () => arrives, close: async () => {} };
    };

  function start(
    options: { readonly heartbeatMs?: number; readonly arrives?: boolean } = {},
  ): Live {
    live = createLive({ ...platform, listen: silent(options.arrives ?? true) }, options);
    return live;
  }

  function outlet(takes = true) {
    const kept = { text: "", ended: false, takes };
    return {
      ...kept,
      kept,
      write: (text: string) => ((kept.text += text), kept.takes),
      end: () => void (kept.ended = true),
    };
  }

  test("a heartbeat keeps a silent stream open", async () => {
    const page = outlet();
    expect((await start({ heartbeatMs: 30 }).open({ ...user, ip: "127.0.0.1" }, page)).ok).toBe(
      true,
    );
    await expect.poll(() => page.kept.text).toMatch(/\n:\n\n:\n\n/);
    expect(page.kept.ended).toBe(false);
  });

  test("an ended session ends its silent streams at the next heartbeat", async () => {
    const [page, idle] = [outlet(), outlet()];
    start({ heartbeatMs: 30 });
    await live.open({ ...user, ip: "127.0.0.1" }, page);
    await platform.db
      .updateTable("sessions")
      .set({ revoked_at: platform.clock() })
      .where("id", "=", user.session_id)
      .execute();
    await expect.poll(() => page.kept.ended).toBe(true);
    expect(page.kept.text).toContain('event: end\ndata: {"reason":"session_ended"}');
    await platform.db
      .updateTable("sessions")
      .set({ revoked_at: null })
      .where("id", "=", user.session_id)
      .execute();
    await live.open({ ...user, ip: "127.0.0.1" }, idle);
    platform.clock.advance({ hours: 1 });
    await expect.poll(() => idle.kept.ended).toBe(true);
  });

  test("a closed account's streams end", async () => {
    const page = outlet();
    await start({ heartbeatMs: 30 }).open({ ...user, ip: "127.0.0.1" }, page);
    await platform.db
      .updateTable("users")
      .set({ deactivated_at: platform.clock() })
      .where("id", "=", user.id)
      .execute();
    await expect.poll(() => page.kept.ended).toBe(true);
  });

  test("a browser that no longer reads is disconnected", async () => {
    const page = outlet();
    await start({ heartbeatMs: 30 }).open({ ...user, ip: "127.0.0.1" }, page);
    page.kept.takes = false;
    await expect.poll(() => page.kept.ended).toBe(true);
    expect(page.kept.text).not.toContain("event: end");
  });

  test("missed messages make every page refresh", async () => {
    const page = outlet();
    await start().open({ ...user, ip: "127.0.0.1" }, page);
    handlers?.onGap();
    expect(page.kept.text).toContain("event: refresh\ndata: {}");
  });

  test("a starting process makes every page refresh", async () => {
    const page = outlet();
    await start().open({ ...user, ip: "127.0.0.1" }, page);
    handlers?.onMessage(EVERYTHING);
    expect(page.kept.text).toContain("event: refresh\ndata: {}");
  });

  test("no stream opens while changes do not arrive, nor during the stop", async () => {
    expect(
      await start({ arrives: false }).open({ ...user, ip: "127.0.0.1" }, outlet()),
    ).toMatchObject({
      ok: false,
      error: { code: "service_unavailable" },
    });
    await live.close();
    start();
    const page = outlet();
    await live.open({ ...user, ip: "127.0.0.1" }, page);
    await live.close();
    expect(page.kept.ended).toBe(true);
    expect(await live.open({ ...user, ip: "127.0.0.1" }, outlet())).toMatchObject({
      ok: false,
      error: { code: "service_unavailable" },
    });
  });

  async function insertDraft(): Promise<string> {
    const id = platform.newId();
    const now = platform.clock();
    const row = {
      id,
      owner_id: user.id,
      created_by_name: "",
      title: "",
      search_text: "",
      status: "draft",
      flow: "parallel",
    };
    await platform.db
      .insertInto("envelopes")
      .values({ ...row, created_at: now, updated_at: now })
      .execute();
    return id;
  }

  test("repeated announcements are sent once per envelope, meaningless ones ignored", async () => {
    const page = outlet();
    await start().open({ ...user, ip: "127.0.0.1" }, page);
    const id = await insertDraft();
    for (let n = 0; n < 1_000; n++) handlers?.onMessage(id);
    for (const other of [platform.newId(), "", "'; drop table users", `${id} ${id} ${id}`])
      handlers?.onMessage(other);
    await expect.poll(() => page.kept.text).toContain('"draft":1');
    await sleep(100);
    expect(page.kept.text.match(/event: envelope/g)).toHaveLength(1);
    expect(platform.logged).toEqual([]);
  });

  test("unsent changes are sent once the database answers again", async () => {
    const page = outlet();
    await start().open({ ...user, ip: "127.0.0.1" }, page);
    const id = await insertDraft();
    await sql`alter table recipients rename to recipients_away`.execute(platform.owner);
    handlers?.onMessage(id);
    await expect
      .poll(() => platform.logged.map(({ message }) => message))
      .toContain("live changes could not be told yet");
    await sql`alter table recipients_away rename to recipients`.execute(platform.owner);
    await expect.poll(() => page.kept.text, { timeout: 5_000 }).toContain(`"id":"${id}"`);
  });

  test("unreadable counts delay no other account, whose pages then refresh", async () => {
    const [paul, page, other] = [await createUser(), outlet(), outlet()];
    start();
    await live.open({ ...user, ip: "127.0.0.1" }, page);
    await live.open({ ...paul, ip: "127.0.0.1" }, other);
    const id = await insertDraft();
    const recipient = {
      id: platform.newId(),
      envelope_id: id,
      position: 0,
      routing_order: 1,
      role: "signer",
      full_name: "Paul",
    };
    await platform.db
      .insertInto("recipients")
      .values({
        ...recipient,
        email: paul.email,
        email_key: paul.email_key,
        notified_at: platform.clock(),
        status: "notified",
      })
      .execute();
    await platform.db
      .updateTable("envelopes")
      .set({ status: "sent" })
      .where("id", "=", id)
      .execute();
    // Adding two such counts fails.
    const most = {
      email_key: user.email_key,
      list: "action_required",
      count: 9_223_372_036_854_775_807n as never,
    };
    await platform.db
      .insertInto("inbox_counts")
      .values([platform.newId(), platform.newId()].map((holder_id) => ({ ...most, holder_id })))
      .execute();
    handlers?.onMessage(id);
    await expect.poll(() => page.kept.text).toContain("event: refresh\ndata: {}");
    expect(other.kept.text).toContain(`"id":"${id}"`);
    await platform.db.deleteFrom("inbox_counts").where("email_key", "=", user.email_key).execute();
    await platform.db
      .updateTable("envelopes")
      .set({ title: "Bail" })
      .where("id", "=", id)
      .execute();
    handlers?.onMessage(id);
    await expect.poll(() => page.kept.text.match(/event: counts/g)).toHaveLength(2);
    for (const { kept } of [page, other])
      expect(kept.text.match(/event: envelope/g)).toHaveLength(2);
    expect(other.kept.text).not.toContain("event: refresh");
  });
});
