import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runBackup } from "../../apps/cli/src/backup/run-backup.ts";
import { runRestore } from "../../apps/cli/src/backup/run-restore.ts";
import { runVerifyBackup } from "../../apps/cli/src/backup/run-verify-backup.ts";
import { type AskDns, type DoctorDeps, runDoctor } from "../../apps/cli/src/doctor/run-doctor.ts";
import { faultOf, type Outcome } from "../../apps/cli/src/outcome.ts";
import { runUpgrade } from "../../apps/cli/src/upgrade/run-upgrade.ts";
import { openFaultyProxy } from "../../apps/server/testing/object-store/faulty-proxy.ts";
import {
  missingObjectStore,
  openObjectStore,
  type TestObjectStore,
} from "../../apps/server/testing/object-store/open-object-store.ts";
import { CAN_MOUNT, openSmallMedium } from "../../apps/server/testing/servers/small-medium.ts";
import type { ApiClient } from "../support/api-client.ts";
import { openDatabase } from "../support/open-database.ts";
import { readLocalMailbox } from "../support/read-local-mailbox.ts";
import { EVERY_INVARIANT_HOLDS, verifyStoreOf } from "../support/run-here.ts";
import { runToolBeside } from "../support/run-tool.ts";
import { startMailServer } from "../support/start-mail-server.ts";
import { findFreePort, type RunningServer, startServer } from "../support/start-server.ts";
import * as story from "../support/story.ts";
import { personOf } from "../support/of-this-worker.ts";

const OWNER = personOf("ysaline", "Ysaline Œillet");
/** docs/operations/backup.md quotes BACKUPS=20. */
const BACKUPS = Number(process.env["BACKUPS"] ?? 2);
const BESIDE = 2;

