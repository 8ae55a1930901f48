import { readFileSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Content under another licence than its package's: package, content, licence, text. */
const CARRIED = [
  ["@embedpdf/pdfium", "PDFium, compiled to WebAssembly", "BSD-3-Clause", "LICENSE.pdfium"],
  ["pdfjs-dist", "Foxit fonts", "BSD-3-Clause", "standard_fonts/LICENSE_FOXIT"],
  ["pdfjs-dist", "Liberation fonts", "OFL-1.1", "standard_fonts/LICENSE_LIBERATION"],
  ["pdfjs-dist", "Adobe’s character maps", "BSD-3-Clause", "cmaps/LICENSE"],
  ["pdfjs-dist", "CGATS colour profile", "CC0-1.0", "iccs/LICENSE"],
  ["pdfjs-dist", "OpenJPEG", "BSD-2-Clause", "wasm/LICENSE_OPENJPEG"],
  ["pdfjs-dist", "PDFium’s JBIG2 decoder", "BSD-3-Clause", "wasm/LICENSE_JBIG2"],
  ["pdfjs-dist", "qcms", "MIT", "wasm/LICENSE_QCMS"],
  ["pdfjs-dist", "QuickJS", "MIT", "wasm/LICENSE_QUICKJS"],
] as const;

/**
 * Lists what is shipped, from the lock file and node_modules.
 * Errors: throws on a refused licence.
 */
export function renderThirdParty(root: string): string {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, LockEntry>;
  };
  const parties = findThirdParties(lock.packages, root);
  const refused = findRefusedLicences(parties);
  if (refused.length > 0)
    throw new Error(
      `Licences that are not allowed: ${refused
        .map(({ name, version, licence }) => `${name}@${version} (${licence})`)
        .join(", ")}`,
    );
  for (const [name, , , file] of CARRIED) readFileSync(join(root, "node_modules", name, file));
  return [
    "## Packages",
    "",
    "| package | version | licence | text |",
    "| --- | --- | --- | --- |",
    ...parties.map(renderParty),
    "",
    "## Carried inside a package",
    "",
    "| package | content | licence | text |",
    "| --- | --- | --- | --- |",
    ...CARRIED.map(
      ([name, content, licence, file]) =>
        `| ${name} | ${content} | ${licence} | \`node_modules/${name}/${file}\` |`,
    ),
  ].join("\n");
}

const renderParty = ({ name, version, licence, text }: ThirdParty): string =>
  `| ${name} | ${version} | ${licence} | ${text === null ? "none shipped" : `\`${text}\``} |`;

type LockEntry = {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

type ThirdParty = {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  /** Path of its text; null without one. */
  readonly text: string | null;
};

const ALLOWED = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MIT-0",
  "MPL-2.0",
  "Python-2.0",
  "Unlicense",
  "Zlib",
]);
/** package.json names no licence, the text does. */
const READ_IN_ITS_TEXT = new Map([["png-js", "MIT"]]);
const FONT_PACKAGE = /^@(?:fontsource|fontsource-variable|expo-google-fonts)\//;
const LICENCE_FILE = /^(?:licen[cs]e|copying|unlicense)(?:[._-]|$)/i;

/**
 * Production packages of all platforms, by name.
 * Errors: throws when a package names no licence.
 */
export function findThirdParties(
  packages: Readonly<Record<string, LockEntry>>,
  root: string,
): readonly ThirdParty[] {
  const found = Object.entries(packages)
    .filter(([path, { dev, link }]) => path.includes("node_modules/") && !dev && !link)
    .map(([path, entry]): ThirdParty => {
      const name = nameOf(path);
      const licence = entry.license ?? READ_IN_ITS_TEXT.get(name) ?? familyLicence(packages, name);
      if (licence === undefined) throw new Error(`${path} names no licence`);
      return { name, version: entry.version ?? "", licence, text: textOf(root, path, entry) };
    });
  const distinct = new Map(found.map((party) => [`${party.name}@${party.version}`, party]));
  return [...distinct.values()].sort(
    (a, b) => a.name.localeCompare(b.name, "en") || a.version.localeCompare(b.version, "en"),
  );
}

/** OFL is for fonts alone. */
export const findRefusedLicences = (parties: readonly ThirdParty[]): readonly ThirdParty[] =>
  parties.filter(({ name, licence }) => !isAllowed(licence, name));

/** SPDX without nested parentheses: all of AND, one of OR. */
function isAllowed(expression: string, name: string): boolean {
  const allows = (licence: string) =>
    ALLOWED.has(licence) || (licence === "OFL-1.1" && FONT_PACKAGE.test(name));
  return expression
    .replaceAll(/[()]/g, "")
    .split(" OR ")
    .some((choice) => choice.split(" AND ").every((licence) => allows(licence.trim())));
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf("node_modules/") + 13);

/** Platform packages are not read: the list is the same on every machine. */
function textOf(root: string, path: string, { optional }: LockEntry): string | null {
  if (optional) return path;
  if (!existsSync(join(root, path))) throw new Error(`${path} is not installed: run npm start`);
  const files = readdirSync(join(root, path)).filter((file) => LICENCE_FILE.test(file));
  return files.length > 0 ? files.map((file) => `${path}/${file}`).join(", ") : null;
}

/** A platform's build has the licence of the package that lists it. */
const familyLicence = (
  packages: Readonly<Record<string, LockEntry>>,
  name: string,
): string | undefined =>
  Object.values(packages).find(({ optionalDependencies }) => optionalDependencies?.[name])?.license;
