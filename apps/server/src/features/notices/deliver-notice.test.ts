import { writeTogether } from "../../platform/database/in-transaction.ts";
import { createServer, type Server, type Socket } from "node:net";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { NOTICE_SAMPLES } from "../../../testing/notice-samples.ts";
import { createTestPlatform, type TestPlatform } from "../../../testing/platform.ts";
import { startSmtpServer, type TestSmtpServer } from "../../../testing/smtp-server.ts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Notice } from "./domain/notice.ts";
import { enqueueNotice, enqueueNotices, withdrawNotices } from "./enqueue-notice.ts";
import { erasePersonNotices } from "./waiting-store.ts";
import { registerNoticeJobs, sweepNotices } from "./run-outbox.ts";
import { claimNotices, finishNotices } from "./outbox-store.ts";
import { selectPersonNotices } from "./store.ts";

let server: TestSmtpServer;
let platform: TestPlatform;

beforeAll(async () => {
  server = await startSmtpServer();
  platform = await createTestPlatform({
    settings: { smtpUrl: server.url, mailFrom: "paraphe@exemple.fr" },
  });
  registerNoticeJobs(platform);
});
afterAll(async () => {
  await platform.close();
  await server.close();
});

describe("deliveries", () => {
  let count = 0;

  afterEach(() => {
    server.received.length = 0;
    server.answers.length = 0;
  });

  function invitation(
    values: Partial<Extract<Notice, { kind: "invitation" }>> = {},
  ): Extract<Notice, { kind: "invitation" }> {
    count += 1;
    const to = { fullName: "Zoë Œuvrard", address: `zoe${count}@exemple.fr` };
    return {
      kind: "invitation",
      channel: "email",
      dedupeKey: `invitation:${count}`,
      to,
      content: NOTICE_SAMPLES.invitation,
      ...values,
    };
  }

  /** Gives the stored row's id. */
  async function enqueue(notice: Notice): Promise<string> {
    platform.clock.advance({ seconds: 0.001 });
    await platform.db.transaction().execute((trx) => enqueueNotice(trx, platform, notice));
    const { id } = await platform.db
      .selectFrom("notices")
      .select("id")
      .where("dedupe_key", "=", notice.dedupeKey)
      .executeTakeFirstOrThrow();
    return id;
  }

  const load = (id: string) =>
    platform.db
      .selectFrom("notices")
      .select([
        "state",
        "tries",
        "server_answer as serverAnswer",
        "content_wrapped as contentWrapped",
      ])
      .select(["sent_at as sentAt", "ended_at as endedAt"])
      .where("id", "=", id)
      .executeTakeFirst();
  const stored = async (id: string) => (await load(id)) ?? expect.fail("no such notice");

  describe("a message", () => {
    test("a mail is sent once, from « Prénom Nom via Paraphe », and its content is erased", async () => {
      const notice = invitation();
      const id = await enqueue(notice);
      await platform.settle();
      expect(server.received).toHaveLength(1);
      const [got] = server.received;
      expect(got?.envelope.to).toEqual([notice.to.address]);
      expect(got?.mail).toMatchObject({
        subject: "Document à signer\u00a0: Bail – 12 rue Haute <b>& Cie</b>",
        from: { name: "Paul Martin via Paraphe", address: "paraphe@exemple.fr" },
        replyTo: [{ address: "paul.martin@exemple.fr" }],
        messageId: `<${id}@localhost>`,
      });
      expect(got?.mail.text).toContain(NOTICE_SAMPLES.invitation.link);
      expect(got?.mail.html).toContain("Bonjour Zoë Œuvrard,");
      expect(await stored(id)).toMatchObject({
        state: "sent",
        tries: 1,
        contentWrapped: null,
        serverAnswer: "250 2.0.0 pris en charge",
        sentAt: platform.clock(),
      });
      await platform.settle({ deferred: "run" });
      expect(server.received).toHaveLength(1);
    });

    test("a dedupe key makes one message, even of twenty parallel requests", async () => {
      const notice = invitation();
      await Promise.all(Array.from({ length: 20 }, () => enqueue(notice)));
      await platform.settle();
      expect(server.received).toHaveLength(1);
    });

    test("senders take turns, however many messages one asked for", async () => {
      const [anne, bruno] = [
        "0199aaaa-0000-7000-8000-000000000001",
        "0199aaaa-0000-7000-8000-000000000002",
      ];
      const from = (senderId: string, name: string) =>
        invitation({ senderId, to: { fullName: name, address: `${name}@exemple.fr` } });
      const crowd = Array.from({ length: 8 }, (_, index) => from(anne, `anne${index}`));
      await platform.db.transaction().execute((trx) => enqueueNotices(trx, platform, crowd));
      await enqueue(from(bruno, "bruno0"));
      await enqueue(from(bruno, "bruno1"));
      await enqueue(from(anne, "anne8"));
      await platform.settle();
      const order = server.received.map(({ envelope }) => envelope.to[0]?.split("@")[0] ?? "");
      expect(order.slice(0, 4).map((name) => name.slice(0, 5))).toEqual(
        ["anne0", "bruno", "anne1", "bruno"].map((name) =>
          expect.stringContaining(name.slice(0, 4)),
        ),
      );
      expect(order.at(-1)).toBe("anne8");
      expect(order).toHaveLength(11);
    });

    test("a message of a transaction that fails does not exist", async () => {
      const notice = invitation();
      const failing = platform.db.transaction().execute(async (trx) => {
        await enqueueNotice(trx, platform, notice);
        throw new Error("rolled back");
      });
      await expect(failing).rejects.toThrow("rolled back");
      await platform.settle();
      expect(server.received).toHaveLength(0);
    });

    test("a waiting message's link is unreadable in the database", async () => {
      const id = await enqueue(invitation());
      const row = await stored(id);
      expect(Buffer.from(row.contentWrapped ?? []).includes("token=")).toBe(false);
      const jobs = await platform.db
        .selectFrom("notices")
        .selectAll()
        .where("id", "=", id)
        .executeTakeFirstOrThrow();
      expect(JSON.stringify(jobs)).not.toContain("token=");
      await platform.settle();
    });

    test("a 5xx is final, and the server's answer is stored", async () => {
      server.answers.push({ at: "rcpt", code: 550, words: "5.1.1 adresse inconnue" });
      const id = await enqueue(invitation());
      await platform.settle();
      expect(await stored(id)).toMatchObject({
        state: "refused",
        tries: 1,
        serverAnswer: "550 5.1.1 adresse inconnue",
        contentWrapped: null,
        sentAt: null,
      });
      await platform.settle({ deferred: "run" });
      expect(server.received).toHaveLength(0);
      expect(platform.logged.at(-1)).toMatchObject({
        level: "warn",
        fields: { noticeId: id, kind: "invitation", channel: "email" },
      });
    });

    test("a mail deferred by a 4xx goes later, under the same Message-ID", async () => {
      server.answers.push(
        { at: "data", code: 451, words: "4.7.1 liste grise" },
        { at: "rcpt", code: 450, words: "4.2.0 encore" },
      );
      const offered = server.offered();
      const id = await enqueue(invitation());
      await platform.settle();
      expect(platform.logged.at(-1)).toMatchObject({
        level: "warn",
        fields: {
          noticeId: id,
          cause: expect.stringMatching(/^127\.0\.0\.1:\d+ EMESSAGE 451 4\.7\.1 \(DATA\)$/),
        },
      });
      expect(await stored(id)).toMatchObject({
        state: "queued",
        tries: 1,
        serverAnswer: "451 4.7.1 liste grise",
      });
      await platform.settle();
      expect(server.offered()).toBe(offered + 1);
      await platform.settle({ deferred: "run" });
      await platform.settle({ deferred: "run" });
      expect(server.received.map((got) => got.mail.messageId)).toEqual([`<${id}@localhost>`]);
      expect(await stored(id)).toMatchObject({ state: "sent", tries: 3 });
    });

    test("a mail that no server took in 48 hours is given up, with the last answer", async () => {
      const id = await enqueue(invitation());
      server.answers.push({ at: "data", code: 451, words: "4.7.1 liste grise" });
      await platform.settle();
      platform.clock.advance({ hours: 48, seconds: 1 });
      await platform.settle({ deferred: "run" });
      expect(await stored(id)).toMatchObject({
        state: "refused",
        serverAnswer: "Délai de remise dépassé. Dernière réponse\u00a0: 451 4.7.1 liste grise",
        contentWrapped: null,
      });
      await platform.settle({ deferred: "run", failures: "keep" });
      expect(server.received).toHaveLength(0);
    });

    test("an expired code is not sent", async () => {
      const id = await enqueue({
        ...invitation(),
        kind: "code",
        channel: "email",
        content: NOTICE_SAMPLES.code,
      });
      platform.clock.advance({ minutes: 10, seconds: 1 });
      await platform.settle();
      expect(server.received).toHaveLength(0);
      expect(await stored(id)).toMatchObject({
        state: "refused",
        serverAnswer: "Délai de remise dépassé.",
      });
    });

    test("an unsent message of a closed envelope is withdrawn", async () => {
      const envelopeId = platform.newId();
      const [sent, waiting] = [invitation({ envelopeId }), invitation({ envelopeId })];
      const sentId = await enqueue(sent);
      await platform.settle();
      const waitingId = await enqueue(waiting);
      await enqueue({
        kind: "cancelled",
        channel: "email",
        dedupeKey: `cancelled:${envelopeId}`,
        to: sent.to,
        envelopeId,
        content: NOTICE_SAMPLES.cancelled,
      });
      await platform.db
        .transaction()
        .execute((trx) => writeTogether(trx, [withdrawNotices(platform, { envelopeId })]));
      await platform.settle();
      expect(server.received.map((got) => got.mail.subject)).toEqual([
        expect.stringContaining("Document à signer"),
        expect.stringContaining("Demande annulée"),
      ]);
      expect(await stored(waitingId)).toMatchObject({
        state: "withdrawn",
        contentWrapped: null,
        endedAt: platform.clock(),
      });
      const rows = await platform.db
        .selectFrom("notices")
        .select(["id", "state"])
        .where("envelope_id", "=", envelopeId)
        .orderBy("created_at")
        .orderBy("id")
        .execute();
      expect(rows.map(({ id, state }) => [id === sentId, state])).toEqual([
        [true, "sent"],
        [false, "withdrawn"],
        [false, "sent"],
      ]);
    });
  });

  describe("the mail of a completed envelope", () => {
    const completed = (
      attachments: readonly { name: string; sha256: string; sizeBytes: number }[],
    ): Notice => ({
      ...invitation(),
      kind: "completed",
      content: { ...NOTICE_SAMPLES.completed, attachments },
    });

    test("the mail of a completed envelope has the signed files below 10 MB", async () => {
      const bytes = new TextEncoder().encode("%PDF-1.7 signé");
      const sha256 = Buffer.from(await platform.files.put(bytes)).toString("hex");
      await enqueue(completed([{ name: "bail_signe.pdf", sha256, sizeBytes: bytes.length }]));
      await platform.settle();
      const [file] = server.received[0]?.mail.attachments ?? [];
      expect(file).toMatchObject({ filename: "bail_signe.pdf", mimeType: "application/pdf" });
      expect(Buffer.from(file?.content as ArrayBuffer).toString()).toBe("%PDF-1.7 signé");
    });

    test("the mail of a completed envelope has its link alone when the files are heavier or purged", async () => {
      await enqueue(
        completed([{ name: "lourd.pdf", sha256: "00".repeat(32), sizeBytes: 10 * 1024 * 1024 }]),
      );
      await enqueue(completed([{ name: "purge.pdf", sha256: "00".repeat(32), sizeBytes: 5 }]));
      await platform.settle();
      expect(server.received.map((got) => got.mail.attachments.length)).toEqual([0, 0]);
      expect(server.received[0]?.mail.text).toContain(NOTICE_SAMPLES.completed.link);
    });
  });

  test("an SMS goes by the SMS transport, to its number", async () => {
    const to = { fullName: "Zoë Œuvrard", address: "+33612345678" };
    const id = await enqueue({
      kind: "code",
      channel: "sms",
      dedupeKey: "code:sms",
      to,
      content: NOTICE_SAMPLES.code,
    });
    await platform.settle();
    expect(server.received).toHaveLength(0);
    const message = await platform.db
      .selectFrom("mailbox_messages")
      .selectAll()
      .where("destination", "=", to.address)
      .executeTakeFirstOrThrow();
    expect(JSON.parse(message.content).text).toContain("482913 : code pour signer");
    expect((await stored(id)).state).toBe("sent");
  });

  test("account messages are deleted after 90 days; an envelope's and waiting ones stay", async () => {
    const [account, waiting] = [invitation(), invitation()];
    const ofEnvelope = await enqueue(invitation({ envelopeId: platform.newId() }));
    const accountId = await enqueue(account);
    await platform.settle();
    platform.clock.advance({ days: 89 });
    await sweepNotices(platform);
    expect(await load(accountId)).toBeDefined();
    const waitingId = await enqueue(waiting);
    platform.clock.advance({ days: 2 });
    await sweepNotices(platform);
    expect(await load(accountId)).toBeUndefined();
    for (const id of [ofEnvelope, waitingId]) expect(await load(id)).toBeDefined();
  });

  test("deliveries log no address, link or code", () => {
    expect(JSON.stringify(platform.logged)).not.toMatch(/@|token|482/);
  });
});

