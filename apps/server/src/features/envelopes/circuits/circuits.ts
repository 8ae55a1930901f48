import { isDeepStrictEqual } from "node:util";
import {
  failure,
  firstUnprinted,
  isServedNumber,
  type MemberRole,
  problem,
  type Problem,
  type RecipientRequest,
  type Result,
  success,
  type TeamRef,
} from "@paraphe/contracts";
import {
  type ChooseCircuitRequest,
  type Circuit,
  circuitFaults,
  type CircuitRequest,
  type CircuitStep,
  MAX_CIRCUITS,
  STEP_KINDS,
  stepRanks,
} from "@paraphe/contracts/circuit";
import { foldText } from "@paraphe/kernel/french-words";
import type { Reader } from "../../../platform/database/database.ts";
import { allOrNothing } from "../../../platform/database/in-transaction.ts";
import type { Platform } from "../../../platform/platform.ts";
import {
  emailKey,
  type MemberRow,
  selectFormerMembers,
  selectMembers,
} from "../../accounts/public.ts";
import {
  checkPermission,
  lockHost,
  noteEvent,
  selectAdministered,
  selectTeams,
} from "../../organisations/public.ts";
import { changeWithin } from "../change-envelope.ts";
import { auditActor } from "../commit.ts";
import { matchPlaces, replacingRecipients } from "../correct-recipient.ts";
import { checkDraft } from "../domain/draft-checks.ts";
import {
  type Envelope,
  type EnvelopeRecipient,
  followsCircuit,
  isBrought,
  isReturned,
  checkKind,
  mustSign,
  outcomeOf,
} from "../domain/envelope.ts";
import { envelopeText } from "../domain/search-text.ts";
import type { EnvelopeCommand } from "../domain/viewer.ts";
import type { FieldsMove, RecipientToInsert } from "../recipient-store.ts";
import { type EnvelopeAggregate, updateEnvelopeRow } from "../store.ts";
import {
  deleteCircuitRow,
  insertCircuit,
  releaseDrafts,
  selectCircuits,
  updateCircuit,
} from "./store.ts";

type Saving = {
  readonly id: string | null;
  readonly actorId: string;
  readonly request: CircuitRequest;
};

/**
 * Envelopes under way keep their steps. Errors: `validation`; `not_found`; `organisation_changed`.
 */
export async function saveCircuit(
  platform: Platform,
  { id, actorId, request }: Saving,
): Promise<Result<readonly Circuit[]>> {
  return allOrNothing<readonly Circuit[], Problem>(platform.db, async (trx) => {
    const permitted = await checkPermission(trx, actorId, "change_circuits");
    if (!permitted.ok) return permitted;
    await noteEvent(trx, platform, {
      kind: "circuit_saved",
      actorId,
      detail: { name: request.name, change: id === null ? "made" : "changed" },
    });
    const there = await selectCircuits(trx);
    const edited = there.find((one) => one.id === id);
    if (id !== null && edited === undefined) return failure(problem("not_found"));
    if (edited !== undefined && edited.version !== request.version)
      return failure(problem("organisation_changed"));
    const others = there.filter((one) => one.id !== id);
    const errors = { ...errorsOf(request, others), ...teamErrors(request, await selectTeams(trx)) };
    if (Object.keys(errors).length > 0) return failure(problem("validation", { errors }));
    const row = { ...request, kinds: spelt(request.kinds, others), now: platform.clock() };
    if (id !== null) {
      await updateCircuit(trx, { ...row, id });
      await releaseDrafts(trx, id);
    } else {
      const fresh = { id: platform.newId(), now: row.now };
      const { id: organisationId } = await lockHost(trx, fresh);
      await insertCircuit(trx, { ...row, id: platform.newId(), organisationId });
    }
    return success(await selectCircuits(trx));
  });
}

/** A kind of another circuit keeps that spelling. */
function spelt(kinds: readonly string[], others: readonly Circuit[]): string[] {
  const known = new Map(others.flatMap((one) => one.kinds.map((kind) => [foldText(kind), kind])));
  return [...new Set(kinds.map((kind) => known.get(foldText(kind)) ?? kind))];
}

