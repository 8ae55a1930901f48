import type { LogLevel } from "../logs/log.ts";
import type { TraceSettings } from "../traces/spans.ts";

export type TlsSettings =
  | { readonly mode: "local"; readonly folder: string }
  | { readonly mode: "off" }
  | { readonly mode: "files"; readonly certificateFile: string; readonly keyFile: string };

/** Counts per process. `queueConnections`: one of them listens. */
export type DatabaseShare = {
  readonly connections: number;
  readonly queueConnections: number;
  readonly statementMs: number;
  readonly lockMs: number;
};

export type DatabaseSettings =
  /** `archiveDir` allows to restore any minute. */
  | { readonly kind: "embedded"; readonly dataDir: string; readonly archiveDir: string | null }
  /**
   * `url`: the owner's, direct. `serviceUrl`: the service's login, perhaps pooled. `readUrl`: a
   * replica's.
   */
  | {
      readonly kind: "external";
      readonly url: string;
      readonly serviceUrl: string | null;
      readonly readUrl: string | null;
    };

/** `keyType`: of the signing authority and its OCSP responder. `country`: ISO 3166-1 alpha-2. */
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

/** S3 with Object Lock. `endpoint`: an origin; `folder`: prefix or ""; `days`: of the lock. */
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

/** `prefix`: or ""; `endpoint`: an origin, null for Amazon. Keys come from the SDK's sources. */
export type BucketPlace = {
  readonly kind: "s3";
  readonly bucket: string;
  readonly prefix: string;
  readonly endpoint: string | null;
  readonly region: string;
  readonly pathStyle: boolean;
};

export type StoragePlace = FolderPlace | BucketPlace;

/** Who registers without an invitation: everybody, nobody, or these domains (lower case). */
export type RegistrationPolicy =
  | { readonly kind: "open" | "closed" }
  | { readonly kind: "domains"; readonly domains: readonly string[] };

type Role = "all" | "web" | "worker" | "migrate";

/**
 * Validated, with defaults (contract §1).
 * Shape: folders are absolute; `publicUrl` is an https origin without a trailing slash.
 */
export type Settings = {
  readonly production: boolean;
  readonly role: Role;
  /** With the role `all`. */
  readonly webProcesses: number;
  readonly publicUrl: string;
  readonly host: string;
  readonly port: number;
  readonly tls: TlsSettings;
  readonly dataDir: string;
  readonly database: DatabaseSettings;
  readonly databaseShare: DatabaseShare;
  readonly storage: StoragePlace;
  readonly storageFallback: StoragePlace | null;
  readonly checkpointDir: string | null;
  readonly checkpointMail: string | null;
  readonly checkpointStore: CheckpointStoreSettings | null;
  /** Null: the mailbox, or nothing (`mailDisabled`). */
  readonly smtpUrl: string | null;
  readonly smtpTls: "required" | "optional";
  readonly mailDisabled: boolean;
  readonly mailFrom: string;
  readonly sms: { readonly url: string; readonly token: string | null } | null;
  readonly smsCountries: readonly string[];
  readonly vapidSubject: string;
  readonly metricsListen: { readonly host: string; readonly port: number } | null;
  readonly traces: TraceSettings | null;
  readonly logLevel: LogLevel;
  readonly accessLog: boolean;
  /** 32 bytes; null: made in `dataDir/keys`. */
  readonly masterKey: Uint8Array | null;
  readonly tsaUrl: string | null;
  /** Accepted from `tsaUrl` (dotted OID); null: any. */
  readonly tsaPolicy: string | null;
  readonly pki: PkiSettings;
  readonly pkcs11: Pkcs11Settings | null;
  readonly passwordMinLength: number;
  readonly organisationJournalDays: number;
  readonly registration: RegistrationPolicy;
  readonly rateLimits: "on" | "off";
  /** Per account; null: no limit. */
  readonly storageQuotaBytes: number | null;
  /** The proxies whose `X-Forwarded-*` headers count. */
  readonly trustProxy: readonly string[];
};

export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

export const BAD_SETTING_EXIT_CODE = 78;
