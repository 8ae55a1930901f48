import { saveTemplate } from "../../../testing/stages/template-calls.ts";
import { createHash } from "node:crypto";
import { truncateSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import {
  ACCOUNT_NOTICE_DAYS,
  CODE_TRACE_HOURS,
  ENDED_LINK_DAYS,
  ENDED_SESSION_DAYS,
  type Envelope,
  IDEMPOTENCY_HOURS,
  MAILBOX_DAYS,
  PENDING_ACCOUNT_DAYS,
  PURGE_AFTER_DAYS,
  RETENTION_RULES,
  SESSION_HOURS,
  THROTTLE_DAYS,
} from "@paraphe/contracts";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { expectStatus } from "../../../testing/answers.ts";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { multipart, openBrowser, type TestBrowser } from "../../../testing/browser.ts";
import { createDraft, createSent, ELOISE, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { openMailedGuest, signAsGuest } from "../../../testing/guest.ts";
import { makePng } from "../../../testing/images.ts";
import {
  createMember,
  type Member,
  MEMBER_PASSWORD,
  signIn,
  openMember,
} from "../../../testing/member.ts";
import { readZip } from "../../../testing/zip.ts";
import { sweepPlatform } from "../../platform/database/migrate-database.ts";
import { sweepAccounts } from "../accounts/jobs.ts";
import { purgeDue } from "../envelopes/jobs.ts";
import { endSubscriptions, sweepNotices } from "../notices/run-outbox.ts";
import { sweepGuests } from "../signing/seal/jobs.ts";
import { openArchive, ReaderGoneError } from "./export-person.ts";

/** A point of P-256: RFC 8291, appendix A. */
const BROWSER_KEY =
  "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";

let service: TestApp;

beforeAll(async () => {
  service = await createTestApp();
});

afterAll(() => service.close());

describe("the export", () => {
  const EXPORT = "/api/signature/me/export/";
  let anne: Member;
  let browser: TestBrowser;
  let completed: Envelope;
  beforeAll(async () => {
    anne = await createMember(service.platform, { firstName: "Anne", lastName: "Roux" });
    browser = await signIn(service, anne, { remember: true });
    await browser.send(
      "PATCH",
      "/api/signature/me/",
      multipart({}, [
        { field: "avatar", name: "moi.png", type: "image/png", bytes: makePng(8, 8) },
      ]),
    );
    const keys = { p256dh: BROWSER_KEY, auth: "A".repeat(22) };
    await browser.post("/api/signature/me/push-subscriptions/", {
      endpoint: "https://push.exemple.fr/anne",
      keys,
    });
    completed = await createSent(browser, { title: "Bail d’habitation", recipients: [PAUL] });
    await signAsGuest(service, completed.id, PAUL.email);
  });

  const jsonOf = (zip: ReadonlyMap<string, Buffer>, name: string) =>
    JSON.parse(zip.get(name)?.toString("utf8") ?? "null");
  /** A person may ask for three exports an hour, so each starts a new one. */
  const exported = async (who: TestBrowser = browser) => {
    service.platform.clock.advance({ hours: 1 });
    await who.post("/api/token/refresh/");
    const answer = await who.get(EXPORT);
    expect(answer.status).toBe(200);
    return { answer, zip: readZip(answer.bytes) };
  };

  test("an export has profile, preferences, sessions, messages, envelopes, journals, files and proofs", async () => {
    const draft = await createDraft(browser, { title: "Brouillon", recipients: [] });
    const print = (
      await browser.post("/api/signature/prints/generate/", {
        envelope: completed.id,
        qr_type: "page",
      })
    ).body;
    const { answer, zip } = await exported();
    expect(answer.headers).toMatchObject({
      "content-type": "application/zip",
      "cache-control": "private, no-store",
      "content-disposition": 'attachment; filename="paraphe-mes-donnees-2026-11-21.zip"',
    });
    const sent = `enveloppes/envoyees/bail-dhabitation-${completed.id}`;
    expect([...zip.keys()].toSorted()).toEqual(
      [
        "LISEZ-MOI.txt",
        "contacts.json",
        "envois-par-fichier.json",
        "lots.json",
        "messages.json",
        "photo.webp",
        "preferences.json",
        `preuves/${print.id}/preuve.json`,
        "profil.json",
        "sessions.json",
        "connexion.json",
        "programmes.json",
        `enveloppes/envoyees/brouillon-${draft.id}/documents/1-bail.pdf`,
        `enveloppes/envoyees/brouillon-${draft.id}/enveloppe.json`,
        `enveloppes/envoyees/brouillon-${draft.id}/journal.json`,
        `${sent}/documents/1-bail.pdf`,
        `${sent}/documents/1-bail_signe.pdf`,
        `${sent}/enveloppe.json`,
        `${sent}/journal.json`,
      ].toSorted(),
    );
    expect(jsonOf(zip, "profil.json")).toMatchObject({
      username: anne.username,
      email: anne.email,
      first_name: "Anne",
      last_name: "Roux",
    });
    expect(jsonOf(zip, "preferences.json")).toEqual({
      notifications: {
        email: true,
        sms: false,
        push: false,
        quiet_hours: false,
        daily_summary: false,
      },
      push_subscriptions: [
        { endpoint: "https://push.exemple.fr/anne", created_at: "2026-11-21T10:00:00.000Z" },
      ],
    });
    expect(jsonOf(zip, "contacts.json")).toEqual(
      completed.recipients.map(({ full_name, email }) =>
        expect.objectContaining({ full_name, email, origin: "sent", sent_count: 1 }),
      ),
    );
    expect(jsonOf(zip, "connexion.json")).toEqual({
      passkeys: [],
      totp: null,
      recovery_codes: { left: 0, total: 0 },
    });
    expect(jsonOf(zip, "sessions.json")).toEqual([
      expect.objectContaining({ current: true, ip: "127.0.0.1" }),
    ]);
    expect(jsonOf(zip, "messages.json").map((message: { kind: string }) => message.kind)).toContain(
      "completed",
    );
    expect(jsonOf(zip, `${sent}/enveloppe.json`)).toMatchObject({
      id: completed.id,
      status: "completed",
      is_owner: true,
    });
    const [document] = jsonOf(zip, `${sent}/enveloppe.json`).documents;
    expect(document.sha256).toBeUndefined();
    expect(document.files).toEqual(
      ["documents/1-bail.pdf", "documents/1-bail_signe.pdf"].map((name) => {
        const bytes = zip.get(`${sent}/${name}`) ?? Buffer.alloc(0);
        return {
          name,
          sha256: createHash("sha256").update(bytes).digest("hex"),
          size: bytes.length,
        };
      }),
    );
    const actions = jsonOf(zip, `${sent}/journal.json`).map(
      (event: { action: string }) => event.action,
    );
    expect([actions[0], actions.includes("consent_given")]).toEqual(["envelope_created", true]);
    expect(zip.get(`${sent}/documents/1-bail_signe.pdf`)?.subarray(0, 5).toString()).toBe("%PDF-");
    expect(jsonOf(zip, `preuves/${print.id}/preuve.json`)).toMatchObject({
      proof: { verdict: "valid" },
      jws: expect.stringMatching(/^ey/),
    });
    expect(zip.get("photo.webp")?.subarray(8, 12).toString()).toBe("WEBP");
    // Nobody may read what opens a session, or would help to guess a password.
    const texts = [...zip]
      .filter(([name]) => /\.(json|txt)$/.test(name))
      .map(([, bytes]) => bytes.toString("utf8"));
    expect(texts.join("\n")).not.toMatch(/argon2|password|token_sha256/);
    for (const name of ["__Host-access_token", "__Host-refresh_token"])
      expect(texts.join("\n")).not.toContain(browser.cookies.get(name)?.value);
  });

  test("an export of another's envelope has the signed file, the recipient's own events, and no phone", async () => {
    const zoe = await createMember(service.platform, { firstName: "Zoé", lastName: "Martin" });
    const shared = await createSent(browser, {
      title: "Contrat",
      recipients: [
        { email: zoe.email, full_name: "Zoé Martin", role: "viewer" },
        { ...ELOISE, email: "eloise2@exemple.fr" },
      ],
    });
    await signAsGuest(service, shared.id, "eloise2@exemple.fr");
    const { zip } = await exported(await signIn(service, zoe, { remember: true }));
    const folder = `enveloppes/recues/contrat-${shared.id}`;
    expect([...zip.keys()].filter((name) => name.startsWith("enveloppes/"))).toEqual([
      `${folder}/enveloppe.json`,
      `${folder}/journal.json`,
      `${folder}/documents/1-bail_signe.pdf`,
    ]);
    expect(jsonOf(zip, `${folder}/journal.json`)).toEqual([]);
    expect(zip.get(`${folder}/enveloppe.json`)?.toString()).not.toMatch(/06\W?12|\+336/);
    expect([...zip.values()].map((bytes) => bytes.toString("latin1")).join()).not.toContain(
      anne.email,
    );
  });

  test("an export has no file of an open received envelope, and says so", async () => {
    const ines = await createMember(service.platform, { firstName: "Inès" });
    await browser.post("/api/token/refresh/");
    const shared = await createSent(browser, {
      title: "Contrat",
      recipients: [{ email: ines.email, full_name: "Inès" }],
    });
    const { zip } = await exported(await signIn(service, ines, { remember: true }));
    const folder = `enveloppes/recues/contrat-${shared.id}`;
    expect([...zip.keys()].filter((name) => name.startsWith("enveloppes/"))).toEqual([
      `${folder}/enveloppe.json`,
      `${folder}/journal.json`,
    ]);
    const page = zip.get("LISEZ-MOI.txt")?.toString("utf8").replace(/\s+/g, " ");
    expect(page).toContain(
      "de celles que l’on vous a adressées, les fichiers signés, une fois l’enveloppe terminée : absent tant qu’elle est ouverte",
    );
  });

  test("an export has messages to the current address in any case and number, and no others", async () => {
    const tom = await createMember(service.platform, { firstName: "Tom" });
    await browser.post("/api/token/refresh/");
    const asked = {
      email: tom.email.toUpperCase(),
      full_name: "Tom",
      phone_number: "0611111111",
    };
    const shared = await createSent(browser, { recipients: [asked] });
    const [recipient] = shared.recipients;
    const row = {
      message_id: "",
      state: "sent",
      created_at: service.platform.clock(),
      envelope_id: shared.id,
      recipient_id: recipient?.id ?? "",
    };
    const text = (destination: string) => ({
      ...row,
      id: service.platform.newId(),
      dedupe_key: destination,
      kind: "code",
      destination,
    });
    await service.platform.db
      .insertInto("notices")
      .values([
        { ...text("+33611111111"), channel: "sms" },
        { ...text("+33622222222"), channel: "sms" },
        { ...text("erreur@exemple.fr"), channel: "email" },
      ])
      .execute();
    const { zip } = await exported(await signIn(service, tom, { remember: true }));
    const messages: { kind: string; destination: string }[] = jsonOf(zip, "messages.json");
    expect(messages.map(({ kind, destination }) => `${kind} ${destination}`).toSorted()).toEqual([
      "code +33611111111",
      `invitation ${tom.email.toUpperCase()}`,
    ]);
  });

  test("an export has each message once, over several pages", async () => {
    const lou = await createMember(service.platform);
    const ids = Array.from({ length: 205 }, () => service.platform.newId()).toSorted();
    const row = {
      message_id: "",
      kind: "signed",
      channel: "email",
      state: "sent",
      created_at: service.platform.clock(),
    };
    await service.platform.db
      .insertInto("notices")
      .values(
        ids.map((id, index) => ({
          ...row,
          id,
          dedupe_key: id,
          destination: index % 3 === 0 ? "ailleurs@exemple.fr" : lou.email.toUpperCase(),
          user_id: index % 2 === 0 || index % 3 === 0 ? lou.id : null,
          server_answer: String(index),
        })),
      )
      .execute();
    const { zip } = await exported(await signIn(service, lou, { remember: true }));
    const answers = jsonOf(zip, "messages.json").map(
      (message: { server_answer: string }) => message.server_answer,
    );
    expect(answers).toEqual(ids.map((_, index) => String(index)));
  });

  test("an export says that it lacks envelopes in their sender's bin", async () => {
    const max = await createMember(service.platform);
    await browser.post("/api/token/refresh/");
    const shared = await createSent(browser, {
      recipients: [{ email: max.email, full_name: "Max" }],
    });
    await service.settle();
    await browser.post(`/api/signature/envelopes/${shared.id}/cancel/`);
    const { zip } = await exported(await signIn(service, max, { remember: true }));
    expect([...zip.keys()].filter((name) => name.startsWith("enveloppes/"))).toEqual([]);
    const kinds = jsonOf(zip, "messages.json").map((message: { kind: string }) => message.kind);
    expect(kinds.toSorted()).toEqual(["cancelled", "invitation"]);
    expect(zip.get("LISEZ-MOI.txt")?.toString()).toContain(
      "leur expéditeur a annulées ou supprimées",
    );
  });

  test("an export is refused to another site's page, and given to a typed address", async () => {
    const eve = await openMember(service);
    const from = (site: string) => eve.get(EXPORT, { headers: { "sec-fetch-site": site } });
    const refused = await from("cross-site");
    expect([refused.status, refused.body.code]).toEqual([403, "foreign_origin"]);
    for (const site of ["none", "same-origin"]) await expectStatus(from(site), 200);
  });

  test("an export names the address asked for until its link comes back", async () => {
    const yves = await createMember(service.platform);
    const his = await signIn(service, yves, { remember: true });
    const asked_email = `nouvelle.${yves.email}`;
    expect(jsonOf((await exported(his)).zip, "profil.json")).toMatchObject({
      email: yves.email,
      asked_email: null,
    });
    await expectStatus(
      his.post("/api/signature/me/email/", {
        email: asked_email,
        password: MEMBER_PASSWORD,
      }),
      202,
    );
    expect(jsonOf((await exported(his)).zip, "profil.json")).toMatchObject({
      email: yves.email,
      asked_email,
    });
  });

  test("an export lists unreadable files, and has the rest", async () => {
    const { zip: whole } = await exported();
    const name = [...whole.keys()].find((entry) => entry.endsWith("_signe.pdf")) ?? "";
    const row = await service.platform.db
      .selectFrom("document_revisions")
      .select("blob_sha256")
      .where("document_id", "=", completed.documents[0]?.id ?? "")
      .orderBy("number", "desc")
      .executeTakeFirstOrThrow();
    const hash = Buffer.from(row.blob_sha256).toString("hex");
    truncateSync(
      join(
        (service.platform.settings.storage as { folder: string }).folder,
        hash.slice(0, 2),
        hash.slice(2, 4),
        hash,
      ),
      10,
    );
    const { zip } = await exported();
    expect(zip.has(name)).toBe(false);
    expect(jsonOf(zip, "fichiers-indisponibles.json")).toContain(name);
    expect(zip.has("profil.json")).toBe(true);
  });

  test("an export has each mailing with its lines", async () => {
    const draft = await createDraft(browser, { title: "Lettre", recipients: [PAUL] });
    const roles = [{ recipient: draft.recipients[0]?.id, label: "Client" }];
    const saved = await saveTemplate(browser, draft.id, { roles });
    const content = btoa("Nom;Email\nLou Petit;lou@exemple.fr\nNoa Roux;noa@\n");
    const asked = { template: saved.body.id, file: { name: "clients.csv", content } };
    const mailing = (await browser.post("/api/signature/mailings/", asked)).body;
    const { zip } = await exported();
    expect(jsonOf(zip, "envois-par-fichier.json")).toEqual([
      expect.objectContaining({
        id: mailing.id,
        file_name: "clients.csv",
        rows: [
          expect.objectContaining({
            line: 2,
            cells: ["Lou Petit", "lou@exemple.fr"],
            state: "ready",
          }),
          expect.objectContaining({ line: 3, cells: ["Noa Roux", "noa@"], state: "refused" }),
        ],
      }),
    ]);
  });

  test("an export has the account's keys and webhooks, without their secrets", async () => {
    const asked = { name: "Logiciel de gestion", scopes: ["envelopes:read"], days: null };
    const fresh = await signIn(service, anne);
    const { key, secret } = (await fresh.post("/api/signature/me/keys/", asked)).body;
    const { zip } = await exported();
    expect(jsonOf(zip, "programmes.json")).toEqual({
      keys: [expect.objectContaining({ id: key.id, name: "Logiciel de gestion" })],
      webhooks: [],
    });
    expect(zip.get("programmes.json")?.toString()).not.toContain(secret);
  });

  test("an export is for its owner, three times an hour", async () => {
    await expectStatus(openBrowser(service.app).get(EXPORT), 401);
    const other = await openMember(service);
    for (let n = 0; n < 3; n++) await expectStatus(other.get(EXPORT), 200);
    const refused = await other.get(EXPORT);
    expect([refused.status, refused.body.code, Number(refused.headers["retry-after"]) > 0]).toEqual(
      [429, "too_many_requests", true],
    );
    expect(service.platform.logged.some((line) => line.message === "personal data exported")).toBe(
      true,
    );
    expect(JSON.stringify(service.platform.logged)).not.toContain(MEMBER_PASSWORD);
  });

  test("saved signatures are exported with their pictures, and erased", async () => {
    const who = await openMember(service);
    const saved = "/api/signature/saved-signatures/";
    const strokes = [
      [
        [0.1, 0.2, 0.5],
        [0.4, 0.6, 0.7],
      ],
    ];
    const drawn = await who.post(saved, { name: "Ma main", kind: "drawn", strokes });
    const image = `data:image/png;base64,${Buffer.from(makePng(20, 10)).toString("base64")}`;
    const scanned = await who.post(saved, { name: "Scan", kind: "uploaded", image });
    const { zip } = await exported(who);
    expect([...zip.keys()].filter((name) => name.startsWith("signatures/")).toSorted()).toEqual([
      `signatures/ma-main-${drawn.body.id}.json`,
      `signatures/ma-main-${drawn.body.id}.svg`,
      `signatures/scan-${scanned.body.id}.json`,
      `signatures/scan-${scanned.body.id}.png`,
    ]);
    expect(jsonOf(zip, `signatures/ma-main-${drawn.body.id}.json`)).toMatchObject({
      name: "Ma main",
      strokes,
    });
    const erased = await who.send("DELETE", "/api/signature/me/", {
      body: { password: MEMBER_PASSWORD },
    });
    expect(erased.status).toBeLessThan(300);
    const left = await service.platform.db
      .selectFrom("saved_signatures")
      .select("id")
      .where("id", "in", [drawn.body.id, scanned.body.id])
      .execute();
    expect(left).toEqual([]);
  });
});

const now = new Date("2026-11-21T10:00:00.000Z");
const file = (bytes: Uint8Array) => ({
  sizeBytes: bytes.length,
  open: async () => Readable.from([bytes]),
});

test("an archive keeps the order of its entries", async () => {
  const archive = openArchive(now);
  const read = buffer(archive.output);
  await archive.addText("a/un.txt", ["Éloïse\n", "Zoé\n"]);
  await archive.addFile("deux.bin", file(new Uint8Array(100_000).fill(7)));
  archive.end();
  const zip = readZip(await read);
  expect([...zip.keys()]).toEqual(["a/un.txt", "deux.bin"]);
  expect([zip.get("a/un.txt")?.toString(), zip.get("deux.bin")?.length]).toEqual([
    "Éloïse\nZoé\n",
    100_000,
  ]);
});

test("an archive of 2 GB waits for its reader", async () => {
  const archive = openArchive(now);
  let made = 0;
  const piece = new Uint8Array(1 << 20);
  async function* pieces() {
    for (let n = 0; n < 2_048; n++) {
      made += piece.length;
      yield piece;
    }
  }
  const adding = archive.addFile("gros.bin", {
    sizeBytes: 2 ** 31,
    open: async () => Readable.from(pieces(), { objectMode: false }),
  });
  const caught = adding.catch((error: unknown) => error);
  await new Promise((resolve) => archive.output.once("readable", resolve));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(made).toBeLessThan(16 << 20);
  archive.output.destroy();
  expect(await caught).toBeInstanceOf(ReaderGoneError);
});

test("an archive reports that its reader left, and closes the open file", async () => {
  const archive = openArchive(now);
  const stalled = new Readable({ read: () => {} });
  const adding = archive.addFile("un.bin", { sizeBytes: 10, open: async () => stalled });
  const caught = adding.catch((error: unknown) => error);
  archive.output.resume();
  await new Promise((resolve) => setImmediate(resolve));
  archive.output.destroy();
  expect(await caught).toBeInstanceOf(ReaderGoneError);
  expect(stalled.destroyed).toBe(true);
  await expect(archive.addText("deux.txt", [""])).rejects.toBeInstanceOf(ReaderGoneError);
});

test("an archive breaks off with a broken file", async () => {
  const archive = openArchive(now);
  const read = buffer(archive.output);
  const broken = { sizeBytes: 10, open: async () => Readable.from([new Uint8Array(4)]) };
  void archive.addFile("court.bin", broken).then(
    () => archive.end(),
    () => undefined,
  );
  await expect(read).rejects.toThrow("unexpected number of bytes");
});

test("an archive of a thousand entries leaves no listeners behind", async () => {
  const archive = openArchive(now);
  const read = buffer(archive.output);
  for (let n = 0; n < 1_000; n++) await archive.addText(`${n}.txt`, [String(n)]);
  expect(archive.output.listenerCount("close")).toBeLessThan(5);
  archive.end();
  expect(readZip(await read).size).toBe(1_000);
});

describe("retention", () => {
  // Rows are counted as a whole, so each test begins with none, on the same day.
  beforeEach(async () => {
    service.platform.clock.set(new Date("2026-11-21T10:00:00.000Z"));
    await sql`truncate users, envelopes, notices, mailbox_messages, throttles, login_failures, idempotency_keys cascade`.execute(
      service.platform.owner,
    );
  });

  async function count(table: string): Promise<number> {
    const row = await service.platform.db
      .selectFrom(table as "users")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    return Number(row.count);
  }
  /** Counts rows a minute before a moment's sweep and a minute after it. */
  async function aroundEnd(
    table: string,
    after: { hours?: number; days?: number },
    sweep: () => Promise<unknown>,
  ): Promise<[number, number]> {
    const { clock } = service.platform;
    clock.advance(after);
    clock.advance({ minutes: -1 });
    await sweep();
    const before = await count(table);
    clock.advance({ minutes: 2 });
    await sweep();
    return [before, await count(table)];
  }

  /** Mails a link to an account, as for a forgotten password. */
  async function mailLink(member?: Member): Promise<void> {
    const { email } = member ?? (await createMember(service.platform));
    await openBrowser(service.app).post("/api/signature/password-reset/", { email });
    await service.settle();
  }
  type Ending = {
    readonly begin: () => Promise<unknown>;
    readonly after: { hours?: number; days?: number };
    readonly sweep: (platform: TestApp["platform"]) => Promise<unknown>;
    readonly left?: readonly [number, number];
  };
  const endings: readonly (readonly [string, string, Ending])[] = [
    [
      "a session is removed a day after its end",
      "sessions",
      {
        begin: () => openMember(service),
        after: { hours: SESSION_HOURS, days: ENDED_SESSION_DAYS },
        sweep: sweepAccounts,
      },
    ],
    [
      "a session's tokens are removed before it",
      "session_tokens",
      {
        begin: () => openMember(service),
        after: { hours: SESSION_HOURS, days: ENDED_SESSION_DAYS },
        sweep: sweepAccounts,
        left: [0, 0],
      },
    ],
    [
      "a push subscription is removed at the end of its session",
      "push_subscriptions",
      {
        begin: async () =>
          (await openMember(service)).post("/api/signature/me/push-subscriptions/", {
            endpoint: "https://push.exemple.fr/1",
            keys: { p256dh: BROWSER_KEY, auth: "A".repeat(22) },
          }),
        after: { hours: SESSION_HOURS },
        sweep: endSubscriptions,
      },
    ],
    [
      "a link is removed a week after its end",
      "account_tokens",
      { begin: mailLink, after: { hours: 24, days: ENDED_LINK_DAYS }, sweep: sweepAccounts },
    ],
    [
      "an account never activated is removed after a week",
      "users",
      {
        begin: () => createMember(service.platform, { activated: false }),
        after: { days: PENDING_ACCOUNT_DAYS },
        sweep: sweepAccounts,
      },
    ],
    [
      "an answer to an Idempotency-Key is removed after a day",
      "idempotency_keys",
      {
        begin: async () =>
          (await openMember(service)).post(
            `${ENVELOPES}00000000-0000-7000-8000-000000000000/cancel/`,
            {},
            { headers: { "idempotency-key": "un" } },
          ),
        after: { hours: IDEMPOTENCY_HOURS },
        sweep: sweepPlatform,
      },
    ],
    [
      "messages of the local mailbox are removed after a week",
      "mailbox_messages",
      { begin: mailLink, after: { days: MAILBOX_DAYS }, sweep: sweepPlatform },
    ],
    [
      "an account message's trace is removed after 90 days, an envelope's stays",
      "notices",
      {
        begin: async () => {
          const member = await createMember(service.platform);
          await createSent(await signIn(service, member), { recipients: [PAUL] });
          await mailLink(member);
        },
        after: { days: ACCOUNT_NOTICE_DAYS },
        sweep: sweepNotices,
        left: [2, 1],
      },
    ],
  ];
  test.each(endings)("%s", async (_, table, { begin, after, sweep, left = [1, 0] }) => {
    await begin();
    expect(await aroundEnd(table, after, () => sweep(service.platform))).toEqual(left);
  });

  test("a count of wrong passwords is removed after half an hour", async () => {
    await openBrowser(service.app).post("/api/token/", {
      username: "personne",
      password: "faux",
    });
    expect(await count("login_failures")).toBeGreaterThan(0);
    service.platform.clock.advance({ minutes: 31 });
    await sweepAccounts(service.platform);
    expect(await count("login_failures")).toBe(0);
  });

  test("throttle windows are removed after two days", async () => {
    await openBrowser(service.app).post("/api/signature/password-reset/", {
      email: "personne@exemple.fr",
    });
    expect(await count("throttles")).toBeGreaterThan(0);
    service.platform.clock.advance({ days: THROTTLE_DAYS, hours: 1 });
    await sweepPlatform(service.platform);
    expect(await count("throttles")).toBe(0);
  });

  test("the trace of an account's last mail is removed the next night", async () => {
    const browser = await openMember(service);
    await expectStatus(
      browser.send("DELETE", "/api/signature/me/", {
        body: { password: MEMBER_PASSWORD },
      }),
      204,
    );
    await sweepNotices(service.platform);
    expect(await count("notices")).toBe(1);
    await service.settle();
    await sweepNotices(service.platform);
    expect(await count("notices")).toBe(0);
  });

  test("a guest's session is removed at its end, a code after the day that counts", async () => {
    const envelope = await createSent(await openMember(service), { recipients: [PAUL] });
    await (await openMailedGuest(service, envelope.id, PAUL.email)).confirm();
    const sweep = () => sweepGuests(service.platform);
    expect([await count("guest_sessions"), await count("one_time_codes")]).toEqual([1, 1]);
    service.platform.clock.advance({ minutes: 61 });
    await sweep();
    expect([await count("guest_sessions"), await count("one_time_codes")]).toEqual([0, 1]);
    service.platform.clock.advance({ hours: CODE_TRACE_HOURS });
    await sweep();
    expect(await count("one_time_codes")).toBe(0);
  });

  test("a cancelled envelope is purged after ten days", async () => {
    const browser = await openMember(service);
    const { id } = await createSent(browser, { recipients: [PAUL] });
    await browser.post(`${ENVELOPES}${id}/cancel/`);
    const purged = async () =>
      (
        await service.platform.db
          .selectFrom("envelopes")
          .select("purged_at")
          .executeTakeFirstOrThrow()
      ).purged_at !== null;
    service.platform.clock.advance({ days: PURGE_AFTER_DAYS, minutes: -1 });
    await purgeDue(service.platform);
    expect(await purged()).toBe(false);
    service.platform.clock.advance({ minutes: 2 });
    await purgeDue(service.platform);
    expect(await purged()).toBe(true);
  });

  test("each retention rule is complete and listed once", () => {
    expect(new Set(RETENTION_RULES.map(({ id }) => id)).size).toBe(RETENTION_RULES.length);
    for (const rule of RETENTION_RULES)
      for (const text of Object.values(rule)) expect(text).not.toBe("");
    expect(RETENTION_RULES.map(({ id }) => id)).toEqual(
      expect.arrayContaining(["profile", "sessions", "evidence", "notices"]),
    );
  });
});