let folder: string;
let server: RunningServer;
let owner: ApiClient;
let world: story.World;
let masterKey: string;
let restores = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraphe-backups-"));
  server = await startServer({
    env: { RATE_LIMITS: "off", WAL_ARCHIVE_DIR: join(folder, "wal") },
    port: await findFreePort(),
  });
  world = { url: server.url, mails: readLocalMailbox(server.url) };
  owner = await story.signUp(server.url, OWNER);
  masterKey = (await readFile(join(server.dataDir, "keys/master.key"), "utf8")).trim();
}, 240_000);
afterAll(async () => {
  owner?.close();
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Envelope of an acknowledged signature. */
async function signOne(title: string): Promise<string> {
  // The code is looked up by the guest's address.
  const guest = {
    email: `${title.replaceAll(" ", "-").toLowerCase()}@exemple.fr`,
    full_name: "Paul Morel",
  };
  const id = await story.sendContract(owner, title, [guest]);
  const visit = await story.openInvitation(world, guest, id);
  await story.confirmGuest(world, visit);
  await story.signAsGuest(visit, story.DRAWN);
  // A network may open 256 connections.
  visit.client.close();
  return id;
}

type Said = { readonly code: number; readonly said: string };
type Deps = { readonly environment: Readonly<Record<string, string>>; readonly folder: string };

/** Output and exit code of a command, in this process. */
async function saidBy(
  command: (words: readonly string[], deps: Deps) => Promise<Outcome>,
  words: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<Said> {
  const environment = { DATA_DIR: server.dataDir, WAL_ARCHIVE_DIR: placeOf("wal"), ...settings };
  try {
    const { code, lines } = await command(words, { environment, folder });
    return { code, said: lines.join("\n") };
  } catch (error) {
    const { line, code } = faultOf(error);
    return { code, said: line };
  }
}

const placeOf = (name: string) => join(folder, name);
const backup = (words: readonly string[]) => saidBy(runBackup, words);
const verify = (words: readonly string[]) => saidBy(runVerifyBackup, words);

/** Restores into a new data folder. */
async function restore(
  words: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<Said & { readonly dataDir: string }> {
  restores += 1;
  const dataDir = placeOf(`restored-${restores}`);
  return {
    dataDir,
    ...(await saidBy(runRestore, words, { DATA_DIR: dataDir, MASTER_KEY: masterKey, ...settings })),
  };
}

const refused = (why: string) => ({ code: 1, said: expect.stringContaining(why) });

type Restored = {
  readonly signed: ReadonlySet<string>;
  readonly verified: Awaited<ReturnType<typeof verifyStoreOf>>;
};

/** Contents of a restored service, its server started once. */
async function lookInto(dataDir: string): Promise<Restored> {
  const database = await openDatabase(dataDir);
  try {
    const rows = await database.query<{ id: string }>(
      "select envelope_id as id from recipients where status = 'signed'",
    );
    return {
      signed: new Set(rows.map(({ id }) => id)),
      verified: await verifyStoreOf({ dataDir }, { MASTER_KEY: masterKey }),
    };
  } finally {
    await database.close();
  }
}

test("each backup made under load has every signature acknowledged before it began, and no unexplained file", async () => {
  const acknowledged: string[] = [];
  let goesOn = true;
  const load = Promise.all(
    Array.from({ length: BESIDE }, async (_, lane) => {
      for (let count = 0; goesOn; count += 1)
        acknowledged.push(await signOne(`Bail ${lane}-${count}`));
    }),
  );
  const made: { readonly before: readonly string[]; readonly seconds: number }[] = [];
  try {
    for (let index = 0; index < BACKUPS; index += 1) {
      // A failed signature ends the wait too.
      while (acknowledged.length < 2 * (index + 1)) await Promise.race([load, sleep(100)]);
      const before = [...acknowledged];
      const started = performance.now();
      const { code, output } = await runToolBeside(
        process.execPath,
        ["apps/cli/src/main.ts", "backup", placeOf("loaded")],
        {
          DATA_DIR: server.dataDir,
          WAL_ARCHIVE_DIR: placeOf("wal"),
        },
      );
      expect([code, output]).toEqual([0, expect.stringContaining("MASTER_KEY n’y est pas")]);
      made.push({ before, seconds: (performance.now() - started) / 1_000 });
    }
  } finally {
    goesOn = false;
    await load;
  }
  const names = (await readdir(join(placeOf("loaded"), "backups"))).map((name) =>
    name.replace(".json", ""),
  );
  expect(names).toHaveLength(BACKUPS);
  for (const [index, name] of names.entries()) {
    const { dataDir, code, said } = await restore([placeOf("loaded"), "--backup", name]);
    expect(code, said).toBe(0);
    const { signed, verified } = await lookInto(dataDir);
    expect(verified).toEqual(EVERY_INVARIANT_HOLDS);
    expect(made[index]?.before.filter((id) => !signed.has(id))).toEqual([]);
    await rm(dataDir, { recursive: true });
  }
  if (BACKUPS > 2)
    console.log({
      signed: acknowledged.length,
      seconds: made.map(({ seconds }) => Math.round(seconds * 10) / 10),
    });
}, 1_200_000);

describe("a backup of a running service", () => {
  beforeAll(async () => {
    await signOne("Avenant");
    const { code, said } = await backup([placeOf("kept")]);
    if (code !== 0) throw new Error(said);
  }, 60_000);

  /** Runs `work` while a file of the backup is altered. */
  async function withAltered(path: string, work: () => Promise<void>): Promise<void> {
    const kept = await readFile(path);
    await writeFile(path, Buffer.from(kept).fill((kept[100] ?? 0) ^ 1, 100, 101));
    await work().finally(() => writeFile(path, kept));
  }

  const noteOf = async () => {
    const [name = ""] = await readdir(join(placeOf("kept"), "backups"));
    return JSON.parse(await readFile(join(placeOf("kept"), "backups", name), "utf8")) as {
      database: { parts: string[] };
      list: { parts: string[] };
    };
  };
  const pathOf = (name: string) =>
    join(placeOf("kept"), "files", name.slice(0, 2), name.slice(2, 4), name);

  test("is verified to the database's end and by each file's hash, and a changed part is named", async () => {
    const look = () => verify([placeOf("kept")]);
    expect(await look()).toEqual({
      code: 0,
      said: expect.stringMatching(/est entière et juste\u00a0: la base et \d+ fichiers/),
    });
    const { database, list } = await noteOf();
    await withAltered(pathOf(database.parts[0] ?? ""), async () => {
      expect(await look()).toEqual({
        code: 1,
        said: expect.stringMatching(/^Base\u00a0: ses octets ont changé/),
      });
    });
    const [line = ""] = (await readFile(pathOf(list.parts[0] ?? ""), "utf8")).split("\n");
    const name = line.slice(0, 64);
    await withAltered(pathOf(name), async () => {
      expect(await look()).toEqual({
        code: 1,
        said: expect.stringContaining(`Fichier ${name}\u00a0: ses octets ont changé`),
      });
    });
    await withAltered(pathOf(list.parts[0] ?? ""), async () => {
      expect(await look()).toEqual({
        code: 1,
        said: expect.stringContaining("Liste des fichiers\u00a0: ses octets ont changé"),
      });
    });
  });

  test("copies only missing files the next time, and keeps the wanted number of backups", async () => {
    expect((await backup([placeOf("again")])).said).not.toContain("dont 0 copié");
    expect((await backup([placeOf("again")])).said).toContain("dont 0 copié cette fois");
    const stored = async () =>
      (await readdir(join(placeOf("again"), "files"), { recursive: true })).filter((name) =>
        /[0-9a-f]{64}$/.test(name),
      ).length;
    const before = await stored();
    await writeFile(join(placeOf("again"), "backups/2020-01-01.begun"), "");
    expect(await backup([placeOf("again"), "--keep", "1"])).toMatchObject({
      code: 0,
      said: expect.stringContaining("3 sauvegardes plus anciennes sont effacées."),
    });
    expect(await stored()).toBeLessThan(before);
    expect(await readdir(join(placeOf("again"), "backups"))).toHaveLength(1);
    expect(await verify([placeOf("again")])).toMatchObject({ code: 0 });
    expect(await backup([placeOf("again"), "--keep", "0"])).toMatchObject({ code: 64 });
  });

  test("encrypted to a public key is read with the private key alone, and encrypts no file twice", async () => {
    const identity = await generateX25519Identity();
    await writeFile(placeOf("cle.txt"), `# privée\n${identity}\n`);
    await writeFile(placeOf("autre.txt"), `${await generateX25519Identity()}\n`);
    const words = [placeOf("secret"), "--recipient", await identityToRecipient(identity)];
    expect(await backup(words)).toMatchObject({ code: 0 });
    expect((await backup(words)).said).toContain("dont 0 copié cette fois");
    expect(await verify([placeOf("secret")])).toEqual({
      code: 2,
      said: expect.stringContaining("sans --identity"),
    });
    expect(await verify([placeOf("secret"), "--identity", "cle.txt"])).toMatchObject({ code: 0 });
    expect(await restore([placeOf("secret")])).toMatchObject(
      refused("donnez sa clé privée par --identity"),
    );
    expect(await restore([placeOf("secret"), "--identity", "autre.txt"])).toMatchObject(
      refused("n’ouvre pas cette sauvegarde"),
    );
    expect(await backup([placeOf("secret"), "--recipient", "age1faux"])).toMatchObject(
      refused("n’est pas une clé publique age"),
    );
    const { dataDir, code, said } = await restore([placeOf("secret"), "--identity", "cle.txt"]);
    expect(code, said).toBe(0);
    expect(await readdir(dataDir)).toEqual(["db", "files"]);
  });

  test("is restored to a minute of the archived log or to its end, and sends waiting messages only on request", async () => {
    const database = await openDatabase(server.dataDir);
    try {
      await database.query(
        "update notices set state = 'queued' where id = (select id from notices order by id limit 1)",
      );
      expect(await backup([placeOf("minutes")])).toMatchObject({ code: 0 });
      const first = await signOne("Minute une");
      await sleep(1_100);
      const until = new Date().toISOString();
      await sleep(1_100);
      const second = await signOne("Minute deux");
      expect(await backup([placeOf("minutes")])).toMatchObject({ code: 0 });
      const [{ name = "" } = {}] = await database.query<{ name: string }>(
        "select pg_walfile_name(pg_switch_wal()) as name",
      );
      while (!(await readdir(placeOf("wal"))).includes(`${name}.gz`)) await sleep(100);
      const minute = await restore([placeOf("minutes"), "--until", until]);
      expect(minute.code, minute.said).toBe(0);
      expect(minute.said).toMatch(
        /^Les messages qui attendaient \(\d+ messages?\) ne partiront pas/m,
      );
      const { signed, verified } = await lookInto(minute.dataDir);
      expect([verified, signed.has(first), signed.has(second)]).toEqual([
        EVERY_INVARIANT_HOLDS,
        true,
        false,
      ]);
      const last = await restore([placeOf("minutes"), "--until", "last", "--send-waiting"]);
      expect(last.code, last.said).toBe(0);
      expect(last.said).not.toContain("ne partiront pas");
      expect((await lookInto(last.dataDir)).signed.has(second)).toBe(true);
      expect(await restore([placeOf("minutes"), "--until", "2020-01-01T00:00:00Z"])).toMatchObject(
        refused("n’est d’avant ce moment"),
      );
      expect(await restore([placeOf("minutes"), "--until", "demain"])).toMatchObject(
        refused("ne dit pas un moment"),
      );
    } finally {
      await database.query("update notices set state = 'sent' where state = 'queued'");
      await database.close();
    }
  });

  test.skipIf(missingObjectStore())(
    "is made, verified and restored in a bucket, and reports a failure in one line while the earlier backup stays good",
    async () => {
      const objects = await openObjectStore();
      const proxy = await openFaultyProxy(objects.files.endpoint ?? "");
      const { bucket, region } = objects.files;
      const place = `s3://${bucket}/nuit?endpoint=${proxy.endpoint}&region=${region}`;
      const withKey = <T>(
        key: keyof TestObjectStore["keys"],
        work: () => Promise<T>,
      ): Promise<T> => {
        Object.assign(process.env, objects.keys[key]);
        return work();
      };
      const stored = async () =>
        (await (await objects.asOwner("GET", `/${bucket}?list-type=2`)).text()).split("<Key>")
          .length - 1;
      try {
        for (const [key, why] of [
          ["unknown", "dont la clé d’accès est refusée"],
          ["powerless", "ne permet pas de lire, d’écrire et de supprimer les objets"],
          ["blind", "ne permet pas de lister les objets"],
        ] as const)
          expect(await withKey(key, () => backup([place]))).toEqual({
            code: 78,
            said: expect.stringMatching(
              new RegExp(`^Réglage refusé\u00a0: SAUVEGARDE [^\n]*${why}[^\n]*$`),
            ),
          });
        expect(await stored()).toBe(0);
        expect(await withKey("files", () => backup([place]))).toMatchObject({ code: 0 });
        const first = await stored();
        const last = await signOne("Nuit");
        // Fails after the database, before its files.
        proxy.meet("down", { method: "PUT", after: 3 });
        expect(await backup([place])).toEqual({
          code: 1,
          said: `s3://${bucket}/nuit/ ne répond pas, ou refuse l’écriture\u00a0: vérifiez le disque, le réseau et les droits.`,
        });
        proxy.meet(null);
        expect(await stored()).toBeGreaterThan(first);
        const { code, said } = await verify([place]);
        expect([code, said]).toEqual([
          1,
          expect.stringMatching(/a été coupée avant sa fin.*\n.*est entière et juste/),
        ]);
        expect(await backup([place])).toMatchObject({ code: 0 });
        expect(await verify([place])).toMatchObject({ code: 0 });
        expect(await withKey("unknown", () => restore([place]))).toMatchObject({
          code: 78,
          said: expect.stringContaining("dont la clé d’accès est refusée"),
        });
        const restored = await withKey("files", () => restore([place]));
        expect(restored.code, restored.said).toBe(0);
        const { signed, verified } = await lookInto(restored.dataDir);
        expect([verified, signed.has(last)]).toEqual([EVERY_INVARIANT_HOLDS, true]);
      } finally {
        await proxy.close();
        await objects.close();
      }
    },
  );

  test("is not restored over a service, nor without its master key, and changes nothing then", async () => {
    for (const [settings, why] of [
      [{ DATA_DIR: server.dataDir }, "est celui d’un service, qui tourne peut-être"],
      [{ DATA_DIR: placeOf("kept") }, "n’est pas vide"],
      [{ STORAGE_URL: join(server.dataDir, "files") }, "un stockage qui sert déjà"],
      [{ MASTER_KEY: "" }, "MASTER_KEY manque"],
    ] as const)
      expect(await restore([placeOf("kept")], settings)).toMatchObject(refused(why));
    const wrong = await restore([placeOf("kept")], {
      MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
    });
    expect(wrong).toMatchObject(refused("MASTER_KEY n’est pas la clé de cette sauvegarde"));
    expect(await readdir(wrong.dataDir).catch(() => [])).toEqual([]);
    expect(await restore([placeOf("kept"), "--backup", "hier"])).toMatchObject(
      refused("ne contient pas la sauvegarde hier"),
    );
    expect(await restore([placeOf("nulle-part")])).toMatchObject(
      refused("Aucune sauvegarde de Paraphe"),
    );
  });

  test("refuses another service's backups, a database of a newer version, and a folder without a service", async () => {
    await writeFile(
      join(placeOf("kept"), "files/store-id"),
      "0190a5a0-0000-7000-8000-000000000000\n",
    );
    expect(await backup([placeOf("kept")])).toMatchObject(
      refused("les sauvegardes d’un autre service"),
    );
    const database = await openDatabase(server.dataDir);
    await database.query(
      "insert into kysely_migration values ('9999-tomorrow-after-9998', now()::text)",
    );
    expect(await backup([placeOf("ahead")])).toEqual({
      code: 78,
      said: expect.stringMatching(/^Démarrage impossible.*9999-tomorrow-after-9998[^\n]*$/),
    });
    await database.query("delete from kysely_migration where name like '9999%'");
    await database.close();
    expect(
      await saidBy(runBackup, [placeOf("ahead")], { DATA_DIR: placeOf("vide") }),
    ).toMatchObject({
      code: 1,
      said: `Aucun service n’a encore démarré dans ${placeOf("vide")}\u00a0: vérifiez DATA_DIR.`,
    });
    expect(await readdir(folder)).not.toContain("vide");
  });

  test("refuses a second one at the same time with exit code 75", async () => {
    const database = await openDatabase(server.dataDir);
    await database.query("select pg_advisory_lock(hashtextextended('backup', 20260086))");
    expect(await backup([placeOf("second")])).toEqual({
      code: 75,
      said: expect.stringMatching(/^Une autre sauvegarde de ce service est en cours[^\n]*$/),
    });
    await database.close();
  });

  test.runIf(CAN_MOUNT)(
    "reports a full disk in one line, and is named as cut short while the earlier one stays good",
    async () => {
      const medium = openSmallMedium(40_000);
      try {
        expect(await backup([medium.folder])).toMatchObject({ code: 0 });
        await signOne("Plein");
        medium.fill();
        const ballast = join(medium.folder, "lest");
        await truncate(ballast, (await stat(ballast)).size - 2 * 1024 * 1024);
        expect(await backup([medium.folder])).toEqual({
          code: 1,
          said: `${medium.folder} est plein\u00a0: faites-y de la place, puis relancez la commande.`,
        });
        medium.makeRoom();
        const { code, said } = await verify([medium.folder]);
        expect([code, said]).toEqual([
          1,
          expect.stringMatching(/a été coupée avant sa fin.*\n.*est entière et juste/),
        ]);
        expect(await backup([medium.folder])).toMatchObject({ code: 0 });
        expect(await verify([medium.folder])).toMatchObject({ code: 0 });
        // The base backup is larger than the room left.
        expect(
          await restore([medium.folder], { DATA_DIR: join(medium.folder, "ailleurs") }),
        ).toMatchObject({
          code: 1,
          said: expect.stringMatching(/^Le disque est plein \(tar\)[^\n]*$/),
        });
      } finally {
        medium.close();
      }
    },
  );
});

describe("paraphe doctor, beside the running service,", () => {
  const doctor = (
    words: readonly string[] = [],
    settings: Readonly<Record<string, string>> = {},
    rules: Partial<DoctorDeps> = {},
  ) =>
    saidBy(
      (given, { environment }) => runDoctor(given, { environment, dns: noDns, ...rules }),
      words,
      settings,
    );
  const noDns: AskDns = async () => {
    throw Object.assign(new Error("queryTxt ENOTFOUND"), { code: "ENOTFOUND" });
  };

  test("reports what is well, worth knowing and to be done, a line each", async () => {
    const { said } = await doctor();
    for (const line of [
      /^bien {6}Base\u00a0: PostgreSQL 18/m,
      /^bien {6}Stockage\u00a0: /m,
      /^(bien {4}|À FAIRE ) {2}Disque\u00a0: .* est plein à \d+\s%/m,
      /^bien {6}Horloge\u00a0: /m,
      /^bien {6}Clés\u00a0: 5 en service/m,
      /^à savoir {2}MASTER_KEY\u00a0: /m,
      /^à savoir {2}Horodatage\u00a0: /m,
      /^à savoir {2}Email\u00a0: .*boîte aux lettres locale/m,
      /^à savoir {2}Certificat\u00a0: /m,
    ])
      expect(said).toMatch(line);
  });

  test("sends a real message and checks the sender's DNS", async () => {
    const mails = await startMailServer();
    const settings = { SMTP_URL: mails.url, MAIL_FROM: "signature@exemple.fr" };
    const texts: Readonly<Record<string, string>> = {
      "exemple.fr": "v=spf1 mx -all",
      "_dmarc.exemple.fr": "v=DMARC1; p=reject",
    };
    const dns: AskDns = async (name) => {
      const text = texts[name];
      return text === undefined ? noDns(name) : [[text]];
    };
    try {
      const { code, said } = await doctor(["--mail", "admin@exemple.fr"], settings, { dns });
      expect(code).toBe(1);
      expect(said).toContain("Le serveur a pris un message pour admin@exemple.fr");
      expect(said).toMatch(/^bien {6}SPF\u00a0: /m);
      expect(said).toMatch(/^À FAIRE {3}DKIM\u00a0: exemple.fr ne publie aucune clé DKIM/m);
      expect(said).toMatch(/^bien {6}DMARC\u00a0: /m);
      await mails.waitFor("admin@exemple.fr", () => true);
    } finally {
      await mails.close();
    }
    expect((await doctor(["--mail", "admin@exemple.fr"], settings)).said).toMatch(
      /^À FAIRE {3}Email\u00a0: Le serveur de SMTP_URL n’a pas pris le message/m,
    );
    expect(await doctor(["--mail", "personne"])).toMatchObject({ code: 64 });
  });

  test("finds a clock an hour off, an absent time-stamping authority, another database's store and a wrong master key", async () => {
    const late = await doctor([], {}, { clock: () => new Date(Date.now() - 3_600_000) });
    expect(late).toMatchObject({
      code: 1,
      said: expect.stringMatching(/^À FAIRE {3}Horloge\u00a0: .* 60 min d’écart/m),
    });
    expect((await doctor([], { TSA_URL: "http://127.0.0.1:9/tsa" })).said).toMatch(
      /^À FAIRE {3}Horodatage\u00a0: L’autorité de TSA_URL ne donne pas de jeton juste/m,
    );
    const other = placeOf("another-store");
    await mkdir(other);
    await writeFile(join(other, "store-id"), "0190a5a0-0000-7000-8000-000000000000\n");
    expect((await doctor([], { STORAGE_URL: other })).said).toMatch(
      /^À FAIRE {3}Stockage\u00a0: .*mène aux fichiers d’une autre base/m,
    );
    expect(await saidBy(runBackup, [placeOf("ailleurs")], { STORAGE_URL: other })).toEqual({
      code: 78,
      said: expect.stringMatching(
        /^Réglage refusé\u00a0: STORAGE_URL mène aux fichiers d’une autre base[^\n]*$/,
      ),
    });
    expect((await doctor([], { MASTER_KEY: Buffer.alloc(32, 7).toString("base64") })).said).toMatch(
      /^À FAIRE {3}Clés\u00a0: .*MASTER_KEY n’est pas la clé de cette base/m,
    );
  });
});

describe("paraphe upgrade --check", () => {
  const check = (words = ["--check"], settings = {}) => saidBy(runUpgrade, words, settings);

  test("reports that nothing is to migrate, and a database of a newer version", async () => {
    expect(await check()).toEqual({
      code: 0,
      said: expect.stringContaining("telle qu’elle est\u00a0: rien à migrer"),
    });
    expect(await check([])).toMatchObject({ code: 64 });
    const database = await openDatabase(server.dataDir);
    try {
      await database.query("insert into kysely_migration values ('9998-tomorrow', now()::text)");
      expect(await check()).toEqual({
        code: 0,
        said: expect.stringContaining("qu’une version plus récente a migrée (9998-tomorrow)"),
      });
      await database.query(
        "insert into kysely_migration values ('9999-later-after-9998', now()::text)",
      );
      expect(await check()).toEqual({
        code: 78,
        said: expect.stringMatching(
          /^Démarrage impossible\u00a0: [^\n]*9999-later-after-9998[^\n]*$/,
        ),
      });
    } finally {
      await database.query("delete from kysely_migration where name like '999%'");
      await database.close();
    }
  });
});
