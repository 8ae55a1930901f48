import {
  type Delegation,
  type DelegationList,
  type DelegationRequest,
  failure,
  periodInWords,
  problem,
  type Problem,
  type Result,
  scopeInWords,
  type StandingDelegation,
  success,
} from "@paraphe/contracts";
import { formatLongDay } from "@paraphe/kernel/french-dates";
import { addDays, parisDay } from "@paraphe/kernel/paris-days";
import type { Reader, Transaction } from "../../../platform/database/database.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import type { Platform } from "../../../platform/platform.ts";
import { enqueueNotices, type Notice, withdrawRequestsTo } from "../../notices/public.ts";
import {
  checkPermission,
  isPermitted,
  lockOrganisation,
  noteEvent,
  selectRole,
} from "../../organisations/public.ts";
import { selectNames } from "../members/member-store.ts";
import { loadMember } from "../profile.ts";
import { countAwaited, loadAccount } from "../store.ts";
import {
  type DelegationRow,
  endDelegation,
  endDelegationsOf,
  insertDelegation,
  lockDelegation,
  selectDelegations,
  updateDelegation,
} from "./delegation-store.ts";

export type DelegatedSteps = {
  readonly countWaiting: (
    reader: Reader,
    of: Pick<StandingDelegation, "emailKey" | "scope" | "circuitId">,
  ) => Promise<number>;
  readonly circuitName: (reader: Reader, id: string) => Promise<string | null>;
};
type WithSteps = { readonly steps: DelegatedSteps };

/** The nearest come first, given and received. */
export async function listDelegations(
  platform: Pick<Platform, "db" | "clock"> & WithSteps,
  userId: string,
): Promise<DelegationList> {
  const { db } = platform;
  const [now, today] = [platform.clock(), parisDay(platform.clock())];
  const rows = await selectDelegations(db, userId);
  const people = await selectNames(
    db,
    rows.flatMap(({ delegatorId, delegateId }) => [delegatorId, delegateId]),
  );
  const lost = new Set<string>();
  for (const { circuit } of rows)
    if (circuit !== null && (await platform.steps.circuitName(db, circuit.id)) === null)
      lost.add(circuit.id);
  const waiting = new Map<string, number>();
  for (const row of rows)
    if (stateOf(row, { now, today }) === "current")
      waiting.set(row.id, await countWaiting(platform, row));
  const present = (row: DelegationRow, personId: string): Delegation => ({
    id: row.id,
    person: { id: personId, name: people.get(personId) ?? "Une personne" },
    starts_on: row.startsOn,
    ends_on: lastDayOf(row),
    scope: row.scope,
    circuit: row.circuit && {
      ...row.circuit,
      ...(lost.has(row.circuit.id) ? { deleted: true as const } : {}),
    },
    state: stateOf(row, { now, today }),
    signatures: row.signatures,
    waiting: waiting.get(row.id) ?? 0,
  });
  const given = rows.filter(({ delegatorId }) => delegatorId === userId);
  const received = rows.filter(({ delegateId }) => delegateId === userId);
  return {
    given: given.map((row) => present(row, row.delegateId)),
    received: received
      .map((row) => present(row, row.delegatorId))
      .filter(({ state }) => state !== "over")
      .toReversed(),
  };
}

/** The day it was ended, unless it never began. */
function lastDayOf({ startsOn, endsOn, endedAt }: DelegationRow): string {
  const day = endedAt === null ? endsOn : parisDay(endedAt);
  return day < startsOn || day > endsOn ? endsOn : day;
}

async function countWaiting(
  { db: reader, steps }: Pick<Platform, "db"> & WithSteps,
  { delegatorId, scope, circuit }: DelegationRow,
): Promise<number> {
  const account = await loadAccount(reader, delegatorId);
  if (account === null) return 0;
  if (scope === "all") return countAwaited(reader, account);
  return steps.countWaiting(reader, { ...account, scope, circuitId: circuit?.id ?? null });
}

function stateOf(
  { startsOn, endsOn, endedAt }: DelegationRow,
  { now, today }: { readonly now: Date; readonly today: string },
): Delegation["state"] {
  if (endsOn < today || (endedAt !== null && endedAt <= now)) return "over";
  return startsOn > today ? "upcoming" : "current";
}

type Given = DelegationRequest & { readonly actorId: string };
type Asked = Given & Pick<DelegationRow, "circuit"> & { readonly id: string | null };

/**
 * The host's row is locked, so that two requests at once make one delegation.
 * Errors: `validation` on `delegate_id`, `circuit_id`, `starts_on` or `ends_on`;
 * `own_address_unconfirmed`.
 */
