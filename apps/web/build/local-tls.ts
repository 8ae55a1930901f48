import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Gives the certificate and key that `npm start` made in `DATA_DIR/tls` to the development server:
 * the client refuses a base that is not HTTPS, in development too (specification §7).
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
