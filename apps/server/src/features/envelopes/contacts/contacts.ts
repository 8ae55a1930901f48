import {
  CONTACT_SENTENCES,
  type Contact,
  type ContactDoubles,
  type ContactOrigin,
  type ContactRequest,
  type Contacts,
  type contactsQuery,
  failure,
  type KnownDomains,
  MAX_CONTACTS,
  MAX_KNOWN_DOMAINS,
  MAX_SUGGESTIONS,
  type Problem,
  problem,
  type Result,
  type Suggestion,
  success,
} from "@paraphe/contracts";
import type * as z from "zod/mini";
import { csvLines } from "../../../platform/csv.ts";
import type { Reader, Transaction } from "../../../platform/database/database.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import type { Platform } from "../../../platform/platform.ts";
import { emailKey } from "../../accounts/public.ts";
import type { EnvelopeRecipient } from "../domain/envelope.ts";
import { containsPattern } from "../domain/search-text.ts";
import {
  addSent,
  type ContactDetails,
  countContacts,
  deleteContact,
  deleteMistaken,
  insertApart,
  insertContact,
  lockContacts,
  selectContact,
  selectContacts,
  selectContactsAfter,
  selectContactsById,
  selectDoubles,
  selectKnownDomains,
  selectSuggestions,
  selectTakenKeys,
  type StoredContact,
  updateContact,
  upsertSent,
} from "./store.ts";

type Writing = Pick<Platform, "db" | "clock" | "newId">;

/** Words of a search, each to be found. */
function patternsOf(search: string): readonly string[] {
  return search.split(/\s+/u).filter(Boolean).slice(0, 8).map(containsPattern);
}

export function suggestRecipients(
  platform: Pick<Platform, "db">,
  asked: { readonly ownerId: string; readonly search: string },
): Promise<readonly Suggestion[]> {
  const patterns = patternsOf(asked.search);
  return selectSuggestions(platform.db, {
    ownerId: asked.ownerId,
    patterns,
    limit: MAX_SUGGESTIONS,
  });
}

/** Gives the domains of this account's contacts, to compare a mistyped one with. */
export function listKnownDomains(
  platform: Pick<Platform, "db">,
  ownerId: string,
): Promise<KnownDomains["results"]> {
  return selectKnownDomains(platform.db, { ownerId, limit: MAX_KNOWN_DOMAINS });
}

type AskedPerson = Pick<EnvelopeRecipient, "fullName" | "email" | "emailKey" | "phoneNumber">;
type Asked = {
  readonly sender: { readonly id: string; readonly email_key: string };
  readonly people: readonly AskedPerson[];
};

/**
 * Keeps who was asked to sign, once for each address, the sender aside. After the sending's commit
 * and never its failure: contacts of parallel sendings would wait for each other.
 */
export async function storeAsked(platform: Platform, { sender, people }: Asked): Promise<void> {
  const others = new Map(
    people
      .filter((person) => person.emailKey !== sender.email_key)
      .map((one) => [one.emailKey, one]),
  );
  if (others.size === 0) return;
  const rows = [...others.values()].map((person) => ({
    id: platform.newId(),
    full_name: person.fullName,
    email: person.email,
    email_key: person.emailKey,
    phone_number: person.phoneNumber,
  }));
  try {
    const sent = { ownerId: sender.id, people: rows, now: platform.clock() };
    await inTransaction(platform.db, (trx) => upsertSent(trx, sent));
  } catch (error) {
    platform.log.warn({ userId: sender.id, error }, "the contacts of a sending were not kept");
  }
}

/** The mistaken address leaves, the right one comes. */
export async function storeCorrected(
  platform: Platform,
  corrected: Asked & { readonly mistakenKey: string },
): Promise<void> {
  await deleteMistaken(platform.db, {
    ownerId: corrected.sender.id,
    emailKey: corrected.mistakenKey,
  });
  await storeAsked(platform, corrected);
}