export function giveDelegation(
  platform: Platform & WithSteps,
  given: Given,
): Promise<Result<null, Problem>> {
  return inTransaction<Result<null, Problem>>(platform.db, async (trx) => {
    await lockOrganisation(trx, platform);
    const permitted = await checkPermission(trx, given.actorId, "delegate");
    if (!permitted.ok) return permitted;
    const circuit = await circuitOf(trx, platform, given);
    const fault = await findFault(trx, platform, { ...given, circuit, id: null });
    if (fault !== null) return failure(fault);
    const id = platform.newId();
    await insertDelegation(trx, {
      ...rowOf(given),
      circuit,
      id,
      delegatorId: given.actorId,
      now: platform.clock(),
    });
    await noteDelegation(trx, platform, { ...given, circuit, id, kind: "delegation_given" });
    return success(null);
  });
}

/** Errors: those of `giveDelegation`; `not_found`; `organisation_changed` once begun or ended. */
export function changeDelegation(
  platform: Platform & WithSteps,
  change: Given & { readonly id: string },
): Promise<Result<null, Problem>> {
  return inTransaction<Result<null, Problem>>(platform.db, async (trx) => {
    await lockOrganisation(trx, platform);
    const permitted = await checkPermission(trx, change.actorId, "delegate");
    if (!permitted.ok) return permitted;
    const row = await lockDelegation(trx, change.id);
    if (row === null || row.delegatorId !== change.actorId) return failure(problem("not_found"));
    const now = platform.clock();
    if (stateOf(row, { now, today: parisDay(now) }) !== "upcoming")
      return failure(problem("organisation_changed"));
    const circuit = await circuitOf(trx, platform, change);
    const fault = await findFault(trx, platform, { ...change, circuit });
    if (fault !== null) return failure(fault);
    await updateDelegation(trx, { ...rowOf(change), circuit, id: change.id });
    if (row.delegateId !== change.delegate_id) {
      const ended = { ...row, by: "delegator" } as const;
      await enqueueNotices(trx, platform, await endNotices(trx, platform, ended));
    }
    await noteDelegation(trx, platform, { ...change, circuit, kind: "delegation_changed" });
    return success(null);
  });
}

const rowOf = ({ delegate_id, starts_on, ends_on, scope }: DelegationRequest) => ({
  delegateId: delegate_id,
  startsOn: starts_on,
  endsOn: ends_on,
  scope,
});

type Scope = Pick<DelegationRow, "scope" | "circuit">;

async function circuitOf(
  trx: Transaction,
  { steps }: WithSteps,
  { scope, circuit_id: id }: DelegationRequest,
): Promise<Scope["circuit"]> {
  const name = scope !== "circuit" || id === null ? null : await steps.circuitName(trx, id);
  return id === null || name === null ? null : { id, name };
}

const isSameScope = (one: Scope, other: Scope) =>
  one.scope === "all" ||
  other.scope === "all" ||
  (one.scope === other.scope && one.circuit?.id === other.circuit?.id);

const NOT_THEM = "Choisissez un autre membre de l’organisation, qui n’est pas lecteur.";

async function findFault(
  trx: Transaction,
  platform: Pick<Platform, "clock">,
  { id, actorId, delegate_id, starts_on, ends_on, scope, circuit }: Asked,
): Promise<Problem | null> {
  const invalid = (name: string, sentence: string) =>
    problem("validation", { errors: { [name]: [sentence] } });
  if (starts_on < parisDay(platform.clock()))
    return invalid("starts_on", "Commencez aujourd’hui, ou plus tard.");
  if (ends_on < starts_on) return invalid("ends_on", "Finissez le premier jour, ou plus tard.");
  const last = addDays(`${Number(starts_on.slice(0, 4)) + 1}${starts_on.slice(4)}`, -1);
  if (ends_on > last)
    return invalid("ends_on", `Un an au plus\u00a0: jusqu’au ${formatLongDay(last)}.`);
  if (scope === "circuit" && circuit === null)
    return invalid("circuit_id", "Choisissez un circuit.");
  const delegator = await loadAccount(trx, actorId);
  // Nobody may sign what was sent to an unconfirmed address.
  if (delegator === null || delegator.addressConfirmedAt === null)
    return problem("own_address_unconfirmed");
  const delegate = await loadMember(trx, delegate_id);
  const signs = isPermitted(await selectRole(trx, delegate_id), "sign_by_delegation");
  if (delegate === null || !signs || delegate_id === actorId)
    return invalid("delegate_id", NOT_THEM);
  const other = (await selectDelegations(trx, actorId)).find(
    (row) =>
      row.id !== id &&
      row.delegatorId === actorId &&
      row.delegateId === delegate_id &&
      row.endedAt === null &&
      isSameScope(row, { scope, circuit }) &&
      row.startsOn <= ends_on &&
      row.endsOn >= starts_on,
  );
  return other === undefined
    ? null
    : invalid(
        "delegate_id",
        `${delegate.fullName} signe déjà pour vous ${periodInWords({ starts_on: other.startsOn, ends_on: other.endsOn })}.`,
      );
}

