import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { createIdMaker } from "@paraphe/kernel/uuid";
import { type Clock, systemClock } from "../../../server/src/platform/clock.ts";
import { StorageFullError, StoreAwayError } from "../../../server/src/platform/files/file-store.ts";
import { openStore } from "../../../server/src/platform/files/open-store.ts";
import { createMailTransport } from "../../../server/src/platform/mail/create-mail-transport.ts";
import { openSecrets } from "../../../server/src/platform/secrets/data-key.ts";
import { readSettings } from "../../../server/src/platform/settings/read-settings.ts";
import type { Environment } from "../../../server/src/platform/settings/read-variable.ts";
import { type Settings, SettingsError } from "../../../server/src/platform/settings/settings.ts";
import { onDatabase, type OpenDatabase } from "../open-database.ts";
import { misused, type Outcome } from "../outcome.ts";
import { checkBackup, checkClock, checkDatabase } from "./check-database.ts";
import { askDns, type AskDns, checkMail } from "./check-mail.ts";
import { checkTrust } from "./check-trust.ts";
import { bad, checkCertificate, checkDisks, type Finding, good, odd } from "./finding.ts";

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

/** Null for nobody; undefined for a misuse. */
function addressOf(words: readonly string[]): string | null | undefined {
  try {
    const { values } = parseArgs({ args: [...words], options: { mail: { type: "string" } } });
    if (values.mail === undefined) return null;
    return /^[^\s@<>"]+@[^\s@<>"]+$/.test(values.mail) ? values.mail : undefined;
  } catch {
    return undefined;
  }
}
