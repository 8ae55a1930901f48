import {
  failure,
  type Problem,
  problem,
  type ProviderKind,
  type Result,
  success,
} from "@paraphe/contracts";
import { toBase64Url } from "@paraphe/kernel/bytes";
import type { JWTPayload, JWTVerifyGetKey } from "jose";
import type { Configuration, CustomFetch, ServerMetadata } from "openid-client";
import { reachOf } from "../../../platform/addresses.ts";
import type { Database } from "../../../platform/database/database.ts";
import { errorCode } from "../../../platform/error-code.ts";
import { ForbiddenAddressError, guardedFetch } from "../../../platform/guarded-call.ts";
import type { Platform } from "../../../platform/platform.ts";
import { type Claims, readVouched } from "../domain/provider-rules.ts";
import type { Identity, Provider, ProviderSession } from "./provider-store.ts";

/** The library loads at first use: few installations have a provider. */
const library = () => import("openid-client");
const tokens = () => import("jose");
type OpenId = Awaited<ReturnType<typeof library>>;

/**
 * Only asymmetric algorithms: « none » and keys made of the client's secret are refused (RFC 8725
 * §3.1).
 */
const ALGORITHMS = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");
const DISCOVERED_FOR_MS = 600_000;
const CLOCK_TOLERANCE_S = 30;
/** ProConnect wants 32 characters: 192 bits in base64url. */
const STATE_BYTES = 24;
const STATE_LENGTH = 32;

type Profile = {
  readonly scope: string;
  readonly hasPkce: boolean;
  /** Userinfo is a JWT; any other form is refused. */
  readonly signsUserInfo: boolean;
  readonly acrValues: string | null;
};
const PROFILES: Readonly<Record<ProviderKind, Profile>> = {
  oidc: {
    scope: "openid profile email",
    hasPkce: true,
    signsUserInfo: false,
    acrValues: null,
  },
  // Source: ProConnect, « Implémentation technique » for a service.
  proconnect: {
    scope: "openid given_name usual_name email siret",
    hasPkce: false,
    signsUserInfo: true,
    acrValues: "eidas1",
  },
};

export const returnAddress = ({ settings }: Pick<Platform, "settings">, kind: ProviderKind) =>
  `${settings.publicUrl}/auth/${kind}/retour`;
export const logoutAddress = ({ settings }: Pick<Platform, "settings">, kind: ProviderKind) =>
  `${settings.publicUrl}/auth/${kind}/deconnexion`;

/** Nonce and verifier derive from the state, so that no secret is stored. */
export function drawState(platform: Pick<Platform, "random">): string {
  return toBase64Url(platform.random(STATE_BYTES));
}

function derive({ secrets }: Pick<Platform, "secrets">, purpose: string, state: string): string {
  return toBase64Url(secrets.hmac(`provider ${purpose}`, new TextEncoder().encode(state)));
}

const nonceOf = (platform: Platform, state: string) =>
  derive(platform, "nonce", state).slice(0, STATE_LENGTH);
/** RFC 7636 §4.1: 43 characters at least. */
const verifierOf = (platform: Platform, state: string) => derive(platform, "verifier", state);

type Opened = {
  readonly at: number;
  readonly client: string;
  readonly config: Configuration;
  readonly keys: JWTVerifyGetKey;
};
const opened = new WeakMap<Database, Map<ProviderKind, Opened>>();

class ProviderAwayError extends Error {
  override readonly name = "ProviderAwayError";
}

/** Calls pass the guard of outgoing calls (security line 60). */
function providerFetch({ settings }: Pick<Platform, "settings">) {
  const call = guardedFetch(reachOf(settings));
  return async (...[url, options]: Parameters<typeof call>): Promise<Response> => {
    const answer = await call(url, options).catch((cause: unknown) => {
      throw new ProviderAwayError("The provider did not answer", { cause });
    });
    if (answer.status >= 500) throw new ProviderAwayError(`The provider answered ${answer.status}`);
    return answer;
  };
}

async function open(
  platform: Platform,
  provider: Provider,
  { anew = false } = {},
): Promise<Opened> {
  const known = opened.get(platform.db) ?? new Map<ProviderKind, Opened>();
  opened.set(platform.db, known);
  const last = known.get(provider.kind);
  const at = platform.clock().getTime();
  const client = clientOf(provider);
  const isKnown = last?.client === client && Math.abs(at - last.at) < DISCOVERED_FOR_MS;
  if (isKnown && !anew) return last;
  const fresh = { at, client, ...(await discover(platform, provider)) };
  known.set(provider.kind, fresh);
  return fresh;
}

