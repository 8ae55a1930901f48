import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { MIN_PASSWORD_LENGTH } from "@paraphe/contracts";
import { isLoopbackHost } from "../addresses.ts";
import type { TraceSettings } from "../traces/spans.ts";
import {
  readStoragePlace,
  type Environment,
  mailAddressIn,
  readAddressList,
  readBase64Key,
  readChoice,
  readHostAndPort,
  readInteger,
  readMailAddress,
  readText,
  readUrl,
  refuse,
} from "./read-variable.ts";
import type {
  CheckpointStoreSettings,
  DatabaseSettings,
  DatabaseShare,
  Pkcs11Settings,
  PkiSettings,
  RegistrationPolicy,
  Settings,
  TlsSettings,
} from "./settings.ts";

const EXAMPLE = "postgres://paraphe:motdepasse@localhost:5432/paraphe";
const SERVICE_EXAMPLE = "postgres://paraphe_service:motdepasse@localhost:5432/paraphe";

function readDatabase(
  environment: Environment,
  { dataDir, workingFolder }: { readonly dataDir: string; readonly workingFolder: string },
): DatabaseSettings {
  const read = (variable: string, example: string) =>
    readUrl(environment, variable, { protocols: ["postgres:", "postgresql:"], example });
  const url = read("DATABASE_URL", EXAMPLE);
  const others = {
    serviceUrl: read("DATABASE_SERVICE_URL", SERVICE_EXAMPLE),
    readUrl: read("DATABASE_READ_URL", SERVICE_EXAMPLE),
  };
  const archive = readText(environment, "WAL_ARCHIVE_DIR");
  if (url !== null && archive !== null)
    refuse(
      "WAL_ARCHIVE_DIR",
      "n’est que pour la base embarquée, alors que DATABASE_URL est donné (archive_mode est le réglage de la vôtre)",
      "",
    );
  if (url !== null) return { kind: "external", url, ...others };
  const given = others.serviceUrl === null ? "DATABASE_READ_URL" : "DATABASE_SERVICE_URL";
  if (Object.values(others).some((other) => other !== null))
    refuse("DATABASE_URL", `manque, alors que ${given} est donné`, EXAMPLE);
  return {
    kind: "embedded",
    dataDir,
    archiveDir: archive === null ? null : resolve(workingFolder, archive),
  };
}

function readDatabaseShare(environment: Environment): DatabaseShare {
  const statementS = readInteger(environment, "DATABASE_STATEMENT_S", {
    fallback: 6,
    minimum: 1,
    maximum: 3_600,
    example: "6",
  });
  const lockS = readInteger(environment, "DATABASE_LOCK_S", {
    fallback: 4,
    minimum: 1,
    maximum: 3_600,
    example: "4",
  });
  return {
    connections: readInteger(environment, "DATABASE_CONNECTIONS", {
      fallback: 16,
      minimum: 2,
      maximum: 1_000,
      example: "16",
    }),
    queueConnections: readInteger(environment, "DATABASE_QUEUE_CONNECTIONS", {
      fallback: 4,
      minimum: 2,
      maximum: 100,
      example: "4",
    }),
    statementMs: statementS * 1_000,
    // A longer wait would end as a statement timeout.
    lockMs: Math.min(lockS, statementS) * 1_000,
  };
}

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
const TEN_YEARS = 3_653;
const A_CENTURY = 36_525;

/** Requires a mail server: it would otherwise stay in the database it witnesses. */
function readCheckpointMail(environment: Environment): string | null {
  const text = readText(environment, "CHECKPOINT_MAIL");
  if (text === null) return null;
  if (readText(environment, "SMTP_URL") === null)
    refuse(
      "SMTP_URL",
      "manque, alors que CHECKPOINT_MAIL est donné",
      "smtp://utilisateur:motdepasse@smtp.exemple.fr:587",
    );
  return mailAddressIn(text, "CHECKPOINT_MAIL");
}

