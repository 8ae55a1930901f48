import { availableParallelism } from "node:os";
import { describe, expect, test } from "vitest";
import { createLog } from "../logs/log.ts";
import { isLoopbackAddress, isOwnMachine } from "../addresses.ts";
import { checkOpenFiles } from "./read-variable.ts";
import { readSettings } from "./read-settings.ts";
import { SettingsError } from "./settings.ts";

test("a start with too few open files is refused, with their number", () => {
  const limits = (files: string) =>
    `Limit                     Soft Limit           Hard Limit           Units\nMax open files            ${files}                 ${files}                 files\n`;
  expect(() => checkOpenFiles(limits("110"))).toThrow(
    "le système n’accorde que 110 fichiers ouverts à Paraphe",
  );
  for (const granted of [limits("1024"), limits("unlimited"), null])
    expect(() => checkOpenFiles(granted)).not.toThrow();
});

describe("reading the settings", () => {
  const FOLDER = "/srv/paraphe";
  const read = (environment: Record<string, string>) => readSettings(environment, FOLDER);

  const STORE = {
    CHECKPOINT_S3_ENDPOINT: "https://s3.exemple.fr",
    CHECKPOINT_S3_REGION: "fr-par",
    CHECKPOINT_S3_BUCKET: "seau",
    CHECKPOINT_S3_KEY_ID: "CLE",
    CHECKPOINT_S3_SECRET: "motdepasse-du-seau",
  };

  describe("the settings", () => {
    test("every setting has a default", () => {
      expect(read({})).toEqual({
        production: false,
        role: "all",
        webProcesses: Math.min(Math.max(Math.floor(availableParallelism() / 2), 1), 3),
        publicUrl: "https://localhost:8443",
        host: "127.0.0.1",
        port: 8443,
        tls: { mode: "local", folder: "/srv/paraphe/data/tls" },
        dataDir: "/srv/paraphe/data",
        database: { kind: "embedded", dataDir: "/srv/paraphe/data", archiveDir: null },
        databaseShare: { connections: 16, queueConnections: 4, statementMs: 6_000, lockMs: 4_000 },
        storage: { kind: "folder", folder: "/srv/paraphe/data/files" },
        storageFallback: null,
        checkpointDir: null,
        checkpointMail: null,
        checkpointStore: null,
        smtpUrl: null,
        smtpTls: "required",
        smsCountries: ["33", "262", "508", "590", "594", "596", "687", "681", "689"],
        mailDisabled: false,
        mailFrom: "paraphe@localhost",
        sms: null,
        vapidSubject: "mailto:paraphe@localhost",
        metricsListen: null,
        traces: null,
        logLevel: "info",
        accessLog: false,
        masterKey: null,
        registration: { kind: "open" },
        tsaUrl: null,
        tsaPolicy: null,
        pki: { organization: "Paraphe", country: "FR", keyType: "P-256" },
        pkcs11: null,
        passwordMinLength: 5,
        organisationJournalDays: 1_096,
        rateLimits: "on",
        storageQuotaBytes: 10_737_418_240,
        trustProxy: [],
      });
    });

    test("the environment sets every value", () => {
      const settings = read({
        PUBLIC_URL: "https://signature.exemple.fr/",
        PORT: "9000",
        TLS: "files",
        TLS_CERT: "/etc/c.pem",
        TLS_KEY: "k.pem",
        DATA_DIR: "ailleurs",
        DATABASE_URL: "postgres://u:p@h/d",
        DATABASE_SERVICE_URL: "postgres://s:q@h/d",
        DATABASE_READ_URL: "postgres://s:q@replica/d",
        DATABASE_CONNECTIONS: "40",
        DATABASE_QUEUE_CONNECTIONS: "6",
        DATABASE_STATEMENT_S: "3",
        DATABASE_LOCK_S: "9",
        STORAGE_URL: "file:///var/lib/fichiers%20pdf",
        CHECKPOINT_DIR: "temoin",
        CHECKPOINT_MAIL: "Greffe <greffe@exemple.fr>",
        CHECKPOINT_S3_ENDPOINT: "https://s3.exemple.fr/",
        CHECKPOINT_S3_REGION: "fr-par",
        CHECKPOINT_S3_BUCKET: "temoin-paraphe/production",
        CHECKPOINT_S3_KEY_ID: "CLE",
        CHECKPOINT_S3_SECRET: "secret",
        SMTP_URL: "smtps://mail.exemple.fr",
        SMS_URL: "https://sms.exemple.fr/",
        SMS_TOKEN: "jeton",
        METRICS_LISTEN: "[::1]:9464",
        OTEL_EXPORTER_OTLP_ENDPOINT: "http://collecteur:4318/",
        OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20jeton,x-lieu=nord",
        MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
        ROLE: "worker",
        PASSWORD_MIN_LENGTH: "12",
        TRUST_PROXY: "127.0.0.1, 10.0.0.0/8, ::1",
      });
      expect(settings).toMatchObject({
        publicUrl: "https://signature.exemple.fr",
        port: 9000,
        tls: { mode: "files", certificateFile: "/etc/c.pem", keyFile: "/srv/paraphe/k.pem" },
        dataDir: "/srv/paraphe/ailleurs",
        database: {
          kind: "external",
          url: "postgres://u:p@h/d",
          serviceUrl: "postgres://s:q@h/d",
          readUrl: "postgres://s:q@replica/d",
        },
        // The statement's time caps it.
        databaseShare: { connections: 40, queueConnections: 6, statementMs: 3_000, lockMs: 3_000 },
        storage: { kind: "folder", folder: "/var/lib/fichiers pdf" },
        checkpointDir: "/srv/paraphe/temoin",
        checkpointMail: "greffe@exemple.fr",
        checkpointStore: {
          endpoint: "https://s3.exemple.fr",
          region: "fr-par",
          bucket: "temoin-paraphe",
          folder: "production/",
          keyId: "CLE",
          secret: "secret",
          days: 3_653,
        },
        mailFrom: "paraphe@signature.exemple.fr",
        sms: { url: "https://sms.exemple.fr/", token: "jeton" },
        metricsListen: { host: "::1", port: 9464 },
        traces: {
          endpoint: "http://collecteur:4318/",
          headers: { authorization: "Bearer jeton", "x-lieu": "nord" },
          service: "paraphe",
        },
        masterKey: new Uint8Array(32).fill(7),
        role: "worker",
        passwordMinLength: 12,
        trustProxy: ["127.0.0.1", "10.0.0.0/8", "::1"],
      });
    });

    test("registration is closed in production until it is opened", () => {
      expect(read({}).registration).toEqual({ kind: "open" });
      expect(read({ NODE_ENV: "production", MAIL: "none" }).registration).toEqual({
        kind: "closed",
      });
      expect(
        read({ NODE_ENV: "production", MAIL: "none", REGISTRATION: "open" }).registration,
      ).toEqual({ kind: "open" });
      expect(read({ REGISTRATION: "domains:Mairie.fr, agglo.fr" }).registration).toEqual({
        kind: "domains",
        domains: ["mairie.fr", "agglo.fr"],
      });
    });

    test("a bucket of Amazon's or another's, and the place files move from, are read", () => {
      expect(
        read({
          STORAGE_URL: "s3://seau/paraphe/prod/?endpoint=https://s3.exemple.fr&region=fr-par",
          STORAGE_FALLBACK_URL: "anciens",
        }),
      ).toMatchObject({
        storage: {
          kind: "s3",
          bucket: "seau",
          prefix: "paraphe/prod/",
          endpoint: "https://s3.exemple.fr",
          region: "fr-par",
          pathStyle: true,
        },
        storageFallback: { kind: "folder", folder: "/srv/paraphe/anciens" },
      });
      expect(read({ STORAGE_URL: "s3://seau", AWS_REGION: "eu-west-3" }).storage).toEqual({
        kind: "s3",
        bucket: "seau",
        prefix: "",
        endpoint: null,
        region: "eu-west-3",
        pathStyle: false,
      });
      expect(
        read({ STORAGE_URL: "s3://seau?region=r&endpoint=http://h:9000&path_style=0" }).storage,
      ).toMatchObject({ pathStyle: false });
    });

    test("the public address follows PORT", () => {
      expect(read({ PORT: "8500" }).publicUrl).toBe("https://localhost:8500");
    });

    test.each([
      [{ PUBLIC_URL: "http://localhost:8443" }, "PUBLIC_URL", "https://"],
      [{ PUBLIC_URL: "signature" }, "PUBLIC_URL", "n’est pas une adresse"],
      [{ PUBLIC_URL: "https://exemple.fr/chemin" }, "PUBLIC_URL", "origine"],
      [{ PORT: "0" }, "PORT", "nombre entier"],
      [{ PORT: "8443a" }, "PORT", "nombre entier"],
      [{ PORT: "70000" }, "PORT", "nombre entier"],
      [{ TLS: "oui" }, "TLS", "«\u00a0local\u00a0»"],
      [{ TLS: "files" }, "TLS_CERT", "manque"],
      [{ TLS: "files", TLS_CERT: "a.pem" }, "TLS_KEY", "manque"],
      [{ DATABASE_URL: "mysql://h/d" }, "DATABASE_URL", "postgres://"],
      [{ DATABASE_URL: "nulle part" }, "DATABASE_URL", "n’est pas une adresse"],
      [{ DATABASE_SERVICE_URL: "postgres://s:q@h/d" }, "DATABASE_URL", "manque"],
      [{ DATABASE_READ_URL: "postgres://s:q@h/d" }, "DATABASE_URL", "manque"],
      [
        { OTEL_EXPORTER_OTLP_ENDPOINT: "collecteur" },
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "n’est pas une adresse",
      ],
      [
        { OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318", OTEL_EXPORTER_OTLP_HEADERS: "jeton" },
        "OTEL_EXPORTER_OTLP_HEADERS",
        "nom=valeur",
      ],
      [{ DATABASE_CONNECTIONS: "1" }, "DATABASE_CONNECTIONS", "de 2 à 1000"],
      [{ DATABASE_STATEMENT_S: "0" }, "DATABASE_STATEMENT_S", "de 1 à 3600"],
      [
        { DATABASE_URL: "postgres://u:p@h/d", WAL_ARCHIVE_DIR: "/mnt/journaux" },
        "WAL_ARCHIVE_DIR",
        "n’est que pour la base embarquée",
      ],
      [
        { DATABASE_URL: "postgres://u:p@h/d", DATABASE_SERVICE_URL: "h/d" },
        "DATABASE_SERVICE_URL",
        "n’est pas une adresse",
      ],
      [{ STORAGE_URL: "s3://seau" }, "STORAGE_URL", "ne nomme pas de région"],
      [{ STORAGE_URL: "s3:///dossier?region=r" }, "STORAGE_URL", "ne nomme pas un seau"],
      [{ STORAGE_URL: "s3://Seau_1?region=r" }, "STORAGE_URL", "ne nomme pas un seau"],
      [{ STORAGE_URL: "s3://seau/a%20b?region=r" }, "STORAGE_URL", "ne nomme pas un seau"],
      [{ STORAGE_URL: "s3://cle:motdepasse@seau?region=r" }, "STORAGE_URL", "AWS_ACCESS_KEY_ID"],
      [{ STORAGE_URL: "s3://seau?region=r&secret=motdepasse" }, "STORAGE_URL", "path_style"],
      [{ STORAGE_URL: "s3://seau?region=r&path_style=oui" }, "STORAGE_URL", "0 ou 1"],
      [{ STORAGE_URL: "s3://seau?region=r&endpoint=s3.exemple.fr" }, "STORAGE_URL", "origine"],
      [
        { STORAGE_URL: "s3://seau?region=r&endpoint=https://s3.exemple.fr/seau" },
        "STORAGE_URL",
        "origine",
      ],
      [{ STORAGE_FALLBACK_URL: "ftp://h/x" }, "STORAGE_FALLBACK_URL", "dossier"],
      [{ STORAGE_URL: "ftp://h/x" }, "STORAGE_URL", "dossier"],
      [{ CHECKPOINT_MAIL: "greffe@exemple.fr" }, "SMTP_URL", "manque"],
      [{ CHECKPOINT_MAIL: "greffe", SMTP_URL: "smtp://h" }, "CHECKPOINT_MAIL", "adresse email"],
      [{ CHECKPOINT_S3_BUCKET: "seau" }, "CHECKPOINT_S3_ENDPOINT", "manque"],
      [{ CHECKPOINT_S3_DAYS: "10" }, "CHECKPOINT_S3_ENDPOINT", "manque"],
      [{ ...STORE, CHECKPOINT_S3_SECRET: "" }, "CHECKPOINT_S3_SECRET", "manque"],
      [
        { ...STORE, CHECKPOINT_S3_ENDPOINT: "s3.exemple.fr" },
        "CHECKPOINT_S3_ENDPOINT",
        "n’est pas une adresse",
      ],
      [
        { ...STORE, CHECKPOINT_S3_ENDPOINT: "https://s3.exemple.fr/seau" },
        "CHECKPOINT_S3_ENDPOINT",
        "origine",
      ],
      [{ ...STORE, CHECKPOINT_S3_BUCKET: "Seau_1" }, "CHECKPOINT_S3_BUCKET", "seau"],
      [{ ...STORE, CHECKPOINT_S3_BUCKET: "seau/../autre" }, "CHECKPOINT_S3_BUCKET", "seau"],
      [{ ...STORE, CHECKPOINT_S3_DAYS: "0" }, "CHECKPOINT_S3_DAYS", "nombre entier"],
      [{ SMTP_URL: "http://h" }, "SMTP_URL", "smtp://"],
      [{ NODE_ENV: "production" }, "SMTP_URL", "personne ne recevrait d’email"],
      [{ MAIL: "none", SMTP_URL: "smtp://h" }, "MAIL", "SMTP_URL est donné"],
      [{ MAIL: "non" }, "MAIL", "«\u00a0none\u00a0»"],
      [{ SMTP_TLS: "non" }, "SMTP_TLS", "«\u00a0optional\u00a0»"],
      [{ SMS_URL: "http://sms.exemple.fr/" }, "SMS_URL", "https://"],
      [{ MAIL_FROM: "Service <a@b.fr> et autre" }, "MAIL_FROM", "adresse email"],
      [{ SMS_URL: "sms:33" }, "SMS_URL", "https://"],
      [{ SMS_TOKEN: "x" }, "SMS_URL", "manque"],
      [{ VAPID_SUBJECT: "moi" }, "VAPID_SUBJECT", "mailto:"],
      [{ METRICS_LISTEN: "9464" }, "METRICS_LISTEN", "port"],
      [{ MASTER_KEY: "dHJvcCBjb3VydA==" }, "MASTER_KEY", "32 octets"],
      [{ MASTER_KEY: "pas du base64 !" }, "MASTER_KEY", "32 octets"],
      [{ TSA_URL: "tsa" }, "TSA_URL", "n’est pas une adresse"],
      [{ TSA_URL: "https://tsa.exemple.fr", TSA_POLICY: "qualifiée" }, "TSA_POLICY", "OID"],
      [{ TSA_POLICY: "1.2.3" }, "TSA_URL", "manque"],
      [{ PKI_ORGANIZATION: "x".repeat(41) }, "PKI_ORGANIZATION", "40 caractères"],
      [{ PKI_COUNTRY: "France" }, "PKI_COUNTRY", "deux lettres"],
      [{ PKI_KEY_TYPE: "RSA" }, "PKI_KEY_TYPE", "«\u00a0P-384\u00a0»"],
      [{ PKCS11_PIN: "1234" }, "PKCS11_MODULE", "manque"],
      [{ REGISTRATION: "domains:" }, "REGISTRATION", "suivi de domaines"],
      [{ REGISTRATION: "non" }, "REGISTRATION", "«\u00a0closed\u00a0»"],
      [{ ROLE: "tout" }, "ROLE", "«\u00a0worker\u00a0»"],
      [{ PASSWORD_MIN_LENGTH: "4" }, "PASSWORD_MIN_LENGTH", "de 5 à"],
      [{ STORAGE_QUOTA_MB: "10 Go" }, "STORAGE_QUOTA_MB", "nombre entier"],
      [{ SMS_COUNTRIES: "FR,BE" }, "SMS_COUNTRIES", "33,32,352"],
      [{ SMS_COUNTRIES: "33,," }, "SMS_COUNTRIES", "indicatifs"],
      [{ RATE_LIMITS: "non" }, "RATE_LIMITS", "«\u00a0off\u00a0»"],
      [{ RATE_LIMITS: "off", NODE_ENV: "production", MAIL: "none" }, "RATE_LIMITS", "production"],
      [{ TRUST_PROXY: "10.0.0.0/40" }, "TRUST_PROXY", "liste d’adresses"],
      [{ TRUST_PROXY: "tous" }, "TRUST_PROXY", "liste d’adresses"],
    ])(
      "refuse %j in one French line with the variable, its fault and an example",
      (environment, variable, fault) => {
        const thrown = catchError(() => read(environment as Record<string, string>));
        expect(thrown).toBeInstanceOf(SettingsError);
        expect(thrown.message).toMatch(
          new RegExp(`^Réglage refusé\u00a0: ${variable} .*Exemple\u00a0: ${variable}=`),
        );
        expect(thrown.message).toContain(fault);
        expect(thrown.message).not.toContain("\n");
      },
    );

    test("a bad value, which may be a secret, is never repeated", () => {
      expect(
        catchError(() => read({ DATABASE_URL: "mysql://u:motdepasse@h/d" })).message,
      ).not.toContain("motdepasse@h");
      expect(
        catchError(() => read({ STORAGE_URL: "s3://cle:motdepasse@seau?region=r" })).message,
      ).not.toContain("motdepasse");
      expect(catchError(() => read({ ...STORE, CHECKPOINT_S3_KEY_ID: "" })).message).not.toContain(
        "motdepasse",
      );
      expect(catchError(() => read({ MASTER_KEY: "c2VjcmV0" })).message).not.toContain("c2VjcmV0");
    });

    test("MAIL=none allows production without mail", () => {
      expect(read({ NODE_ENV: "production", MAIL: "none" })).toMatchObject({
        smtpUrl: null,
        mailDisabled: true,
      });
    });

    test("TLS is required, except of a named mail server and a gateway on this machine", () => {
      expect(read({ SMTP_URL: "smtp://mail.exemple.fr" }).smtpTls).toBe("required");
      expect(read({ SMTP_URL: "smtp://relais.interne", SMTP_TLS: "optional" }).smtpTls).toBe(
        "optional",
      );
      for (const url of ["http://127.0.0.1:8080/", "http://[::1]/", "http://localhost/"])
        expect(read({ SMS_URL: url }).sms?.url).toBe(url);
    });

    test("a storage quota is in MB, and 0 is none", () => {
      expect(read({ STORAGE_QUOTA_MB: "5" }).storageQuotaBytes).toBe(5_242_880);
      expect(read({ STORAGE_QUOTA_MB: "0" }).storageQuotaBytes).toBeNull();
    });

    test("calling codes are read with or without their +", () => {
      expect(read({ SMS_COUNTRIES: "+33, 32" }).smsCountries).toEqual(["33", "32"]);
    });

    test("RATE_LIMITS=off is allowed outside production", () => {
      expect(read({ RATE_LIMITS: "off" }).rateLimits).toBe("off");
    });
  });

  function catchError(work: () => unknown): Error {
    try {
      work();
    } catch (error) {
      return error as Error;
    }
    throw new Error("nothing was thrown");
  }

  test("the name before MAIL_FROM's address is dropped", () => {
    expect(
      readSettings({ MAIL_FROM: "Paraphe <no-reply@exemple.fr>" }, "/srv/paraphe").mailFrom,
    ).toBe("no-reply@exemple.fr");
  });
});

describe("the log", () => {
  function collect() {
    const lines: string[] = [];
    const log = createLog({ write: (line: string) => lines.push(line) });
    return { log, lines };
  }

  test("a message is one JSON line, whatever line breaks its fields contain", () => {
    const { log, lines } = collect();
    log.info({ state: 'queued\n{"level":60}' }, "a notice waits\r\nforged");
    expect(lines).toHaveLength(1);
    expect(lines[0]?.trimEnd()).not.toContain("\n");
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ state: 'queued\n{"level":60}' });
  });

  test("personal data and secrets are blanked", () => {
    const { log, lines } = collect();
    log.warn(
      {
        email: "marie@exemple.fr",
        token: "abc",
        nested: { code: "123456", title: "Bail" },
        id: "7",
      },
      "said",
    );
    expect(lines.join("")).not.toMatch(/marie|abc|123456|Bail/);
    expect(JSON.parse(lines[0] ?? "").id).toBe("7");
  });

  test("an error and its cause are logged without PostgreSQL's row values", () => {
    const { log, lines } = collect();
    const cause = Object.assign(new Error("duplicate key"), {
      code: "23505",
      detail: "Key (email)=(marie@exemple.fr) already exists.",
    });
    log.error({ error: new Error("could not insert", { cause }) }, "failed");
    expect(lines.join("")).not.toContain("marie");
    expect(JSON.parse(lines[0] ?? "").error).toMatchObject({
      message: "could not insert",
      cause: { message: "duplicate key", error_code: "23505" },
    });
  });
});

describe("an address of this machine", () => {
  test.each([
    ["127.0.0.1", true],
    ["127.8.9.1", true],
    ["::1", true],
    ["::ffff:127.0.0.1", true],
    ["10.0.0.4", false],
    ["2001:db8::1", false],
    ["::ffff:192.0.2.7", false],
    ["", false],
  ])("%s: %s", (ip, expected) => {
    expect(isLoopbackAddress(ip)).toBe(expected);
  });
});

describe("somebody's own machine", () => {
  test.each([
    ["https://localhost:8443", false, true],
    ["https://127.0.0.1", false, true],
    ["https://[::1]:8443", false, true],
    ["https://localhost:8443", true, false],
    ["https://signature.exemple.fr", false, false],
    ["https://localhost.exemple.fr", false, false],
  ])("%s, production %s: %s", (publicUrl, production, expected) => {
    expect(isOwnMachine({ publicUrl, production })).toBe(expected);
  });
});
