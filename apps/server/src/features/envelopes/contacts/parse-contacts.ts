import {
  addressOf,
  emailFault,
  failure,
  IMPORT_SENTENCES,
  type ImportLineState,
  type ImportRefusal,
  isReadable,
  lineOf,
  MAX_COMPANY_LENGTH,
  MAX_IMPORT_LINES,
  MAX_NAME_LENGTH,
  nameFault,
  phoneOf,
  type Problem,
  problem,
  type Result,
  success,
} from "@paraphe/contracts";
import {
  decodeText,
  type Encoding,
  plainCell,
  readCsv,
  type Separator,
  separatorOf,
  turn,
} from "../../../platform/csv.ts";
import { emailKey } from "../../accounts/public.ts";
import { searchText } from "../domain/search-text.ts";

/** `new`: can be written; the store finds the known ones. */
export type ParsedLine = {
  readonly line: number;
  readonly fullName: string;
  readonly email: string;
  readonly secondEmail: string | null;
  readonly phoneNumber: string | null;
  readonly company: string | null;
  readonly state: Exclude<ImportLineState, "known">;
  readonly note: string | null;
};

export type ParsedFile = {
  readonly format: "csv" | "vcard";
  readonly separator: Separator | null;
  readonly encoding: Encoding;
  readonly lines: readonly ParsedLine[];
};

type RawContact = {
  readonly line: number;
  readonly name: string;
  readonly emails: readonly string[];
  readonly phone: string;
  readonly company: string;
};

const LONGEST_SHOWN = 200;
const MOST_ADDRESSES = 20;
/** Lines read before the event loop has its turn. */
const SLICE = 500;

/** Errors: `validation` on `file`, with a sentence of `IMPORT_SENTENCES`. */
export async function parseContacts(bytes: Uint8Array): Promise<Result<ParsedFile, Problem>> {
  const decoded = decodeText(bytes);
  if (!decoded.ok) return refuse(decoded.error);
  const { text, encoding } = decoded.value;
  if (text.trim() === "") return refuse("empty");
  const isVcard = /^\s*BEGIN:VCARD\s*$/im.test(text.slice(0, 1_000));
  const separator = isVcard ? null : separatorOf(text);
  const raw = separator === null ? await readVcards(text) : await readContacts(text, separator);
  if (!raw.ok) return raw;
  if (raw.value.length === 0) return refuse("empty");
  const lines = joinDoubles(raw.value.map(checkLine));
  return success({ format: isVcard ? "vcard" : "csv", separator, encoding, lines });
}

export function refuse(refusal: ImportRefusal, line = 0): Result<never, Problem> {
  const sentence = IMPORT_SENTENCES[refusal].replace("{line}", String(line));
  return failure(problem("validation", { errors: { file: [sentence] } }));
}

async function readContacts(
  text: string,
  separator: Separator,
): Promise<Result<readonly RawContact[], Problem>> {
  const contacts: RawContact[] = [];
  let columns: Columns | null = null;
  const read = await readCsv<ImportRefusal>(text, separator, ({ line, cells }) => {
    if (columns === null) {
      columns = columnsOf(cells);
      if (columns.email.length === 0) return "no_address";
      if (columns.isHeading) return undefined;
    }
    if (contacts.length === MAX_IMPORT_LINES) return "too_long";
    contacts.push(contactOf(cells, columns, line));
    return undefined;
  });
  if (!read.ok) return refuse("open_quote", read.error.line);
  return read.value === undefined ? success(contacts) : refuse(read.value);
}

type Part = "email" | "name" | "first" | "last" | "phone" | "company";
type Columns = { readonly [K in Part | "second"]: readonly number[] } & {
  readonly isHeading: boolean;
};

