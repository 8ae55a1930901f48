import { X509Certificate } from "node:crypto";
import { readFile, statfs } from "node:fs/promises";
import { connect } from "node:tls";
import { formatLongDay } from "@paraphe/kernel/french-dates";
import type { Settings } from "../../../server/src/platform/settings/settings.ts";

/** `sentence`: French; the state and, if bad, the remedy. */
export type Finding = {
  readonly state: "good" | "odd" | "bad";
  readonly subject: string;
  readonly sentence: string;
};

export const good = (subject: string, sentence: string): Finding => ({
  state: "good",
  subject,
  sentence,
});
export const odd = (subject: string, sentence: string): Finding => ({
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
const DAY_MS = 86_400_000;
const SOON_DAYS = 14;
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

/** Checks the certificate that browsers see: the service's or its proxy's. */
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
  return days < SOON_DAYS
    ? bad("Certificat", `Il finit le ${formatLongDay(until)}\u00a0: renouvelez-le.`)
    : good("Certificat", `Celui de ${hostname}, jusqu’au ${formatLongDay(until)}.`);
}

async function readOwn(path: string): Promise<X509Certificate | null> {
  try {
    return new X509Certificate(await readFile(path));
  } catch {
    // The service's start reports it.
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
