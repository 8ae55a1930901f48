import {
  failure,
  problem,
  type Result,
  success,
  firstUnprinted,
  isServedNumber,
} from "@paraphe/contracts";
import {
  type ChooseCircuitRequest,
  type Circuit,
  circuitFaults,
  type CircuitRequest,
  type CircuitStep,
  MAX_CIRCUITS,
  stepRanks,
} from "@paraphe/contracts/circuit";
import { foldText } from "@paraphe/kernel/french-words";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import type { Platform } from "../../../platform/platform.ts";
import { emailKey, selectMembers } from "../../accounts/public.ts";
import { lockHost, noteEvent } from "../../organisations/public.ts";
import { changeEnvelope } from "../change-envelope.ts";
import { auditActor } from "../commit.ts";
import { checkDraft } from "../domain/draft-checks.ts";
import { type Envelope, type EnvelopeRecipient, mustSign, outcomeOf } from "../domain/envelope.ts";
import { envelopeText } from "../domain/search-text.ts";
import type { EnvelopeCommand } from "../domain/viewer.ts";
import { type RecipientToInsert, replaceRecipientRows } from "../recipient-store.ts";
import { type EnvelopeAggregate, updateEnvelopeRow } from "../store.ts";
import { deleteCircuitRow, insertCircuit, selectCircuits, updateCircuit } from "./store.ts";

type Saving = {
  readonly id: string | null;
  readonly actorId: string;
  readonly request: CircuitRequest;
};

/** Envelopes under way keep theirs. Errors: `validation`; `not_found`; `organisation_changed`. */
export async function saveCircuit(
  platform: Platform,
  { id, actorId, request }: Saving,
): Promise<Result<readonly Circuit[]>> {
  return inTransaction<Result<readonly Circuit[]>>(platform.db, async (trx) => {
    await noteEvent(trx, platform, {
      kind: "circuit_saved",
      actorId,
      detail: { name: request.name },
    });
    const there = await selectCircuits(trx);
    const edited = there.find((one) => one.id === id);
    if (id !== null && edited === undefined) return failure(problem("not_found"));
    if (edited !== undefined && edited.version !== request.version)
      return failure(problem("organisation_changed"));
    const errors = errorsOf(
      request,
      there.filter((one) => one.id !== id),
    );
    if (Object.keys(errors).length > 0) return failure(problem("validation", { errors }));
    const row = { ...request, now: platform.clock() };
    if (id !== null) await updateCircuit(trx, { ...row, id });
    else {
      const fresh = { id: platform.newId(), now: row.now };
      const { id: organisationId } = await lockHost(trx, fresh);
      await insertCircuit(trx, { ...row, id: platform.newId(), organisationId });
    }
    return success(await selectCircuits(trx));
  });
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
  const taken = others.flatMap((one) => (one.use === "imposed" ? one.kinds : []));
  const twice = use === "imposed" ? kinds.find((kind) => taken.includes(kind)) : undefined;
  if (twice !== undefined)
    errors["kinds"] = [`Un autre circuit est déjà imposé pour «\u00a0${twice}\u00a0»`];
  return errors;
}

/** Errors: `not_found`. */
export async function deleteCircuit(
  platform: Platform,
  { id, actorId }: { readonly id: string; readonly actorId: string },
): Promise<Result<readonly Circuit[]>> {
  return inTransaction<Result<readonly Circuit[]>>(platform.db, async (trx) => {
    const name = await deleteCircuitRow(trx, id);
    if (name === null) return failure(problem("not_found"));
    const detail = { name };
    await noteEvent(trx, platform, { kind: "circuit_deleted", actorId, detail });
    return success(await selectCircuits(trx));
  });
}

type Choice = EnvelopeCommand & { readonly request: ChooseCircuitRequest };
type Planned = {
  readonly circuit: Circuit | null;
  readonly recipients: readonly RecipientToInsert[];
};

/**
 * The steps of a circuit become a draft's recipients.
 * Errors: `not_found`, `not_allowed`, `invalid_state`; `validation`.
 */