describe("notices to persons", () => {
  const userId = "01990000-0000-7000-8000-0000000000aa";

  beforeAll(async () => {
    await sql`
    insert into notices (id, dedupe_key, kind, channel, destination, message_id, user_id, state, created_at)
    select gen_random_uuid(), 'k' || n, 'signed', case when n % 3 = 0 then 'sms' else 'email' end, 'Personne' || n || '@exemple.fr', '',
      case when n % 2 = 0 then gen_random_uuid() end, 'sent', now()
    from generate_series(1, 20000) n`.execute(platform.db);
    await sql`analyze notices`.execute(platform.owner);
  });
  afterAll(async () => {
    await sql`delete from notices`.execute(platform.owner);
  });

  /** Counts the table scans of the work. */
  async function wholeReads(work: (trx: Transaction) => Promise<unknown>): Promise<number> {
    return platform.db.transaction().execute(async (trx) => {
      // The connection's statistics include its previous work.
      const countNow = async () => {
        const { rows } = await sql<{ count: string }>`
          select sum(pg_stat_get_xact_numscans(oid)) as count from pg_class c join pg_inherits i on i.inhrelid = c.oid
          where i.inhparent = 'notices'::regclass and c.reltuples > 1000`.execute(trx);
        return Number(rows[0]?.count);
      };
      const before = await countNow();
      await work(trx);
      return (await countNow()) - before;
    });
  }

  test("a person's messages are found and deleted, and due ones claimed and ended, without a table scan", async () => {
    const emailKey = "personne10001@exemple.fr";
    const page = (afterId: string | null) => ({ userId, emailKey, afterId, limit: 100 });
    expect(
      (await selectPersonNotices(platform.db, page(null))).map(({ destination }) => destination),
    ).toEqual(["Personne10001@exemple.fr"]);
    expect(await wholeReads((trx) => selectPersonNotices(trx, page(null)))).toBe(0);
    expect(await wholeReads((trx) => selectPersonNotices(trx, page(userId)))).toBe(0);
    const free = new Map([["notices.mail" as const, 32]]);
    expect(await wholeReads((trx) => claimNotices(trx, { free }))).toBe(0);
    const ended = { serverAnswer: null, mayHaveLeft: false, state: "queued", retryInS: 1 } as const;
    const endings = Array.from({ length: 32 }, () => ({ ...ended, id: platform.newId() }));
    expect(await wholeReads((trx) => finishNotices(trx, endings))).toBe(0);
    expect(await wholeReads((trx) => erasePersonNotices(trx, { userId, emailKey }))).toBe(0);
    expect(await selectPersonNotices(platform.db, page(null))).toEqual([]);
  });
});

