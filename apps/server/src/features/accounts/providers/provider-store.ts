import type { MemberRole, ProviderKind, ProviderRequest } from "@paraphe/contracts";
import type { Reader, Transaction } from "../../../platform/database/database.ts";
import type { Vouched } from "../domain/provider-rules.ts";

export type Provider = {
  readonly kind: ProviderKind;
  readonly issuer: string;
  readonly clientId: string;
  readonly secretWrapped: Uint8Array;
  readonly secretSavedAt: Date;
  readonly label: string;
  readonly domains: readonly string[];
  readonly arrivalRole: MemberRole;
  readonly roleClaim: "groups" | "roles" | null;
  readonly isOnlyWay: boolean;
  readonly testedAt: Date | null;
  readonly trialFailure: TrialFailure | null;
  readonly version: number;
};
type TrialFailure = { readonly at: Date; readonly sentence: string };

const PROVIDER = [
  "kind",
  "issuer",
  "client_id",
  "client_secret_wrapped",
  "secret_saved_at",
  "label",
  "domains",
  "arrival_role",
  "role_claim",
  "is_only_way",
  "tested_at",
  "trial_failed_at",
  "trial_failure",
  "version",
] as const;

export async function selectProviders(reader: Reader): Promise<readonly Provider[]> {
  const rows = await reader
    .selectFrom("identity_providers")
    .select(PROVIDER)
    .orderBy("kind")
    .execute();
  return rows.map((row) => ({
    kind: row.kind as ProviderKind,
    issuer: row.issuer,
    clientId: row.client_id,
    secretWrapped: row.client_secret_wrapped,
    secretSavedAt: row.secret_saved_at,
    label: row.label,
    domains: row.domains,
    arrivalRole: row.arrival_role as MemberRole,
    roleClaim: row.role_claim as Provider["roleClaim"],
    isOnlyWay: row.is_only_way,
    testedAt: row.tested_at,
    trialFailure:
      row.trial_failed_at === null || row.trial_failure === null
        ? null
        : { at: row.trial_failed_at, sentence: row.trial_failure },
    version: row.version,
  }));
}

export async function findProvider(reader: Reader, kind: ProviderKind): Promise<Provider | null> {
  return (await selectProviders(reader)).find((provider) => provider.kind === kind) ?? null;
}