function readCheckpointStore(environment: Environment): CheckpointStoreSettings | null {
  const given = STORE.filter((name) => readText(environment, name) !== null);
  const days = readText(environment, "CHECKPOINT_S3_DAYS");
  if (given.length === 0 && days === null) return null;
  const missing = STORE.find((name) => !given.includes(name));
  if (missing !== undefined)
    refuse(
      missing,
      "manque, alors que d’autres variables CHECKPOINT_S3_… sont données",
      EXAMPLES[missing],
    );
  const [bucket = "", ...folders] = valueOf(environment, "CHECKPOINT_S3_BUCKET").split("/");
  if (
    !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) ||
    !folders.every((name) => /^(?!\.+$)[A-Za-z0-9._-]+$/.test(name))
  )
    refuse(
      "CHECKPOINT_S3_BUCKET",
      "n’est pas le nom d’un seau, suivi ou non de dossiers",
      "temoin-paraphe/production",
    );
  return {
    endpoint: readEndpoint(environment),
    region: valueOf(environment, "CHECKPOINT_S3_REGION"),
    bucket,
    folder: folders.map((name) => `${name}/`).join(""),
    keyId: valueOf(environment, "CHECKPOINT_S3_KEY_ID"),
    secret: valueOf(environment, "CHECKPOINT_S3_SECRET"),
    days: readInteger(environment, "CHECKPOINT_S3_DAYS", {
      fallback: TEN_YEARS,
      minimum: 1,
      maximum: A_CENTURY,
      example: "3653",
    }),
  };
}

function readEndpoint(environment: Environment): string {
  const example = EXAMPLES.CHECKPOINT_S3_ENDPOINT;
  const text =
    readUrl(environment, "CHECKPOINT_S3_ENDPOINT", { protocols: ["http:", "https:"], example }) ??
    "";
  const url = new URL(text);
  if (url.pathname !== "/" || url.search || url.hash || url.username)
    refuse(
      "CHECKPOINT_S3_ENDPOINT",
      "doit être une origine seule, sans chemin ni identifiants",
      example,
    );
  return url.origin;
}

function valueOf(environment: Environment, name: (typeof STORE)[number]): string {
  return readText(environment, name) ?? "";
}

const THREE_YEARS = 1_096;
/** Far below argon2id's longest password. */
const LONGEST_PASSWORD_MINIMUM = 64;
/** Holds twenty thousand contracts. MB of 1 048 576 bytes. */
const STORAGE_QUOTA_MB = 10_240;
const MOST_QUOTA_MB = 100_000_000;
const MB = 1_048_576;
/**
 * ITU-T E.164: mainland, Réunion and Mayotte, Saint-Pierre, Guadeloupe, Guyane, Martinique,
 * Nouvelle-Calédonie, Wallis, Polynésie.
 */
const FRANCE = "33,262,508,590,594,596,687,681,689";
const SMTP_EXAMPLE = "smtp://utilisateur:motdepasse@smtp.exemple.fr:587";
const LONGEST_ORGANIZATION = 40;

/** With their worker, three take 81 of PostgreSQL's 100 connections. */
const MOST_BY_THEMSELVES = 3;

