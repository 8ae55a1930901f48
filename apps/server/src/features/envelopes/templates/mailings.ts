import {
  createEnvelopeRequest,
  failure,
  MAILING_KEPT_DAYS,
  type Mailing,
  type MailingPreview,
  type MailingPlanRequest,
  type MailingRequest,
  type MailingRow as MailingRowAnswer,
  type MailingRowRequest,
  type MailingRows,
  type Mailings,
  mailingPlanFaults,
  rangeWords,
  mailingSchema,
  plainText,
  problem,
  type Result,
  success,
} from "@paraphe/contracts";
import * as z from "zod/mini";
import { csvText } from "../../../platform/csv.ts";
import type { Transaction } from "../../../platform/database/database.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import type { Platform } from "../../../platform/platform.ts";
import { limitRate } from "../../../platform/throttle/throttle.ts";
import type { SessionUser } from "../../accounts/public.ts";
import { holdersOf, selfOf } from "../../organisations/public.ts";
import type { Actor } from "../domain/viewer.ts";
import {
  rowCells,
  fillingOf,
  guessColumns,
  type MailingPlan,
  type MailingRow,
  parseMailing,
  reviewRows,
} from "./mailing-lines.ts";
import { requestOf, type Template, textLabels } from "./domain/template.ts";
import {
  deleteMailing,
  endMailing,
  insertMailing,
  selectMailing,
  selectMailings,
  selectRows,
  startMailing,
  startRows,
  type StoredMailing,
  updatePlan,
  updateRows,
} from "./mailing-store.ts";
import { decodeBase64, NOT_BASE64 } from "../uploads/uploads.ts";
import { enqueueMailing } from "./send-mailing.ts";
import { selectTemplate } from "./store.ts";
import { peopleBrought } from "./templates.ts";

const RUNNING = problem("validation", {
  errors: { state: ["Cet envoi est en cours. Arrêtez-le, ou attendez sa fin."] },
});

type Own = { readonly id: string; readonly user: SessionUser };

const mailingHoldersOf = (user: SessionUser) =>
  user.holder === undefined ? [user.id] : holdersOf(user);

const READINGS = { limit: 60, windowS: 3_600 } as const;

/** Errors: `not_found` for the template; `validation` on `file`; `too_many_requests`. */
export async function prepareMailing(
  platform: Platform,
  { user, request }: { readonly user: SessionUser; readonly request: MailingRequest },
): Promise<Result<Mailing>> {
  const template = await selectTemplate(platform.db, {
    id: request.template,
    holders: holdersOf(user),
  });
  if (template === null) return failure(problem("not_found"));
  const limited = await limitRate(platform, { key: `mailings ${user.id}`, ...READINGS });
  if (!limited.ok) return limited;
  const name = plainText(request.file.name).trim();
  const bytes = decodeBase64(request.file.content);
  if (bytes === null)
    return failure(problem("validation", { errors: { "file.content": [NOT_BASE64] } }));
  const parsed = await parseMailing({ name, bytes });
  if (!parsed.ok) return parsed;
  const { headings, rows, separator, encoding } = parsed.value;
  const columns = guessColumns({ headings, rows }, template);
  const plan: MailingPlan = { columns, people: [], deadline_days: null };
  const fresh = rows.map((row) => ({ ...row, ...UNSEEN }));
  const reviewed = review(platform, { template, plan }, fresh);
  const id = platform.newId();
  return inTransaction(platform.db, async (trx) => {
    const made = {
      id,
      owner_id: user.id,
      holder_id: selfOf(user),
      template_id: template.id,
      template_name: template.name,
      file_name: name,
      separator,
      encoding,
      plan,
      created_at: platform.clock(),
    };
    await insertMailing(trx, made, reviewed);
    return readMailing({ ...platform, db: trx }, { id, user });
  });
}

const UNSEEN = {
  choice: null,
  state: "ready",
  note: null,
  column: null,
  envelopeId: null,
} as const;

function review(
  { clock, settings }: Pick<Platform, "clock" | "settings">,
  sheet: { readonly template: Template; readonly plan: MailingPlan },
  rows: readonly MailingRow[],
): readonly MailingRow[] {
  return reviewRows(sheet, rows, { now: clock(), smsCountries: settings.smsCountries });
}

type Reading = Pick<Platform, "clock"> & { readonly db: Parameters<typeof selectMailing>[0] };