/** Gives false when another `version` was stored meanwhile. */
export async function putProvider(
  trx: Transaction,
  saved: {
    readonly kind: ProviderKind;
    readonly request: ProviderRequest;
    readonly secret: Pick<Provider, "secretWrapped" | "secretSavedAt">;
    readonly testedAt: Date | null;
  },
): Promise<boolean> {
  const { client_secret: _secret, version, domains, ...request } = saved.request;
  const values = {
    ...request,
    domains: [...new Set(domains)],
    client_secret_wrapped: saved.secret.secretWrapped,
    secret_saved_at: saved.secret.secretSavedAt,
    tested_at: saved.testedAt,
    trial_failed_at: null,
    trial_failure: null,
    version: version + 1,
  };
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto("identity_providers")
    .values({ kind: saved.kind, ...values })
    .onConflict((conflict) =>
      conflict.column("kind").doUpdateSet(values).where("identity_providers.version", "=", version),
    )
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** `failure`: why a trial failed; null when it worked. */
export async function markTested(
  reader: Reader,
  tested: Pick<Provider, "kind" | "version"> & {
    readonly now: Date;
    readonly failure: string | null;
  },
): Promise<void> {
  const { now, failure } = tested;
  await reader
    .updateTable("identity_providers")
    .set(
      failure === null
        ? { tested_at: now, trial_failed_at: null, trial_failure: null }
        : { trial_failed_at: now, trial_failure: failure },
    )
    .where("kind", "=", tested.kind)
    .where("version", "=", tested.version)
    .execute();
}

export async function deleteProvider(reader: Reader, kind: ProviderKind): Promise<void> {
  await reader.deleteFrom("identity_providers").where("kind", "=", kind).execute();
}

type ProviderLogin = { readonly kind: ProviderKind; readonly isTrial: boolean };
type AskedLogin = { readonly state: Uint8Array; readonly browser: Uint8Array };

export async function insertProviderLogin(
  reader: Reader,
  login: ProviderLogin & AskedLogin & { readonly expiresAt: Date },
): Promise<void> {
  await reader
    .insertInto("provider_logins")
    .values({
      state_sha256: login.state,
      browser_sha256: login.browser,
      kind: login.kind,
      is_trial: login.isTrial,
      expires_at: login.expiresAt,
    })
    .execute();
}

/** Serves once; null for a used, expired or unknown state, or another browser's. */
export async function takeProviderLogin(
  reader: Reader,
  asked: AskedLogin & { readonly now: Date },
): Promise<ProviderLogin | null> {
  const row = await reader
    .deleteFrom("provider_logins")
    .where("state_sha256", "=", asked.state)
    .where("browser_sha256", "=", asked.browser)
    .where("expires_at", ">", asked.now)
    .returning(["kind", "is_trial"])
    .executeTakeFirst();
  return row === undefined ? null : { kind: row.kind as ProviderKind, isTrial: row.is_trial };
}

/** Who a provider says it is (OpenID Connect Core 1.0 §5.7). */
export type Identity = {
  readonly kind: ProviderKind;
  readonly issuer: string;
  readonly subject: string;
};

export async function findLinkedAccount(
  reader: Reader,
  { issuer, subject }: Identity,
): Promise<string | null> {
  const row = await reader
    .selectFrom("provider_identities")
    .select("user_id")
    .where("issuer", "=", issuer)
    .where("subject", "=", subject)
    .executeTakeFirst();
  return row?.user_id ?? null;
}

/** Gives false when it is another account's. */
export async function insertIdentity(
  trx: Transaction,
  link: Identity & { readonly userId: string; readonly now: Date },
): Promise<boolean> {
  await trx
    .insertInto("provider_identities")
    .values({
      issuer: link.issuer,
      subject: link.subject,
      user_id: link.userId,
      created_at: link.now,
    })
    .onConflict((conflict) => conflict.columns(["issuer", "subject"]).doNothing())
    .execute();
  return (await findLinkedAccount(trx, link)) === link.userId;
}

export async function deleteIdentities(trx: Transaction, userId: string): Promise<void> {
  await trx.deleteFrom("provider_identities").where("user_id", "=", userId).execute();
}

type PendingLink = Identity & { readonly emailKey: string };

export async function putLink(
  reader: Reader,
  link: PendingLink & { readonly browser: Uint8Array; readonly expiresAt: Date },
): Promise<void> {
  const { kind, issuer, subject, emailKey } = link;
  const values = { kind, issuer, subject, email_key: emailKey, expires_at: link.expiresAt };
  await reader
    .insertInto("provider_links")
    .values({ browser_sha256: link.browser, ...values })
    .onConflict((conflict) => conflict.column("browser_sha256").doUpdateSet(values))
    .execute();
}

type AskedLink = { readonly browser: Uint8Array; readonly emailKey: string; readonly now: Date };

export async function findLink(reader: Reader, asked: AskedLink): Promise<Identity | null> {
  const row = await reader
    .selectFrom("provider_links")
    .select(["kind", "issuer", "subject"])
    .where("browser_sha256", "=", asked.browser)
    .where("email_key", "=", asked.emailKey)
    .where("expires_at", ">", asked.now)
    .executeTakeFirst();
  return row === undefined ? null : { ...row, kind: row.kind as ProviderKind };
}

export async function deleteLink(reader: Reader, browser: Uint8Array): Promise<void> {
  await reader.deleteFrom("provider_links").where("browser_sha256", "=", browser).execute();
}

export type ProviderSession = Identity & {
  readonly sid: string | null;
  readonly idTokenWrapped: Uint8Array;
  readonly endSessionUrl: string | null;
  readonly authenticatedAt: Date | null;
  readonly vouched: Vouched;
};

export async function insertProviderSession(
  trx: Transaction,
  session: ProviderSession & { readonly sessionId: string },
): Promise<void> {
  await trx
    .insertInto("provider_sessions")
    .values({
      session_id: session.sessionId,
      kind: session.kind,
      issuer: session.issuer,
      subject: session.subject,
      sid: session.sid,
      id_token_wrapped: session.idTokenWrapped,
      end_session_url: session.endSessionUrl,
      authenticated_at: session.authenticatedAt,
      vouched: JSON.stringify(session.vouched),
    })
    .execute();
}

type LogoutHint = {
  readonly sessionId: string;
  readonly kind: ProviderKind;
  readonly idTokenWrapped: Uint8Array;
  readonly endSessionUrl: string;
};

/** Finds it for a live session with one of these tokens; null where no provider ends with it. */
export async function findLogoutHint(
  reader: Reader,
  tokens: readonly Uint8Array[],
): Promise<LogoutHint | null> {
  if (tokens.length === 0) return null;
  const row = await reader
    .selectFrom("provider_sessions as provider")
    .innerJoin("session_tokens as token", "token.session_id", "provider.session_id")
    .innerJoin("sessions as session", "session.id", "provider.session_id")
    .select(["provider.session_id", "provider.kind", "id_token_wrapped", "end_session_url"])
    .where("token.token_sha256", "in", tokens)
    .where("session.revoked_at", "is", null)
    .executeTakeFirst();
  if (row === undefined || row.end_session_url === null) return null;
  return {
    sessionId: row.session_id,
    kind: row.kind as ProviderKind,
    idTokenWrapped: row.id_token_wrapped,
    endSessionUrl: row.end_session_url,
  };
}

/** Ends one provider session, or all of a person, opened before the token. Gives their number. */
export async function revokeProviderSessions(
  reader: Reader,
  end: {
    readonly issuer: string;
    readonly subject: string | null;
    readonly sid: string | null;
    readonly openedBefore: Date;
    readonly now: Date;
  },
): Promise<number> {
  const { subject, sid } = end;
  const { numUpdatedRows } = await reader
    .updateTable("sessions")
    .set({ revoked_at: end.now })
    .where("revoked_at", "is", null)
    .where("created_at", "<=", end.openedBefore)
    .where("id", "in", (eb) =>
      eb
        .selectFrom("provider_sessions")
        .select("session_id")
        .where("issuer", "=", end.issuer)
        .$if(subject !== null, (query) => query.where("subject", "=", subject ?? ""))
        .$if(sid !== null, (query) => query.where("sid", "=", sid ?? "")),
    )
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

export async function deleteEndedProviderLogins(reader: Reader, before: Date): Promise<void> {
  for (const table of ["provider_logins", "provider_links"] as const)
    await reader.deleteFrom(table).where("expires_at", "<", before).execute();
}
