import {
  type AccessRequest,
  type AppearanceRequest,
  checkLogo,
  failure,
  type IdentityRequest,
  LOGO_FAULTS,
  type MailsRequest,
  type OrganisationSettings,
  problem,
  type Problem,
  problemSentence,
  type RegistrationRequest,
  type Result,
  FACTOR_DAY_FAULT,
  SECOND_FACTOR_GRACE_DAYS,
  type ShownIdentity,
  success,
} from "@paraphe/contracts";
import { fromBase64 } from "@paraphe/kernel/bytes";
import { addDays, parisDay } from "@paraphe/kernel/paris-days";
import { startOfParisDay } from "@paraphe/kernel/paris-time";
import { formatLongDay } from "@paraphe/kernel/french-dates";
import type { Database, Reader, Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import { readImageSize } from "../../platform/images/check-image.ts";
import { mailboxPath } from "../../platform/mailbox/mailbox-transports.ts";
import type { Platform } from "../../platform/platform.ts";
import type { RegistrationPolicy, Settings } from "../../platform/settings/settings.ts";
import { type Brand, type BrandLogo, LOGO_PATH } from "./domain/brand.ts";
import type { OrganisationAction } from "./domain/permissions.ts";
import { checkPermission, noteEvent } from "./members.ts";
import {
  type Access,
  type Host,
  lockHost,
  selectHost,
  selectLogo,
  updateAccess,
  updateAppearance,
  updateIdentity,
  updateMails,
  updateRegistration,
} from "./store.ts";

type HostPlatform = Pick<Platform, "db" | "clock">;
type Minting = Pick<Platform, "newId" | "clock">;

/** Read once in this time, as every mail and certificate names it. */
const READ_AGAIN_AFTER_MS = 5_000;
type Known = { readonly at: number; readonly host: Promise<Host | null> };
const known = new WeakMap<Database, Known>();

export async function knownIdentity(platform: HostPlatform): Promise<ShownIdentity | null> {
  return (await knownHost(platform))?.identity ?? null;
}

type KnownLogo = { readonly version: number; readonly logo: Promise<BrandLogo | null> };
const knownLogos = new WeakMap<Database, KnownLogo>();

export async function knownBrand(platform: HostPlatform): Promise<Brand | null> {
  const host = await knownHost(platform);
  if (host === null || host.identity === null) return null;
  const { version, colour, mails } = host;
  const { name, address } = host.identity;
  const logo = host.hasLogo ? await knownLogo(platform.db, version) : null;
  return { name, address, version, colour, logo, mails };
}

/** Gives the same object for one version, so that mails encode it once. */
function knownLogo(db: Database, version: number): Promise<BrandLogo | null> {
  const last = knownLogos.get(db);
  if (last?.version === version) return last.logo;
  const logo = selectLogo(db).then((png) => {
    const size = png && readImageSize(png);
    return png && size && { png, width: size.width, height: size.height };
  });
  knownLogos.set(db, { version, logo });
  logo.catch(() => knownLogos.delete(db));
  return logo;
}

function knownHost({ db, clock }: HostPlatform): Promise<Host | null> {
  const at = clock().getTime();
  const last = known.get(db);
  if (last !== undefined && Math.abs(at - last.at) < READ_AGAIN_AFTER_MS) return last.host;
  const host = selectHost(db);
  known.set(db, { at, host });
  host.catch(() => known.delete(db));
  return host;
}

type RegistrationSettings = Pick<Settings, "mailDisabled" | "registration">;

/**
 * The only answer to who registers uninvited: an administrator's choice, else `REGISTRATION`;
 * nobody where no mail leaves.
 */
export async function loadRegistration(
  reader: Reader,
  settings: RegistrationSettings,
): Promise<RegistrationPolicy> {
  return registrationOf(await selectHost(reader), settings);
}

/** The answer may be five seconds old. */
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
    appearance: {
      colour: host?.colour ?? null,
      logo: host?.hasLogo ? `${LOGO_PATH}?v=${host.version}` : null,
    },
    mails: {
      sender_name: host?.mails.sender_name ?? null,
      reply_to: host?.mails.reply_to ?? null,
      footer: host?.mails.footer ?? null,
      address: settings.mailFrom,
    },
    access: {
      second_factor_by: host?.access.secondFactorBy?.toISOString() ?? null,
      confirms_signatures: host?.access.confirmsSignatures ?? false,
      password_min_length: host?.access.passwordMinLength ?? null,
      service_password_min_length: settings.passwordMinLength,
      idle_hours: host?.access.idleHours ?? null,
    },
    mailbox: mailboxPath(settings),
  };
}

