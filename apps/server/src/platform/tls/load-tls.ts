import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { TlsMaterial } from "../http/create-app.ts";
import { refuse } from "../settings/read-variable.ts";
import type { Settings } from "../settings/settings.ts";
import { loadOrMakeLocalTls } from "./local-tls.ts";

/** Null when a proxy ends TLS. Errors: `SettingsError` when a file is unusable. */
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
