import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Gives the development server the certificate of `npm start` in `DATA_DIR/tls`:
 * the client refuses a base without HTTPS (specification §7).
 */
export function localTls(dataDir: string | undefined): { cert: string; key: string } {
  const path = join(dataDir ?? join(import.meta.dirname, "../../../data"), "tls/server-key.pem");
  if (!existsSync(path))
    throw new Error(
      `no local certificate at ${path}: run \`npm start\` once, then \`npm run dev -w apps/web\``,
    );
  const pem = readFileSync(path, "utf8");
  const start = pem.indexOf("-----BEGIN CERTIFICATE-----");
  return { key: pem.slice(0, start), cert: pem.slice(start) };
}
