import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

export type LockEntry = {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

export type ThirdParty = {
  readonly name: string;
  readonly version: string;
  /** SPDX expression. */
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