/** Errors: `SettingsError` at the first bad value. Source: contract §1. */
export function readSettings(environment: Environment, workingFolder: string): Settings {
  const production = environment.NODE_ENV === "production";
  const port = readInteger(environment, "PORT", {
    fallback: 8443,
    minimum: 1,
    maximum: 65_535,
    example: "8443",
  });
  const publicUrl = readPublicUrl(environment, port);
  const dataDir = resolve(workingFolder, readText(environment, "DATA_DIR") ?? "data");
  const mailFrom = readMailAddress(
    environment,
    "MAIL_FROM",
    `paraphe@${publicUrl.hostname === "localhost" ? "localhost" : publicUrl.hostname}`,
  );
  return {
    production,
    role: readChoice(environment, "ROLE", {
      choices: ["all", "web", "worker", "migrate"],
      fallback: "all",
    }),
    webProcesses: readInteger(environment, "WEB_PROCESSES", {
      fallback: Math.min(Math.max(Math.floor(availableParallelism() / 2), 1), MOST_BY_THEMSELVES),
      minimum: 1,
      maximum: 64,
      example: "2",
    }),
    publicUrl: publicUrl.origin,
    host: readText(environment, "HOST") ?? "127.0.0.1",
    port,
    tls: readTls(environment, { dataDir, workingFolder }),
    dataDir,
    database: readDatabase(environment, { dataDir, workingFolder }),
    databaseShare: readDatabaseShare(environment),
    storage: readStoragePlace(environment, "STORAGE_URL", workingFolder) ?? {
      kind: "folder",
      folder: resolve(dataDir, "files"),
    },
    storageFallback: readStoragePlace(environment, "STORAGE_FALLBACK_URL", workingFolder),
    checkpointDir: readFolder(environment, "CHECKPOINT_DIR", workingFolder),
    checkpointMail: readCheckpointMail(environment),
    checkpointStore: readCheckpointStore(environment),
    ...readMail(environment, production),
    mailFrom,
    sms: readSms(environment),
    smsCountries: readSmsCountries(environment),
    vapidSubject: readVapidSubject(environment, mailFrom),
    ...readWatching(environment),
    masterKey: readBase64Key(environment, "MASTER_KEY", 32),
    ...readTsa(environment),
    pki: readPki(environment),
    pkcs11: readPkcs11(environment),
    ...readAccounts(environment),
    registration: readRegistration(environment, production),
    rateLimits: readRateLimits(environment, production),
    storageQuotaBytes: readStorageQuota(environment),
    trustProxy: readAddressList(environment, "TRUST_PROXY", "127.0.0.1, 10.0.0.0/8"),
  };
}

function readAccounts(
  environment: Environment,
): Pick<Settings, "passwordMinLength" | "organisationJournalDays"> {
  return {
    passwordMinLength: readInteger(environment, "PASSWORD_MIN_LENGTH", {
      fallback: MIN_PASSWORD_LENGTH,
      minimum: MIN_PASSWORD_LENGTH,
      maximum: LONGEST_PASSWORD_MINIMUM,
      example: "12",
    }),
    organisationJournalDays: readInteger(environment, "ORGANISATION_JOURNAL_DAYS", {
      fallback: THREE_YEARS,
      minimum: 30,
      maximum: A_CENTURY,
      example: "365",
    }),
  };
}

function readWatching(
  environment: Environment,
): Pick<Settings, "metricsListen" | "traces" | "logLevel" | "accessLog"> {
  return {
    metricsListen: readHostAndPort(environment, "METRICS_LISTEN", "127.0.0.1:9464"),
    traces: readTraces(environment),
    logLevel: readChoice(environment, "LOG_LEVEL", {
      choices: ["info", "warn", "error"],
      fallback: "info",
    }),
    accessLog:
      readChoice(environment, "ACCESS_LOG", { choices: ["on", "off"], fallback: "off" }) === "on",
  };
}

function readTsa(environment: Environment): Pick<Settings, "tsaUrl" | "tsaPolicy"> {
  return {
    tsaUrl: readUrl(environment, "TSA_URL", {
      protocols: ["http:", "https:"],
      example: "https://horodatage.exemple.fr/tsa",
    }),
    tsaPolicy: readTsaPolicy(environment),
  };
}

function readPublicUrl(environment: Environment, port: number): URL {
  const text = readText(environment, "PUBLIC_URL") ?? `https://localhost:${port}`;
  const example = "https://signature.exemple.fr";
  const url = URL.canParse(text)
    ? new URL(text)
    : refuse("PUBLIC_URL", "n’est pas une adresse", example);
  if (url.protocol !== "https:") refuse("PUBLIC_URL", "doit commencer par « https:// »", example);
  if (url.pathname !== "/" || url.search || url.hash || url.username)
    refuse("PUBLIC_URL", "doit être une origine seule, sans chemin ni identifiants", example);
  return url;
}

function readTls(
  environment: Environment,
  folders: { dataDir: string; workingFolder: string },
): TlsSettings {
  const mode = readChoice(environment, "TLS", {
    choices: ["local", "off", "files"],
    fallback: "local",
  });
  if (mode === "off") return { mode };
  if (mode === "local") return { mode, folder: resolve(folders.dataDir, "tls") };
  const certificate =
    readText(environment, "TLS_CERT") ??
    refuse("TLS_CERT", "manque, alors que TLS vaut « files »", "/etc/paraphe/certificat.pem");
  const key =
    readText(environment, "TLS_KEY") ??
    refuse("TLS_KEY", "manque, alors que TLS vaut « files »", "/etc/paraphe/cle.pem");
  return {
    mode,
    certificateFile: resolve(folders.workingFolder, certificate),
    keyFile: resolve(folders.workingFolder, key),
  };
}

