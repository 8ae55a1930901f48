import { isIP } from "node:net";
import { type BucketPlace, SettingsError, type StoragePlace } from "./settings.ts";
import { dirname, resolve } from "node:path";
import { constants, readFileSync } from "node:fs";
import { access, mkdir, stat } from "node:fs/promises";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Prints one French line: variable, fault, example; never the value, perhaps a secret. */
export function refuse(variable: string, fault: string, example: string): never {
  throw new SettingsError(
    `Réglage refusé\u00a0: ${variable} ${fault}. Exemple\u00a0: ${variable}=${example}`,
  );
}

export function readText(environment: Environment, variable: string): string | null {
  const text = environment[variable]?.trim();
  return text ? text : null;
}

export function readInteger(
  environment: Environment,
  variable: string,
  bounds: { fallback: number; minimum: number; maximum: number; example: string },
): number {
  const text = readText(environment, variable);
  if (text === null) return bounds.fallback;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= bounds.minimum && value <= bounds.maximum))
    refuse(
      variable,
      `doit être un nombre entier de ${bounds.minimum} à ${bounds.maximum}`,
      bounds.example,
    );
  return value;
}

export function readChoice<const T extends string>(
  environment: Environment,
  variable: string,
  rule: { choices: readonly T[]; fallback: T },
): T {
  const text = readText(environment, variable);
  if (text === null) return rule.fallback;
  const names = rule.choices.map((choice) => `«\u00a0${choice}\u00a0»`).join(", ");
  return (
    rule.choices.find((choice) => choice === text) ??
    refuse(variable, `doit valoir ${names}`, rule.fallback)
  );
}

export function readUrl(
  environment: Environment,
  variable: string,
  rule: { protocols: readonly string[]; example: string },
): string | null {
  const text = readText(environment, variable);
  if (text === null) return null;
  if (!URL.canParse(text)) refuse(variable, "n’est pas une adresse", rule.example);
  if (!rule.protocols.includes(new URL(text).protocol))
    refuse(
      variable,
      `doit commencer par ${rule.protocols.map((protocol) => `«\u00a0${protocol}//\u00a0»`).join(" ou ")}`,
      rule.example,
    );
  return text;
}

export function readHostAndPort(
  environment: Environment,
  variable: string,
  example: string,
): { host: string; port: number } | null {
  const text = readText(environment, variable);
  if (text === null) return null;
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:\s]+)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port < 1 || port > 65_535)
    refuse(variable, "doit être une adresse suivie d’un port", example);
  return { host: bracketed ?? plain ?? "", port };
}

/** Accepts `Paraphe <no-reply@…>`; messages have their sender's name. */
export function readMailAddress(
  environment: Environment,
  variable: string,
  fallback: string,
): string {
  return mailAddressIn(readText(environment, variable) ?? fallback, variable);
}

/** Errors: `SettingsError` for anything else. */
export function mailAddressIn(written: string, variable: string): string {
  const text = /^[^<>]*<([^<>]*)>$/.exec(written)?.[1] ?? written;
  if (!/^[^\s@<>"]+@[^\s@<>"]+$/.test(text))
    refuse(variable, "n’est pas une adresse email", "signature@exemple.fr");
  return text;
}

export function readBase64Key(
  environment: Environment,
  variable: string,
  length: number,
): Uint8Array | null {
  const text = readText(environment, variable);
  if (text === null) return null;
  const bytes = /^[A-Za-z0-9+/]+={0,2}$/.test(text)
    ? Uint8Array.from(Buffer.from(text, "base64"))
    : new Uint8Array();
  if (bytes.length !== length)
    refuse(
      variable,
      `doit être ${length} octets en base64`,
      "le résultat de «\u00a0openssl rand -base64 32\u00a0»",
    );
  return bytes;
}

export function readAddressList(
  environment: Environment,
  variable: string,
  example: string,
): readonly string[] {
  const text = readText(environment, variable);
  if (text === null) return [];
  const addresses = text.split(",").map((part) => part.trim());
  for (const address of addresses) {
    const [ip = "", prefix] = address.split("/");
    const family = isIP(ip);
    const sound =
      family !== 0 &&
      (prefix === undefined ||
        (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128)));
    if (!sound)
      refuse(
        variable,
        "doit être une liste d’adresses IP ou de plages, séparées par des virgules",
        example,
      );
  }
  return addresses;
}

export const FOLDER = "/var/lib/paraphe/fichiers";
export const BUCKET =
  "s3://paraphe-fichiers/production?endpoint=https://s3.fr-par.exemple.fr&region=fr-par";
const PARAMETERS = ["endpoint", "region", "path_style"];

/**
 * Reads a folder, or `s3://bucket/prefix?endpoint=…&region=…&path_style=1`; null: unset.
 * Errors: `SettingsError`.
 */
