import { createHash, randomBytes, X509Certificate } from "node:crypto";
import { parseArgs } from "node:util";
import { formatLongDay } from "@paraphe/kernel/french-dates";
import { createIdMaker } from "@paraphe/kernel/bytes";
import {
  TimestampUnavailableError,
  type TrustPlatform,
  createTrust,
  listKeys,
} from "../../../server/src/features/trust/public.ts";
import { type Clock, systemClock } from "../../../server/src/platform/platform.ts";
import { StorageFullError, StoreAwayError } from "../../../server/src/platform/files/file-store.ts";
import { openStore } from "../../../server/src/platform/files/open-store.ts";
import { createMailTransport } from "../../../server/src/platform/mail/create-mail-transport.ts";
import { openSecrets } from "../../../server/src/platform/secrets/data-key.ts";
import { readSettings } from "../../../server/src/platform/settings/read-settings.ts";
import type { Environment } from "../../../server/src/platform/settings/read-variable.ts";
import { type Settings, SettingsError } from "../../../server/src/platform/settings/settings.ts";
import { PURPOSES } from "../keys/run-keys.ts";
import { type OpenDatabase, onDatabase } from "../open-database.ts";
import { type Outcome, misused } from "../outcome.ts";
import { plural } from "@paraphe/kernel/french-numbers";
import { sql } from "kysely";
import { selectLastBackup } from "../../../server/src/platform/backup/backups.ts";
import type { Database } from "../../../server/src/platform/database/database.ts";
import { compareMigrations } from "../../../server/src/platform/database/migrate-database.ts";
import { mayActAsServiceRole } from "../../../server/src/platform/database/service-role.ts";
import { resolveTxt } from "node:dns/promises";
import type { MailTransport } from "../../../server/src/platform/message-transports.ts";
import { readFile, statfs } from "node:fs/promises";
import { connect } from "node:tls";

/** `sentence`: French; the state, then the remedy. */
type Finding = {
  readonly state: "good" | "odd" | "bad";
  readonly subject: string;
  readonly sentence: string;
};

export const good = (subject: string, sentence: string): Finding => ({
  state: "good",
  subject,
  sentence,
});
const odd = (subject: string, sentence: string): Finding => ({
  state: "odd",
  subject,
  sentence,
});
export const bad = (subject: string, sentence: string): Finding => ({
  state: "bad",
  subject,
  sentence,
});

const FULL = 0.85;

const CERTIFICATE_SOON_DAYS = 14;
const ANSWER_MS = 5_000;
const PERCENT = new Intl.NumberFormat("fr-FR", { style: "percent", maximumFractionDigits: 0 });

export async function checkDisks({
  dataDir,
  storage,
  database,
}: Pick<Settings, "dataDir" | "storage" | "database">): Promise<readonly Finding[]> {
  const folders = new Set([dataDir]);
  if (storage.kind === "folder") folders.add(storage.folder);
  if (database.kind === "embedded" && database.archiveDir !== null)
    folders.add(database.archiveDir);
  const findings: Finding[] = [];
  for (const folder of folders) {
    const use = await statfs(folder).catch(() => null);
    if (use === null)
      findings.push(bad("Disque", `${folder} n’est pas là\u00a0: vérifiez qu’il est monté.`));
    else {
      const full = 1 - use.bavail / use.blocks;
      const said = `${folder} est plein à ${PERCENT.format(full)}`;
      findings.push(
        full > FULL
          ? bad("Disque", `${said}\u00a0: faites-y de la place.`)
          : good("Disque", `${said}.`),
      );
    }
  }
  return findings;
}