function errorsOf(
  { name, use, kinds, steps }: CircuitRequest,
  others: readonly Circuit[],
): Record<string, string[]> {
  const errors: Record<string, string[]> = {};
  for (const { step, text } of circuitFaults(steps))
    errors[step === null ? "steps" : `steps.${step}`] = [text];
  if (others.some((one) => foldText(one.name) === foldText(name)))
    errors["name"] = ["Un circuit porte déjà ce nom"];
  if (others.length >= MAX_CIRCUITS) errors["name"] = [`${MAX_CIRCUITS} circuits au maximum`];
  if (use !== "free" && kinds.length === 0)
    errors["kinds"] = ["Indiquez au moins un genre de document"];
  const imposed = others.filter((one) => one.use === "imposed");
  const twice =
    use === "imposed" ? kinds.find((kind) => imposedOn(imposed, kind) !== undefined) : undefined;
  if (twice !== undefined)
    errors["kinds"] = [`Un autre circuit est déjà fixé pour «\u00a0${twice}\u00a0»`];
  return errors;
}

function teamErrors(
  { steps }: CircuitRequest,
  teams: readonly TeamRef[],
): Record<string, string[]> {
  const errors: Record<string, string[]> = {};
  for (const [index, { by }] of steps.entries()) {
    const named = "team" in by ? by.team : null;
    if (named !== null && !teams.some(({ id, name }) => id === named.id && name === named.name))
      errors[`steps.${index}`] = ["choisissez une équipe."];
  }
  return errors;
}

/** Errors: `not_found`. */
export async function deleteCircuit(
  platform: Platform,
  { id, actorId }: { readonly id: string; readonly actorId: string },
): Promise<Result<readonly Circuit[]>> {
  return allOrNothing<readonly Circuit[], Problem>(platform.db, async (trx) => {
    const permitted = await checkPermission(trx, actorId, "change_circuits");
    if (!permitted.ok) return permitted;
    const name = await deleteCircuitRow(trx, id);
    if (name === null) return failure(problem("not_found"));
    await releaseDrafts(trx, id);
    const detail = { name };
    await noteEvent(trx, platform, { kind: "circuit_deleted", actorId, detail });
    return success(await selectCircuits(trx));
  });
}

type Choice = EnvelopeCommand & {
  readonly request: ChooseCircuitRequest;
  readonly copied?: EnvelopeAggregate;
};
type Planned = {
  readonly circuit: Circuit | null;
  readonly recipients: readonly RecipientToInsert[];
  /** Ids of recipients other than the other party. */
  readonly brought: readonly string[];
  readonly moves: readonly FieldsMove[];
};

/**
 * Makes the steps of a circuit a draft's recipients.
 * Errors: `not_found`, `not_allowed`, `invalid_state`; `validation`.
 */
export function chooseCircuit(
  platform: Platform,
  choice: Choice,
): Promise<Result<EnvelopeAggregate>> {
  return allOrNothing(platform.db, choosingCircuit(platform, choice));
}

export function choosingCircuit(platform: Platform, { request, copied, ...command }: Choice) {
  return changeWithin(platform, { command, action: "update" }, async (trx, aggregate) => {
    const { envelope, documents } = aggregate;
    const outcome = outcomeOf(envelope.status, "update");
    if (!outcome.ok) return outcome;
    const kept = checkKind(envelope, request.kind);
    if (!kept.ok) return kept;
    const { user } = command.actor;
    const asked = { aggregate, copied: copied ?? aggregate, user, request };
    const planned = planCircuit(platform, { ...asked, ...(await loadPlanning(trx)) });
    if (!planned.ok) return planned;
    const { circuit, recipients, moves } = planned.value;
    const snapshot = circuit && snapshotOf(circuit, planned.value);
    const checked = checkDraft({
      deadlineAt: null,
      pageCounts: documents.map(({ pageCount }) => pageCount),
      recipients,
      fields: [],
      now: platform.clock(),
      firstMissing: firstUnprinted,
      isServed: (number) => isServedNumber(number, platform.settings.smsCountries),
    });
    if (!checked.ok) return checked;
    const { id, title, createdByName } = envelope;
    const change = {
      id,
      now: platform.clock(),
      document_kind: request.kind,
      circuit: snapshot && JSON.stringify(snapshot),
      signer_count: recipients.filter(mustSign).length,
      search_text: envelopeText(title, createdByName, recipients),
      ...(circuit === null ? {} : { flow: "sequential" }),
    };
    const { now } = change;
    const people = replacingRecipients(trx, { command, aggregate, recipients, moves, now });
    return success({
      writes: [() => people.write(), updateEnvelopeRow(change)],
      events: [
        {
          envelopeId: id,
          action: "envelope_updated",
          actor: auditActor(command.actor),
          detail: { changed: ["recipients"], circuit: circuit?.name ?? null },
        },
        ...people.events,
      ],
    });
  });
}

