import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { startTrustedServer } from "./trusted-server.ts";

/** What the next answers get wrong; undefined: nothing. */
type Fault =
  | "alg_none"
  | "away"
  | "expired"
  | "invalid_client"
  | "other_audience"
  | "other_issuer"
  | "other_nonce"
  | "stranger"
  | "userinfo_audience"
  | "userinfo_other_person"
  | "userinfo_plain"
  | "userinfo_stranger";

export type TestPerson = Readonly<Record<string, unknown>> & { readonly sub: string };

export type TestProvider = {
  readonly issuer: string;
  fault: Fault | undefined;
  /** Authorization requests, oldest first. */
  readonly asked: URLSearchParams[];
  /** Calls of the token endpoint. */
  readonly exchanged: URLSearchParams[];
  /** The person signs in there: what the return address gets. */
  signIn(location: string, person: TestPerson): Record<string, string>;
  logoutToken(claims: JWTPayload, by?: "provider" | "stranger"): Promise<string>;
  close(): Promise<void>;
};

export const TEST_CLIENT = { client_id: "paraphe", client_secret: "un secret de client" };

/**
 * Answers as ProConnect does: userinfo is a signed JWT, the client's secret is posted, no PKCE is
 * asked. Each fault breaks one thing alone.
 */
export async function startTestProvider(clock: () => Date): Promise<TestProvider> {
  const own = await generateKeyPair("ES256", { extractable: true });
  const stranger = await generateKeyPair("ES256");
  const jwk = { ...(await exportJWK(own.publicKey)), kid: "1", use: "sig", alg: "ES256" };
  const codes = new Map<string, { person: TestPerson; asked: URLSearchParams }>();
  const bearers = new Map<string, TestPerson>();
  const sign = (claims: JWTPayload, key: CryptoKey = own.privateKey) =>
    new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: "1" }).sign(key);
  const provider = { fault: undefined as Fault | undefined };
  const asked: URLSearchParams[] = [];
  const exchanged: URLSearchParams[] = [];

  const idTokenOf = async (person: TestPerson, request: URLSearchParams): Promise<string> => {
    const { fault } = provider;
    const now = Math.floor(clock().getTime() / 1_000);
    const claims = {
      iss: fault === "other_issuer" ? "https://ailleurs.exemple.fr" : issuer,
      aud: fault === "other_audience" ? "un-autre" : TEST_CLIENT.client_id,
      sub: person.sub,
      sid: `sid-${person.sub}`,
      acr: "eidas1",
      auth_time: now,
      nonce: fault === "other_nonce" ? "x".repeat(32) : (request.get("nonce") ?? ""),
      iat: now - (fault === "expired" ? 7_200 : 0),
      exp: now + (fault === "expired" ? -3_600 : 300),
    };
    if (fault === "alg_none") {
      const parts = [{ alg: "none" }, claims].map((part) =>
        Buffer.from(JSON.stringify(part)).toString("base64url"),
      );
      return `${parts.join(".")}.`;
    }
    return sign(claims, fault === "stranger" ? stranger.privateKey : own.privateKey);
  };

  const exchange = async (form: URLSearchParams): Promise<readonly [number, object]> => {
    exchanged.push(form);
    const known = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    if (
      provider.fault === "invalid_client" ||
      form.get("client_secret") !== TEST_CLIENT.client_secret
    )
      return [401, { error: "invalid_client" }];
    if (known === undefined) return [400, { error: "invalid_grant" }];
    const access_token = randomBytes(16).toString("hex");
    bearers.set(access_token, known.person);
    const id_token = await idTokenOf(known.person, known.asked);
    return [200, { access_token, id_token, token_type: "Bearer", expires_in: 60 }];
  };

  const userInfoOf = async (person: TestPerson): Promise<string> => {
    const { fault } = provider;
    const claims = {
      ...person,
      ...(fault === "userinfo_other_person" && { sub: "quelqu’un" }),
      iss: issuer,
      aud: fault === "userinfo_audience" ? "un-autre" : TEST_CLIENT.client_id,
    };
    if (fault === "userinfo_plain") return JSON.stringify(claims);
    return sign(claims, fault === "userinfo_stranger" ? stranger.privateKey : own.privateKey);
  };

  const server = await startTrustedServer(async (request, response) => {
    const send = (status: number, type: string, body: string) =>
      response.writeHead(status, { "content-type": type }).end(body);
    const sendJson = (status: number, body: object) =>
      send(status, "application/json", JSON.stringify(body));
    if (provider.fault === "away") return sendJson(503, {});
    const { pathname } = new URL(request.url ?? "/", issuer);
    if (pathname === "/api/v2/.well-known/openid-configuration") return sendJson(200, metadata);
    if (pathname === "/api/v2/jwks") return sendJson(200, { keys: [jwk] });
    if (pathname === "/api/v2/token")
      return sendJson(...(await exchange(new URLSearchParams(await textOf(request)))));
    const person = bearers.get((request.headers.authorization ?? "").replace("Bearer ", ""));
    if (pathname !== "/api/v2/userinfo" || person === undefined) return sendJson(401, {});
    const type = provider.fault === "userinfo_plain" ? "application/json" : "application/jwt";
    return send(200, type, await userInfoOf(person));
  });
  const issuer = `https://localhost:${server.port}/api/v2`;
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    end_session_endpoint: `${issuer}/session/end`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ["code"],
    subject_types_supported: ["pairwise"],
    id_token_signing_alg_values_supported: ["ES256", "none"],
    userinfo_signing_alg_values_supported: ["ES256", "none"],
    token_endpoint_auth_methods_supported: ["client_secret_post"],
  };
  return Object.assign(provider, {
    issuer,
    asked,
    exchanged,
    signIn(location: string, person: TestPerson) {
      const request = new URL(location).searchParams;
      asked.push(request);
      const code = randomBytes(12).toString("hex");
      codes.set(code, { person, asked: request });
      return { code, state: request.get("state") ?? "" };
    },
    async logoutToken(claims: JWTPayload, by: "provider" | "stranger" = "provider") {
      const base = { iss: issuer, aud: TEST_CLIENT.client_id, jti: randomBytes(8).toString("hex") };
      const iat = Math.floor(clock().getTime() / 1_000);
      const keys = by === "provider" ? own : stranger;
      return sign({ ...base, iat, exp: iat + 120, ...claims }, keys.privateKey);
    },
    close: server.close,
  });
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}