/** Checks the certificate that browsers get: the service's, or its proxy's. */
export async function checkCertificate(
  { tls, publicUrl }: Pick<Settings, "tls" | "publicUrl">,
  now: Date,
): Promise<Finding> {
  if (tls.mode === "local")
    return odd(
      "Certificat",
      "Il est fait par le service, pour essayer\u00a0: en production, TLS=files, ou TLS=off derrière un serveur mandataire.",
    );
  const { hostname, port } = new URL(publicUrl);
  const shown =
    tls.mode === "files"
      ? await readOwn(tls.certificateFile)
      : await askProxy(hostname, Number(port || 443));
  if (shown === null)
    return bad(
      "Certificat",
      tls.mode === "files"
        ? `${tls.certificateFile} n’est pas lisible\u00a0: voyez TLS_CERT.`
        : `${publicUrl} ne répond pas\u00a0: voyez le serveur mandataire et le DNS.`,
    );
  const until = shown.validToDate;
  const days = (until.getTime() - now.getTime()) / DAY_MS;
  if (shown.checkHost(hostname) === undefined)
    return bad("Certificat", `Il n’est pas celui de ${hostname}\u00a0: faites-en un pour ce nom.`);
  if (days < 0)
    return bad("Certificat", `Il a fini le ${formatLongDay(until)}\u00a0: renouvelez-le.`);
  return days < CERTIFICATE_SOON_DAYS
    ? bad("Certificat", `Il finit le ${formatLongDay(until)}\u00a0: renouvelez-le.`)
    : good("Certificat", `Celui de ${hostname}, jusqu’au ${formatLongDay(until)}.`);
}

async function readOwn(path: string): Promise<X509Certificate | null> {
  try {
    return new X509Certificate(await readFile(path));
  } catch {
    return null;
  }
}

/** Accepts any certificate, to report its faults. */
function askProxy(host: string, port: number): Promise<X509Certificate | null> {
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port,
      servername: host,
      rejectUnauthorized: false,
      timeout: ANSWER_MS,
    });
    const end = (certificate: X509Certificate | null) => {
      socket.destroy();
      resolve(certificate);
    };
    socket.once("secureConnect", () => end(socket.getPeerX509Certificate() ?? null));
    socket.once("timeout", () => end(null));
    socket.once("error", () => end(null));
  });
}

export const USAGE: readonly string[] = [
  "Usage\u00a0: paraphe doctor [--mail ADRESSE]",
  "",
  "Dit ce qui ne va pas dans cette installation, et quoi faire\u00a0: base, stockage, email, horloge, horodatage, clés, disques, certificat, sauvegarde.",
  "--mail\u00a0: envoie un vrai message à cette adresse.",
  "",
  "Code de sortie\u00a0: 0 rien à faire, 1 quelque chose ne va pas, 64 mauvais usage, 78 réglage refusé.",
];

export type DoctorDeps = {
  readonly environment: Environment;
  readonly dns?: AskDns;
  readonly clock?: Clock;
};

const MARKS: Readonly<Record<Finding["state"], string>> = {
  good: "bien    ",
  odd: "à savoir",
  bad: "À FAIRE ",
};

export async function runDoctor(words: readonly string[], deps: DoctorDeps): Promise<Outcome> {
  const to = addressOf(words);
  if (to === undefined) return misused(USAGE);
  const settings = readSettings(deps.environment, process.cwd());
  const findings = await onDatabase(settings, (opened) => look(opened, settings, { ...deps, to }));
  return {
    code: findings.some(({ state }) => state === "bad") ? 1 : 0,
    lines: findings.map(
      ({ state, subject, sentence }) => `${MARKS[state]}  ${subject}\u00a0: ${sentence}`,
    ),
  };
}

async function look(
  { db, migrations }: OpenDatabase,
  settings: Settings,
  { to, ...deps }: DoctorDeps & { readonly to: string | null },
): Promise<readonly Finding[]> {
  const clock = deps.clock ?? systemClock;
  const random = (length: number) => new Uint8Array(randomBytes(length));
  const newId = createIdMaker(clock, random);
  const mail = createMailTransport(settings, { db, clock, newId });
  try {
    return [
      ...(await checkDatabase(db, settings, migrations)),
      await guarded("Stockage", async () => {
        await (await openStore(db, settings, { clock, newId })).check();
        if (settings.storageFallback !== null)
          return [
            odd(
              "Stockage",
              "Un déplacement est en cours\u00a0: menez move-store à sa fin, puis retirez STORAGE_FALLBACK_URL.",
            ),
          ];
        return [good("Stockage", "Il est celui de cette base, et prend des fichiers.")];
      }),
      ...(await checkDisks(settings)),
      await checkClock(db, clock),
      await guarded("Clés", async () =>
        checkTrust({
          db,
          settings,
          clock,
          random,
          newId,
          hsm: null,
          secrets: await openSecrets({ db, settings, random }),
        }),
      ),
      ...(await checkMail({ settings, mail, to, newId, dns: deps.dns ?? askDns })),
      await checkCertificate(settings, clock()),
      await checkBackup(db, clock()),
    ].flat();
  } finally {
    await mail.close();
  }
}

