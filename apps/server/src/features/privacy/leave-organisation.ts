import {
  failure,
  type Holdings,
  problem,
  type Problem,
  type RemovalRequest,
  type Result,
  success,
} from "@paraphe/contracts";
import { plural } from "@paraphe/kernel/french-numbers";
import * as z from "zod/mini";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { closeForLeaver, emailKey, loadMember } from "../accounts/public.ts";
import {
  countCircuitSteps,
  countHoldings,
  deleteWebhooksOf,
  eraseTraces,
  passCircuitSteps,
  passHoldings,
  passTeamHoldings,
  type Passing,
  passSteps,
  selectAwaitingSenders,
  selectOwnedTeams,
  recordPassed,
} from "../envelopes/public.ts";
import { enqueueNotice } from "../notices/public.ts";
import {
  endMembership,
  isPermitted,
  knownIdentity,
  lockOrganisation,
  noteEvent,
  selectRole,
  selectTeamHeir,
  selectTeams,
} from "../organisations/public.ts";
import { passPrints } from "../proof/public.ts";

const PASS_JOB = "organisation.pass-holdings";
const payloadSchema = z.strictObject({
  from: z.uuid(),
  to: z.uuid(),
  from_name: z.string(),
  team_id: z.nullable(z.uuid()),
});
/** Longer than a request may take: a late upload leaves a draft. */
const LONGEST_REQUEST_MS = 15 * 60_000;

/** Errors: `not_found` for whoever is no member. */
export async function readHoldings(
  { db }: Pick<Platform, "db">,
  userId: string,
): Promise<Result<Holdings>> {
  const member = (await selectRole(db, userId)) === null ? null : await loadMember(db, userId);
  if (member === null) return failure(problem("not_found"));
  const key = emailKey(member.email);
  const counts = await countHoldings(db, { ownerId: userId, emailKey: key });
  return success({
    open_envelopes: counts.openEnvelopes,
    closed_envelopes: counts.closedEnvelopes,
    drafts: counts.drafts,
    templates: counts.templates,
    layouts: counts.layouts,
    contacts: counts.contacts,
    circuit_steps: (await countCircuitSteps(db, key)) + counts.openSteps,
    to_sign: counts.toSign,
  });
}

const NO_HEIR = { heir_id: ["Choisissez un membre qui peut envoyer des documents."] };
const NO_TEAM = {
  team_id: ["Choisissez une équipe où quelqu’un d’autre peut envoyer des documents."],
};

type Removal = {
  readonly userId: string;
  readonly heir: RemovalRequest;
  readonly actorId: string;
};
type Heir = { readonly person: Person; readonly team: { id: string; name: string } | null };

/**
 * Ends sessions and opens none. What the leaver had passes to a member or team; signatures stay.
 * Errors: `not_found`; `validation` on `heir_id` or `team_id`; `owners_only`; `last_owner`.
 */
export function removeFromOrganisation(
  platform: Platform,
  removal: Removal,
): Promise<Result<null, Problem>> {
  const { userId, actorId } = removal;
  return inTransaction<Result<null, Problem>>(platform.db, async (trx) => {
    await lockOrganisation(trx, platform);
    const leaver = (await selectRole(trx, userId)) === null ? null : await loadMember(trx, userId);
    if (leaver === null) return failure(problem("not_found"));
    const found = await findHeir(trx, removal);
    if (!found.ok) return found;
    const { person: heir, team } = found.value;
    const ended = await endMembership(trx, platform, { userId, actorId });
    if (!ended.ok) return ended;
    const key = emailKey(leaver.email);
    const held = await countHoldings(trx, { ownerId: userId, emailKey: key });
    const inCircuits = await countCircuitSteps(trx, key);
    await closeForLeaver(trx, platform, userId);
    await deleteWebhooksOf(trx, userId);
    const teamId = team?.id ?? null;
    const passing = { from: userId, to: heir.id, fromName: leaver.fullName, teamId };
    await recordPassed(trx, platform, { from: leaver, to: heir });
    await pass(trx, passing);
    await passCircuitSteps(trx, { from: key, to: heir, now: platform.clock() });
    const passed = await passSteps(trx, platform, { fromKey: key, to: heir });
    await enqueueLatePass(trx, platform, passing);
    const counts = { ...held, circuitSteps: inCircuits + passed, toAnswer: passed };
    const steps = counts.circuitSteps;
    const detail = {
      steps,
      heir: team === null ? heir.fullName : `l’équipe «\u00a0${team.name}\u00a0»`,
    };
    await noteEvent(trx, platform, { kind: "member_removed", actorId, subjectId: userId, detail });
    await tellBoth(trx, platform, { leaver, heir, team, counts });
    await notifyAwaiting(trx, platform, leaver);
    return success(null);
  });
}

