import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** The feature whose stores query a table; a missing table fails the test. */
export const tableOwners: Readonly<Record<string, string>> = {
  users: "accounts",
  sessions: "accounts",
  session_tokens: "accounts",
  account_tokens: "accounts",
  login_failures: "accounts",
  phone_codes: "accounts",
  address_changes: "accounts",
  registration_invitations: "accounts",
  organisations: "organisations",
  organisation_members: "organisations",
  organisation_events: "organisations",
  teams: "organisations",
  team_members: "organisations",
  delegations: "accounts",
  api_keys: "accounts",
  passkeys: "accounts",
  totp_factors: "accounts",
  recovery_codes: "accounts",
  factor_setups: "accounts",
  login_steps: "accounts",
  identity_providers: "accounts",
  provider_identities: "accounts",
  provider_logins: "accounts",
  provider_links: "accounts",
  provider_sessions: "accounts",
  circuits: "envelopes",
  webhooks: "envelopes",
  webhook_events: "envelopes",
  webhook_tries: "envelopes",
  envelopes: "envelopes",
  recipients: "envelopes",
  fields: "envelopes",
  envelope_counts: "envelopes",
  envelope_days: "envelopes",
  envelope_search: "envelopes",
  envelope_inbox: "envelopes",
  inbox_counts: "envelopes",
  recipient_tokens: "envelopes",
  documents: "documents",
  document_revisions: "documents",
  uploads: "documents",
  audit_events: "journal",
  audit_details: "journal",
  transparency_due: "journal",
  transparency_leaves: "journal",
  transparency_nodes: "journal",
  transparency_checkpoints: "journal",
  transparency_copies: "journal",
  authority_keys: "trust",
  certificates: "trust",
  crls: "trust",
  service_secrets: "trust",
  one_time_codes: "signing",
  address_tries: "signing",
  embeddings: "signing",
  mailing_rows: "envelopes",
  mailings: "envelopes",
  guest_sessions: "signing",
  saved_signatures: "signing",
  signing_acts: "signing",
  signatures: "signing",
  document_archives: "signing",
  notices: "notices",
  notice_keys: "notices",
  push_subscriptions: "notices",
  push_receipts: "notices",
  prints: "proof",
  batch_jobs: "signing",
  batch_items: "signing",
  templates: "envelopes",
  contacts: "envelopes",
  contact_settings: "envelopes",
  contact_imports: "envelopes",
  contact_import_lines: "envelopes",
  contacts_apart: "envelopes",
  template_documents: "envelopes",
  layouts: "envelopes",
  storage_changes: "accounts",
  listeners: "platform",
  throttles: "platform",
  idempotency_keys: "platform",
  store_identity: "platform",
  loose_files: "documents",
  store_checks: "platform",
  data_key: "platform",
  backups: "platform",
  mailbox_messages: "platform",
  vapid_keys: "platform",
};

const tableExceptions: Readonly<Record<string, readonly string[]>> = {
  // Signatures still asked of a person before the account goes; the organisation's people.
  accounts: ["inbox_counts", "organisation_members", "organisations", "team_members", "teams"],
  // The sweep deletes unused files.
  documents: ["envelopes", "template_documents", "batch_items", "users"],
  // Sender's address; pending acts; the purge; links of a corrected address.
  envelopes: [
    "one_time_codes",
    "guest_sessions",
    "embeddings",
    "users",
    "signing_acts",
    "signatures",
    "certificates",
    // A leaver's bytes pass with the envelopes.
    "documents",
    // The team that something belongs to.
    "teams",
    "team_members",
    "organisations",
  ],
  // Subscriptions end with sessions; an account's texts use the number in its envelopes.
  notices: ["sessions", "users", "recipients"],
  // A proof joins one print's data of several features.
  proof: ["envelopes", "documents", "document_revisions", "signatures"],
  // Wrong codes per recipient; values of fields; stored CRLs; archives due; files of batch
  // envelopes.
  signing: ["recipients", "fields", "crls", "documents", "envelopes"],
};

function foreignTables(path: string): RegExp | null {
  const feature = /^apps\/server\/src\/features\/([a-z-]+)\//.exec(path)?.[1];
  if (feature === undefined) return null;
  const foreign = Object.keys(tableOwners).filter(
    (table) => tableOwners[table] !== feature && !tableExceptions[feature]?.includes(table),
  );
  const names = `(?:${foreign.join("|")})\\b`;
  return new RegExp(
    `(?:selectFrom|insertInto|updateTable|deleteFrom|innerJoin|leftJoin)\\(\\s*["']${names}|\\b(?:from|join|into|update) ${names}`,
  );
}

/**
 * Patterns forbidden in code (not comments, not tests), which no linter checks.
 * Each has a failing fixture: `fixtures/text/<name>/…`.
 */
type TextRule = {
  readonly name: string;
  readonly why: string;
  readonly files: RegExp;
  readonly except?: RegExp;
  readonly forbidden: RegExp | ((path: string) => RegExp | null);
  readonly inComments?: true;
};

