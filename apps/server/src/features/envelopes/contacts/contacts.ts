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
import { emailKey, selectColleagues } from "../../accounts/public.ts";
import { holdersOf, selfOf } from "../../organisations/public.ts";
import type { EnvelopeRecipient } from "../domain/envelope.ts";
import { containsPattern, searchText, teamsNamed } from "../domain/search-text.ts";
import { type Actor } from "../domain/viewer.ts";
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
import { chooseTeam } from "../domain/draft-checks.ts";

type Writing = Pick<Platform, "db" | "clock" | "newId">;

function patternsOf(search: string): readonly string[] {
  return search.split(/\s+/u).filter(Boolean).slice(0, 8).map(containsPattern);
}

type Typed = {
  /** Null for a program: members are for people alone. */
  readonly memberId: string | null;
  readonly holders: readonly string[];
  readonly search: string;
};

/** Contacts first, then the other members of the organisation. */
export async function suggestRecipients(
  platform: Pick<Platform, "db">,
  { memberId, holders, search }: Typed,
): Promise<readonly Suggestion[]> {
  const limit = MAX_SUGGESTIONS;
  const patterns = patternsOf(search);
  const contacts = await selectSuggestions(platform.db, { holders, patterns, limit });
  const known = new Set(contacts.map(({ email }) => emailKey(email)));
  const words = searchText(search).split(" ");
  const members = memberId === null ? [] : await selectColleagues(platform.db, memberId);
  const colleagues = members.flatMap(({ name, email }) => {
    const text = searchText(`${name} ${email}`);
    const isMeant = !known.has(emailKey(email)) && words.every((word) => text.includes(word));
    return isMeant ? [{ full_name: name, email, phone_number: null }] : [];
  });
  return [...contacts, ...colleagues].slice(0, limit);
}

export function listKnownDomains(
  platform: Pick<Platform, "db">,
  holders: readonly string[],
): Promise<KnownDomains["results"]> {
  return selectKnownDomains(platform.db, { holders, limit: MAX_KNOWN_DOMAINS });
}

type AskedPerson = Pick<EnvelopeRecipient, "fullName" | "email" | "emailKey" | "phoneNumber">;
type Asked = {
  readonly sender: Pick<Actor["user"], "id" | "email_key" | "teams" | "holder">;
  readonly people: readonly AskedPerson[];
};

/**
 * Stores who was asked to sign, the sender aside. Runs after the sending's commit: contacts of
 * parallel sendings would wait for each other.
 */
export async function storeAsked(platform: Platform, { sender, people }: Asked): Promise<void> {
  if (sender.holder !== undefined) return;
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
    const teamIds = sender.teams.map(({ id }) => id);
    const sent = { ownerId: sender.id, teamIds, people: rows, now: platform.clock() };
    await inTransaction(platform.db, (trx) => upsertSent(trx, sent));
  } catch (error) {
    platform.log.warn({ userId: sender.id, error }, "the contacts of a sending were not kept");
  }
}

export async function storeCorrected(
  platform: Platform,
  corrected: Asked & { readonly mistakenKey: string },
): Promise<void> {
  await deleteMistaken(platform.db, {
    ownerId: selfOf(corrected.sender),
    emailKey: corrected.mistakenKey,
  });
  await storeAsked(platform, corrected);
}

export function presentContact({
  origin,
  team,
  owner_id: _owner,
  ...contact
}: StoredContact): Contact {
  return {
    ...contact,
    ...(team === null ? {} : { team }),
    origin: origin as ContactOrigin,
    last_sent_at: contact.last_sent_at?.toISOString() ?? null,
    created_at: contact.created_at.toISOString(),
  };
}

type Listing = z.output<typeof contactsQuery>;

export async function listContacts(
  reader: Reader,
  asked: Listing & { readonly user: Writer },
): Promise<Contacts> {
  const { user, page, page_size, search, ordering, origin, team } = asked;
  const holders = team === undefined ? holdersOf(user) : [team === "mine" ? selfOf(user) : team];
  const found = {
    holders,
    patterns: patternsOf(search),
    namedTeams: teamsNamed(user, searchText(search)),
    origin,
    ordering,
    page,
    pageSize: page_size,
  };
  const { count, rows } = await selectContacts(reader, found);
  return { count, page, page_size, results: rows.map(presentContact) };
}

type HeldContact = { readonly id: string; readonly holders: readonly string[] };
type Writer = Pick<Actor["user"], "id" | "teams" | "holder">;

export async function readContact(
  reader: Reader,
  of: HeldContact,
): Promise<Result<StoredContact, Problem>> {
  const contact = await selectContact(reader, of);
  return contact === null ? failure(problem("not_found")) : success(contact);
}