export function readStoragePlace(
  environment: Environment,
  variable: string,
  workingFolder: string,
): StoragePlace | null {
  const text = readText(environment, variable);
  if (text === null) return null;
  if (/^s3:/i.test(text)) return readBucket(environment, variable, text);
  if (/^[a-z][a-z0-9+.-]+:/i.test(text) && !text.startsWith("file:///"))
    refuse(
      variable,
      "n’est ni un dossier, ni une adresse «\u00a0file:///\u00a0», ni une adresse «\u00a0s3://\u00a0»",
      FOLDER,
    );
  return {
    kind: "folder",
    folder: text.startsWith("file:///")
      ? decodeURIComponent(new URL(text).pathname)
      : resolve(workingFolder, text),
  };
}

function readBucket(environment: Environment, variable: string, text: string): BucketPlace {
  const url = URL.canParse(text)
    ? new URL(text)
    : refuse(variable, "n’est pas une adresse «\u00a0s3://seau/dossier\u00a0»", BUCKET);
  if (url.username || url.password)
    refuse(
      variable,
      "porte une clé d’accès, qui se donne par AWS_ACCESS_KEY_ID et AWS_SECRET_ACCESS_KEY",
      BUCKET,
    );
  const folders = url.pathname.split("/").filter((name) => name !== "");
  // S3's rules for buckets; folder names need no encoding.
  if (
    !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.hostname) ||
    url.port ||
    url.hash ||
    !folders.every((name) => /^(?!\.+$)[\w.-]+$/.test(name))
  )
    refuse(variable, "ne nomme pas un seau, suivi ou non de dossiers", BUCKET);
  const names = [...url.searchParams.keys()];
  if (!names.every((name) => PARAMETERS.includes(name)) || new Set(names).size !== names.length)
    refuse(
      variable,
      "porte autre chose que «\u00a0endpoint\u00a0», «\u00a0region\u00a0» et «\u00a0path_style\u00a0», une fois chacun",
      BUCKET,
    );
  const style = url.searchParams.get("path_style");
  if (style !== null && style !== "0" && style !== "1")
    refuse(variable, "donne à «\u00a0path_style\u00a0» une autre valeur que 0 ou 1", BUCKET);
  const endpoint = readEndpoint(variable, url.searchParams.get("endpoint"));
  return {
    kind: "s3",
    bucket: url.hostname,
    prefix: folders.map((name) => `${name}/`).join(""),
    endpoint,
    region:
      url.searchParams.get("region") ||
      (readText(environment, "AWS_REGION") ??
        readText(environment, "AWS_DEFAULT_REGION") ??
        refuse(variable, "ne nomme pas de région", BUCKET)),
    // Stores other than Amazon's take path-style, many nothing else.
    pathStyle: style === null ? endpoint !== null : style === "1",
  };
}

function readEndpoint(variable: string, text: string | null): string | null {
  if (text === null) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  const isOrigin =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.pathname === "/" &&
    !url.search &&
    !url.hash &&
    !url.username;
  return isOrigin
    ? url.origin
    : refuse(variable, "donne à «\u00a0endpoint\u00a0» autre chose qu’une origine", BUCKET);
}

type FolderToMake = {
  readonly variable: string;
  readonly folder: string;
  readonly example: string;
};

/** The folder is writable. Errors: `SettingsError`. */
export async function makeFolder({ variable, folder, example }: FolderToMake): Promise<void> {
  try {
    await make(folder);
    if (!(await stat(folder)).isDirectory()) throw new Error("Expected a folder");
    await access(folder, constants.W_OK | constants.X_OK);
  } catch {
    refuse(
      variable,
      "désigne un dossier qui ne peut pas être créé, ou dans lequel Paraphe ne peut pas écrire",
      example,
    );
  }
}

/** `recursive` loops for ever below /proc, which answers ENOENT under an existing folder. */
async function make(folder: string): Promise<void> {
  if (await stat(folder).catch(() => null)) return;
  const parent = dirname(folder);
  if (parent !== folder) await make(parent);
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
}

const LEAST_OPEN_FILES = 1_024;

/**
 * Too few would fail uploads without a reason. Node has raised its own limit. Linux only.
 * Errors: `SettingsError`.
 */
export function checkOpenFiles(limits: string | null = readLimits()): void {
  const granted = /^Max open files\s+(\d+|unlimited)/m.exec(limits ?? "")?.[1];
  if (granted === undefined || granted === "unlimited" || Number(granted) >= LEAST_OPEN_FILES)
    return;
  throw new SettingsError(
    `Démarrage impossible\u00a0: le système n’accorde que ${granted} fichiers ouverts à Paraphe. Exemple\u00a0: ulimit -n ${4 * LEAST_OPEN_FILES}`,
  );
}

/** Source: proc(5), `limits`. */
function readLimits(): string | null {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    return null;
  }
}
