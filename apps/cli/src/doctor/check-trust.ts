import { createHash } from "node:crypto";
import { formatLongDay } from "@paraphe/kernel/french-dates";
import {
  createTrust,
  listKeys,
  TimestampUnavailableError,
  type TrustPlatform,
} from "../../../server/src/features/trust/public.ts";
import { PURPOSES } from "../keys/texts.ts";
import { bad, type Finding, good, odd } from "./finding.ts";

const DAY_MS = 86_400_000;
const SOON_DAYS = 60;

/** Checks authorities, master key and a real time-stamp. */
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
