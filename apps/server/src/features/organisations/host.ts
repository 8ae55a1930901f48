import {
  failure,
  type IdentityRequest,
  type OrganisationSettings,
  problem,
  type Problem,
  type RegistrationRequest,
  type Result,
  type ShownIdentity,
  success,
} from "@paraphe/contracts";
import type { Database, Reader, Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import { mailboxPath } from "../../platform/mailbox/mailbox-shown.ts";
import type { Platform } from "../../platform/platform.ts";
import type { RegistrationPolicy, Settings } from "../../platform/settings/settings.ts";
import { noteEvent } from "./members.ts";
import { type Host, lockHost, selectHost, updateIdentity, updateRegistration } from "./store.ts";

type HostPlatform = Pick<Platform, "db" | "clock">;
type Minting = Pick<Platform, "newId" | "clock">;

/** Every mail and certificate names the organisation: the row is read once in this time. */
const READ_AGAIN_AFTER_MS = 5_000;
type Known = { readonly at: number; readonly host: Promise<Host | null> };
const known = new WeakMap<Database, Known>();

/** Another process may have named it within five seconds. */
export async function knownIdentity(platform: HostPlatform): Promise<ShownIdentity | null> {
  return (await knownHost(platform))?.identity ?? null;
}

function knownHost({ db, clock }: HostPlatform): Promise<Host | null> {
  const at = clock().getTime();
  const last = known.get(db);
  if (last !== undefined && Math.abs(at - last.at) < READ_AGAIN_AFTER_MS) return last.host;
  const host = selectHost(db);
  known.set(db, { at, host });
  // A failure is not remembered.
  host.catch(() => known.delete(db));
  return host;
}

type RegistrationSettings = Pick<Settings, "mailDisabled" | "registration">;

/**
 * The one answer to who may register without an invitation: what an administrator chose, before
 * that `REGISTRATION`; nobody where no mail leaves to confirm an address.
 */
export async function loadRegistration(
  reader: Reader,
  settings: RegistrationSettings,
): Promise<RegistrationPolicy> {
  return registrationOf(await selectHost(reader), settings);
}

/** For display: up to five seconds old. */
export async function knownRegistration(
  platform: HostPlatform & { readonly settings: RegistrationSettings },
): Promise<RegistrationPolicy> {
  return registrationOf(await knownHost(platform), platform.settings);
}

function registrationOf(host: Host | null, settings: RegistrationSettings): RegistrationPolicy {
  return settings.mailDisabled ? { kind: "closed" } : (host?.registration ?? settings.registration);
}

export async function readSettings(platform: Platform): Promise<OrganisationSettings> {
  return presentSettings(await selectHost(platform.db), platform.settings);
}

function presentSettings(host: Host | null, settings: Settings): OrganisationSettings {
  const policy = host?.registration ?? settings.registration;
  return {
    version: host?.version ?? 0,
    identity: host?.identity ?? null,
    registration: {
      kind: policy.kind,
      domains: policy.kind === "domains" ? [...policy.domains] : [],
      is_chosen: host !== null && host.registration !== null,
    },
    mailbox: mailboxPath(settings),
  };
}

type By = { readonly actorId: string };

/** Errors: `organisation_changed` when another version was edited. */
export function changeIdentity(
  platform: Platform,
  { version, actorId, ...identity }: IdentityRequest & By,
): Promise<Result<OrganisationSettings, Problem>> {
  return changeHost(platform, version, async (trx, change) => {
    await updateIdentity(trx, { ...change, identity });
    await noteEvent(trx, platform, { kind: "identity_changed", actorId });
  });
}

const CHOICES = {
  closed: "personne sans invitation",
  domains: "adresses de certains domaines",
  open: "tout le monde",
} as const;

/** Errors: `organisation_changed` when another version was edited. */
export function changeRegistration(
  platform: Platform,
  { version, choice, actorId }: RegistrationRequest & By,
): Promise<Result<OrganisationSettings, Problem>> {
  return changeHost(platform, version, async (trx, change) => {
    await updateRegistration(trx, { ...change, choice });
    const detail = { choice: CHOICES[choice.kind] };
    await noteEvent(trx, platform, { kind: "registration_changed", actorId, detail });
  });
}

async function changeHost(
  platform: Platform,
  version: number,
  change: (trx: Transaction, host: { readonly id: string; readonly now: Date }) => Promise<void>,
): Promise<Result<OrganisationSettings, Problem>> {
  const now = platform.clock();
  const changed = await inTransaction(platform.db, async (trx) => {
    const host = await lockHost(trx, { id: platform.newId(), now });
    if (host.version !== version) return failure(problem("organisation_changed"));
    await change(trx, { id: host.id, now });
    return success(presentSettings(await selectHost(trx), platform.settings));
  });
  known.delete(platform.db);
  return changed;
}

/** Serialises the first start, and changes of members, until the transaction ends. */
export async function lockOrganisation(trx: Transaction, platform: Minting): Promise<Host> {
  return lockHost(trx, { id: platform.newId(), now: platform.clock() });
}
