import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { insertBackup } from "../../../server/src/platform/backup/backups.ts";
import { ranMigrations } from "../../../server/src/platform/database/migrate-database.ts";
import { loadOrMakeLocalTls } from "../../../server/src/platform/tls/load-tls.ts";
import { createTestDatabase, type TestDatabase } from "../../../server/testing/database.ts";
import {
  checkBackup,
  checkClock,
  checkDatabase,
  bad,
  checkCertificate,
  checkDisks,
  good,
} from "./run-doctor.ts";

const HOUR_MS = 3_600_000;
const NOW = new Date("2026-11-27T15:00:00Z");

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), "paraphe-doctor-"));
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

test("finds a server whose commits do not survive a power cut, like the tests' own", async () => {
  const settings = {
    database: { kind: "external", url: database.url, serviceUrl: null, readUrl: null },
    production: true,
  } as const;
  const ran = await ranMigrations(database.db);
  expect(await checkDatabase(database.owner, settings, ran)).toEqual([
    bad("Base", expect.stringMatching(/^fsync est éteint/)),
  ]);
  expect(
    await checkDatabase(database.owner, settings, [...ran.slice(0, -1), "9998-tomorrow"]),
  ).toEqual([
    expect.anything(),
    expect.objectContaining({ sentence: expect.stringMatching(/^1 migrations? attend/) }),
    expect.objectContaining({ sentence: expect.stringContaining("9998-tomorrow") }),
  ]);
});

test("finds an owner who may not act as the service's role", async () => {
  const settings = {
    database: { kind: "external", url: database.url, serviceUrl: null, readUrl: null },
    production: true,
  } as const;
  const ran = await ranMigrations(database.db);
  await database.owner.connection().execute(async (db) => {
    await sql`set role pg_monitor`.execute(db);
    try {
      expect(await checkDatabase(db, settings, ran)).toContainEqual(
        bad("Rôle", expect.stringContaining("créez le rôle paraphe_service")),
      );
    } finally {
      await sql`reset role`.execute(db);
    }
  });
});

test("finds a missing backup and one that is too old", async () => {
  expect(await checkBackup(database.db, NOW)).toEqual(
    bad("Sauvegarde", "Aucune n’a jamais été faite\u00a0: paraphe backup, chaque nuit."),
  );
  const made = (id: string, hours: number) => {
    const at = new Date(NOW.getTime() - hours * HOUR_MS);
    return insertBackup(database.db, {
      id,
      place: "/mnt/sauvegardes",
      startedAt: at,
      endedAt: at,
      files: 1,
      bytes: 1,
    });
  };
  await made("old", 30);
  expect(await checkBackup(database.db, NOW)).toEqual(
    bad(
      "Sauvegarde",
      expect.stringMatching(/^La dernière a 30 h, dans \/mnt\/sauvegardes\u00a0: /),
    ),
  );
  await made("new", 2);
  expect(await checkBackup(database.db, NOW)).toEqual(
    good("Sauvegarde", "La dernière a 2 h, dans /mnt/sauvegardes."),
  );
});

test("finds a clock that differs from the database's", async () => {
  expect(await checkClock(database.db, () => new Date())).toMatchObject({ state: "good" });
  expect(await checkClock(database.db, () => new Date(Date.now() + HOUR_MS))).toEqual(
    bad("Horloge", expect.stringContaining("60 min d’écart")),
  );
});

test("finds a certificate that expires soon, has expired, has another name or is unreadable, and an unreachable proxy", async () => {
  const { cert } = await loadOrMakeLocalTls({
    folder,
    publicUrl: "https://signature.exemple.fr",
    now: NOW,
  });
  await writeFile(join(folder, "certificat.pem"), cert);
  const tls = {
    mode: "files",
    certificateFile: join(folder, "certificat.pem"),
    keyFile: join(folder, "none.pem"),
  } as const;
  const publicUrl = "https://signature.exemple.fr";
  const first = await checkCertificate({ tls, publicUrl }, NOW);
  expect(first).toEqual(
    good("Certificat", expect.stringMatching(/^Celui de signature\.exemple\.fr, jusqu’au /)),
  );
  const after = (days: number) =>
    checkCertificate({ tls, publicUrl }, new Date(NOW.getTime() + days * 24 * HOUR_MS));
  expect(await after(397 - 7)).toEqual(bad("Certificat", expect.stringMatching(/^Il finit le /)));
  expect(await after(397 + 7)).toEqual(bad("Certificat", expect.stringMatching(/^Il a fini le /)));
  expect(await checkCertificate({ tls, publicUrl: "https://autre.exemple.fr" }, NOW)).toEqual(
    bad("Certificat", "Il n’est pas celui de autre.exemple.fr\u00a0: faites-en un pour ce nom."),
  );
  expect(
    await checkCertificate(
      { tls: { ...tls, certificateFile: join(folder, "none.pem") }, publicUrl },
      NOW,
    ),
  ).toMatchObject({
    state: "bad",
  });
  expect(
    await checkCertificate({ tls: { mode: "off" }, publicUrl: "https://127.0.0.1:9" }, NOW),
  ).toEqual(
    bad("Certificat", expect.stringContaining("ne répond pas\u00a0: voyez le serveur mandataire")),
  );
});

test("finds a missing disk", async () => {
  const settings = {
    dataDir: folder,
    storage: { kind: "folder", folder: join(folder, "absent") },
    database: { kind: "external", url: "", serviceUrl: null, readUrl: null },
  } as const;
  expect(await checkDisks(settings)).toEqual([
    expect.objectContaining({ subject: "Disque" }),
    bad("Disque", `${join(folder, "absent")} n’est pas là\u00a0: vérifiez qu’il est monté.`),
  ]);
});