/** Whom a circuit would bring to a new envelope. Errors: `validation`. */
export async function holdersNow(
  { db, newId }: { readonly db: Reader } & Pick<Platform, "newId">,
  { team, ...asked }: Pick<Planning, "user" | "request"> & Pick<Envelope, "team">,
): Promise<Result<readonly RecipientRequest[]>> {
  const aggregate = { envelope: { team, circuit: null }, recipients: [] };
  const loaded = await loadPlanning(db);
  const planned = planCircuit({ newId }, { aggregate, copied: aggregate, ...asked, ...loaded });
  if (!planned.ok) return planned;
  return success(
    planned.value.recipients.map(({ email, fullName, role, order }) => ({
      email,
      full_name: fullName,
      phone_number: null,
      role,
      order,
    })),
  );
}

async function loadPlanning(
  reader: Reader,
): Promise<Pick<Planning, "circuits" | "members" | "former">> {
  const circuits = await selectCircuits(reader);
  const members = await loadMembers(reader);
  return { circuits, members, former: await selectFormerMembers(reader, personKeys(circuits)) };
}

/** Leaves out the steps without a recipient. */
function snapshotOf(
  { id, name, use, steps }: Circuit,
  { recipients, brought }: Planned,
): NonNullable<Envelope["circuit"]> {
  const ranks = stepRanks(steps);
  const kept = steps.map(({ kind, may_return, may_reassign, by, days, remind }, index) => ({
    role: ROLES[kind],
    order: ranks[index] ?? 1,
    who: by.who,
    may_return,
    may_reassign,
    days: kind === "copy" ? null : days,
    remind: kind === "copy" ? null : remind,
  }));
  return {
    id,
    name,
    imposed: use === "imposed",
    brought,
    steps: kept.filter(({ role, order }) =>
      recipients.some((one) => one.role === role && one.order === order),
    ),
  };
}

const ROLES = { visa: "visa", signature: "signer", copy: "viewer" } as const;

type Member = Pick<MemberRow, "id" | "email" | "name" | "role"> & {
  /** Teams by id: whether the member administers it. */
  readonly places: ReadonlyMap<string, boolean>;
};

async function loadMembers(reader: Reader): Promise<readonly Member[]> {
  const rows = await selectMembers(reader);
  const administered = await selectAdministered(reader);
  return rows
    .toSorted((one, other) => one.joinedAt.getTime() - other.joinedAt.getTime())
    .map(({ id, email, name, role, teams }) => ({
      id,
      email,
      name,
      role,
      places: new Map(teams.map((team) => [team.id, administered.has(`${team.id} ${id}`)])),
    }));
}

const NO_CIRCUIT = "Ce circuit n’existe plus. Choisissez-en un autre.";

type Person = { readonly email: string; readonly full_name: string };
type Plannable = {
  readonly envelope: Pick<Envelope, "team" | "circuit">;
  readonly recipients: readonly EnvelopeRecipient[];
};
type Planning = {
  readonly aggregate: Plannable;
  readonly copied: Plannable;
  readonly user: EnvelopeCommand["actor"]["user"];
  readonly request: ChooseCircuitRequest;
  readonly circuits: readonly Circuit[];
  readonly members: readonly Member[];
  readonly former: ReadonlySet<string>;
};