type Noted = Asked & {
  readonly id: string;
  readonly kind: "delegation_given" | "delegation_changed";
};

/** Writes the organisation's journal and mails both. */
async function noteDelegation(
  trx: Transaction,
  platform: Platform,
  { id, kind, actorId, ...given }: Noted,
): Promise<void> {
  await noteEvent(trx, platform, {
    kind,
    actorId,
    subjectId: given.delegate_id,
    detail: {
      period: periodInWords(given),
      scope: scopeInWords({ scope: given.scope, circuit: given.circuit?.name ?? null }, "ses"),
    },
  });
  const [delegator, delegate] = [
    await loadMember(trx, actorId),
    await loadMember(trx, given.delegate_id),
  ];
  if (delegator === null || delegate === null) return;
  const occasion = platform.newId();
  const notices = [delegator, delegate].map(
    (person): Notice => ({
      kind: "delegation_given",
      channel: "email",
      dedupeKey: `delegation_given:${id}:${occasion}:${person.id}`,
      to: { fullName: person.fullName, address: person.email },
      userId: person.id,
      content: {
        delegator: delegator.fullName,
        delegate: delegate.fullName,
        isDelegate: person === delegate,
        isOnlyVisas: given.scope === "visas",
        period: periodInWords(given),
        scope: scopeInWords(
          { scope: given.scope, circuit: given.circuit?.name ?? null },
          person === delegate ? "ses" : "vos",
        ),
        link: pageOf(platform),
      },
    }),
  );
  await enqueueNotices(trx, platform, notices);
}

const pageOf = ({ settings }: Pick<Platform, "settings">) =>
  `${settings.publicUrl}/settings/delegations`;

type Ending = { readonly id: string; readonly actorId: string };

/**
 * Stops a delegation given, or refuses one received; signatures stay. Idempotent.
 * Errors: `not_found` for whoever is no party.
 */
export function finishDelegation(
  platform: Platform,
  { id, actorId }: Ending,
): Promise<Result<null>> {
  return inTransaction<Result<null>>(platform.db, async (trx) => {
    await lockOrganisation(trx, platform);
    const row = await lockDelegation(trx, id);
    const isParty = row?.delegatorId === actorId || row?.delegateId === actorId;
    if (row === null || !isParty) return failure(problem("not_found"));
    const now = platform.clock();
    if (stateOf(row, { now, today: parisDay(now) }) === "over") return success(null);
    const by = row.delegatorId === actorId ? "delegator" : "delegate";
    await endDelegation(trx, { id, by, now });
    await withdrawRequestsTo(trx, platform, { delegateId: row.delegateId, delegationId: id });
    await noteEvent(trx, platform, {
      kind: by === "delegator" ? "delegation_stopped" : "delegation_refused",
      actorId,
      subjectId: by === "delegator" ? row.delegateId : row.delegatorId,
    });
    await enqueueNotices(trx, platform, await endNotices(trx, platform, { ...row, by }));
    return success(null);
  });
}

/** Those a leaver gave and received: the other party is mailed. */
export async function endDelegationsOfLeaver(
  trx: Transaction,
  platform: Platform,
  userId: string,
): Promise<void> {
  for (const row of await endDelegationsOf(trx, { userId, now: platform.clock() })) {
    const { id: delegationId, delegateId, delegatorId } = row;
    await withdrawRequestsTo(trx, platform, { delegateId, delegationId });
    const by = delegatorId === userId ? "delegator" : "delegate";
    await noteEvent(trx, platform, {
      kind: "delegation_ended",
      actorId: delegatorId,
      subjectId: delegateId,
    });
    await enqueueNotices(trx, platform, await endNotices(trx, platform, { ...row, by }, true));
  }
}

async function endNotices(
  trx: Transaction,
  platform: Pick<Platform, "settings" | "newId">,
  { id, delegatorId, delegateId, by }: DelegationRow & { readonly by: "delegator" | "delegate" },
  hasLeft = false,
): Promise<readonly Notice[]> {
  const [delegator, delegate] = [
    await loadMember(trx, delegatorId),
    await loadMember(trx, delegateId),
  ];
  const reader = by === "delegator" ? delegate : delegator;
  const actor = by === "delegator" ? delegator : delegate;
  if (reader === null || actor === null) return [];
  return [
    {
      kind: "delegation_ended",
      channel: "email",
      dedupeKey: `delegation_ended:${id}:${platform.newId()}`,
      to: { fullName: reader.fullName, address: reader.email },
      userId: reader.id,
      content: { by, hasLeft, actor: actor.fullName, link: pageOf(platform) },
    },
  ];
}
