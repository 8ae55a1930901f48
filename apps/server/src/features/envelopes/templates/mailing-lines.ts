import {
  addressOf,
  createEnvelopeRequest,
  emailFault,
  firstUnprinted,
  isServedNumber,
  lineOf,
  MAILING_SENTENCES,
  type MailingPlanRequest,
  type MailingRefusal,
  type MailingRowState,
  MAX_MAILING_CELLS,
  MAX_MAILING_COLUMNS,
  MAX_MAILING_ROWS,
  MAX_MAILING_SIZE_BYTES,
  nameFault,
  phoneOf,
  type Problem,
  problem,
  type Result,
  failure,
  success,
  titleFault,
} from "@paraphe/contracts";
import {
  decodeText,
  type Encoding,
  plainCell,
  readCsv,
  type Separator,
  separatorOf,
} from "../../../platform/csv.ts";
import { emailKey } from "../../accounts/public.ts";
import { headingPart, headingWords } from "../contacts/parse-contacts.ts";
import { checkDraft } from "../domain/draft-checks.ts";
import { requestOf, type Template, textLabels } from "./domain/template.ts";

/** `target`: what the column becomes (`mailingTargetSchema`). */
export type MailingColumn = {
  readonly heading: string;
  readonly samples: readonly string[];
  readonly target: string | null;
};
export type MailingPlan = {
  readonly columns: readonly MailingColumn[];
  readonly people: MailingPlanRequest["people"];
  readonly deadline_days: number | null;
};
export type MailingRow = {
  readonly line: number;
  readonly cells: readonly string[];
  readonly choice: "send" | "leave" | null;
  readonly state: MailingRowState;
  readonly note: string | null;
  readonly column: number | null;
  readonly envelopeId: string | null;
};

type MailingFile = {
  readonly separator: Separator;
  readonly encoding: Encoding;
  readonly headings: readonly string[];
  readonly rows: readonly { readonly line: number; readonly cells: readonly string[] }[];
};

/** Errors: `validation` on `file`, with a sentence of `MAILING_SENTENCES`. */
export async function parseMailing({
  name,
  bytes,
}: {
  readonly name: string;
  readonly bytes: Uint8Array;
}): Promise<Result<MailingFile>> {
  const refuse = (refusal: MailingRefusal, line = 0) => {
    const sentence = MAILING_SENTENCES[refusal]
      .replace("{name}", () => name)
      .replace("{line}", String(line));
    return failure(problem("validation", { errors: { file: [sentence] } }));
  };
  if (bytes.length > MAX_MAILING_SIZE_BYTES) return refuse("too_large");
  const decoded = decodeText(bytes);
  if (!decoded.ok) return refuse(decoded.error);
  const { text, encoding } = decoded.value;
  const separator = separatorOf(text);
  const rows: { line: number; cells: readonly string[] }[] = [];
  let headings: readonly string[] | null = null;
  const read = await readCsv<MailingRefusal>(text, separator, ({ line, cells }) => {
    if (headings === null) {
      if (cells.length > MAX_MAILING_COLUMNS) return "too_wide";
      const isHeading = !cells.some((cell) => cell.includes("@"));
      headings = cells
        .map(cellText)
        .map((cell, index) =>
          isHeading && cell !== "" ? lineOf(cell.slice(0, 200)) : `Colonne ${index + 1}`,
        );
      if (isHeading) return undefined;
    }
    if (rows.length === MAX_MAILING_ROWS) return "too_long";
    rows.push({ line, cells: rowCells(headings, cells) });
    return undefined;
  });
  if (!read.ok) return refuse("open_quote", read.error.line);
  if (read.value !== undefined) return refuse(read.value);
  if (headings === null || rows.length === 0) return refuse("empty");
  return success({ separator, encoding, headings, rows });
}

/** One for each column, and what the line has beyond them. */
export function rowCells(columns: readonly unknown[], cells: readonly string[]): readonly string[] {
  const texts = cells.slice(0, MAX_MAILING_CELLS).map(cellText);
  const length = Math.max(columns.length, texts.findLastIndex((text) => text !== "") + 1);
  return Array.from({ length }, (_, index) => texts[index] ?? "");
}

/** PostgreSQL stores neither U+0000 nor a lone surrogate. */
function cellText(text: string): string {
  return plainCell(text).replaceAll("\0", "").toWellFormed();
}