/** Outlook, Google, Thunderbird and LibreOffice write these headings. */
const HEADINGS: Readonly<Record<Part, RegExp>> = {
  email:
    /^(e ?mail|mail|courriel|adresse( e ?mail| de messagerie| electronique| mail)?|primary email|e ?mail (1 )?(address|value))( 1| principale?)?$/,
  first: /^(prenom|first name|given name)$/,
  last: /^(nom de famille|last name|family name|nom)$/,
  name: /^(nom complet|nom et prenom|prenom et nom|nom prenom|prenom nom|full name|display name|name|contact|nom a afficher|file as)$/,
  phone:
    /^(tel|telephone|tel mobile|telephone mobile|mobile|portable|numero|phone|phone number|mobile phone|mobile number|phone 1 value)$/,
  company:
    /^(societe|entreprise|organisation|organization|company|organization (1 )?name|raison sociale)$/,
};

const MAIL = "(e ?mail|mail|courriel|adresse (e ?mail|de messagerie|electronique|mail))";
const SECOND = new RegExp(
  `^(seconde adresse|(seconde?|deuxieme|autre|secondary|other) ${MAIL}|${MAIL} ?(secondaire|[2-9]( address| value)?))$`,
);

export function headingWords(heading: string): string {
  return searchText(heading)
    .replace(/[^a-z0-9]+/g, " ")
    .trim();
}

export function headingPart(words: string): Part | null {
  const parts = Object.keys(HEADINGS) as Part[];
  return parts.find((part) => HEADINGS[part].test(words)) ?? null;
}

function columnsOf(record: readonly string[]): Columns {
  const headings = record.map(headingWords);
  const named = (part: Part) => indicesOf(headings, (heading) => HEADINGS[part].test(heading));
  const email = named("email");
  if (email.length > 0 && !record.some((cell) => cell.includes("@")))
    return {
      email,
      second: indicesOf(headings, (heading) => SECOND.test(heading)),
      name: named("name"),
      first: named("first"),
      last: named("last"),
      phone: named("phone"),
      company: named("company"),
      isHeading: true,
    };
  return guessedColumns(record);
}

/** Without headings, address and number are known by their form; name, then company follow. */
function guessedColumns(record: readonly string[]): Columns {
  const addresses = indicesOf(record, (cell) => cell.includes("@"));
  const phone = indicesOf(record, (cell) => /\d{4}/.test(cell) && Boolean(phoneOf(cell)));
  const rest = record.flatMap((_, index) =>
    addresses.includes(index) || phone.includes(index) ? [] : [index],
  );
  return {
    email: addresses.slice(0, 1),
    second: addresses.slice(1),
    phone,
    name: rest.slice(0, 1),
    company: rest.slice(1, 2),
    first: [],
    last: [],
    isHeading: false,
  };
}

function indicesOf(cells: readonly string[], matches: (cell: string) => boolean): number[] {
  return cells.flatMap((cell, index) => (matches(cell) ? [index] : []));
}

function contactOf(record: readonly string[], columns: Columns, line: number): RawContact {
  const cells = (part: Part | "second") =>
    columns[part].map((index) => plainCell(record[index] ?? "")).filter((text) => text !== "");
  const cell = (part: Part) => cells(part)[0] ?? "";
  const whole = cell("name");
  const name = whole === "" ? `${cell("first")} ${cell("last")}`.trim() : whole;
  // « Adresse » may be a street's.
  const written = cells("email");
  const addresses = written.filter((text) => text.includes("@"));
  const emails = [...(addresses.length > 0 ? addresses : written), ...cells("second")];
  return { line, name, emails, phone: cell("phone"), company: cell("company") };
}

/** Source: RFC 2426 §2 and RFC 6350 §3. Tolerance: vCard 2.1 of Android, quoted-printable. */
async function readVcards(text: string): Promise<Result<readonly RawContact[], Problem>> {
  const contacts: RawContact[] = [];
  let card: Card | null = null;
  for (const { line, content } of unfolded(text)) {
    if (/^BEGIN:VCARD\s*$/i.test(content)) card = { line, name: [], email: [], phone: [], org: [] };
    else if (card !== null && /^END:VCARD\s*$/i.test(content)) {
      if (contacts.length === MAX_IMPORT_LINES) return refuse("too_long");
      contacts.push(contactOfCard(card));
      if (contacts.length % SLICE === 0) await turn();
      card = null;
    } else if (card !== null) readProperty(card, content);
  }
  return success(contacts);
}

