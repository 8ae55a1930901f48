import { plural } from "@paraphe/kernel/french-numbers";
import { sql } from "kysely";
import { selectLastBackup } from "../../../server/src/platform/backup/backups.ts";
import type { Database } from "../../../server/src/platform/database/database.ts";
import { compareMigrations } from "../../../server/src/platform/database/migrate-database.ts";
import { mayActAsServiceRole } from "../../../server/src/platform/database/service-role.ts";
import type { Settings } from "../../../server/src/platform/settings/settings.ts";
import { bad, type Finding, good, odd } from "./finding.ts";

const DAY_HOURS = 26;
const HOUR_MS = 3_600_000;
const CLOCK_MS = 60_000;
const HOURS = new Intl.NumberFormat("fr-FR", { maximumFractionDigits: 0 });

type Server = {
  readonly version: string;
  readonly fsync: string;
  readonly writes: string;
  readonly commit: string;
};

/** Checks the server and that its settings survive a power cut. */
export async function checkDatabase(
  db: Database,
  settings: Pick<Settings, "database" | "production">,
  migrations: readonly string[],
): Promise<readonly Finding[]> {
  const { rows } = await sql<Server>`
    select current_setting('server_version') as version, current_setting('fsync') as fsync, current_setting('full_page_writes') as writes,
      current_setting('synchronous_commit') as commit`.execute(db);
  const [server] = rows;
  const durable = {
    fsync: server?.fsync,
    full_page_writes: server?.writes,
    synchronous_commit: server?.commit,
  };
  const off = Object.entries(durable).find(([, value]) => value === "off");
  const { waiting, newer } = await compareMigrations(migrations);
  return [
    off === undefined
      ? good("Base", `PostgreSQL ${server?.version}, ce qui est validé survit à une coupure.`)
      : bad(
          "Base",
          `${off[0]} est éteint\u00a0: une coupure perdrait des signatures. Rallumez-le (on) dans PostgreSQL.`,
        ),
    ...(settings.database.kind === "embedded" && settings.production
      ? [
          odd(
            "Base",
            "La base embarquée est pour essayer, ou pour une petite machine\u00a0: en production, donnez DATABASE_URL.",
          ),
        ]
      : []),
    ...((await mayActAsServiceRole(db))
      ? []
      : [
          bad(
            "Rôle",
            "Le service agit comme le propriétaire des tables, qui pourrait réécrire les journaux\u00a0: créez le rôle paraphe_service (docs/operations/database-role.md), puis redémarrez.",
          ),
        ]),
    ...(waiting.length > 0
      ? [
          odd(
            "Schéma",
            `${plural(waiting.length, "migration attend", "migrations attendent")} le prochain démarrage (paraphe upgrade --check).`,
          ),
        ]
      : []),
    ...(newer.length > 0
      ? [
          odd(
            "Schéma",
            `Une version plus récente a migré cette base (${newer[0]})\u00a0: celle-ci y travaille encore.`,
          ),
        ]
      : []),
  ];
}

/** Compares the machine's clock with the database and the newest event. */
export async function checkClock(db: Database, now: () => Date): Promise<Finding> {
  const before = now().getTime();
  const { rows } = await sql<{ there: Date; newest: Date | null }>`
    select clock_timestamp() as there, (select max(at) from audit_events) as newest`.execute(db);
  const here = (before + now().getTime()) / 2;
  const off = here - (rows[0]?.there.getTime() ?? here);
  if (Math.abs(off) > CLOCK_MS)
    return bad(
      "Horloge",
      `Cette machine et celle de la base ont ${amount(Math.abs(off))} d’écart\u00a0: mettez-les à l’heure (chrony, systemd-timesyncd).`,
    );
  const ahead = (rows[0]?.newest?.getTime() ?? 0) - here;
  if (ahead > CLOCK_MS)
    return bad(
      "Horloge",
      `Le dernier événement des journaux est ${amount(ahead)} après l’heure d’ici\u00a0: l’horloge a reculé. Mettez-la à l’heure (chrony, systemd-timesyncd).`,
    );
  return good("Horloge", "À l’heure de la base et de ses journaux.");
}

export async function checkBackup(db: Database, now: Date): Promise<Finding> {
  const last = await selectLastBackup(db);
  if (last === null)
    return bad("Sauvegarde", "Aucune n’a jamais été faite\u00a0: paraphe backup, chaque nuit.");
  const hours = (now.getTime() - last.endedAt.getTime()) / HOUR_MS;
  const said = `La dernière a ${HOURS.format(hours)} h, dans ${last.place}`;
  return hours > DAY_HOURS
    ? bad("Sauvegarde", `${said}\u00a0: voyez pourquoi celle de cette nuit manque.`)
    : good("Sauvegarde", `${said}.`);
}

function amount(ms: number): string {
  return ms < 2 * HOUR_MS ? `${HOURS.format(ms / 60_000)} min` : `${HOURS.format(ms / HOUR_MS)} h`;
}