async function guarded(
  subject: string,
  work: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SettingsError) return [bad(subject, `${error.message}.`)];
    if (error instanceof StorageFullError)
      return [bad(subject, "Il est plein\u00a0: faites-y de la place, ou relevez son quota.")];
    if (error instanceof StoreAwayError)
      return [
        bad(
          subject,
          "Il ne répond pas, ou refuse l’écriture\u00a0: vérifiez son adresse, le réseau et les droits.",
        ),
      ];
    throw error;
  }
}

function addressOf(words: readonly string[]): string | null | undefined {
  try {
    const { values } = parseArgs({ args: [...words], options: { mail: { type: "string" } } });
    if (values.mail === undefined) return null;
    return /^[^\s@<>"]+@[^\s@<>"]+$/.test(values.mail) ? values.mail : undefined;
  } catch {
    return undefined;
  }
}

const DAY_MS = 86_400_000;
const SOON_DAYS = 60;

export async function checkTrust(platform: TrustPlatform): Promise<readonly Finding[]> {
  const { settings } = platform;
  const trust = await createTrust(platform);
  return [
    ...(await checkKeys(platform)),
    settings.masterKey === null
      ? odd(
          "MASTER_KEY",
          `Elle est dans ${settings.dataDir}/keys, à côté de ce qu’elle protège\u00a0: gardez-en une copie ailleurs, ou donnez-la par MASTER_KEY.`,
        )
      : good("MASTER_KEY", "Elle ouvre cette base, et vient d’ailleurs que de DATA_DIR."),
    await checkTimestamp(trust.timestamp, settings.tsaUrl),
  ];
}

async function checkKeys(platform: TrustPlatform): Promise<readonly Finding[]> {
  const now = platform.clock().getTime();
  const living = (await listKeys(platform)).filter(({ retiredAt }) => retiredAt === null);
  const ending = living.filter(({ notAfter }) => notAfter.getTime() - now < SOON_DAYS * DAY_MS);
  if (ending.length === 0)
    return [good("Clés", `${living.length} en service, aucune ne finit bientôt.`)];
  return ending.map(({ purpose, notAfter }) =>
    bad(
      "Clés",
      `${purpose === "hsm" ? "Le cachet du HSM" : PURPOSES[purpose]} finit le ${formatLongDay(notAfter)}\u00a0: paraphe keys rotate ${purpose}.`,
    ),
  );
}

async function checkTimestamp(
  authority: Awaited<ReturnType<typeof createTrust>>["timestamp"],
  tsaUrl: string | null,
): Promise<Finding> {
  if (tsaUrl === null)
    return odd(
      "Horodatage",
      "Il est fait par le service lui-même\u00a0: TSA_URL le confie à une autorité extérieure.",
    );
  try {
    await authority.timestamp(
      new Uint8Array(createHash("sha256").update("paraphe doctor").digest()),
    );
    return good("Horodatage", "L’autorité de TSA_URL donne des jetons justes.");
  } catch (error) {
    if (!(error instanceof TimestampUnavailableError)) throw error;
    return bad(
      "Horodatage",
      "L’autorité de TSA_URL ne donne pas de jeton juste\u00a0: les signatures attendent. Voyez son adresse, ou changez-en (paraphe keys trust-tsa).",
    );
  }
}

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

/** Requires settings that survive a power cut. */
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

const SUBJECT = "Email";

/** TXT records; throws `ENODATA` and `ENOTFOUND` like `node:dns`. */
export type AskDns = (name: string) => Promise<readonly (readonly string[])[]>;
const askDns: AskDns = resolveTxt;

type MailQuestion = {
  readonly settings: Pick<Settings, "smtpUrl" | "mailDisabled" | "mailFrom" | "publicUrl">;
  readonly mail: MailTransport;
  /** Gets a real message; null: none is sent. */
  readonly to: string | null;
  readonly newId: () => string;
  readonly dns: AskDns;
};

/**
 * Sends a message, and checks SPF, DKIM and DMARC of MAIL_FROM. Source: RFC 7208, RFC 6376, RFC
 * 7489.
 */