type Card = {
  readonly line: number;
  readonly name: string[];
  readonly email: string[];
  readonly phone: string[];
  readonly org: string[];
};

/** RFC 6350 §3.2: a leading space continues the line. */
function* unfolded(text: string): Generator<{ readonly line: number; readonly content: string }> {
  let open: { readonly line: number; readonly pieces: string[] } | null = null;
  for (const [index, read] of text.split(/\r\n?|\n/).entries()) {
    const last: string | undefined = open?.pieces.at(-1);
    const isSoft: boolean =
      last !== undefined && last.endsWith("=") && /QUOTED-PRINTABLE/i.test(open?.pieces[0] ?? "");
    if (open !== null && (isSoft || /^[ \t]/.test(read))) {
      if (isSoft) open.pieces.push(`${open.pieces.pop()?.slice(0, -1) ?? ""}${read}`);
      else open.pieces.push(read.slice(1));
      continue;
    }
    if (open !== null) yield { line: open.line, content: open.pieces.join("") };
    open = { line: index + 1, pieces: [read] };
  }
  if (open !== null) yield { line: open.line, content: open.pieces.join("") };
}

function readProperty(card: Card, content: string): void {
  const match = /^(?:[\w-]+\.)?([A-Za-z-]+)((?:;(?:"[^"]*"|[^":])*)?):(.*)$/s.exec(content);
  if (match === null) return;
  const [, name = "", parameters = "", value = ""] = match;
  const text = /QUOTED-PRINTABLE/i.test(parameters) ? unquoted(value) : value;
  switch (name.toUpperCase()) {
    case "FN":
      card.name.unshift(unescaped(text));
      break;
    case "N": {
      const [last = "", first = ""] = components(text);
      card.name.push(`${first} ${last}`.trim());
      break;
    }
    case "EMAIL":
      card.email.push(unescaped(text).replace(/^mailto:/i, ""));
      break;
    case "TEL":
      card.phone.push(unescaped(text).replace(/^tel:/i, "").replace(/;.*$/, ""));
      break;
    case "ORG":
      card.org.push(components(text)[0] ?? "");
      break;
    default:
  }
}

function components(value: string): readonly string[] {
  return value.split(/(?<!\\);/).map((part) => unescaped(part).trim());
}

function unescaped(value: string): string {
  return value.replace(/\\([nN,;:\\])/g, (_, sign: string) => (/n/i.test(sign) ? " " : sign));
}

