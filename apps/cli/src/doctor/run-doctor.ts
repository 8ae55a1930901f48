import { createHash, randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { formatLongDay } from "@paraphe/kernel/french-dates";
import { createIdMaker } from "@paraphe/kernel/uuid";
import {
  TimestampUnavailableError,
  type TrustPlatform,
  createTrust,
  listKeys,
} from "../../../server/src/features/trust/public.ts";
import { type Clock, systemClock } from "../../../server/src/platform/clock.ts";
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
import { checkBackup, checkClock, checkDatabase } from "./check-database.ts";
import { type AskDns, askDns, checkMail } from "./check-mail.ts";
import { type Finding, bad, checkCertificate, checkDisks, good, odd } from "./finding.ts";

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

/** Runs `paraphe doctor` on the configured service, running or not. */
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

/** A failure affects one finding alone. */
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