async function checkMail(asked: MailQuestion): Promise<readonly Finding[]> {
  const { mailDisabled, smtpUrl } = asked.settings;
  if (mailDisabled)
    return [
      odd(SUBJECT, "MAIL=none\u00a0: aucun message ne part, chaque lien se remet à la main."),
    ];
  if (smtpUrl === null)
    return [
      odd(
        SUBJECT,
        "Les messages restent dans la boîte aux lettres locale\u00a0: donnez SMTP_URL pour qu’ils partent.",
      ),
    ];
  return [await send(asked), ...(await checkSender(asked))];
}

async function send({ mail, to, newId, settings }: MailQuestion): Promise<Finding> {
  if (to === null)
    return odd(
      SUBJECT,
      "Aucun message n’a été essayé\u00a0: relancez avec --mail et votre adresse.",
    );
  const outcome = await mail.deliver({
    messageId: `<${newId()}@${new URL(settings.publicUrl).hostname}>`,
    fromName: "Paraphe",
    replyTo: null,
    to: { name: "", address: to },
    subject: "Essai d’envoi de Paraphe",
    text: `Ce message d’essai vient de ${settings.publicUrl}. S’il est dans les indésirables, voyez SPF, DKIM et DMARC.\n`,
    html: `<p>Ce message d’essai vient de ${settings.publicUrl}. S’il est dans les indésirables, voyez SPF, DKIM et DMARC.</p>`,
    attachments: [],
  });
  if (outcome.state === "accepted")
    return good(
      SUBJECT,
      `Le serveur a pris un message pour ${to}\u00a0: regardez où il est arrivé.`,
    );
  if (outcome.state === "refused")
    return bad(
      SUBJECT,
      `Le serveur refuse un message pour ${to} (${outcome.serverAnswer})\u00a0: voyez SMTP_URL et MAIL_FROM.`,
    );
  return bad(
    SUBJECT,
    `Le serveur de SMTP_URL n’a pas pris le message (${outcome.cause ?? "sans réponse"})\u00a0: voyez son adresse, son mot de passe et SMTP_TLS.`,
  );
}

async function checkSender({ settings, dns }: MailQuestion): Promise<readonly Finding[]> {
  const domain = settings.mailFrom.split("@").at(-1) ?? "";
  if (domain === "localhost")
    return [
      bad(
        "Expéditeur",
        "MAIL_FROM est de localhost\u00a0: donnez une adresse d’un domaine à vous.",
      ),
    ];
  const [spf, dkim, dmarc] = [
    await textsOf(dns, domain, "v=spf1"),
    // `_domainkey` exists if a name below does (RFC 8020).
    await textsOf(dns, `_domainkey.${domain}`, ""),
    await textsOf(dns, `_dmarc.${domain}`, "v=DMARC1"),
  ];
  const found = (subject: string, state: Texts, missing: string): Finding => {
    if (state === "unknown")
      return odd(subject, `Le DNS ne répond pas pour ${domain}\u00a0: relancez plus tard.`);
    return state === "absent" ? bad(subject, missing) : good(subject, `Publié pour ${domain}.`);
  };
  return [
    found(
      "SPF",
      spf,
      `${domain} ne dit pas quels serveurs envoient pour lui\u00a0: publiez un TXT «\u00a0v=spf1 …\u00a0» qui nomme celui de SMTP_URL.`,
    ),
    found(
      "DKIM",
      dkim,
      `${domain} ne publie aucune clé DKIM\u00a0: faites signer les messages par le serveur de SMTP_URL, puis publiez sa clé.`,
    ),
    found(
      "DMARC",
      dmarc,
      `${domain} n’a pas de règle DMARC\u00a0: publiez un TXT «\u00a0v=DMARC1; p=none\u00a0» à _dmarc.${domain}, puis durcissez-la.`,
    ),
  ];
}

type Texts = "there" | "absent" | "unknown";

async function textsOf(dns: AskDns, name: string, start: string): Promise<Texts> {
  try {
    const texts = (await dns(name)).map((parts) => parts.join(""));
    return texts.some((text) => text.toLowerCase().startsWith(start.toLowerCase()))
      ? "there"
      : "absent";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENODATA") return start === "" ? "there" : "absent";
    return code === "ENOTFOUND" ? "absent" : "unknown";
  }
}