/** The secret is wrapped anew after each change, which makes a new client. */
function clientOf({ issuer, clientId, secretWrapped }: Provider): string {
  return [issuer, clientId, toBase64Url(secretWrapped)].join(" ");
}

async function discover(
  platform: Platform,
  provider: Provider,
): Promise<Pick<Opened, "config" | "keys">> {
  const openid = await library();
  const { createRemoteJWKSet, customFetch } = await tokens();
  const call = providerFetch(platform);
  const fetch = call as unknown as CustomFetch;
  const found = await openid.discovery(
    new URL(provider.issuer),
    provider.clientId,
    undefined,
    undefined,
    { [openid.customFetch]: fetch },
  );
  const metadata = restrict(found.serverMetadata());
  const secret = Buffer.from(
    platform.secrets.unwrap(provider.secretWrapped, `provider ${provider.kind}`),
  ).toString("utf8");
  const isPosted =
    metadata.token_endpoint_auth_methods_supported?.includes("client_secret_post") ?? false;
  const config = new openid.Configuration(
    metadata,
    provider.clientId,
    {
      [openid.clockSkew]: Math.round((platform.clock().getTime() - Date.now()) / 1_000),
      [openid.clockTolerance]: CLOCK_TOLERANCE_S,
    },
    isPosted ? openid.ClientSecretPost(secret) : openid.ClientSecretBasic(secret),
  );
  config[openid.customFetch] = fetch;
  // Checks signatures also of id tokens that came by TLS.
  openid.enableNonRepudiationChecks(config);
  const keys = createRemoteJWKSet(new URL(metadata.jwks_uri ?? ""), { [customFetch]: call });
  return { config, keys };
}

/** Only https: a browser is sent there. */
function restrict(metadata: Readonly<ServerMetadata>): ServerMetadata {
  const { authorization_endpoint: authorization, jwks_uri: keys } = metadata;
  for (const endpoint of [authorization, keys, metadata.end_session_endpoint ?? keys])
    if (endpoint === undefined || !endpoint.startsWith("https://"))
      throw new MetadataError("The provider's endpoints are not addresses by https");
  const allowed = (named: readonly string[] | undefined) =>
    (named ?? ["RS256"]).filter((algorithm) => ALGORITHMS.includes(algorithm));
  return {
    ...metadata,
    id_token_signing_alg_values_supported: allowed(metadata.id_token_signing_alg_values_supported),
    userinfo_signing_alg_values_supported: allowed(metadata.userinfo_signing_alg_values_supported),
  };
}

class MetadataError extends Error {
  override readonly name = "MetadataError";
}

/** `isTrial`: an administrator reads, who is told the cause. */
export type Told = { readonly name: string; readonly advice: string; readonly isTrial: boolean };

/**
 * Errors: `provider_unavailable`; `provider_refused`, `provider_token_refused` for its metadata.
 * Source: OpenID Connect Core 1.0 §3.1.2.1; RFC 7636.
 */
export function authorizationUrl(
  platform: Platform,
  provider: Provider,
  asked: Told & { readonly state: string; readonly isFresh: boolean },
): Promise<Result<string, Problem>> {
  const profile = PROFILES[provider.kind];
  const { state } = asked;
  return guarded(platform, provider, asked, async () => {
    const openid = await library();
    // Opened anew, so that an absent provider shows before the browser leaves.
    const { config } = await open(platform, provider, { anew: true });
    const pkce = profile.hasPkce && {
      code_challenge: await openid.calculatePKCECodeChallenge(verifierOf(platform, state)),
      code_challenge_method: "S256",
    };
    return openid.buildAuthorizationUrl(config, {
      redirect_uri: returnAddress(platform, provider.kind),
      scope: profile.scope,
      state,
      nonce: nonceOf(platform, state),
      ...pkce,
      ...(asked.isFresh && { prompt: "login" }),
      ...(profile.acrValues !== null && { acr_values: profile.acrValues }),
    }).href;
  });
}

type ProviderAnswer = { readonly session: ProviderSession; readonly claims: Claims };
type Returned = {
  readonly state: string;
  readonly code?: string | undefined;
  readonly iss?: string | undefined;
  readonly error?: string | undefined;
};

/**
 * Exchanges the code; verifies issuer, audience, signature, algorithm, time, nonce.
 * Errors: `provider_refused` with its code; `provider_token_refused`; `provider_unavailable`.
 * Source: OpenID Connect Core 1.0 §3.1.3.7, §5.3.
 */
