import {
  type ContactImport,
  contactImportSchema,
  type ExistingChoice,
  failure,
  IMPORT_AT_ONCE,
  MAX_CONTACTS,
  MAX_FILE_NAME_LENGTH,
  plainText,
  type Problem,
  problem,
  type Result,
  success,
} from "@paraphe/contracts";
import * as z from "zod/mini";
import { csvText } from "../../../platform/csv.ts";
import { allOrNothing, inTransaction } from "../../../platform/database/in-transaction.ts";
import type { Platform } from "../../../platform/platform.ts";
import { limitRate } from "../../../platform/throttle/throttle.ts";
import { emailKey } from "../../accounts/public.ts";
import { type ParsedLine, parseContacts, refuse } from "./parse-contacts.ts";
import { countContacts, lockContacts, selectTakenKeys } from "./store.ts";
import {
  deleteImport,
  deleteImportsBefore,
  endImport,
  insertImport,
  recordSlice,
  selectFaults,
  selectImport,
  selectPreview,
  selectSlice,
  startImport,
  type StoredImport,
  upsertImported,
} from "./import-store.ts";

const IMPORT_JOB = "contacts.import";
const payloadSchema = z.strictObject({ import_id: z.uuid() });
const RETRIES = {
  concurrency: 1,
  retryLimit: 50,
  retryDelayS: 2,
  retryDelayMaxS: 600,
  expireInS: 600,
} as const;
const SLICE = 500;
/** A file not imported by then is forgotten. */
const KEPT_MS = 24 * 3_600_000;
const FAULTS_SHOWN = 50;
const SAMPLES_SHOWN = 5;
/** Files read in an hour: each may have 50,000 lines. */
const READINGS = { limit: 60, windowS: 3_600 } as const;

export function registerContactJobs(platform: Platform): void {
  platform.queue.handle(IMPORT_JOB, RETRIES, async (payload) => {
    await runImport(platform, z.parse(payloadSchema, payload).import_id);
  });
  platform.queue.schedule("contacts.forget-imports", "40 * * * *", () =>
    deleteImportsBefore(platform.db, new Date(platform.clock().getTime() - KEPT_MS)),
  );
}

type ReadFile = { readonly name: string; readonly bytes: Uint8Array };

/**
 * Shows what a file would write; replaces one that was not imported.
 * Errors: `validation` on `file`, `import_in_progress`, `too_many_requests`.
 */
export async function prepareImport(
  platform: Platform,
  { ownerId, file }: { readonly ownerId: string; readonly file: ReadFile },
): Promise<Result<ContactImport, Problem>> {
  const limited = await limitRate(platform, { key: `contacts import ${ownerId}`, ...READINGS });
  if (!limited.ok) return limited;
  const parsed = await parseContacts(file.bytes);
  if (!parsed.ok) return parsed;
  const { lines, ...read } = parsed.value;
  return allOrNothing(platform.db, async (trx) => {
    await lockContacts(trx, ownerId);
    const former = await selectImport(trx, { ownerId }, { locked: true });
    if (former?.state === "running") return failure(problem("import_in_progress"));
    if (former !== null) await deleteImport(trx, former.id);
    const written = lines.filter(({ state }) => state === "new");
    const keys = written.map(({ email }) => emailKey(email));
    const known = await selectTakenKeys(trx, { holderId: ownerId, keys, except: [] });
    const newCount = written.length - known.size;
    if ((await countContacts(trx, ownerId)) + newCount > MAX_CONTACTS) return refuse("too_many");
    const made = {
      id: platform.newId(),
      owner_id: ownerId,
      file_name: plainText(file.name).trim().slice(0, MAX_FILE_NAME_LENGTH),
      ...read,
      line_count: lines.length,
      new_count: newCount,
      known_count: known.size,
      refused_count: lines.filter(({ state }) => state === "refused").length,
      created_at: platform.clock(),
    };
    await insertImport(
      trx,
      made,
      lines.map((line) => withKnown(line, known)),
    );
    return presentImport({ ...platform, db: trx }, ownerId);
  });
}

function withKnown(line: ParsedLine, known: ReadonlySet<string>) {
  const isKnown = line.state === "new" && known.has(emailKey(line.email));
  return { ...line, state: isKnown ? ("known" as const) : line.state };
}

