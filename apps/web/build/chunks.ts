const BASE_LIB =
  "lib/(api/(api|fetch-file|load-part)|browser/(accessibility|announce|save-blob|theme|use-media-query)|class-names|format/format-(dates|numbers)|use-delayed)";
const BASE_UI =
  "ui/(alert|avatar|badge|brand/brand-mark|button/button|dialog/lazy-dialog|error-boundary|focus|icon|lazy-step/lazy-step|page-heading|skeleton/skeleton|skip-link|toast)";
const WORDS = "packages/(kernel|contracts)/src/french-(dates|numbers|words)";
const inFolders = (...paths: readonly string[]) =>
  new RegExp(`apps/web/src/(${paths.join("|")})|${WORDS}|vite/preload-helper`);
const BASE = {
  name: "base",
  test: inFolders("entries/start", BASE_LIB, BASE_UI, "features/privacy/legal/legal-links"),
  priority: 0,
};
/** One chunk for most member pages, instead of dozens of tiny files. */
const MEMBER = inFolders(
  "ui/(checkbox|doc-cell|editor-frame|field|link|progress|segmented|stepper)/",
  "ui/dialog/lazy-dialog",
  "lib/(api/service-rules|browser/tab-memory)",
  "features/accounts/(password-minimum|use-session)",
);
/** One chunk for what every page has: smaller ones add requests. */
const MEMBER_WORDS = "packages/contracts/src/(field-kinds|person-rules)";
export const CHUNKS = [
  { name: "react", test: /node_modules\/(react|react-dom|scheduler)\//, priority: 2 },
  { name: "pages", test: /node_modules\/(react-router|@tanstack)/, priority: 1 },
  { ...BASE, test: new RegExp(`${BASE.test.source}|${MEMBER.source}|${MEMBER_WORDS}`) },
];
/** The base first: component styles build on it. */
export const PUBLIC_CHUNKS = [BASE];