type By = { readonly actorId: string };

/** Errors: `organisation_changed`. */
export function changeIdentity(
  platform: Platform,
  { version, actorId, ...identity }: IdentityRequest & By,
): Promise<Result<OrganisationSettings, Problem>> {
  return changeHost(
    platform,
    { version, actorId, action: "change_identity" },
    async (trx, change) => {
      await updateIdentity(trx, { ...change, identity });
      await noteEvent(trx, platform, { kind: "identity_changed", actorId });
    },
  );
}

const CHOICES = {
  closed: "sur invitation seulement",
  domains: "ouverte aux adresses de certains domaines",
  open: "ouverte à tout le monde",
} as const;

/** Errors: `organisation_changed`. */
export function changeRegistration(
  platform: Platform,
  { version, choice, actorId }: RegistrationRequest & By,
): Promise<Result<OrganisationSettings, Problem>> {
  return changeHost(
    platform,
    { version, actorId, action: "change_registration" },
    async (trx, change) => {
      await updateRegistration(trx, { ...change, choice });
      const detail = { choice: CHOICES[choice.kind] };
      await noteEvent(trx, platform, { kind: "registration_changed", actorId, detail });
    },
  );
}

/** Errors: `organisation_changed`; `validation` under `logo`; `service_unavailable`. */
export async function changeAppearance(
  platform: Platform,
  { version, colour, logo, actorId }: AppearanceRequest & By,
): Promise<Result<OrganisationSettings, Problem>> {
  const drawn =
    typeof logo === "string" ? await drawLogo(platform, fromBase64(logo)) : success(logo);
  if (!drawn.ok) return drawn;
  return changeHost(
    platform,
    { version, actorId, action: "change_appearance" },
    async (trx, change) => {
      await updateAppearance(trx, { ...change, colour, logo: drawn.value });
      await noteEvent(trx, platform, { kind: "appearance_changed", actorId });
    },
  );
}

/** Pages show it in 36 by 180, at three pixels for one. */
const LOGO_SIDE_PX = 640;

/** Gives a PNG that the service encoded itself. */
async function drawLogo(
  { images }: Pick<Platform, "images">,
  bytes: Uint8Array,
): Promise<Result<Uint8Array, Problem>> {
  const checked = checkLogo(bytes);
  if (checked.kind === "fault") return logoFault(LOGO_FAULTS[checked.fault]);
  const drawn =
    checked.kind === "svg"
      ? await images.drawSvg(checked.text, LOGO_SIDE_PX)
      : await images.reencode(bytes, { maximumSidePx: LOGO_SIDE_PX, format: "png" });
  if (drawn.ok || drawn.error.code === "service_unavailable") return drawn;
  return logoFault(
    drawn.error.code === "image_too_large" ? problemSentence(drawn.error) : LOGO_FAULTS.damage,
  );
}

function logoFault(sentence: string): Result<never, Problem> {
  return failure(problem("validation", { errors: { logo: [sentence] } }));
}

/** Errors: `organisation_changed`. */
export function changeMails(
  platform: Platform,
  { version, actorId, ...mails }: MailsRequest & By,
): Promise<Result<OrganisationSettings, Problem>> {
  return changeHost(
    platform,
    { version, actorId, action: "change_appearance" },
    async (trx, change) => {
      await updateMails(trx, { ...change, mails });
      await noteEvent(trx, platform, { kind: "mails_changed", actorId });
    },
  );
}