function readTraces(environment: Environment): TraceSettings | null {
  const endpoint = readUrl(environment, "OTEL_EXPORTER_OTLP_ENDPOINT", {
    protocols: ["http:", "https:"],
    example: "http://collecteur:4318",
  });
  if (endpoint === null) return null;
  const pairs = (readText(environment, "OTEL_EXPORTER_OTLP_HEADERS") ?? "")
    .split(",")
    .filter((pair) => pair.trim() !== "");
  if (!pairs.every((pair) => /^\s*[\w-]+=[\x21-\x7e]+\s*$/.test(pair)))
    refuse(
      "OTEL_EXPORTER_OTLP_HEADERS",
      "doit être une liste de «\u00a0nom=valeur\u00a0», séparés par des virgules",
      "authorization=Bearer%20jeton",
    );
  const headers = pairs.map((pair) => [
    pair.slice(0, pair.indexOf("=")).trim(),
    decodeURIComponent(pair.slice(pair.indexOf("=") + 1).trim()),
  ]);
  return {
    endpoint,
    headers: Object.fromEntries(headers),
    service: readText(environment, "OTEL_SERVICE_NAME") ?? "paraphe",
  };
}

function readFolder(
  environment: Environment,
  variable: "CHECKPOINT_DIR",
  workingFolder: string,
): string | null {
  const text = readText(environment, variable);
  return text === null ? null : resolve(workingFolder, text);
}

function readMail(
  environment: Environment,
  production: boolean,
): Pick<Settings, "smtpUrl" | "smtpTls" | "mailDisabled"> {
  const smtpUrl = readUrl(environment, "SMTP_URL", {
    protocols: ["smtp:", "smtps:"],
    example: SMTP_EXAMPLE,
  });
  const mailDisabled =
    readChoice(environment, "MAIL", { choices: ["smtp", "none"], fallback: "smtp" }) === "none";
  if (mailDisabled && smtpUrl !== null)
    refuse("MAIL", "vaut «\u00a0none\u00a0», alors que SMTP_URL est donné", "smtp");
  if (production && smtpUrl === null && !mailDisabled)
    refuse(
      "SMTP_URL",
      "manque en production\u00a0: personne ne recevrait d’email (MAIL=none le dit exprès)",
      SMTP_EXAMPLE,
    );
  return {
    smtpUrl,
    smtpTls: readChoice(environment, "SMTP_TLS", {
      choices: ["required", "optional"],
      fallback: "required",
    }),
    mailDisabled,
  };
}

function readSms(environment: Environment): Settings["sms"] {
  const url = readUrl(environment, "SMS_URL", {
    protocols: ["http:", "https:"],
    example: "https://sms.exemple.fr/envoi",
  });
  if (url !== null && new URL(url).protocol === "http:" && !isLoopbackHost(new URL(url).hostname))
    refuse(
      "SMS_URL",
      "doit commencer par «\u00a0https://\u00a0»\u00a0: un code y passerait en clair",
      "https://sms.exemple.fr/envoi",
    );
  const token = readText(environment, "SMS_TOKEN");
  if (url === null && token !== null)
    refuse("SMS_URL", "manque, alors que SMS_TOKEN est donné", "https://sms.exemple.fr/envoi");
  return url === null ? null : { url, token };
}

function readSmsCountries(environment: Environment): readonly string[] {
  const codes = (readText(environment, "SMS_COUNTRIES") ?? FRANCE)
    .split(",")
    .map((code) => code.trim().replace(/^\+/, ""));
  if (!codes.every((code) => /^[1-9]\d{0,6}$/.test(code)))
    refuse(
      "SMS_COUNTRIES",
      "doit être une liste d’indicatifs de pays, séparés par des virgules",
      "33,32,352",
    );
  return codes;
}

