const BASE_LIB =
  "lib/(accessibility|announce|api|call-message|class-names|fetch-file|format-dates|format-numbers|hex|load-part|read-|save-blob|theme|use-delayed|use-media-query|use-page-title)";
const BASE_UI =
  "ui/(alert|avatar|badge|brand/brand-mark|button/button|copy-field|dialog/lazy-dialog|error-boundary|focus|full-loader|icon|lazy-step/(lazy-step|part-away)|page-heading|skeleton/skeleton|skip-link|start-refusal|toast)";
const inFolders = (...paths: readonly string[]) => new RegExp(`apps/web/src/(${paths.join("|")})|vite/preload-helper`);
const BASE = { name: "base", test: inFolders("entries/start", BASE_LIB, BASE_UI, "features/legal/legal-links"), priority: 0 };
/** One file for what every entry has, one for what the guest's page does without: cut finer they weigh more. */
export const CHUNKS = [
  { name: "react", test: /node_modules\/(react|react-dom|scheduler)\//, priority: 2 },
  { name: "pages", test: /node_modules\/(react-router|@tanstack)/, priority: 1 },
  BASE,
];
/** Where nothing is shared with another entry: the base first all the same, so that its styles come before those of what stands on it. */
export const PUBLIC_CHUNKS = [BASE];