export type FactorAsked = { readonly by: Date; readonly confirmsSignatures: boolean };
export type OnFactorAsked = (trx: Transaction, asked: FactorAsked) => Promise<void>;

/**
 * Gives ten days to add a factor, unless the day is chosen; an earlier demand keeps its day.
 * Errors: `organisation_changed`; `validation` on `second_factor_on`.
 */
export async function changeAccess(
  platform: Platform,
  { version, actorId, second_factor, second_factor_on: day, ...request }: AccessRequest & By,
  onFactorAsked: OnFactorAsked,
): Promise<Result<OrganisationSettings, Problem>> {
  const today = parisDay(platform.clock());
  if (second_factor && day !== undefined && (day <= today || day > addDays(today, 365)))
    return failure(problem("validation", { errors: { second_factor_on: [FACTOR_DAY_FAULT] } }));
  return changeHost(
    platform,
    { version, actorId, action: "change_access" },
    async (trx, { id, now, host }) => {
      const { secondFactorBy: before } = host.access;
      const by = day === undefined ? (before ?? factorDay(now)) : startOfParisDay(day);
      const access = {
        secondFactorBy: second_factor ? by : null,
        confirmsSignatures: request.confirms_signatures,
        passwordMinLength: request.password_min_length,
        idleHours: request.idle_hours,
      };
      await updateAccess(trx, { id, now, access });
      const detail = { choices: accessInWords(access) };
      await noteEvent(trx, platform, { kind: "access_changed", actorId, detail });
      if (second_factor && by.getTime() !== before?.getTime())
        await onFactorAsked(trx, { by, confirmsSignatures: access.confirmsSignatures });
    },
  );
}

function factorDay(now: Date): Date {
  return startOfParisDay(addDays(parisDay(now), SECOND_FACTOR_GRACE_DAYS));
}

function accessInWords(access: Access): string {
  const { secondFactorBy, confirmsSignatures, passwordMinLength, idleHours } = access;
  return [
    secondFactorBy === null
      ? "second facteur au choix"
      : `second facteur à ajouter avant le ${formatLongDay(secondFactorBy.toISOString())}`,
    ...(confirmsSignatures ? ["chaque signature confirmée"] : []),
    ...(passwordMinLength === null ? [] : [`mots de passe de ${passwordMinLength} caractères`]),
    ...(idleHours === null ? [] : [`sessions fermées après ${idleHours}\u00a0h sans usage`]),
  ].join(", ");
}

export async function knownPasswordMinimum(
  platform: HostPlatform & { readonly settings: Pick<Settings, "passwordMinLength"> },
): Promise<number> {
  const chosen = (await knownHost(platform))?.access.passwordMinLength ?? 0;
  return Math.max(platform.settings.passwordMinLength, chosen);
}

async function changeHost(
  platform: Platform,
  { version, actorId, action }: By & { readonly version: number; action: OrganisationAction },
  change: (
    trx: Transaction,
    on: { readonly id: string; readonly now: Date; readonly host: Host },
  ) => Promise<void>,
): Promise<Result<OrganisationSettings, Problem>> {
  const now = platform.clock();
  const changed = await inTransaction<Result<OrganisationSettings, Problem>>(
    platform.db,
    async (trx) => {
      const host = await lockHost(trx, { id: platform.newId(), now });
      const permitted = await checkPermission(trx, actorId, action);
      if (!permitted.ok) return permitted;
      if (host.version !== version) return failure(problem("organisation_changed"));
      await change(trx, { id: host.id, now, host });
      return success(presentSettings(await selectHost(trx), platform.settings));
    },
  );
  known.delete(platform.db);
  return changed;
}

/** Serves the first start, and changes of members. */
export async function lockOrganisation(trx: Transaction, platform: Minting): Promise<Host> {
  return lockHost(trx, { id: platform.newId(), now: platform.clock() });
}