export function completeLogin(
  platform: Platform,
  provider: Provider,
  returned: Told & Returned,
): Promise<Result<ProviderAnswer, Problem>> {
  const { state } = returned;
  const profile = PROFILES[provider.kind];
  return guarded(platform, provider, returned, async () => {
    const openid = await library();
    const { config, keys } = await open(platform, provider);
    const url = new URL(returnAddress(platform, provider.kind));
    for (const name of ["state", "code", "iss", "error"] as const)
      if (returned[name] !== undefined) url.searchParams.set(name, returned[name]);
    const granted = await openid.authorizationCodeGrant(config, url, {
      expectedState: state,
      expectedNonce: nonceOf(platform, state),
      idTokenExpected: true,
      ...(profile.hasPkce && { pkceCodeVerifier: verifierOf(platform, state) }),
    });
    const signed = granted.claims();
    if (signed === undefined || granted.id_token === undefined)
      throw new MetadataError("The provider gave no id token");
    const asked = { config, keys, accessToken: granted.access_token, subject: signed.sub };
    const told = profile.signsUserInfo
      ? await signedUserInfo(platform, provider, asked)
      : await plainUserInfo(asked);
    const claims = { ...told, ...signed };
    const end = config.serverMetadata().end_session_endpoint ?? null;
    const idToken = new TextEncoder().encode(granted.id_token);
    return {
      claims,
      session: {
        kind: provider.kind,
        issuer: signed.iss,
        subject: signed.sub,
        sid: typeof signed["sid"] === "string" ? signed["sid"] : null,
        idTokenWrapped: platform.secrets.wrap(idToken, "provider id token"),
        endSessionUrl: end,
        authenticatedAt: signed.auth_time === undefined ? null : instantOf(signed.auth_time),
        vouched: readVouched(claims),
      },
    };
  });
}

const instantOf = (seconds: number) => new Date(seconds * 1_000);

type AskedUserInfo = Pick<Opened, "config" | "keys"> & {
  readonly accessToken: string;
  readonly subject: string;
};

async function plainUserInfo({ config, accessToken, subject }: AskedUserInfo): Promise<Claims> {
  if (config.serverMetadata().userinfo_endpoint === undefined) return {};
  const { fetchUserInfo } = await library();
  return fetchUserInfo(config, accessToken, subject);
}

/** Issuer and audience are required: the library takes a JWT without. */
async function signedUserInfo(
  platform: Platform,
  provider: Provider,
  { config, keys, accessToken, subject }: AskedUserInfo,
): Promise<Claims> {
  const address = config.serverMetadata().userinfo_endpoint ?? "";
  const answer = await providerFetch(platform)(address, {
    headers: { authorization: `Bearer ${accessToken}`, accept: "application/jwt" },
  });
  if (!/^application\/jwt\b/i.test(answer.headers.get("content-type") ?? ""))
    throw new MetadataError(`The provider's userinfo is no JWT (${answer.status})`);
  const claims = await verifyToken(platform, provider, {
    token: await answer.text(),
    issuer: config.serverMetadata().issuer,
    keys,
  });
  if (claims.sub !== subject) throw new MetadataError("The userinfo is another person's");
  return claims;
}

async function verifyToken(
  platform: Platform,
  provider: Provider,
  asked: { readonly token: string; readonly issuer: string; readonly keys: JWTVerifyGetKey },
): Promise<JWTPayload> {
  const { jwtVerify } = await tokens();
  const { payload } = await jwtVerify(asked.token.trim(), asked.keys, {
    issuer: asked.issuer,
    audience: provider.clientId,
    algorithms: ALGORITHMS,
    clockTolerance: CLOCK_TOLERANCE_S,
    currentDate: platform.clock(),
  });
  return payload;
}

type EndedAtProvider = Pick<Identity, "issuer"> & {
  readonly subject: string | null;
  readonly sid: string | null;
  readonly issuedAt: Date;
};

const LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout";

/**
 * Reads a verified token.
 * Errors: those of `guarded`; another kind, no subject and session, or a nonce counts as not
 * verified.
 * Source: OpenID Connect Back-Channel Logout 1.0 §2.4, §2.6.
 */
export function readLogoutToken(
  platform: Platform,
  provider: Provider,
  told: Told & { readonly token: string },
): Promise<Result<EndedAtProvider, Problem>> {
  return guarded(platform, provider, told, async () => {
    const { config, keys } = await open(platform, provider);
    const { issuer } = config.serverMetadata();
    const claims = await verifyToken(platform, provider, { token: told.token, issuer, keys });
    const { sub, sid, iat, events, nonce } = claims;
    const subject = typeof sub === "string" ? sub : null;
    const session = typeof sid === "string" ? sid : null;
    const isLogout = typeof events === "object" && events !== null && LOGOUT_EVENT in events;
    if (!isLogout || nonce !== undefined || iat === undefined || (subject ?? session) === null)
      throw new MetadataError("The token is no logout token");
    return { issuer, subject, sid: session, issuedAt: instantOf(iat) };
  });
}

