import { resolve } from "node:path";
import { type Environment, readText, refuse } from "./read-variable.ts";
import type { BucketPlace, StoragePlace } from "./settings.ts";

export const FOLDER = "/var/lib/paraphe/fichiers";
export const BUCKET =
  "s3://paraphe-fichiers/production?endpoint=https://s3.fr-par.exemple.fr&region=fr-par";
const PARAMETERS = ["endpoint", "region", "path_style"];

/**
 * A folder, or `s3://bucket/prefix?endpoint=…&region=…&path_style=1`; null: unset.
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
  // S3's rules; folder names without encoding.
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
    // Others than Amazon take path-style, many nothing else.
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