const imposedOn = (circuits: readonly Circuit[], kind: string | null) =>
  circuits.find(
    ({ use, kinds }) =>
      use === "imposed" && kind !== null && kinds.some((one) => foldText(one) === foldText(kind)),
  );

function planCircuit(
  { newId }: Pick<Platform, "newId">,
  { aggregate, copied, user, request, circuits, members, former }: Planning,
): Result<Planned> {
  const { envelope, recipients } = aggregate;
  const circuit =
    imposedOn(circuits, request.kind) ?? circuits.find(({ id }) => id === request.circuit_id);
  if (circuit === undefined)
    return request.circuit_id === null || copied !== aggregate
      ? success({ circuit: null, recipients, brought: [], moves: [] })
      : failure(problem("validation", { errors: { circuit_id: [NO_CIRCUIT] } }));
  const named =
    request.other_party.length > 0
      ? request.other_party
      : othersOf(copied.envelope, copied.recipients);
  const ranks = stepRanks(circuit.steps);
  const errors: Record<string, string[]> = {};
  const planned = circuit.steps.flatMap((step, index) => {
    const holding = { envelope, user, members, named };
    const gone = formerHolder(step, former);
    const found =
      gone === null
        ? findHolders(step, holding)
        : failure(
            `${stepOf(ranks[index] ?? 1, ROLES[step.kind])}\u00a0: ${gone} n’est plus membre. Une personne qui administre l’organisation doit changer le circuit «\u00a0${circuit.name}\u00a0».`,
          );
    if (!found.ok)
      errors[step.by.who === "other_party" ? "other_party" : "circuit_id"] = [found.error];
    const role = ROLES[step.kind];
    return (found.ok ? found.value : []).map((person) => ({
      ...person,
      role,
      order: ranks[index] ?? 1,
      key: emailKey(person.email),
      isParty: step.by.who === "other_party",
    }));
  });
  if (Object.keys(errors).length > 0) return failure(problem("validation", { errors }));
  const nameOf = (one: (typeof planned)[number]) => `${one.order} ${one.role} ${one.key}`;
  const acting = new Set(planned.flatMap(({ role, key }) => (role === "viewer" ? [] : [key])));
  // Whoever acts gets a copy in any case.
  const once = [...new Map(planned.map((one) => [nameOf(one), one])).values()].filter(
    ({ role, key }) => role !== "viewer" || !acting.has(key),
  );
  const fixed = new Set(planned.filter(({ isParty }) => !isParty).map(nameOf));
  const known = matchPlaces(once, aggregate);
  const brought: string[] = [];
  const moves: FieldsMove[] = [];
  const made = once.map((one, index) => {
    const { email, full_name: fullName, role, order, key } = one;
    const { same: there, former } = known[index] ?? {};
    const id = there?.id ?? newId();
    if (former !== undefined) moves.push({ from: former, to: id });
    if (fixed.has(nameOf(one))) brought.push(id);
    const phoneNumber = there?.phoneNumber ?? null;
    return { id, position: index + 1, order, role, email, emailKey: key, fullName, phoneNumber };
  });
  return success({ circuit, recipients: made, brought, moves });
}

type Holding = {
  readonly envelope: Pick<Envelope, "team">;
  readonly user: EnvelopeCommand["actor"]["user"];
  readonly members: readonly Member[];
  /** The other party, named by the request. */
  readonly named: readonly Person[];
};

/**
 * Gives who has a step: one person, each member of a team, or the other party. Errors: in French.
 */
