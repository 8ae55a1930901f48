import { MAX_RECIPIENTS, type Role, emailFault, nameFault, phoneOf } from "@paraphe/contracts";

export type PastedPerson = {
  readonly line: number;
  readonly fullName: string;
  readonly email: string;
  readonly phoneNumber: string | null;
  readonly role: Role;
  /** The name was derived from the address. */
  readonly isNameGuessed: boolean;
  /** Somebody of another name has this address: allowed, with a warning. */
  readonly isAddressShared: boolean;
};
export type PastedFault = { readonly line: number; readonly text: string; readonly reason: string };
/** `unread`: the lines left after too many faults. */
type PastedList = {
  readonly people: readonly PastedPerson[];
  readonly faults: readonly PastedFault[];
  readonly unread: number;
};
type Known = readonly { readonly fullName: string; readonly email: string }[];

const MAX_PERSON_LENGTH = 500;
const MAX_FAULTS = 200;

type Column = "name" | "firstName" | "lastName" | "email" | "phone" | "role" | "other";
const HEADINGS: readonly (readonly [Column, RegExp])[] = [
  ["firstName", /^pr[ée]nom/],
  [
    "email",
    /^(e-?mail|mail|courriel|adresse ([ée]lectronique|e-?mail|mail))s?(?![\p{L}\p{N}._-])/u,
  ],
  ["phone", /^(t[ée]l|mobile|portable|phone)/],
  ["role", /^r[ôo]le/],
  ["lastName", /^(nom de famille|last ?name)/],
  ["name", /^(nom|name|destinataire|signataire)/],
];
export const ROLE_LABELS: Readonly<Record<Role, string>> = {
  signer: "Signataire",
  approver: "Approbateur",
  visa: "Visa",
  viewer: "Copie",
};

const ROLES: Readonly<Record<string, Role>> = {
  signataire: "signer",
  signer: "signer",
  approbateur: "approver",
  approbatrice: "approver",
  approver: "approver",
  visa: "visa",
  copie: "viewer",
  "en copie": "viewer",
  viewer: "viewer",
};

/**
 * « Nom <adresse> », « Nom (adresse) », « adresse (Nom) », « Nom ; adresse », addresses alone, or a
 * spreadsheet's columns. Lengths and faults are limited: time is bounded.
 */
export function parsePeople(text: string, known: Known = []): PastedList {
  const listed = known.filter((row) => row.fullName.trim() !== "" || row.email.trim() !== "");
  const found: Found = { listed: directoryOf(listed), pasted: directoryOf([]) };
  const people: PastedPerson[] = [];
  const faults: PastedFault[] = [];
  let unread = 0;
  for (const { line, raw, columns } of linesOf(text)) {
    if (faults.length >= MAX_FAULTS) {
      unread += 1;
      continue;
    }
    for (const entry of columns ? [raw] : entriesOf(raw)) {
      if (faults.length >= MAX_FAULTS) break;
      if (entry.length > MAX_PERSON_LENGTH) {
        faults.push({ line, text: entry.slice(0, MAX_PERSON_LENGTH).trim(), reason: TOO_LONG });
        continue;
      }
      const person = readEntry(entry, columns);
      const reason = faultOf(person, { ...found, count: people.length + listed.length });
      if (reason !== null || person === null)
        faults.push({ line, text: entry.trim(), reason: reason ?? unreadReason(entry) });
      else {
        people.push({
          ...person,
          line,
          isAddressShared: hasAddress(found.listed, person) || hasAddress(found.pasted, person),
        });
        enter(found.pasted, person);
      }
    }
  }
  return { people, faults, unread };
}

/** Each address once, how many came again, and what is none: a word after a comma is no name here. */
export function parseAddresses(text: string): {
  readonly emails: readonly string[];
  readonly doubles: number;
  readonly faults: readonly string[];
} {
  const emails = new Map<string, string>();
  const faults: string[] = [];
  const doubled = new Set<string>();
  for (const { raw, columns } of linesOf(text))
    for (const entry of columns ? [raw] : addressesOf(raw)) {
      const read = entry.length > MAX_PERSON_LENGTH ? null : readEntry(entry, columns);
      const isRead =
        read !== null &&
        emailFault(read.email) === null &&
        (read.isNameGuessed || nameFault(read.fullName) === null);
      if (!isRead) faults.push(entry.trim());
      else if (emails.has(addressOf(read))) doubled.add(addressOf(read));
      else emails.set(addressOf(read), read.email);
    }
  return { emails: [...emails.values()], doubles: doubled.size, faults };
}

type Line = {
  readonly line: number;
  readonly raw: string;
  readonly columns: readonly Column[] | null;
};