/** Errors: `not_found`, also for another's. */
export async function readMailing(platform: Reading, { id, user }: Own): Promise<Result<Mailing>> {
  const found = await selectMailing(platform.db, { id, holders: mailingHoldersOf(user) });
  if (found === null) return failure(problem("not_found"));
  const template = await templateOfMailing(platform.db, found, user);
  return success(presentMailing(platform, found, template));
}

function templateOfMailing(db: Reading["db"], { template_id }: StoredMailing, user: SessionUser) {
  return template_id === null
    ? null
    : selectTemplate(db, { id: template_id, holders: holdersOf(user) });
}

function presentMailing(
  { clock }: Pick<Platform, "clock">,
  found: StoredMailing,
  template: Template | null,
): Mailing {
  const { plan, counts, paused_until, pause_detail, finished_at } = found;
  const isPaused = paused_until !== null && paused_until > clock();
  const keptUntil = finished_at && new Date(finished_at.getTime() + MAILING_KEPT_DAYS * 86_400_000);
  return z.parse(mailingSchema, {
    id: found.id,
    template: found.template_id,
    template_name: found.template_name,
    file_name: found.file_name,
    separator: found.separator,
    encoding: found.encoding,
    state: isPaused ? "paused" : found.state,
    pause: isPaused ? { until: paused_until.toISOString(), detail: pause_detail ?? "" } : null,
    columns: plan.columns,
    people: plan.people,
    deadline_days: plan.deadline_days,
    faults: template === null ? ["Le modèle a été supprimé."] : faultsOf(template, plan),
    ...counts,
    created_at: found.created_at.toISOString(),
    started_at: found.started_at?.toISOString() ?? null,
    finished_at: finished_at?.toISOString() ?? null,
    available_until: keptUntil?.toISOString() ?? null,
  });
}

function faultsOf({ content }: Template, { columns, people }: MailingPlan): readonly string[] {
  const receiver = { roles: content.roles, texts: textLabels(content) };
  return mailingPlanFaults(receiver, { columns: columns.map(({ target }) => target), people });
}

export async function listMailings(
  platform: Reading,
  list: { readonly user: SessionUser; readonly page: number; readonly page_size: number },
): Promise<Mailings> {
  const { user, page, page_size } = list;
  const { count, rows } = await selectMailings(platform.db, {
    holders: mailingHoldersOf(user),
    limit: page_size,
    offset: (page - 1) * page_size,
  });
  const results: Mailing[] = [];
  for (const row of rows)
    results.push(presentMailing(platform, row, await templateOfMailing(platform.db, row, user)));
  return { count, page, page_size, results };
}

const PAGE = 20;

export async function* mailingsOf(platform: Reading, user: SessionUser) {
  for (let page = 1; ; page += 1) {
    const { results, count } = await listMailings(platform, { user, page, page_size: PAGE });
    for (const mailing of results) {
      const rows = await selectRows(platform.db, { id: mailing.id });
      yield { ...mailing, rows: rows.map(presentRow) };
    }
    if (page * PAGE >= count) return;
  }
}

type Change = {
  readonly found: StoredMailing;
  readonly template: Template;
  readonly rows: readonly MailingRow[];
};

/**
 * Under the mailing's lock, while nothing leaves; every line is checked again.
 * Errors: `not_found`; `validation` on `state` while it runs; those of the change.
 */
async function changeMailing(
  platform: Platform,
  { id, user }: Own,
  change: (
    trx: Transaction,
    before: Change,
  ) => Promise<Result<Pick<Change, "rows"> & { readonly plan: MailingPlan }>>,
): Promise<Result<Mailing>> {
  return inTransaction(platform.db, async (trx) => {
    const found = await selectMailing(
      trx,
      { id, holders: mailingHoldersOf(user) },
      { locked: true },
    );
    const template = found && (await templateOfMailing(trx, found, user));
    if (found === null || template === null) return failure(problem("not_found"));
    if (found.state === "running") return failure(RUNNING);
    const before = { found, template, rows: await selectRows(trx, { id }) };
    const changed = await change(trx, before);
    if (!changed.ok) return changed;
    const { plan, rows } = changed.value;
    const reviewed = review(platform, { template, plan }, rows);
    const was = new Map(before.rows.map((row) => [row.line, JSON.stringify(row)]));
    await updateRows(
      trx,
      id,
      reviewed.filter((row) => was.get(row.line) !== JSON.stringify(row)),
    );
    return readMailing({ ...platform, db: trx }, { id, user });
  });
}