const SAMPLES = 3;
const SAMPLE_LENGTH = 60;
const TITLE = /^(titre|titre de l enveloppe|titre du document|title|intitule)$/;

/** By the names of the columns, then by what they contain. */
export function guessColumns(
  { headings, rows }: Pick<MailingFile, "headings" | "rows">,
  template: Pick<Template, "content">,
): readonly MailingColumn[] {
  const roles = template.content.roles.map(({ label }) => headingWords(label));
  const texts = textLabels(template.content).map(headingWords);
  const taken = new Set<string>();
  const take = (targets: readonly string[]): string | null => {
    const free = targets.find((target) => !taken.has(target)) ?? null;
    if (free !== null) taken.add(free);
    return free;
  };
  const named = headings.map((heading) => {
    const words = headingWords(heading);
    if (TITLE.test(words)) return take(["title"]);
    if (texts.includes(words)) return take([`text:${texts.indexOf(words)}`]);
    const own = roles.findIndex((role) => ` ${words} `.includes(` ${role} `));
    const rest = own === -1 ? words : ` ${words} `.replace(` ${roles[own]} `, " ").trim();
    const part = own !== -1 && rest === "" ? "name" : headingPart(rest);
    if (part === "company") return take(["title"]);
    if (part === null) return null;
    const target = part === "last" ? "name" : part;
    return take(own === -1 ? roles.map((_, index) => `${target}:${index}`) : [`${target}:${own}`]);
  });
  const samplesOf = (index: number) =>
    [...new Set(rows.map(({ cells }) => cells[index] ?? "").filter((cell) => cell !== ""))]
      .slice(0, SAMPLES)
      .map((cell) => lineOf(cell.slice(0, SAMPLE_LENGTH)));
  return headings.map((heading, index) => {
    const samples = samplesOf(index);
    const isAddress = samples.length > 0 && samples.every((sample) => sample.includes("@"));
    const target = named[index] ?? null;
    const found =
      target === null && isAddress ? take(roles.map((_, role) => `email:${role}`)) : target;
    return { heading, samples, target: found };
  });
}

type Sheet = { readonly template: Template; readonly plan: MailingPlan };

/** What a line says: the filling of the template, with who is invited. */
export function fillingOf({ template, plan }: Sheet, cells: readonly string[], now: Date) {
  const cell = (target: string) => {
    const index = plan.columns.findIndex((column) => column.target === target);
    return index === -1 ? "" : (cells[index] ?? "");
  };
  const people = template.content.roles.map((_, index) => {
    const fixed = plan.people.find(({ role_index }) => role_index === index);
    if (fixed !== undefined) return fixed;
    const full_name = lineOf(bounded(`${cell(`first:${index}`)} ${cell(`name:${index}`)}`));
    const phone = bounded(cell(`phone:${index}`));
    return {
      role_index: index,
      full_name,
      email: addressOf(bounded(cell(`email:${index}`))),
      phone_number: phone === "" ? null : phone,
    };
  });
  const title = lineOf(cell("title").slice(0, 1_000));
  const labels = textLabels(template.content);
  const filled = labels.map((label, index) => [label, cell(`text:${index}`)] as const);
  const days = plan.deadline_days;
  return {
    ...(title === "" ? {} : { title }),
    people,
    texts: new Map(filled.filter(([, text]) => text !== "")),
    deadlineAt: days === null ? null : new Date(now.getTime() + days * 86_400_000).toISOString(),
  };
}

/** NFC is quadratic in accents (UAX #15 §13): length comes first. */
const bounded = (text: string) => text.slice(0, 800);

type Fault = { readonly note: string; readonly target: string };

/** Null for a line that can leave. */
function faultOf(sheet: Sheet, cells: readonly string[], place: Place): Fault | null {
  const { template, plan } = sheet;
  const [count, most] = [cells.length, plan.columns.length];
  if (count > most) {
    const said = count > MAX_MAILING_COLUMNS ? `Plus de ${MAX_MAILING_COLUMNS}` : count;
    return {
      note: `${said} cellules pour ${most} colonne${most > 1 ? "s" : ""}\u00a0: un texte qui contient le séparateur se met entre guillemets`,
      target: "",
    };
  }
  const filling = fillingOf(sheet, cells, place.now);
  const asked = filling.people.filter(
    ({ role_index }) => !plan.people.some((fixed) => fixed.role_index === role_index),
  );
  for (const { role_index: index, email, full_name, phone_number } of asked) {
    const label = template.content.roles[index]?.label ?? "";
    const say = (note: string, part: string) => ({
      note: asked.length === 1 ? note : `${label}\u00a0: ${note.toLowerCase()}`,
      target: `${part}:${index}`,
    });
    const address = addressNote(email);
    if (address !== null) return say(address, "email");
    if (full_name === "") return say("Nom absent", "name");
    const name = nameFault(full_name);
    if (name !== null) return say(name, "name");
    if (phone_number !== null && phoneOf(phone_number) === null)
      return say("Téléphone illisible", "phone");
  }
  const title = filling.title === undefined ? null : titleFault(filling.title);
  if (title !== null) return { note: title, target: "title" };
  return requestFault(sheet, filling, place);
}