async function findHeir(
  trx: Transaction,
  { userId, heir }: Pick<Removal, "userId" | "heir">,
): Promise<Result<Heir, Problem>> {
  if ("team_id" in heir) {
    const asked = { teamId: heir.team_id, except: userId };
    const taking = await selectTeamHeir(trx, asked);
    const person = taking === null ? null : await loadMember(trx, taking.userId);
    return taking === null || person === null
      ? failure(problem("validation", { errors: NO_TEAM }))
      : success({ person, team: { id: heir.team_id, name: taking.team } });
  }
  const person = await loadMember(trx, heir.heir_id);
  const receives = isPermitted(await selectRole(trx, heir.heir_id), "receive_work");
  return person === null || person.id === userId || !receives
    ? failure(problem("validation", { errors: NO_HEIR }))
    : success({ person, team: null });
}

async function pass(trx: Transaction, passing: Passing): Promise<void> {
  await passHoldings(trx, passing);
  await passPrints(trx, passing);
}

/**
 * For whoever erases their account: what teams have stays there, without the owner's addresses.
 * Nothing passes when nobody else works in the organisation. `fullName`: null once erased.
 */
export async function passTeamWork(
  trx: Transaction,
  platform: Platform,
  leaver: { readonly id: string; readonly fullName: string | null },
): Promise<void> {
  for (const teamId of await selectOwnedTeams(trx, leaver.id)) {
    const taking = await selectTeamHeir(trx, { teamId, except: leaver.id, beyond: true });
    const heir = taking && (await loadMember(trx, taking.userId));
    if (heir === null) continue;
    const { id, fullName } = leaver;
    if (fullName !== null)
      await recordPassed(trx, platform, { from: { id, fullName }, to: heir, teamId });
    const passing = { from: leaver.id, to: heir.id, teamId };
    const envelopeIds = await passTeamHoldings(trx, passing);
    await eraseTraces(trx, { ownerId: leaver.id, envelopeIds });
  }
}

type Passed = Awaited<ReturnType<typeof countHoldings>> & {
  readonly circuitSteps: number;
  /** Of those, the steps of envelopes in progress. */
  readonly toAnswer: number;
};
type Person = { readonly id: string; readonly fullName: string; readonly email: string };

