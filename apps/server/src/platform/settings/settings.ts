import type { LogLevel } from "../logs/log.ts";
import type { TraceSettings } from "../traces/export-traces.ts";

/** Where bytes of PEM files stand when `TLS=files`. */
export type TlsSettings =
  | { readonly mode: "local"; readonly folder: string }
  | { readonly mode: "off" }
  | { readonly mode: "files"; readonly certificateFile: string; readonly keyFile: string };

/** What each process takes of the database. `connections`: that serve requests and jobs; `queueConnections`: by which jobs are fetched, one of them listens. */
export type DatabaseShare = {
  readonly connections: number;
  readonly queueConnections: number;
  /** A statement of the service, and its wait for a lock, are given up after this long. */
  readonly statementMs: number;
  readonly lockMs: number;
};

export type DatabaseSettings =
  /** `archiveDir`: where its log is archived, so that any minute can be restored; null: nowhere. */
  | { readonly kind: "embedded"; readonly dataDir: string; readonly archiveDir: string | null }
  /** `url`: the owner's, to the server itself. `serviceUrl`: by which the service's own connections log in, through a pooler or not; null: by `url`. `readUrl`: of a
   * replica; null: none.
   */
  | {
      readonly kind: "external";
      readonly url: string;
      readonly serviceUrl: string | null;
      readonly readUrl: string | null;
    };

/** `keyType`: of the signing authority and of its OCSP responder. `country`: ISO 3166-1 alpha-2. */
export type PkiSettings = {
  readonly organization: string;
  readonly country: string;
  readonly keyType: "P-256" | "P-384";
};

export type Pkcs11Settings = {
  readonly module: string;
  readonly token: string;
  readonly pin: string;
  readonly key: string;
};

/** A store of objects that keeps versions and locks them (S3). `endpoint`: an origin; `folder`: before each object's name, "" for none; `days`: how long an object stays locked. */
export type CheckpointStoreSettings = {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly folder: string;
  readonly keyId: string;
  readonly secret: string;
  readonly days: number;
};

export type FolderPlace = { readonly kind: "folder"; readonly folder: string };

/** A bucket (S3 and what speaks its language). `prefix`: before each object's name, "" for none; `endpoint`: an origin, null for Amazon's. Keys come from the SDK's own sources. */
export type BucketPlace = {
  readonly kind: "s3";
  readonly bucket: string;
  readonly prefix: string;
  readonly endpoint: string | null;
  readonly region: string;
  readonly pathStyle: boolean;
};

/** Where files are kept. */
export type StoragePlace = FolderPlace | BucketPlace;

/** Who may register without an invitation: everybody, nobody, or the addresses of these domains (lower case). */
export type RegistrationPolicy =
  | { readonly kind: "open" | "closed" }
  | { readonly kind: "domains"; readonly domains: readonly string[] };

/** `migrate`: brings the database up to date, and ends. */
export type Role = "all" | "web" | "worker" | "migrate";

/**
 * Everything a person may set, read once from the environment (contract §1), validated, with its defaults.
 * Shape: folders are absolute; `publicUrl` is an https origin without a trailing slash.
 */
export type Settings = {
  readonly production: boolean;
  readonly role: Role;
  readonly publicUrl: string;
  readonly host: string;
  readonly port: number;
  readonly tls: TlsSettings;
  readonly dataDir: string;
  readonly database: DatabaseSettings;
  readonly databaseShare: DatabaseShare;
  readonly storage: StoragePlace;
  /** Where files are read that `storage` lacks, while they are moved; null: nowhere. */
  readonly storageFallback: StoragePlace | null;
  /** Where each checkpoint of the transparency log is copied to; null: nowhere. */
  readonly checkpointDir: string | null;
  /** Whom the newest checkpoint is mailed to, once an hour at most; null: nobody. */
  readonly checkpointMail: string | null;
  /** The store that each checkpoint is locked in; null: none. */
  readonly checkpointStore: CheckpointStoreSettings | null;
  /** null: the local mailbox stands for SMTP, or nothing does (`mailDisabled`). */
  readonly smtpUrl: string | null;
  /** Whether a mail server of another machine that offers no TLS is refused. */
  readonly smtpTls: "required" | "optional";
  /** `MAIL=none`: no mail leaves, and each one is shown as not sent. */
  readonly mailDisabled: boolean;
  readonly mailFrom: string;
  /** null: the local mailbox stands for the gateway. */
  readonly sms: { readonly url: string; readonly token: string | null } | null;
  /** Calling codes, or longer beginnings of numbers, without the +: no text goes to another. */
  readonly smsCountries: readonly string[];
  readonly vapidSubject: string;
  readonly metricsListen: { readonly host: string; readonly port: number } | null;
  /** The collector that traces are sent to; null: none are made. */
  readonly traces: TraceSettings | null;
  readonly logLevel: LogLevel;
  /** Whether each answer has a line in the log. */
  readonly accessLog: boolean;
  /** 32 bytes; null: made once and kept in `dataDir/keys`. */
  readonly masterKey: Uint8Array | null;
  readonly tsaUrl: string | null;
  /** The only time-stamping policy taken from `tsaUrl` (OID, dotted); null: any. */
  readonly tsaPolicy: string | null;
  /** What the built-in authorities are made with; those that exist keep theirs until they are replaced. */
  readonly pki: PkiSettings;
  readonly pkcs11: Pkcs11Settings | null;
  readonly passwordMinLength: number;
  readonly registration: RegistrationPolicy;
  readonly rateLimits: "on" | "off";
  /** What an account may keep in storage; null: no limit. */
  readonly storageQuotaBytes: number | null;
  /** Addresses and ranges whose `X-Forwarded-*` are believed. */
  readonly trustProxy: readonly string[];
};

/** A setting has a bad value. The message is one French line: the variable, its fault, an example. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

/** Exit code of a start stopped by a bad setting (sysexits.h: EX_CONFIG). */
export const BAD_SETTING_EXIT_CODE = 78;