export async function chooseCircuit(
  platform: Platform,
  { request, ...command }: Choice,
): Promise<Result<EnvelopeAggregate>> {
  return changeEnvelope(platform, { command, action: "update" }, async (trx, aggregate) => {
    const { envelope, documents } = aggregate;
    const outcome = outcomeOf(envelope.status, "update");
    if (!outcome.ok) return outcome;
    const circuits = await selectCircuits(trx);
    const administrators = leadersOf(await selectMembers(trx));
    const planned = planCircuit(platform, {
      aggregate,
      command,
      request,
      circuits,
      administrators,
    });
    if (!planned.ok) return planned;
    const { circuit, recipients } = planned.value;
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
      circuit: circuit === null ? null : JSON.stringify(snapshotOf(circuit)),
      signer_count: recipients.filter(mustSign).length,
      search_text: envelopeText(title, createdByName, recipients),
      ...(circuit === null ? {} : { flow: "sequential" }),
    };
    return success({
      writes: [() => replaceRecipientRows(trx, id, recipients), updateEnvelopeRow(change)],
      events: [
        {
          envelopeId: id,
          action: "envelope_updated",
          actor: auditActor(command.actor),
          detail: { changed: ["recipients"], circuit: circuit?.name ?? null },
        },
      ],
    });
  });
}

function snapshotOf({ id, name, use, steps }: Circuit): NonNullable<Envelope["circuit"]> {
  const ranks = stepRanks(steps);
  return {
    id,
    name,
    imposed: use === "imposed",
    steps: steps.map(({ kind, may_return, may_reassign, by }, index) => ({
      role: ROLES[kind],
      order: ranks[index] ?? 1,
      who: by.who,
      may_return,
      may_reassign,
    })),
  };
}

const ROLES = { visa: "visa", signature: "signer", copy: "viewer" } as const;

/** Administrators, then owners; the first to join first. */
function leadersOf(members: Awaited<ReturnType<typeof selectMembers>>): readonly Person[] {
  const ofRole = (role: string) => members.filter((one) => one.role === role);
  return ["administrator", "owner"]
    .flatMap((role) =>
      ofRole(role).toSorted((one, other) => one.joinedAt.getTime() - other.joinedAt.getTime()),
    )
    .map(({ email, name }) => ({ email, full_name: name }));
}

type Person = { readonly email: string; readonly full_name: string };
type Planning = {
  readonly aggregate: EnvelopeAggregate;
  readonly command: EnvelopeCommand;
  readonly request: ChooseCircuitRequest;
  readonly circuits: readonly Circuit[];
  readonly administrators: readonly Person[];
};

function planCircuit(
  { newId }: Pick<Platform, "newId">,
  { aggregate, command, request, circuits, administrators }: Planning,
): Result<Planned> {
  const { envelope, recipients } = aggregate;
  const circuit =
    circuits.find(
      ({ use, kinds }) =>
        use === "imposed" && request.kind !== null && kinds.includes(request.kind),
    ) ?? circuits.find(({ id }) => id === request.circuit_id);
  if (circuit === undefined)
    return request.circuit_id === null
      ? success({ circuit: null, recipients })
      : failure(problem("not_found"));
  const others = othersOf(envelope, recipients);
  const known = new Map(recipients.map((one) => [`${one.emailKey} ${one.role}`, one.id]));
  const people = (by: CircuitStep["by"]): readonly Person[] => {
    if (by.who === "person") return [by];
    if (by.who === "administrator") return administrators.slice(0, 1);
    const { user } = command.actor;
    if (by.who === "preparer") return [{ email: user.email, full_name: user.full_name }];
    return request.other_party.length > 0 ? request.other_party : others;
  };
  const ranks = stepRanks(circuit.steps);
  const errors: Record<string, string[]> = {};
  const planned = circuit.steps.flatMap(({ kind, by }, index) => {
    const found = people(by);
    if (found.length === 0)
      errors[by.who === "other_party" ? "other_party" : "circuit_id"] = [
        by.who === "other_party"
          ? "Indiquez l’autre partie"
          : "L’organisation n’a plus d’administrateur",
      ];
    return found.map((person) => ({ ...person, role: ROLES[kind], order: ranks[index] ?? 1 }));
  });
  if (Object.keys(errors).length > 0) return failure(problem("validation", { errors }));
  return success({
    circuit,
    recipients: planned.map(({ email, full_name: fullName, role, order }, index) => ({
      id: known.get(`${emailKey(email)} ${role}`) ?? newId(),
      position: index + 1,
      order,
      role,
      email,
      emailKey: emailKey(email),
      fullName,
      phoneNumber: null,
    })),
  });
}

/** Signers that no step of a former circuit brought. */
function othersOf(
  { circuit }: Envelope,
  recipients: readonly EnvelopeRecipient[],
): readonly Person[] {
  const brought = (circuit?.steps ?? []).filter(({ who }) => who !== "other_party");
  return recipients
    .filter(
      (one) =>
        one.role === "signer" &&
        !brought.some(({ role, order }) => role === "signer" && order === one.order),
    )
    .map(({ email, fullName }) => ({ email, full_name: fullName }));
}