export function presentContact({ origin, ...contact }: StoredContact): Contact {
  return {
    ...contact,
    origin: origin as ContactOrigin,
    last_sent_at: contact.last_sent_at?.toISOString() ?? null,
    created_at: contact.created_at.toISOString(),
  };
}

type Listing = z.output<typeof contactsQuery>;

export async function listContacts(
  reader: Reader,
  asked: Listing & { readonly ownerId: string },
): Promise<Contacts> {
  const { ownerId, page, page_size, search, ordering, origin } = asked;
  const patterns = patternsOf(search);
  const found = { ownerId, patterns, origin, ordering, page, pageSize: page_size };
  const { count, rows } = await selectContacts(reader, found);
  return { count, page, page_size, results: rows.map(presentContact) };
}

type OwnContact = { readonly id: string; readonly ownerId: string };

export async function readContact(
  reader: Reader,
  of: OwnContact,
): Promise<Result<StoredContact, Problem>> {
  const contact = await selectContact(reader, of);
  return contact === null ? failure(problem("not_found")) : success(contact);
}

/** Errors: `validation` on `email` and `second_email`. */
export async function addContact(
  platform: Writing,
  { ownerId, request }: { readonly ownerId: string; readonly request: ContactRequest },
): Promise<Result<Contact, Problem>> {
  return inTransaction(platform.db, async (trx) => {
    await lockContacts(trx, ownerId);
    if ((await countContacts(trx, ownerId)) >= MAX_CONTACTS)
      return failure(problem("validation", { errors: { email: [CONTACT_SENTENCES.too_many] } }));
    const details = await checkDetails(trx, { ownerId, request, except: [] });
    if (!details.ok) return details;
    const id = platform.newId();
    await insertContact(trx, { id, ownerId, details: details.value, now: platform.clock() });
    return presentWritten(trx, { id, ownerId });
  });
}

/** Errors: `not_found`; `validation` on `email` and `second_email`. */
export async function changeContact(
  platform: Writing,
  change: OwnContact & { readonly request: ContactRequest },
): Promise<Result<Contact, Problem>> {
  const { id, ownerId, request } = change;
  return inTransaction(platform.db, async (trx) => {
    await lockContacts(trx, ownerId);
    const known = await readContact(trx, change);
    if (!known.ok) return known;
    const details = await checkDetails(trx, { ownerId, request, except: [id] });
    if (!details.ok) return details;
    await updateContact(trx, { id, ownerId, details: details.value, now: platform.clock() });
    return presentWritten(trx, { id, ownerId });
  });
}

async function presentWritten(trx: Transaction, of: OwnContact): Promise<Result<Contact, Problem>> {
  const written = await readContact(trx, of);
  return written.ok ? success(presentContact(written.value)) : written;
}

type Checking = {
  readonly ownerId: string;
  readonly request: ContactRequest;
  /** Contacts that the written one replaces. */
  readonly except: string[];
};

async function checkDetails(
  trx: Transaction,
  { ownerId, request, except }: Checking,
): Promise<Result<ContactDetails, Problem>> {
  const { full_name, email, second_email } = request;
  const key = emailKey(email);
  const secondKey = second_email === "" ? null : emailKey(second_email);
  if (secondKey === key)
    return failure(
      problem("validation", { errors: { second_email: [CONTACT_SENTENCES.same_address] } }),
    );
  const keys = secondKey === null ? [key] : [key, secondKey];
  const taken = await selectTakenKeys(trx, { ownerId, keys, except });
  const sentence = [CONTACT_SENTENCES.address_taken];
  if (taken.size > 0)
    return failure(
      problem("validation", {
        errors: {
          ...(taken.has(key) ? { email: sentence } : {}),
          ...(secondKey !== null && taken.has(secondKey) ? { second_email: sentence } : {}),
        },
      }),
    );
  return success({
    full_name,
    email,
    email_key: key,
    second_email: second_email || null,
    second_email_key: secondKey,
    phone_number: request.phone_number || null,
    company: request.company || null,
  });
}