/** The lines that are not empty, below a spreadsheet's headings. */
function* linesOf(text: string): Generator<Line> {
  let columns: readonly Column[] | null | undefined;
  for (const [index, raw] of text.split(/\r\n?|\n/).entries()) {
    if (raw.trim() === "") continue;
    if (columns === undefined) {
      columns = readHeadings(raw);
      if (columns !== null) continue;
    }
    yield { line: index + 1, raw, columns };
  }
}

type Read = Omit<PastedPerson, "line" | "isAddressShared">;
type Named = { readonly fullName: string; readonly email: string };
type Directory = { readonly people: Set<string>; readonly addresses: Set<string> };
type Found = { readonly listed: Directory; readonly pasted: Directory };
const TOO_LONG = `${MAX_PERSON_LENGTH} caractères par personne au maximum`;
const unreadReason = (entry: string) =>
  countAddresses(entry) < 2 ? "Aucune adresse email" : "Plusieurs adresses email";

function faultOf(person: Read | null, found: Found & { readonly count: number }): string | null {
  if (person === null) return null;
  if (emailFault(person.email) !== null) return "Email invalide";
  const name = nameFault(person.fullName);
  if (name !== null) return name;
  if (isThere(found.listed, person)) return "Figure déjà parmi les destinataires";
  if (isThere(found.pasted, person)) return "Figure déjà plus haut dans la liste";
  return found.count >= MAX_RECIPIENTS ? `${MAX_RECIPIENTS} destinataires au maximum` : null;
}

/** An address without a name belongs to the person already listed with it. */
function isThere(directory: Directory, person: Read): boolean {
  return person.isNameGuessed ? hasAddress(directory, person) : directory.people.has(keyOf(person));
}

function hasAddress(directory: Directory, person: Named): boolean {
  return directory.addresses.has(addressOf(person));
}

function directoryOf(people: readonly Named[]): Directory {
  const directory: Directory = { people: new Set(), addresses: new Set() };
  for (const person of people) enter(directory, person);
  return directory;
}

function enter(directory: Directory, person: Named): void {
  directory.people.add(keyOf(person));
  if (addressOf(person) !== "") directory.addresses.add(addressOf(person));
}

function addressOf(person: Named): string {
  return person.email.trim().toLowerCase();
}

function keyOf(person: Named): string {
  return `${addressOf(person)}\n${person.fullName.trim().normalize("NFKC").toLowerCase()}`;
}

function readHeadings(line: string): readonly Column[] | null {
  if (line.includes("@")) return null;
  const cells = splitCells(line, delimiterOf(line)).map((cell) => cell.toLowerCase());
  const columns = cells.map(
    (cell) => HEADINGS.find(([, pattern]) => pattern.test(cell))?.[0] ?? "other",
  );
  if (!columns.includes("email")) return null;
  // « Nom » beside « Prénom » is the family name.
  return columns.includes("firstName")
    ? columns.map((column) => (column === "name" ? "lastName" : column))
    : columns;
}

/** After a closed bracket a comma separates people, not « Nom, Prénom ». */
function entriesOf(line: string): readonly string[] {
  if (countAddresses(line) < 2 || line.includes("\t")) return [line];
  return splitClosed(line).flatMap((part) => splitOpen(part, [";", ","]));
}

/** « Nom, Prénom <a@…> » is one person; any other comma ends an address. */
function addressesOf(line: string): readonly string[] {
  if (line.includes("\t")) return [line];
  return splitClosed(line).flatMap((part) => {
    const pieces = splitCells(part, ";", "keep-quotes")
      .flatMap((piece) => splitCells(piece, ",", "keep-quotes"))
      .filter((piece) => piece.trim() !== "");
    const isOne = pieces.length === 2 && countAddresses(part) === 1 && /[>)]\s*$/.test(part);
    return isOne ? [part] : pieces;
  });
}

/** « A <a@…>, B <b@…> », « a@… (A); b@… (B) ». */
function splitClosed(line: string): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  let last = "";
  let isQuoted = false;
  let hasAt = false;
  for (let at = 0; at < line.length; at += 1) {
    const letter = line.charAt(at);
    if (letter === '"') isQuoted = !isQuoted;
    if (
      (letter === "," || letter === ";") &&
      !isQuoted &&
      (last === ">" || last === ")") &&
      hasAt
    ) {
      parts.push(line.slice(start, at));
      start = at + 1;
      hasAt = false;
    }
    if (letter === "@") hasAt = true;
    if (letter.trim() !== "") last = letter;
  }
  return [...parts, line.slice(start)].filter((part) => /[^\s,;]/.test(part));
}

function splitOpen(part: string, [delimiter, ...others]: readonly string[]): readonly string[] {
  if (delimiter === undefined || countAddresses(part) < 2) return [part];
  const pieces = splitCells(part, delimiter, "keep-quotes").filter((piece) => piece.trim() !== "");
  if (pieces.length > 1 && pieces.every((piece) => piece.includes("@")))
    return pieces.flatMap((piece) => splitOpen(piece, others));
  // « a@…, Roux, Camille <c@…> »: the address alone is another person.
  const alone = part.trimEnd().endsWith(">")
    ? pieces.findIndex((piece) => !isAddressAlone(piece))
    : 0;
  const rest = pieces.slice(alone).join(delimiter);
  if (alone > 0) return [...pieces.slice(0, alone), ...splitOpen(rest, others)];
  return splitOpen(part, others);
}

