import { type Environment, mailAddressIn, readInteger, readText, readUrl, refuse } from "./read-variable.ts";
import type { CheckpointStoreSettings } from "./settings.ts";

const STORE = [
  "CHECKPOINT_S3_ENDPOINT",
  "CHECKPOINT_S3_REGION",
  "CHECKPOINT_S3_BUCKET",
  "CHECKPOINT_S3_KEY_ID",
  "CHECKPOINT_S3_SECRET",
] as const;
const EXAMPLES: Readonly<Record<(typeof STORE)[number], string>> = {
  CHECKPOINT_S3_ENDPOINT: "https://s3.fr-par.exemple.fr",
  CHECKPOINT_S3_REGION: "fr-par",
  CHECKPOINT_S3_BUCKET: "temoin-paraphe",
  CHECKPOINT_S3_KEY_ID: "l’identifiant de la clé d’accès",
  CHECKPOINT_S3_SECRET: "la clé secrète",
};
/** What is kept ten years after a signature is witnessed as long. */
const TEN_YEARS = 3_653;
const A_CENTURY = 36_525;

/** Gives whom the newest checkpoint is mailed to; null without the setting. Without a mail server it would stay in the database that it witnesses: refused. */
export function readCheckpointMail(environment: Environment): string | null {
  const text = readText(environment, "CHECKPOINT_MAIL");
  if (text === null) return null;
  if (readText(environment, "SMTP_URL") === null)
    refuse("SMTP_URL", "manque, alors que CHECKPOINT_MAIL est donné", "smtp://utilisateur:motdepasse@smtp.exemple.fr:587");
  return mailAddressIn(text, "CHECKPOINT_MAIL");
}

/** Gives the store that each checkpoint is locked in; null without any of its settings. */
export function readCheckpointStore(environment: Environment): CheckpointStoreSettings | null {
  const given = STORE.filter((name) => readText(environment, name) !== null);
  const days = readText(environment, "CHECKPOINT_S3_DAYS");
  if (given.length === 0 && days === null) return null;
  const missing = STORE.find((name) => !given.includes(name));
  if (missing !== undefined) refuse(missing, "manque, alors que d’autres variables CHECKPOINT_S3_… sont données", EXAMPLES[missing]);
  const [bucket = "", ...folders] = valueOf(environment, "CHECKPOINT_S3_BUCKET").split("/");
  // Bucket naming rules of S3; names of folders that no address has to encode.
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) || !folders.every((name) => /^(?!\.+$)[A-Za-z0-9._-]+$/.test(name)))
    refuse("CHECKPOINT_S3_BUCKET", "n’est pas le nom d’un seau, suivi ou non de dossiers", "temoin-paraphe/production");
  return {
    endpoint: readEndpoint(environment),
    region: valueOf(environment, "CHECKPOINT_S3_REGION"),
    bucket,
    folder: folders.map((name) => `${name}/`).join(""),
    keyId: valueOf(environment, "CHECKPOINT_S3_KEY_ID"),
    secret: valueOf(environment, "CHECKPOINT_S3_SECRET"),
    days: readInteger(environment, "CHECKPOINT_S3_DAYS", { fallback: TEN_YEARS, minimum: 1, maximum: A_CENTURY, example: "3653" }),
  };
}

function readEndpoint(environment: Environment): string {
  const example = EXAMPLES.CHECKPOINT_S3_ENDPOINT;
  const text = readUrl(environment, "CHECKPOINT_S3_ENDPOINT", { protocols: ["http:", "https:"], example }) ?? "";
  const url = new URL(text);
  if (url.pathname !== "/" || url.search || url.hash || url.username)
    refuse("CHECKPOINT_S3_ENDPOINT", "doit être une origine seule, sans chemin ni identifiants", example);
  return url.origin;
}

function valueOf(environment: Environment, name: (typeof STORE)[number]): string {
  return readText(environment, name) ?? "";
}