/** Errors: `validation` on `email`, `second_email` and `team`. */
export async function addContact(
  platform: Writing,
  { user, request }: { readonly user: Writer; readonly request: ContactRequest },
): Promise<Result<Contact, Problem>> {
  return inTransaction(platform.db, async (trx) => {
    const team = chooseTeam(user, request.team);
    if (!team.ok) return team;
    const holderId = team.value?.id ?? user.id;
    await lockContacts(trx, holderId);
    if ((await countContacts(trx, holderId)) >= MAX_CONTACTS)
      return failure(problem("validation", { errors: { email: [CONTACT_SENTENCES.too_many] } }));
    const details = await checkDetails(trx, { holderId, request, except: [] });
    if (!details.ok) return details;
    const id = platform.newId();
    const of = { id, ownerId: user.id, team: team.value };
    await insertContact(trx, { ...of, details: details.value, now: platform.clock() });
    return presentWritten(trx, { id, holders: [holderId] });
  });
}

/** Errors: `not_found`; `validation` on `email`, `second_email` and `team`. */
export async function changeContact(
  platform: Writing,
  change: { readonly id: string; readonly user: Writer; readonly request: ContactRequest },
): Promise<Result<Contact, Problem>> {
  const { id, user, request } = change;
  return inTransaction(platform.db, async (trx) => {
    const team = chooseTeam(user, request.team);
    if (!team.ok) return team;
    const holderId = team.value?.id ?? user.id;
    await lockContacts(trx, holderId);
    const known = await readContact(trx, { id, holders: holdersOf(user) });
    if (!known.ok) return known;
    const isHeld = (known.value.team?.id ?? known.value.owner_id) === holderId;
    const before = isHeld ? known.value : null;
    const details = await checkDetails(trx, { holderId, request, except: [id], before });
    if (!details.ok) return details;
    // A contact taken out of a team belongs to whoever does so.
    const ownerId = team.value === null ? user.id : known.value.owner_id;
    const of = { id, ownerId, team: team.value };
    await updateContact(trx, { ...of, details: details.value, now: platform.clock() });
    return presentWritten(trx, { id, holders: [holderId] });
  });
}

async function presentWritten(
  trx: Transaction,
  of: HeldContact,
): Promise<Result<Contact, Problem>> {
  const written = await readContact(trx, of);
  return written.ok ? success(presentContact(written.value)) : written;
}

type Checking = {
  readonly holderId: string;
  readonly request: ContactRequest;
  readonly except: string[];
  /** Its addresses stay, whoever else has them since an import. */
  readonly before?: Pick<StoredContact, "email" | "second_email"> | null;
};

async function checkDetails(
  trx: Transaction,
  { holderId, request, except, before }: Checking,
): Promise<Result<ContactDetails, Problem>> {
  const { full_name, email, second_email } = request;
  const key = emailKey(email);
  const secondKey = second_email === "" ? null : emailKey(second_email);
  if (secondKey === key)
    return failure(
      problem("validation", { errors: { second_email: [CONTACT_SENTENCES.same_address] } }),
    );
  const asked = [
    [key, before?.email],
    [secondKey, before?.second_email],
  ] as const;
  const keys = asked.flatMap(([now, former]) =>
    now === null || (former && emailKey(former) === now) ? [] : [now],
  );
  const taken = await selectTakenKeys(trx, { holderId, keys, except });
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

/** Sent envelopes and their proofs stay. Errors: `not_found`. */
export async function eraseContact(
  reader: Reader,
  of: HeldContact,
): Promise<Result<null, Problem>> {
  return (await deleteContact(reader, of)) ? success(null) : failure(problem("not_found"));
}

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

/** Errors: `not_found` unless both exist; those of a change. */
export async function mergeContacts(
  platform: Writing,
  merge: TwoContacts & { readonly contact: ContactRequest },
): Promise<Result<Contact, Problem>> {
  const { ownerId, first: id, second, contact: request } = merge;
  return inTransaction(platform.db, async (trx) => {
    await lockContacts(trx, ownerId);
    const pair = await readPair(trx, merge);
    if (!pair.ok) return pair;
    const except = [id, second];
    const details = await checkDetails(trx, { holderId: ownerId, request, except });
    if (!details.ok) return details;
    const holders = [ownerId];
    await deleteContact(trx, { id: second, holders });
    const of = { id, ownerId, team: null };
    await updateContact(trx, { ...of, details: details.value, now: platform.clock() });
    await addSent(trx, { id, from: pair.value[1] });
    return presentWritten(trx, { id, holders });
  });
}

/** Errors: `not_found`. */
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

export async function* contactsOf(
  reader: Reader,
  holders: readonly string[],
): AsyncGenerator<Contact, void> {
  for (let afterId: string | null = null; ; ) {
    const page = await selectContactsAfter(reader, { holders, afterId, limit: PAGE });
    yield* page.map(presentContact);
    afterId = page.at(-1)?.id ?? null;
    if (page.length < PAGE) return;
  }
}

const HEADINGS = ["Nom complet", "Email", "Seconde adresse", "Téléphone", "Société"];

export async function* exportCsv(
  reader: Reader,
  holders: readonly string[],
): AsyncGenerator<string, void> {
  yield `\ufeff${csvLines([HEADINGS])}`;
  for await (const contact of contactsOf(reader, holders))
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
