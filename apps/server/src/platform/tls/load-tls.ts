import { X509Certificate, createPrivateKey } from "node:crypto";
import { link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import type { TlsMaterial } from "../http/create-app.ts";
import { refuse } from "../settings/read-variable.ts";
import type { Settings } from "../settings/settings.ts";

/** Null where a proxy ends TLS. Errors: `SettingsError` for an unusable file. */
export async function loadTls(settings: Settings, now: Date): Promise<TlsMaterial | null> {
  if (settings.tls.mode === "off") return null;
  if (settings.tls.mode === "local")
    return loadOrMakeLocalTls({ folder: settings.tls.folder, publicUrl: settings.publicUrl, now });
  const cert = await readFile(settings.tls.certificateFile, "utf8").catch(() =>
    refuse("TLS_CERT", "désigne un fichier illisible", "/etc/paraphe/certificat.pem"),
  );
  const key = await readFile(settings.tls.keyFile, "utf8").catch(() =>
    refuse("TLS_KEY", "désigne un fichier illisible", "/etc/paraphe/cle.pem"),
  );
  if (!isPair(key, cert))
    refuse("TLS_KEY", "ne correspond pas au certificat de TLS_CERT", "/etc/paraphe/cle.pem");
  return { key, cert };
}

function isPair(key: string, cert: string): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

const DAY_MS = 24 * 3_600_000;
/** Browsers allow 398 days; Apple 825 for a local authority. */
const SERVER_DAYS = 397;
const AUTHORITY_DAYS = 3_650;
const RENEWED_BEFORE_DAYS = 30;
const LOCAL_NAMES = ["localhost", "127.0.0.1", "::1"];

type LocalTlsOptions = {
  readonly folder: string;
  readonly publicUrl: string;
  readonly now: Date;
};

/** Covers local and public names; renewed near its end. Browsers may add `authority.pem`. */
export async function loadOrMakeLocalTls(options: LocalTlsOptions): Promise<TlsMaterial> {
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  const names = [
    ...new Set([...LOCAL_NAMES, new URL(options.publicUrl).hostname.replace(/^\[|\]$/g, "")]),
  ];
  const kept = await readPair(join(options.folder, "server-key.pem"));
  const authority = await readPair(join(options.folder, "authority-key.pem"));
  if (kept && authority && isUsable(kept.cert, { names, issuer: authority.cert, now: options.now }))
    return kept;
  const { issueAuthority, issueServer } = await import("./issue-local-certificates.ts");
  const sound =
    authority && remainingDays(authority.cert, options.now) > SERVER_DAYS ? authority : null;
  const issuer =
    sound ??
    (await storeAuthority(options.folder, {
      old: authority,
      fresh: await issueAuthority(options.now, AUTHORITY_DAYS),
    }));
  const server = await issueServer({
    authority: issuer,
    names,
    now: options.now,
    days: SERVER_DAYS,
  });
  await writePrivately(join(options.folder, "server-key.pem"), server.key + server.cert);
  return server;
}

async function storeAuthority(
  folder: string,
  pair: { old: TlsMaterial | null; fresh: TlsMaterial },
): Promise<TlsMaterial> {
  const path = join(folder, "authority-key.pem");
  const draft = `${path}.${process.pid}`;
  await writePrivately(draft, pair.fresh.key + pair.fresh.cert);
  if (pair.old) await rename(draft, path);
  else {
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
    await rm(draft);
  }
  const kept = (await readPair(path)) ?? pair.fresh;
  await writeFile(join(folder, "authority.pem"), kept.cert, { mode: 0o644 });
  return kept;
}

async function readPair(path: string): Promise<TlsMaterial | null> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  const start = text?.indexOf("-----BEGIN CERTIFICATE-----") ?? -1;
  return text === null || start < 0 ? null : { key: text.slice(0, start), cert: text.slice(start) };
}

async function writePrivately(path: string, text: string): Promise<void> {
  const draft = `${path}.new-${process.pid}`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, path);
}

function isUsable(
  cert: string,
  wanted: { names: readonly string[]; issuer: string; now: Date },
): boolean {
  const certificate = new X509Certificate(cert);
  const covers = (name: string) =>
    (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined;
  return (
    remainingDays(cert, wanted.now) > RENEWED_BEFORE_DAYS &&
    certificate.checkIssued(new X509Certificate(wanted.issuer)) &&
    wanted.names.every(covers)
  );
}

function remainingDays(cert: string, now: Date): number {
  return (new X509Certificate(cert).validToDate.getTime() - now.getTime()) / DAY_MS;
}