function findHolders(
  { by, kind }: CircuitStep,
  { envelope, user, members, named }: Holding,
): Result<readonly Person[], string> {
  const some = (found: readonly Person[], otherwise: string) =>
    found.length === 0 ? failure(otherwise) : success(found);
  const people = (found: readonly Member[]) =>
    found.map(({ email, name }) => ({ email, full_name: name }));
  const first = (role: MemberRole) =>
    people(members.filter((one) => one.role === role)).slice(0, 1);
  switch (by.who) {
    case "person":
      return success([by]);
    case "preparer":
      return success([{ email: user.email, full_name: user.full_name }]);
    case "other_party":
      return some(named, "Indiquez l’autre partie");
    case "owner":
      return some(first("owner"), "L’organisation n’a plus de propriétaire");
    case "administrator":
      return some(
        [...first("administrator"), ...first("owner")].slice(0, 1),
        "L’organisation n’a plus d’administrateur",
      );
  }
  const [own, ...others] = user.teams;
  const team = by.team ?? envelope.team ?? (others.length === 0 ? own : undefined);
  if (team === undefined)
    return failure(
      own === undefined
        ? "Ce circuit s’adresse à votre équipe, et vous n’êtes dans aucune"
        : "Choisissez l’équipe qui envoie, à l’étape «\u00a0Documents\u00a0»",
    );
  const inTeam = members.filter(
    ({ places, role }) => places.has(team.id) && (kind === "copy" || role !== "reader"),
  );
  if (by.who === "team_members")
    return some(people(inTeam), `L’équipe ${team.name} n’a plus de membre`);
  return some(
    people(inTeam.filter(({ places }) => places.get(team.id))).slice(0, 1),
    `L’équipe ${team.name} n’a pas d’administrateur`,
  );
}

const personKeys = (circuits: readonly Circuit[]) =>
  circuits.flatMap(({ steps }) =>
    steps.flatMap(({ by }) => (by.who === "person" ? [emailKey(by.email)] : [])),
  );

const formerHolder = ({ by }: CircuitStep, former: ReadonlySet<string>) =>
  by.who === "person" && former.has(emailKey(by.email)) ? by.full_name : null;

const stepOf = (rank: number, role: EnvelopeRecipient["role"]) =>
  `Étape ${rank} (${STEP_KINDS[role === "visa" ? "visa" : role === "viewer" ? "copy" : "signature"].toLowerCase()})`;

type Sent = Pick<EnvelopeAggregate, "envelope" | "recipients">;

/**
 * Gives the circuit as it is sent. Refuses what the circuit imposed on the draft's kind would not
 * bring now, and a removed member of any circuit. Errors: `not_ready_to_send`.
 */
export async function checkCircuit(
  reader: Reader,
  platform: Pick<Platform, "newId">,
  { aggregate, user }: { readonly aggregate: Sent; readonly user: Planning["user"] },
): Promise<Result<Envelope["circuit"]>> {
  const { documentKind: kind, circuit } = aggregate.envelope;
  if (kind === null && circuit === null) return success(null);
  const planning = await loadPlanning(reader);
  const imposed = imposedOn(planning.circuits, kind);
  if (imposed === undefined) return checkHolders(reader, aggregate);
  const named = `«\u00a0${imposed.name}\u00a0», que l’organisation fixe pour ce genre de document`;
  if (circuit?.id !== imposed.id) return notReady(`appliquez le circuit ${named}.`);
  const plans = preparersOf(aggregate, { user, members: planning.members }).map((preparer) =>
    planCircuit(platform, {
      ...planning,
      aggregate,
      copied: aggregate,
      user: preparer,
      request: { kind, circuit_id: imposed.id, other_party: [] },
    }),
  );
  const unlike: string[] = [];
  for (const plan of plans) {
    if (!plan.ok) unlike.push(...Object.values(plan.error.errors ?? {}).flat());
    else {
      const found = differenceOf(aggregate, imposed, plan.value);
      if (found === null) {
        // Whoever was given a step stays.
        const here = new Map(plan.value.moves.map(({ from, to }) => [to, from.id]));
        const brought = plan.value.brought.map((id) => here.get(id) ?? id);
        return success(snapshotOf(imposed, { ...plan.value, brought }));
      }
      unlike.push(found);
    }
  }
  const [first = ""] = unlike;
  const stop = first.endsWith(".") ? "" : ".";
  return notReady(`${first}${stop} Appliquez de nouveau le circuit ${named}.`);
}