/** Errors: those of `changeMailing`; `validation` on `columns` and `people`. */
export async function planMailing(
  platform: Platform,
  { request, ...own }: Own & { readonly request: MailingPlanRequest },
): Promise<Result<Mailing>> {
  return changeMailing(platform, own, async (trx, { found, template, rows }) => {
    const { columns } = found.plan;
    const { roles } = template.content;
    const stranger = request.people.findIndex(({ role_index }) => role_index >= roles.length);
    if (stranger !== -1)
      return failure(
        problem("validation", {
          errors: {
            [`people.${stranger}.role_index`]: [
              `Rang inconnu\u00a0: ${rangeWords("rôle", roles.length)}`,
            ],
          },
        }),
      );
    const faults =
      request.columns.length === columns.length
        ? mailingPlanFaults({ roles, texts: textLabels(template.content) }, request)
        : [`Ce fichier a ${columns.length} colonnes.`];
    if (faults.length > 0)
      return failure(problem("validation", { errors: { columns: [...faults] } }));
    const plan = {
      columns: columns.map((column, index) => ({
        ...column,
        target: request.columns[index] ?? null,
      })),
      people: request.people,
      deadline_days: request.deadline_days,
    };
    await updatePlan(trx, found.id, plan);
    return success({ plan, rows });
  });
}

/** Errors: those of `changeMailing`; `not_found`; `validation` for a line that was sent. */
export async function changeRow(
  platform: Platform,
  { line, request, ...own }: Own & { readonly line: number; readonly request: MailingRowRequest },
): Promise<Result<MailingRowAnswer>> {
  const changed = await changeMailing(platform, own, async (_trx, { found, rows }) => {
    const row = rows.find((one) => one.line === line);
    if (row === undefined) return failure(problem("not_found"));
    if (row.state === "sent")
      return failure(problem("validation", { errors: { line: ["Cette ligne est déjà envoyée"] } }));
    const { cells = row.cells, choice = row.choice } = request;
    const next = {
      ...row,
      cells: rowCells(found.plan.columns, cells),
      choice,
      state: "ready" as const,
    };
    return success({ plan: found.plan, rows: rows.map((one) => (one === row ? next : one)) });
  });
  if (!changed.ok) return changed;
  const rows = await selectRows(platform.db, { id: own.id });
  const row = rows.find((one) => one.line === line);
  return row === undefined ? failure(problem("not_found")) : success(presentRow(row));
}

/** Nothing is made. Errors: `not_found`; those of `requestOf`, and of a faulty line. */
export async function previewRow(
  { db, clock, newId }: Pick<Platform, "db" | "clock" | "newId">,
  { line, id, user }: Own & { readonly line: number },
): Promise<Result<MailingPreview>> {
  const found = await selectMailing(db, { id, holders: mailingHoldersOf(user) });
  const template = found && (await templateOfMailing(db, found, user));
  const row = (await selectRows(db, { id, line }))[0];
  if (found === null || template === null || row === undefined)
    return failure(problem("not_found"));
  const sheet = { template, plan: found.plan };
  const filling = fillingOf(sheet, row.cells, clock());
  const brought = await peopleBrought({ db, newId }, template, { user, others: filling.people });
  if (!brought.ok) return brought;
  const filled = requestOf(template, filling, brought.value);
  if (!filled.ok) return filled;
  const request = z.safeParse(createEnvelopeRequest, filled.value);
  if (!request.success)
    return failure(problem("validation", { errors: { line: [row.note ?? "Ligne à corriger"] } }));
  const { title, message, deadline_at, recipients, fields } = request.data;
  return success({
    title,
    message,
    deadline_at,
    recipients: recipients.map(({ full_name, email, role }) => ({ full_name, email, role })),
    fields: [...fields],
  });
}

function presentRow({ line, cells, state, note, column, envelopeId }: MailingRow) {
  const envelope_id = state === "sent" ? envelopeId : null;
  return { line, cells: [...cells], state, note, column, envelope_id };
}

/** Errors: `not_found`. */
export async function listRows(
  { db }: Pick<Platform, "db">,
  list: Own & {
    readonly page: number;
    readonly page_size: number;
    readonly order: "faults" | "line";
    readonly state?: MailingRow["state"] | undefined;
  },
): Promise<Result<MailingRows>> {
  const { id, user, page, page_size, order, state } = list;
  const found = await selectMailing(db, { id, holders: mailingHoldersOf(user) });
  if (found === null) return failure(problem("not_found"));
  const { counts } = found;
  const count = state === undefined ? counts.total : counts[state === "double" ? "doubles" : state];
  const offset = (page - 1) * page_size;
  const rows = await selectRows(db, { id, order, state, limit: page_size, offset });
  return success({ count, page, page_size, results: rows.map(presentRow) });
}