describe("an outage of the mail server", () => {
  type Taken = { readonly to: string; readonly messageId: string };
  /** How the server reacts to a complete message. */
  type Manners = "accept" | "accept and hang up" | "hang up";

  const MESSAGES = 12;
  const STEP_MINUTES = 5;
  const HOUR_STEPS = 60 / STEP_MINUTES;

  let platform: TestPlatform;
  let server: Server;
  let taken: Taken[];
  let manners: Manners[];
  let port: number;
  const lines = new Set<Socket>();

  beforeAll(async () => {
    server = createServer(talk);
    port = await listen(0);
    platform = await createTestPlatform({
      settings: { smtpUrl: `smtp://127.0.0.1:${port}`, mailFrom: "paraphe@exemple.fr" },
    });
    registerNoticeJobs(platform);
  });
  beforeEach(async () => {
    taken = [];
    manners = [];
    if (!server.listening) await listen(port);
    await platform.db.deleteFrom("notices").execute();
  });
  afterAll(async () => {
    await platform.close();
    await hangUp();
  });

  function listen(wanted: number): Promise<number> {
    return new Promise((resolve) => {
      server.listen(wanted, "127.0.0.1", () => {
        const address = server.address();
        resolve(typeof address === "object" && address !== null ? address.port : 0);
      });
    });
  }

  async function hangUp(): Promise<void> {
    for (const line of lines) line.destroy();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  }

  /** Speaks enough of RFC 5321 for one message after the other. */
  function talk(line: Socket): void {
    lines.add(line);
    let pending = "";
    let to = "";
    let inData = false;
    line.on("error", () => line.destroy());
    line.on("close", () => lines.delete(line));
    line.write("220 bonjour\r\n");
    line.on("data", (chunk: Buffer) => {
      pending += chunk.toString("latin1");
      if (inData) {
        if (!pending.endsWith("\r\n.\r\n")) return;
        const messageId = /^Message-ID: (.+)\r$/im.exec(pending)?.[1] ?? "";
        pending = "";
        inData = false;
        const manner = manners.shift() ?? "accept";
        if (manner !== "hang up") taken.push({ to, messageId });
        if (manner === "accept") line.write("250 2.0.0 pris en charge\r\n");
        else line.destroy();
        return;
      }
      for (let end = pending.indexOf("\r\n"); end >= 0; end = pending.indexOf("\r\n")) {
        const command = pending.slice(0, end);
        pending = pending.slice(end + 2);
        if (/^RCPT/i.test(command)) to = /<(.+)>/.exec(command)?.[1] ?? "";
        if (/^DATA/i.test(command)) inData = true;
        line.write(
          inData ? "354 allez\r\n" : /^QUIT/i.test(command) ? "221 au revoir\r\n" : "250 oui\r\n",
        );
      }
    });
  }

  async function enqueueAll(): Promise<string[]> {
    const addresses = Array.from({ length: MESSAGES }, (_, index) => `personne${index}@exemple.fr`);
    for (const address of addresses) {
      const to = { fullName: "Zoë Œuvrard", address };
      const notice: Notice = {
        kind: "invitation",
        channel: "email",
        dedupeKey: address,
        to,
        content: NOTICE_SAMPLES.invitation,
      };
      await platform.db.transaction().execute((trx) => enqueueNotice(trx, platform, notice));
    }
    return addresses;
  }

  /**
   * Advances the service's clock and the database's, which times the tries, then sends what is due.
   */
  async function letPass(steps: number): Promise<void> {
    for (let step = 0; step < steps; step++) {
      platform.clock.advance({ minutes: STEP_MINUTES });
      await sql`update notices set next_try_at = next_try_at - make_interval(mins => ${STEP_MINUTES}) where state = 'queued'`.execute(
        platform.db,
      );
      await platform.settle({ failures: "keep" });
    }
  }

  const rows = () =>
    platform.db
      .selectFrom("notices")
      .select(["state", "tries", "message_id", "destination"])
      .orderBy("destination")
      .execute();

  test("with the server down for an hour, then up, every mail arrives once", async () => {
    const addresses = await enqueueAll();
    await hangUp();
    await platform.settle({ failures: "keep" });
    await letPass(HOUR_STEPS);
    const down = await rows();
    expect(down.map(({ state }) => state)).toEqual(addresses.map(() => "queued"));
    // Waits of 10 s, doubled each time, give about nine tries in an hour.
    for (const { tries } of down) {
      expect(tries).toBeGreaterThanOrEqual(6);
      expect(tries).toBeLessThanOrEqual(12);
    }
    await listen(port);
    await letPass(HOUR_STEPS);
    expect(taken.map(({ to }) => to).toSorted()).toEqual(addresses.toSorted());
    expect(new Set(taken.map(({ messageId }) => messageId)).size).toBe(MESSAGES);
    expect((await rows()).map(({ state }) => state)).toEqual(addresses.map(() => "sent"));
    await letPass(2);
    expect(taken).toHaveLength(MESSAGES);
  });

  test("a server that hangs up before its answer gets each message again, under the same Message-ID: once for its reader", async () => {
    const addresses = await enqueueAll();
    manners = [
      "accept and hang up",
      "hang up",
      "accept",
      "accept and hang up",
      "accept and hang up",
    ];
    await platform.settle({ failures: "keep" });
    await letPass(HOUR_STEPS);
    expect((await rows()).map(({ state }) => state)).toEqual(addresses.map(() => "sent"));
    const ids = new Map((await rows()).map((row) => [row.destination, row.message_id]));
    expect(new Set(taken.map(({ to }) => to))).toEqual(new Set(addresses));
    for (const { to, messageId } of taken) expect(messageId).toBe(ids.get(to));
    // Three were accepted twice because their answers were lost; a reader's server drops duplicates
    // by Message-ID.
    expect(taken).toHaveLength(MESSAGES + 3);
    expect(new Set(taken.map(({ messageId }) => messageId)).size).toBe(MESSAGES);
  });

  test("with the server down for more than 48 hours, each is given up once, and the sender can read why", async () => {
    const addresses = await enqueueAll();
    await hangUp();
    await platform.settle({ failures: "keep" });
    platform.clock.advance({ hours: 49 });
    await letPass(HOUR_STEPS);
    expect((await rows()).map(({ state }) => state)).toEqual(addresses.map(() => "refused"));
    await listen(port);
    await letPass(HOUR_STEPS);
    expect(taken).toEqual([]);
  });
});