/** The sender, the owner, and whoever of the team is among the recipients. */
function preparersOf(
  { envelope: { ownerId, team }, recipients }: Sent,
  { user, members }: Pick<Planning, "user" | "members">,
): readonly Planning["user"][] {
  const there = new Set(recipients.map((one) => one.emailKey));
  const others = members.filter(
    ({ id, email, places }) =>
      there.has(emailKey(email)) && (id === ownerId || (team !== null && places.has(team.id))),
  );
  return [user, ...others.map(({ email, name }) => ({ ...user, email, full_name: name }))];
}

const notReady = (reason: string) =>
  failure(problem("not_ready_to_send", { params: { reason, next: APPLY } }));
const APPLY = "Appliquez le circuit (PUT …/circuit/), puis renvoyez la demande.";

/** Says in French how the draft is not as planned; null when it is. */
function differenceOf({ envelope, recipients }: Sent, imposed: Circuit, planned: Planned) {
  const keyOf = (one: RecipientToInsert) =>
    `${one.order} ${one.role} ${one.emailKey} ${one.fullName}`;
  const [there, due] = [recipients, planned.recipients].map((all) => new Set(all.map(keyOf)));
  const missing = planned.recipients.filter((one) => !there?.has(keyOf(one)));
  const other = recipients
    .filter((one) => !due?.has(keyOf(one)))
    .find((one) => {
      // A step given away before the return stays with its new holder.
      const place = missing.findIndex(
        ({ role, order }) => role === one.role && order === one.order,
      );
      const isGiven = isReturned(envelope) && one.reassignedAt !== null && place >= 0;
      if (isGiven) missing.splice(place, 1);
      return !isGiven;
    });
  const [absent] = missing;
  const elsewhere = missing.find((one) => one.emailKey === other?.emailKey);
  if (elsewhere !== undefined)
    return `${stepOf(elsewhere.order, elsewhere.role)}\u00a0: le circuit y prévoit ${elsewhere.fullName}.`;
  if (other !== undefined)
    return `${stepOf(other.order, other.role)}\u00a0: ${other.fullName} n’y est pas prévu.`;
  if (absent !== undefined)
    return `${stepOf(absent.order, absent.role)}\u00a0: ${absent.fullName} manque.`;
  const terms = (circuit: Envelope["circuit"]) => ({ ...circuit, imposed: true, brought: [] });
  return envelope.flow === "sequential" &&
    isDeepStrictEqual(terms(envelope.circuit), terms(snapshotOf(imposed, planned)))
    ? null
    : "le circuit a changé depuis.";
}

async function checkHolders(
  reader: Reader,
  { envelope: { circuit }, recipients }: Sent,
): Promise<Result<Envelope["circuit"]>> {
  const free =
    circuit && followsCircuit(circuit, recipients) ? { ...circuit, imposed: false } : null;
  const asked = recipients.filter(({ role, order }) =>
    circuit?.steps.some(
      (step) => step.who !== "other_party" && step.role === role && step.order === order,
    ),
  );
  if (circuit === null || asked.length === 0) return success(free);
  const keys = asked.map((one) => one.emailKey);
  const former = await selectFormerMembers(reader, keys);
  const gone = asked.find((one) => former.has(one.emailKey));
  return gone === undefined
    ? success(free)
    : notReady(
        `${stepOf(gone.order, gone.role)}\u00a0: ${gone.fullName} n’est plus membre. Appliquez de nouveau le circuit «\u00a0${circuit.name}\u00a0», ou remplacez cette personne.`,
      );
}

/** Gives the people of the other party's steps, and signers that no step brought. */
function othersOf(
  { circuit }: Pick<Envelope, "circuit">,
  recipients: readonly EnvelopeRecipient[],
): readonly Person[] {
  const isParty = ({ role, order }: EnvelopeRecipient) =>
    circuit?.steps.some(
      (step) => step.who === "other_party" && step.role === role && step.order === order,
    );
  return recipients
    .filter((one) => (one.role === "signer" || isParty(one)) && !isBrought(circuit, one))
    .map(({ email, fullName }) => ({ email, full_name: fullName }));
}