const SHOWN = [
  "file_name",
  "format",
  "separator",
  "encoding",
  "state",
  "line_count",
  "new_count",
  "known_count",
  "refused_count",
  "written_count",
] as const;

type ImportReader = { readonly db: Parameters<typeof selectImport>[0] };

/** Errors: `not_found` without an import. */
export async function presentImport(
  { db }: ImportReader,
  ownerId: string,
): Promise<Result<ContactImport, Problem>> {
  const found = await selectImport(db, { ownerId });
  if (found === null) return failure(problem("not_found"));
  const shown = { id: found.id, faults: FAULTS_SHOWN, samples: SAMPLES_SHOWN };
  const lines = found.state === "ready" ? await selectPreview(db, shown) : [];
  return success(
    z.parse(contactImportSchema, {
      ...Object.fromEntries(SHOWN.map((name) => [name, found[name]])),
      lines,
    }),
  );
}

/** Writes a short file at once, others in the background. Idempotent. Errors: `not_found`. */
export async function beginImport(
  platform: Platform,
  { ownerId, existing }: { readonly ownerId: string; readonly existing: ExistingChoice },
): Promise<Result<ContactImport, Problem>> {
  const begun = await inTransaction(platform.db, async (trx) => {
    const found = await selectImport(trx, { ownerId }, { locked: true });
    if (found?.state !== "ready") return found;
    await startImport(trx, { id: found.id, existing });
    await platform.queue.enqueue(
      trx,
      IMPORT_JOB,
      { import_id: found.id },
      // The job finds nothing to do unless the process dies first.
      found.line_count <= IMPORT_AT_ONCE
        ? { startAfter: new Date(platform.clock().getTime() + 60_000) }
        : {},
    );
    return found;
  });
  if (begun?.state === "ready" && begun.line_count <= IMPORT_AT_ONCE)
    await runImport(platform, begun.id);
  return presentImport(platform, ownerId);
}

/** Two runs at once write each contact once. */
export async function runImport(platform: Platform, id: string): Promise<void> {
  while (await writeSlice(platform, id));
}

async function writeSlice(platform: Platform, id: string): Promise<boolean> {
  return inTransaction(platform.db, async (trx) => {
    const found = await selectImport(trx, { id }, { locked: true });
    if (found?.state !== "running") return false;
    const lines = await selectSlice(trx, { id, after: found.written_to, limit: SLICE });
    const last = lines.at(-1);
    if (last === undefined) {
      await endImport(trx, id);
      return false;
    }
    const contacts = lines.map(({ position: _position, ...line }) => ({
      id: platform.newId(),
      ...line,
      email_key: emailKey(line.email),
      second_email_key: line.second_email && emailKey(line.second_email),
    }));
    const written = await upsertImported(trx, {
      ownerId: found.owner_id,
      contacts,
      existing: found.existing as ExistingChoice,
      now: platform.clock(),
    });
    await recordSlice(trx, { id, writtenTo: last.position, written });
    return true;
  });
}

/** Errors: `import_in_progress`. */
export async function forgetImport(
  platform: Platform,
  ownerId: string,
): Promise<Result<null, Problem>> {
  return inTransaction(platform.db, async (trx) => {
    const found = await selectImport(trx, { ownerId }, { locked: true });
    if (found?.state === "running") return failure(problem("import_in_progress"));
    if (found !== null) await deleteImport(trx, found.id);
    return success(null);
  });
}

const HEADINGS = ["Ligne", "Nom", "Email", "Seconde adresse", "Téléphone", "Société", "Remarque"];

/** Refused lines come first, then guesses. Errors: `not_found`. */
export async function faultsCsv(
  platform: Pick<Platform, "db">,
  ownerId: string,
): Promise<Result<string, Problem>> {
  const found: StoredImport | null = await selectImport(platform.db, { ownerId });
  if (found === null) return failure(problem("not_found"));
  const faults = await selectFaults(platform.db, found.id);
  const rows = faults.map((line) => [
    String(line.line),
    line.full_name,
    line.email,
    line.second_email ?? "",
    line.phone_number ?? "",
    line.company ?? "",
    line.note ?? "",
  ]);
  return success(csvText([HEADINGS, ...rows]));
}