function readVapidSubject(environment: Environment, mailFrom: string): string {
  const text = readText(environment, "VAPID_SUBJECT");
  if (text === null) return `mailto:${mailFrom}`;
  // RFC 8292 §2.1: a "mailto:" or "https:" URI
  if (!/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(text))
    refuse(
      "VAPID_SUBJECT",
      "n’est ni une adresse « mailto: », ni une adresse « https:// »",
      "mailto:admin@exemple.fr",
    );
  return text;
}

function readTsaPolicy(environment: Environment): string | null {
  const text = readText(environment, "TSA_POLICY");
  const example = "1.3.6.1.4.1.32473.1.1";
  if (text === null) return null;
  if (!/^[0-2](\.(0|[1-9]\d*))+$/.test(text))
    refuse("TSA_POLICY", "n’est pas un identifiant d’objet (OID)", example);
  if (readText(environment, "TSA_URL") === null)
    refuse(
      "TSA_URL",
      "manque, alors que TSA_POLICY est donné",
      "https://horodatage.exemple.fr/tsa",
    );
  return text;
}

function readRegistration(environment: Environment, production: boolean): RegistrationPolicy {
  const text = (
    readText(environment, "REGISTRATION") ?? (production ? "closed" : "open")
  ).toLowerCase();
  if (text === "open" || text === "closed") return { kind: text };
  const domains =
    /^domains:(.+)$/
      .exec(text)?.[1]
      ?.split(",")
      .map((domain) => domain.trim()) ?? [];
  if (
    domains.length === 0 ||
    !domains.every((domain) => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(domain))
  )
    refuse(
      "REGISTRATION",
      "doit valoir «\u00a0open\u00a0», «\u00a0closed\u00a0», ou «\u00a0domains:\u00a0» suivi de domaines",
      "domains:mairie.fr,agglo.fr",
    );
  return { kind: "domains", domains };
}

function readPki(environment: Environment): PkiSettings {
  const organization = readText(environment, "PKI_ORGANIZATION") ?? "Paraphe";
  // Its longest suffix ("… Horodatage G12") must fit in 64 characters (RFC 5280, appendix A.1).
  if ([...organization].length > LONGEST_ORGANIZATION || /\p{Cc}/u.test(organization))
    refuse(
      "PKI_ORGANIZATION",
      `dépasse ${LONGEST_ORGANIZATION} caractères, ou contient un caractère de contrôle`,
      "Mairie de Lyon",
    );
  const country = readText(environment, "PKI_COUNTRY") ?? "FR";
  if (!/^[A-Z]{2}$/.test(country))
    refuse("PKI_COUNTRY", "n’est pas un code de pays de deux lettres capitales", "FR");
  const keyType = readChoice(environment, "PKI_KEY_TYPE", {
    choices: ["P-256", "P-384"],
    fallback: "P-256",
  });
  return { organization, country, keyType };
}

function readPkcs11(environment: Environment): Pkcs11Settings | null {
  const names = ["PKCS11_MODULE", "PKCS11_TOKEN", "PKCS11_PIN", "PKCS11_KEY"] as const;
  const values = names.map((name) => readText(environment, name));
  if (values.every((value) => value === null)) return null;
  const missing = names[values.indexOf(null)];
  if (missing)
    refuse(
      missing,
      "manque, alors que d’autres variables PKCS11_… sont données",
      missing === "PKCS11_MODULE" ? "/usr/lib/softhsm/libsofthsm2.so" : "paraphe",
    );
  const [module = "", token = "", pin = "", key = ""] = values as string[];
  return { module, token, pin, key };
}

function readStorageQuota(environment: Environment): number | null {
  const bounds = {
    fallback: STORAGE_QUOTA_MB,
    minimum: 0,
    maximum: MOST_QUOTA_MB,
    example: `${STORAGE_QUOTA_MB}`,
  };
  const quota = readInteger(environment, "STORAGE_QUOTA_MB", bounds);
  return quota === 0 ? null : quota * MB;
}

function readRateLimits(environment: Environment, production: boolean): "on" | "off" {
  const value = readChoice(environment, "RATE_LIMITS", { choices: ["on", "off"], fallback: "on" });
  if (value === "off" && production)
    refuse("RATE_LIMITS", "ne peut pas valoir « off » quand NODE_ENV vaut « production »", "on");
  return value;
}