export const textRules: readonly TextRule[] = [
  {
    name: "no-ambient-time-or-chance",
    why: "time, randomness and the process come in as parameters",
    files: /^(packages\/(pades|proof)\/src|apps\/server\/src\/features\/(?:[^/]+\/){1,2}domain)\//,
    forbidden:
      /\bnew Date\(\s*\)|\bDate\.now\b|\bMath\.random\b|\bgetRandomValues\b|\brandomUUID\b|\bprocess\.|\bperformance\.now\b/,
  },
  {
    name: "no-buffer",
    why: "bytes are Uint8Array outside adapters",
    files:
      /^(packages\/(pades|proof|contracts|kernel)\/src|apps\/server\/src\/features\/(?:[^/]+\/){1,2}domain)\//,
    forbidden: /\bBuffer\b/,
  },
  {
    name: "sql-in-stores",
    why: "only stores, migrations and the platform's own tables query the database",
    files: /^apps\/server\/src\//,
    except: /([/-]store\.ts|^apps\/server\/src\/platform\/.*)$/,
    forbidden: /\.(selectFrom|insertInto|updateTable|deleteFrom|mergeInto)\(|\bsql(<[^>]*>)?`/,
  },
  {
    name: "tables-have-owners",
    why: "a table is queried by the stores of its feature alone (scripts/fences/text-rules.ts)",
    files: /^apps\/server\/src\/features\//,
    forbidden: foreignTables,
  },
  {
    name: "no-select-all",
    why: "columns are named: one that a newer version's migration adds must not change what an older one's prepared statements give",
    files: /^apps\/server\/src\//,
    forbidden:
      /\.(selectAll|returningAll)\(|\bselect\s+(\w+\.)?\*\s+from\s+(?!\w+\()|\breturning\s+\*/,
  },
  {
    name: "contracting-migrations-say-so",
    why: "a migration that takes something out names the last one that a version must know to work on what it leaves: 0091-drop-title-after-0085.ts (ADR 0023)",
    files: /^apps\/server\/migrations\/[^/]+\.ts$/,
    except: /-after-\d{4}\.ts$/,
    forbidden:
      /\b(drop\s+(table|column)|rename\s+(to|column)|set\s+not\s+null|alter\s+column\s+\S+\s+(set\s+data\s+)?type)\b|\.(dropTable|dropColumn|renameTo|renameColumn|setNotNull|setDataType)\(/i,
  },
  {
    name: "no-parallel-in-transaction",
    why: "work of one transaction is waited for with `inParallel`: Promise.all returns at the first failure, while the rest is still being sent",
    files: /^apps\/server\/src\//,
    forbidden: /\bPromise\s*\.\s*(all|allSettled|any|race)\([^;]*\b(trx|reader)\b/,
  },
  {
    name: "todo-with-number",
    why: "a TODO needs the number of its issue",
    files: /\.(ts|tsx|mjs|css|html|yml|sh)$/,
    forbidden: /\b(TODO|FIXME|XXX)\b(?!\s*\(#\d+\))/,
    inComments: true,
  },
  {
    name: "no-vague-names",
    why: "a file is named after its idea: no utils, helpers, common, misc",
    files: /(^|\/)(utils?|helpers?|common|misc)(\.[a-z.]+$|\/)/,
    forbidden: /^/,
  },
  {
    name: "glossary-verbs",
    why: "an export says lock, store, notify, validate or check: hold, keep, tell and judge meant several things",
    files: /\.tsx?$/,
    forbidden:
      /\bexport\s+(async\s+)?(function\*?|const|class)\s+(hold|keep|tell|judge|stranger|twin)s?(?=[A-Z(:\s=])/,
  },
  {
    name: "no-mocked-modules",
    why: "no mock of our own modules: a fake server is a real server on loopback",
    files: /\.test\.tsx?$/,
    forbidden: /\bvi\.(mock|doMock)\(\s*["'](\.|@paraphe\/)/,
  },
];

type TextViolation = {
  readonly rule: string;
  readonly why: string;
  readonly path: string;
  readonly line: number;
};

const TEST = /\.test\.tsx?$/;

/** Blanks comments, line by line; `//` after a colon is an address. */
function withoutComments(text: string): string {
  const blank = (comment: string) => comment.replace(/[^\n]/g, " ");
  return text.replace(/\/\*[\s\S]*?\*\//g, blank).replace(/(^|[^:"'`\\])\/\/[^\n]*/gm, blank);
}

function applies(rule: TextRule, path: string): boolean {
  if (!rule.files.test(path) || rule.except?.test(path)) return false;
  return rule.name === "no-mocked-modules" || rule.inComments === true || !TEST.test(path);
}

function findIn(path: string, text: string): TextViolation[] {
  const code = withoutComments(text);
  return textRules
    .filter((rule) => applies(rule, path))
    .flatMap((rule) => {
      const read = rule.inComments ? text : code;
      const forbidden =
        typeof rule.forbidden === "function" ? rule.forbidden(path) : rule.forbidden;
      const found = forbidden?.exec(read);
      return found
        ? [
            {
              rule: rule.name,
              why: rule.why,
              path,
              line: read.slice(0, found.index).split("\n").length,
            },
          ]
        : [];
    });
}

/** First violation of each file and rule. `paths` are from `root`. */
export async function findTextViolations(
  root: string,
  paths: readonly string[],
): Promise<TextViolation[]> {
  const read = paths.filter((path) => textRules.some((rule) => applies(rule, path)));
  const found = await Promise.all(
    read.map(async (path) => findIn(path, await readFile(join(root, path), "utf8"))),
  );
  return found.flat();
}