function addressNote(email: string): string | null {
  if (email === "") return "Adresse email absente";
  if (emailFault(email) === null) return null;
  return /^[^@]*$|@[^.]*$/.test(email) ? "Adresse email incomplète" : "Adresse email invalide";
}

type Place = { readonly now: Date; readonly smsCountries: Parameters<typeof isServedNumber>[1] };

/** What the envelope itself would be refused for. */
function requestFault(
  { template }: Sheet,
  filling: ReturnType<typeof fillingOf>,
  { now, smsCountries }: Place,
): Fault | null {
  const labels = textLabels(template.content);
  const targetOf = (path: string) => {
    const [list, index, member] = path.split(".");
    if (list === "recipients")
      return `${{ full_name: "name", phone_number: "phone" }[member ?? ""] ?? "email"}:${index}`;
    const label = template.content.fields[Number(index)]?.label;
    return list === "fields" && label ? `text:${labels.indexOf(label)}` : "title";
  };
  const filled = requestOf(template, filling);
  if (!filled.ok) return firstFault(filled.error, targetOf);
  const parsed = createEnvelopeRequest.safeParse(filled.value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { note: issue?.message ?? "", target: targetOf(issue?.path.join(".") ?? "") };
  }
  const { deadline_at, recipients, fields } = parsed.data;
  const checked = checkDraft({
    deadlineAt: deadline_at === null ? null : new Date(deadline_at),
    pageCounts: template.documents.map(({ pageCount }) => pageCount),
    recipients: recipients.map(({ email, full_name, role, phone_number }) => ({
      emailKey: emailKey(email),
      fullName: full_name,
      role,
      phoneNumber: phone_number || null,
    })),
    fields: fields.map(({ document_index, recipient_index, ...field }) => ({
      ...field,
      documentIndex: document_index,
      recipientIndex: recipient_index,
    })),
    now,
    firstMissing: firstUnprinted,
    isServed: (number) => isServedNumber(number, smsCountries),
  });
  return checked.ok ? null : firstFault(checked.error, targetOf);
}

function firstFault({ errors = {} }: Problem, targetOf: (path: string) => string): Fault {
  const [[path, [note = ""]] = ["", []]] = Object.entries(errors);
  return { note, target: targetOf(path) };
}

export const STOPPED = "Envoi arrêté avant cette ligne";

/** The state of each line before it leaves; doubles have the people of an earlier line. */
export function reviewRows(
  sheet: Sheet,
  rows: readonly MailingRow[],
  place: Place,
): readonly MailingRow[] {
  const firsts = new Map<string, number>();
  return rows.map((row) => {
    const { line, cells, choice } = row;
    // What became of a line changes with that line alone.
    if (row.state === "sent" || row.state === "failed" || isStopped(row)) {
      firsts.set(peopleKey(sheet, cells, place), line);
      return row;
    }
    if (choice === "leave") return { ...row, state: "left", note: null, column: null };
    const fault = faultOf(sheet, cells, place);
    if (fault !== null) {
      const column = sheet.plan.columns.findIndex(({ target }) => target === fault.target);
      return { ...row, state: "refused", note: fault.note, column: column === -1 ? null : column };
    }
    const key = peopleKey(sheet, cells, place);
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, line);
    return first === undefined || choice === "send"
      ? { ...row, state: "ready", note: null, column: null }
      : { ...row, state: "double", note: `Déjà à la ligne ${first}`, column: null };
  });
}

function isStopped({ state, choice }: MailingRow): boolean {
  return state === "left" && choice !== "leave";
}

function peopleKey(sheet: Sheet, cells: readonly string[], { now }: Place): string {
  return fillingOf(sheet, cells, now)
    .people.map(({ email }) => emailKey(email))
    .join("\n");
}