/** Envelopes sent and their proofs stay. Errors: `not_found`. */
export async function eraseContact(reader: Reader, of: OwnContact): Promise<Result<null, Problem>> {
  return (await deleteContact(reader, of)) ? success(null) : failure(problem("not_found"));
}

/** Pairs shown at once. */
const PAIRS = 20;

export async function listDoubles(reader: Reader, ownerId: string): Promise<ContactDoubles> {
  const { count, pairs } = await selectDoubles(reader, { ownerId, limit: PAIRS });
  const ids = pairs.flatMap(({ first_id, second_id }) => [first_id, second_id]);
  const contacts = await selectContactsById(reader, { ownerId, ids });
  const results = pairs.flatMap(({ first_id, second_id }) => {
    const [first, second] = [contacts.get(first_id), contacts.get(second_id)];
    return first === undefined || second === undefined
      ? []
      : [{ first: presentContact(first), second: presentContact(second) }];
  });
  return { count, results };
}

type TwoContacts = { readonly ownerId: string; readonly first: string; readonly second: string };

/** Errors: `not_found` unless both are there; `validation` as for a change. */
export async function mergeContacts(
  platform: Writing,
  merge: TwoContacts & { readonly contact: ContactRequest },
): Promise<Result<Contact, Problem>> {
  const { ownerId, first: id, second, contact: request } = merge;
  return inTransaction(platform.db, async (trx) => {
    await lockContacts(trx, ownerId);
    const pair = await readPair(trx, merge);
    if (!pair.ok) return pair;
    const details = await checkDetails(trx, { ownerId, request, except: [id, second] });
    if (!details.ok) return details;
    await deleteContact(trx, { id: second, ownerId });
    await updateContact(trx, { id, ownerId, details: details.value, now: platform.clock() });
    await addSent(trx, { id, from: pair.value[1] });
    return presentWritten(trx, { id, ownerId });
  });
}

/** Remembers that these are two people. Errors: `not_found`. */
export async function separateContacts(
  platform: Pick<Platform, "db">,
  two: TwoContacts,
): Promise<Result<null, Problem>> {
  return inTransaction(platform.db, async (trx) => {
    const pair = await readPair(trx, two);
    if (!pair.ok) return pair;
    const [first = "", second = ""] = [two.first, two.second].toSorted();
    await insertApart(trx, [first, second]);
    return success(null);
  });
}

async function readPair(
  trx: Transaction,
  { ownerId, first, second }: TwoContacts,
): Promise<Result<readonly [StoredContact, StoredContact], Problem>> {
  const found = await selectContactsById(trx, { ownerId, ids: [first, second] });
  const [one, other] = [found.get(first), found.get(second)];
  return one === undefined || other === undefined || one.id === other.id
    ? failure(problem("not_found"))
    : success([one, other]);
}

const PAGE = 1_000;

/** All contacts, by id, a page at a time. */
export async function* contactsOf(reader: Reader, ownerId: string): AsyncGenerator<Contact, void> {
  for (let afterId: string | null = null; ; ) {
    const page = await selectContactsAfter(reader, { ownerId, afterId, limit: PAGE });
    yield* page.map(presentContact);
    afterId = page.at(-1)?.id ?? null;
    if (page.length < PAGE) return;
  }
}

const HEADINGS = ["Nom complet", "Email", "Seconde adresse", "Téléphone", "Société"];

/** The file that an import reads again. */
export async function* exportCsv(reader: Reader, ownerId: string): AsyncGenerator<string, void> {
  yield `\ufeff${csvLines([HEADINGS])}`;
  for await (const contact of contactsOf(reader, ownerId))
    yield csvLines([
      [
        contact.full_name,
        contact.email,
        contact.second_email ?? "",
        contact.phone_number ?? "",
        contact.company ?? "",
      ],
    ]);
}