async function tellBoth(
  trx: Transaction,
  platform: Platform,
  told: { leaver: Person; heir: Person; team: Heir["team"]; counts: Passed },
): Promise<void> {
  const { leaver, heir, counts } = told;
  const id = platform.newId();
  await enqueueNotice(trx, platform, {
    kind: "access_ended",
    channel: "email",
    dedupeKey: `access_ended:${id}`,
    to: { fullName: leaver.fullName, address: leaver.email },
    content: {
      organisation: (await knownIdentity(platform))?.name ?? null,
      endedAt: platform.clock().toISOString(),
    },
  });
  const words = [
    counts.openEnvelopes > 0 ? plural(counts.openEnvelopes, "enveloppe") + " en cours" : "",
    counts.closedEnvelopes > 0
      ? plural(counts.closedEnvelopes, "enveloppe terminée", "enveloppes terminées")
      : "",
    counts.returned > 0
      ? plural(counts.returned, "document renvoyé à corriger", "documents renvoyés à corriger")
      : "",
    counts.drafts > counts.returned ? plural(counts.drafts - counts.returned, "brouillon") : "",
    counts.templates > 0 ? plural(counts.templates, "modèle") : "",
    counts.layouts > 0 ? plural(counts.layouts, "disposition") : "",
    counts.contacts > 0 ? plural(counts.contacts, "contact") : "",
  ].filter((word) => word !== "");
  const steps = counts.circuitSteps;
  if (words.length === 0 && steps === 0) return;
  const isContacts = words.length === 1 && counts.contacts > 0 && steps === 0;
  const page = isContacts ? "/settings/contacts" : receivedAt(counts);
  await enqueueNotice(trx, platform, {
    kind: "work_received",
    channel: "email",
    dedupeKey: `work_received:${id}`,
    to: { fullName: heir.fullName, address: heir.email },
    content: {
      from: leaver.fullName,
      team: told.team?.name ?? null,
      counts: words,
      steps,
      link: platform.settings.publicUrl + page,
    },
  });
}

function receivedAt({ openEnvelopes, returned, circuitSteps, toAnswer }: Passed): string {
  if (returned > 0) return "/signature/envelopes/drafts";
  if (openEnvelopes > 0 || circuitSteps === 0) return "/signature/envelopes/sent";
  return toAnswer > 0 ? "/signature/envelopes/action-required" : "/settings/circuits";
}

/** Nobody signs in the leaver's name: those who asked correct the recipient, or cancel. */
async function notifyAwaiting(trx: Transaction, platform: Platform, leaver: Person): Promise<void> {
  const id = platform.newId();
  const search = encodeURIComponent(leaver.email);
  for (const { ownerId, count } of await selectAwaitingSenders(trx, emailKey(leaver.email))) {
    // Nobody outside the organisation learns who left it.
    const isMember = (await selectRole(trx, ownerId)) !== null;
    const sender = isMember ? await loadMember(trx, ownerId) : null;
    if (sender === null) continue;
    await enqueueNotice(trx, platform, {
      kind: "leaver_awaited",
      channel: "email",
      dedupeKey: `leaver_awaited:${id}:${ownerId}`,
      to: { fullName: sender.fullName, address: sender.email },
      content: {
        leaver: leaver.fullName,
        count,
        link: `${platform.settings.publicUrl}/signature/envelopes/sent?search=${search}`,
      },
    });
  }
}

function enqueueLatePass(
  trx: Transaction,
  platform: Platform,
  { from, to, fromName, teamId }: Passing,
): Promise<unknown> {
  const payload = { from, to, from_name: fromName, team_id: teamId };
  const startAfter = new Date(platform.clock().getTime() + LONGEST_REQUEST_MS);
  return platform.queue.enqueue(trx, PASS_JOB, payload, { singletonKey: from, startAfter });
}

const RETRIES = {
  concurrency: 1,
  retryLimit: 20,
  retryDelayS: 30,
  retryDelayMaxS: 3_600,
  expireInS: 300,
} as const;

/** Passes an upload or batch of the last moment. */
export function registerLeaveJobs(platform: Platform): void {
  platform.queue.handle(PASS_JOB, RETRIES, async (payload) => {
    const { from, to, from_name: fromName, team_id } = z.parse(payloadSchema, payload);
    await inTransaction(platform.db, async (trx) => {
      // An account that was reopened meanwhile keeps what it has.
      if ((await loadMember(trx, from)) === null)
        await pass(trx, { from, to, fromName, teamId: await existing(trx, team_id) });
    });
  });
}

async function existing(trx: Transaction, teamId: string | null): Promise<string | null> {
  return (await selectTeams(trx)).find(({ id }) => id === teamId)?.id ?? null;
}