/**
 * Gives the address where the provider's session ends. Source: OpenID Connect RP-Initiated Logout
 * 1.0 §2.
 */
export function endSessionUrl(
  platform: Platform,
  hint: { readonly kind: ProviderKind; readonly endSessionUrl: string; idTokenWrapped: Uint8Array },
): string {
  const url = new URL(hint.endSessionUrl);
  const idToken = platform.secrets.unwrap(hint.idTokenWrapped, "provider id token");
  url.searchParams.set("id_token_hint", Buffer.from(idToken).toString("utf8"));
  url.searchParams.set("post_logout_redirect_uri", `${platform.settings.publicUrl}/login`);
  url.searchParams.set("state", drawState(platform));
  return url.href;
}

/** Turns the libraries' errors into refusals; the reason goes to the log alone. */
async function guarded<T>(
  platform: Platform,
  provider: Provider,
  told: Told,
  work: () => Promise<T>,
): Promise<Result<T, Problem>> {
  try {
    return success(await work());
  } catch (error) {
    const found = await faultOf(error, { host: new URL(provider.issuer).host, ...told });
    if (found === null) throw error;
    const reason = causesOf(error).map(({ message }) => message);
    platform.log.info({ provider: provider.kind, code: found.code, reason }, "provider refused");
    return failure(found);
  }
}

async function faultOf(
  error: unknown,
  { host, name, advice, isTrial }: Told & { readonly host: string },
): Promise<Problem | null> {
  const openid = await library();
  const { errors } = await tokens();
  const causes = causesOf(error);
  if (causes.some((cause) => cause instanceof ProviderAwayError))
    return problem("provider_unavailable", {
      params: { provider: name, ...(isTrial ? { cause: `\u00a0: ${awayWords(error)}` } : {}) },
    });
  const answer = causes.map((cause) => answerOf(openid, cause)).find((one) => one !== null);
  if (answer !== undefined)
    return problem("provider_refused", { params: { host, answer, advice } });
  const form = isTrial ? causes.map(formWords).find((words) => words !== null) : undefined;
  if (form !== undefined)
    return problem("provider_refused", { params: { host, answer: form, advice: CHECK_ADDRESS } });
  const isUnverified = causes.some(
    (cause) =>
      cause instanceof openid.ClientError ||
      cause instanceof errors.JOSEError ||
      cause instanceof MetadataError,
  );
  return isUnverified ? problem("provider_token_refused", { params: { host } }) : null;
}

const CHECK_ADDRESS = "Vérifiez l’adresse du fournisseur.";

function formWords(cause: Error | null): string | null {
  const code = cause !== null && "code" in cause ? cause.code : null;
  if (code === "OAUTH_RESPONSE_IS_NOT_JSON" || code === "OAUTH_PARSE_ERROR")
    return "une page qui n’est pas du JSON";
  return code === "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED"
    ? "une autre adresse de fournisseur (issuer)"
    : null;
}

const AWAY_WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: "ce nom n’existe pas (DNS)",
  EAI_AGAIN: "ce nom n’a pas pu être cherché (DNS)",
  ECONNREFUSED: "la connexion est refusée",
  ECONNRESET: "la connexion a été coupée",
  ETIMEDOUT: "aucune réponse en 5\u00a0secondes",
};

function awayWords(error: unknown): string {
  const causes = causesOf(error);
  if (causes.some((cause) => cause instanceof ForbiddenAddressError))
    return "ce service n’appelle pas les adresses privées";
  const status = causes.flatMap(({ message }) => /answered (\d{3})$/.exec(message)?.[1] ?? [])[0];
  if (status !== undefined) return `erreur ${status}`;
  const code = errorCode(error) ?? "";
  if (/CERT|SIGNATURE|SSL|TLS/.test(code)) return "son certificat n’est pas reconnu";
  return AWAY_WORDS[code] ?? (code === "" ? "erreur de réseau" : `erreur ${code}`);
}

function causesOf(error: unknown): readonly Error[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : [];
}

/** Gives the provider's code, in the characters of RFC 6749 §5.2. */
function answerOf(openid: OpenId, error: Error): string | null {
  if (
    error instanceof openid.ResponseBodyError ||
    error instanceof openid.AuthorizationResponseError
  )
    return error.error.replace(/[^\w.-]/g, "").slice(0, 60) || "error";
  if (error instanceof openid.WWWAuthenticateChallengeError) return `HTTP ${error.status}`;
  return error.cause instanceof Response ? `HTTP ${error.cause.status}` : null;
}