/** RFC 2045 §6.7. */
function unquoted(value: string): string {
  const bytes = value.replace(/=([0-9A-F]{2})|[^\u0000-\u00ff]/gi, (_, hex?: string) =>
    hex === undefined ? "?" : String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return new TextDecoder().decode(Uint8Array.from(bytes, (sign) => sign.charCodeAt(0)));
}

function contactOfCard({ line, name, email, phone, org }: Card): RawContact {
  const filled = (texts: readonly string[]) =>
    texts.map((text) => text.trim()).find((text) => text !== "") ?? "";
  return {
    line,
    name: filled(name),
    emails: email.map((text) => text.trim()).filter((text) => text !== ""),
    phone: filled(phone),
    company: filled(org),
  };
}

function checkLine({ line, ...raw }: RawContact): ParsedLine {
  const read = raw.emails.slice(0, MOST_ADDRESSES).map((text) => addressOf(bounded(text)));
  const [email = "", ...others] = distinct(read);
  const fault = addressFault(email) ?? nameOrNone(raw.name);
  if (fault !== null)
    return {
      line,
      fullName: shown(raw.name),
      email: shown(email),
      secondEmail: shown(others[0] ?? "") || null,
      phoneNumber: shown(raw.phone) || null,
      company: shown(raw.company) || null,
      state: "refused",
      note: fault,
    };
  const typed = lineOf(raw.name);
  const taken = guessedName(email);
  const phone = phoneOf(bounded(raw.phone));
  const company = lineOf(bounded(raw.company));
  const [second = null, ...more] = others.filter((text) => emailFault(text) === null);
  const unread = others.length - more.length - (second === null ? 0 : 1);
  const notes = [
    typed === "" ? `Nom absent\u00a0: «\u00a0${taken}\u00a0» sera pris` : null,
    unread > 0 ? "Seconde adresse illisible\u00a0: laissée de côté" : null,
    leftOut(more),
    phone === null ? "Téléphone illisible\u00a0: laissé de côté" : null,
    company.length > MAX_COMPANY_LENGTH ? "Société trop longue\u00a0: laissée de côté" : null,
  ].filter((note) => note !== null);
  return {
    line,
    fullName: typed === "" ? taken : typed,
    email,
    secondEmail: second,
    phoneNumber: phone || null,
    company: company.length > MAX_COMPANY_LENGTH || company === "" ? null : company,
    state: "new",
    note: notes.length === 0 ? null : notes.join(". "),
  };
}

function leftOut(addresses: readonly string[]): string | null {
  if (addresses.length === 0) return null;
  const many = addresses.length > 1 ? "laissées" : "laissée";
  return `Deux adresses au plus\u00a0: ${shown(addresses.join(", "))} ${many} de côté`;
}

function distinct(addresses: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return addresses.filter((address) => seen.size < seen.add(emailKey(address)).size);
}

/** NFC is quadratic in accents (UAX #15 §13), so the length is cut first. */
function bounded(text: string): string {
  return text.slice(0, 4 * LONGEST_SHOWN);
}

function shown(text: string): string {
  const line = lineOf(bounded(text));
  return line.length > LONGEST_SHOWN ? `${line.slice(0, LONGEST_SHOWN)}…` : line;
}

function addressFault(email: string): string | null {
  if (email === "") return "Adresse email absente";
  if (emailFault(email) === null) return null;
  return /^[^@]*$|@[^.]*$/.test(email) ? "Adresse email incomplète" : "Adresse email invalide";
}

function nameOrNone(name: string): string | null {
  if (name.length > 4 * MAX_NAME_LENGTH)
    return `Nom\u00a0: ${MAX_NAME_LENGTH} caractères au maximum`;
  const line = lineOf(name);
  if (line === "") return null;
  if (!isReadable(line)) return "Nom illisible";
  const fault = nameFault(line);
  return fault !== null && /^\d/.test(fault) ? `Nom\u00a0: ${fault}` : fault;
}

/** Gives « juridique » for juridique@…, since a recipient has a name. */
function guessedName(email: string): string {
  const local = email
    .slice(0, email.lastIndexOf("@"))
    .replace(/[._+-]+/g, " ")
    .trim();
  return isReadable(local) && nameFault(local) === null ? local : "Sans nom";
}

/** Later lines of an address complete its first. */
function joinDoubles(lines: readonly ParsedLine[]): readonly ParsedLine[] {
  const firsts = new Map<string, number>();
  const joined = [...lines];
  for (const [index, line] of lines.entries()) {
    if (line.state === "refused") continue;
    const at = firsts.get(emailKey(line.email)) ?? index;
    const first = joined[at] ?? line;
    const addresses = [first, line].flatMap((one) => [one.email, one.secondEmail ?? one.email]);
    const [, secondEmail = null, ...more] = distinct(addresses);
    for (const address of distinct(addresses).slice(0, 2))
      if (!firsts.has(emailKey(address))) firsts.set(emailKey(address), at);
    joined[at] = {
      ...first,
      secondEmail,
      phoneNumber: first.phoneNumber ?? line.phoneNumber,
      company: first.company ?? line.company,
    };
    if (at === index) continue;
    const note = `Même adresse que la ligne ${first.line}\u00a0: réunies`;
    const notes = [note, leftOut(more)].filter((one) => one !== null).join(". ");
    joined[index] = { ...line, state: "double", note: notes };
  }
  return joined;
}