/**
 * What is ready leaves in the background; a second call changes nothing.
 * Errors: `not_found`; `validation` on `rows` without a line to send, on `columns`.
 */
export async function beginMailing(
  platform: Platform,
  { id, actor, retry }: { id: string; actor: Actor & { user: SessionUser }; retry: boolean },
): Promise<Result<Mailing>> {
  const { user, client } = actor;
  return inTransaction(platform.db, async (trx) => {
    const own = { id, user };
    const found = await selectMailing(
      trx,
      { id, holders: mailingHoldersOf(user) },
      { locked: true },
    );
    if (found === null) return failure(problem("not_found"));
    if (found.state === "running") return readMailing({ ...platform, db: trx }, own);
    const template = await templateOfMailing(trx, found, user);
    const { faults } = presentMailing(platform, found, template);
    if (faults.length > 0) return failure(problem("validation", { errors: { columns: faults } }));
    const brought =
      template &&
      (await peopleBrought({ ...platform, db: trx }, template, { user, others: [user] }));
    if (brought?.ok === false)
      return failure(
        problem("validation", {
          errors: { columns: Object.values(brought.error.errors ?? {}).flat() },
        }),
      );
    const { ready, isStopped } = await startRows(trx, id, retry);
    if (ready === 0 && found.state === "done" && !isStopped)
      return readMailing({ ...platform, db: trx }, own);
    if (ready === 0) {
      const sentence = isStopped
        ? "Aucune ligne à envoyer\u00a0: celles d’un envoi arrêté repartent avec «\u00a0retry\u00a0»."
        : "Aucune ligne à envoyer.";
      return failure(problem("validation", { errors: { rows: [sentence] } }));
    }
    await startMailing(trx, {
      id,
      program: user.program ?? null,
      started_by_key: user.key_id ?? null,
      ip_address: client.ip,
      user_agent: client.userAgent,
      now: platform.clock(),
    });
    await enqueueMailing(trx, platform, { id });
    return readMailing({ ...platform, db: trx }, own);
  });
}

/** The line under way still leaves. Errors: `not_found`. */
export async function stopMailing(platform: Platform, { id, user }: Own): Promise<Result<Mailing>> {
  return inTransaction(platform.db, async (trx) => {
    const found = await selectMailing(
      trx,
      { id, holders: mailingHoldersOf(user) },
      { locked: true },
    );
    if (found?.state === "running") await endMailing(trx, id, { now: platform.clock() });
    return readMailing({ ...platform, db: trx }, { id, user });
  });
}

/** Its envelopes stay. Errors: `not_found`; `validation` on `state` while it runs. */
export async function forgetMailing(platform: Platform, { id, user }: Own): Promise<Result<null>> {
  return inTransaction(platform.db, async (trx) => {
    const found = await selectMailing(
      trx,
      { id, holders: mailingHoldersOf(user) },
      { locked: true },
    );
    if (found === null) return failure(problem("not_found"));
    if (found.state === "running") return failure(RUNNING);
    await deleteMailing(trx, id);
    return success(null);
  });
}

const STATES: Readonly<Record<MailingRow["state"], string>> = {
  ready: "Prête",
  refused: "À revoir",
  double: "Double",
  left: "Laissée de côté",
  sent: "Envoyée",
  failed: "En échec",
};

/** The last of the file's columns has a line's rest. Errors: `not_found`. */
export async function reportMailing(
  { db, settings }: Pick<Platform, "db" | "settings">,
  { id, user, only }: Own & { readonly only?: "faults" | undefined },
): Promise<Result<string>> {
  const found = await selectMailing(db, { id, holders: mailingHoldersOf(user) });
  if (found === null) return failure(problem("not_found"));
  const rows = await selectRows(db, { id });
  const shown =
    only === undefined ? rows : rows.filter(({ state }) => state !== "ready" && state !== "sent");
  const headings = found.plan.columns.map(({ heading }) => heading);
  const last = headings.length - 1;
  return success(
    csvText([
      ["Ligne", ...headings, "État", "Motif", "Enveloppe"],
      ...shown.map(({ line, cells, state, note, envelopeId }) => [
        String(line),
        ...cells.slice(0, last),
        cells.slice(last).join(";"),
        STATES[state],
        note ?? "",
        state === "sent" && envelopeId !== null
          ? `${settings.publicUrl}/signature/detail/${envelopeId}`
          : "",
      ]),
    ]),
  );
}