function countAddresses(text: string): number {
  return text.split("@").length - 1;
}

function isAddressAlone(text: string): boolean {
  return /^[^\s@<>()]+@[^\s@<>()]+$/.test(text.trim());
}

function readEntry(entry: string, columns: readonly Column[] | null): Read | null {
  const bracketed =
    columns === null ? (splitBracketed(entry, "<>") ?? splitBracketed(entry, "()")) : null;
  if (bracketed) return person({ name: invert(unquote(bracketed.name)), email: bracketed.email });
  const cells = splitCells(entry, delimiterOf(entry));
  const named = columns ?? cells.map(guessColumn);
  const all = (column: Column) =>
    cells.filter((_, index) => named[index] === column && (cells[index] ?? "") !== "");
  const [email, ...others] = all("email");
  if (email === undefined || (columns === null && others.length > 0)) return null;
  const name = [...all("firstName"), ...all("name"), ...all("lastName")].join(" ");
  return person({ name, email, phone: all("phone")[0], role: all("role")[0] });
}

/** Written without a pattern, which would try every split of the spaces. */
function splitBracketed(
  entry: string,
  brackets: "<>" | "()",
): { name: string; email: string } | null {
  const [open = "", close = ""] = brackets;
  let end = entry.length;
  while (end > 0 && /[\s,;]/.test(entry.charAt(end - 1))) end -= 1;
  const text = entry.slice(0, end);
  const start = text.lastIndexOf(open);
  if (start === -1 || !text.endsWith(close)) return null;
  const before = text.slice(0, start).trim();
  const inside = text.slice(start + 1, -1).trim();
  if (inside.includes("@") || brackets === "<>") return { name: before, email: inside };
  return isAddressAlone(before) ? { name: inside, email: before } : null;
}

function guessColumn(cell: string, _index: number): Column {
  if (cell.includes("@")) return "email";
  if (/\d{4}/.test(cell.replace(/[\s.\-()]/g, "")) && phoneOf(cell) !== null) return "phone";
  if (ROLES[cell.toLowerCase()] !== undefined) return "role";
  return /^[\d\s.]*$/.test(cell) ? "other" : "name";
}

function person(read: {
  name: string;
  email: string;
  phone?: string | undefined;
  role?: string | undefined;
}): Read {
  const email = read.email.replace(/^mailto:/i, "").trim();
  const name = read.name.replace(/\s+/g, " ").trim();
  const phone = phoneOf(read.phone ?? "");
  return {
    fullName: name === "" ? nameFromAddress(email) : name,
    email,
    phoneNumber: phone === "" ? null : phone,
    role: ROLES[(read.role ?? "").trim().toLowerCase()] ?? "signer",
    isNameGuessed: name === "",
  };
}

/** « camille.roux@… » is « Camille Roux ». */
function nameFromAddress(email: string): string {
  const words = (email.split("@")[0] ?? "")
    .replace(/\+.*$/, "")
    .split(/[._\d]+/)
    .filter(Boolean);
  const capital = (word: string) =>
    word
      .split("-")
      .map((part) => part.charAt(0).toLocaleUpperCase("fr") + part.slice(1))
      .join("-");
  return words.map(capital).join(" ");
}

/** « Roux, Camille » is a directory's form of Camille Roux. */
function invert(name: string): string {
  const match = /^([^,]+),\s*([^,]+)$/.exec(name);
  return match ? `${match[2] ?? ""} ${match[1] ?? ""}` : name;
}

function delimiterOf(line: string): string {
  return ["\t", ";", ","].find((delimiter) => line.includes(delimiter)) ?? "\t";
}

/** RFC 4180 §2, with any delimiter: quoted text is not split. */
function splitCells(
  line: string,
  delimiter: string,
  quotes: "keep-quotes" | "drop-quotes" = "drop-quotes",
): string[] {
  const cells: string[] = [];
  let cell = "";
  let isQuoted = false;
  for (const letter of line) {
    if (letter === '"') isQuoted = !isQuoted;
    if (letter === delimiter && !isQuoted) {
      cells.push(cell);
      cell = "";
    } else cell += letter;
  }
  cells.push(cell);
  return quotes === "keep-quotes" ? cells : cells.map(unquote);
}

function unquote(text: string): string {
  const trimmed = text.trim();
  const inner = /^"(.*)"$/s.exec(trimmed)?.[1] ?? /^'(.*)'$/s.exec(trimmed)?.[1] ?? trimmed;
  return inner.replace(/""/g, '"').trim();
}
