import type { RequestListener } from "node:http";
import { Provider } from "oidc-provider";
import { TEST_CLIENT } from "./identity-provider.ts";
import { startTrustedServer } from "./trusted-server.ts";

type Person = Readonly<Record<string, unknown>>;
export type RealProvider = {
  readonly issuer: string;
  /** What the provider says of a person, by account. */
  readonly people: Map<string, Person>;
  /** Goes through the provider's own pages as this person does. */
  signIn(location: string, account: string): Promise<Record<string, string>>;
  close(): Promise<void>;
};

/** `oidc-provider` on loopback: a certified implementation of OpenID Connect, with its pages. */
export async function startRealProvider(returnTo: string): Promise<RealProvider> {
  let answer: RequestListener = (_request, response) => response.writeHead(503).end();
  const server = await startTrustedServer((request, response) => answer(request, response));
  const issuer = `https://localhost:${server.port}`;
  const people = new Map<string, Person>();
  const provider = new Provider(issuer, {
    clients: [
      {
        ...TEST_CLIENT,
        redirect_uris: [returnTo],
        post_logout_redirect_uris: [new URL("/login", returnTo).href],
      },
    ],
    claims: {
      openid: ["sub"],
      email: ["email", "email_verified"],
      profile: ["given_name", "family_name", "groups"],
    },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: true } },
    cookies: { keys: ["clé des tests"] },
    // The package reports each default.
    ttl: { AccessToken: 60, Grant: 600, IdToken: 60, Interaction: 600, Session: 600 },
    findAccount: async (_context: unknown, id: string) => ({
      accountId: id,
      claims: async () => ({ sub: id, ...people.get(id) }),
    }),
  });
  answer = provider.callback();
  return {
    issuer,
    people,
    signIn: (location, login) =>
      walk(location, (page) => {
        const prompt = /name="prompt" value="([^"]+)"/.exec(page)?.[1];
        return prompt === undefined ? null : { prompt, login, password: "au choix" };
      }),
    close: server.close,
  };
}

type Fill = (page: string) => Record<string, string> | null;

/**
 * Follows redirections and sends the login and consent forms, with the cookies of a browser.
 * `fill`: what is typed; null for a page without such a form.
 */
export async function walk(location: string, fill: Fill): Promise<Record<string, string>> {
  const { origin } = new URL(location);
  const cookies = new Map<string, string>();
  let next = { url: location, body: undefined as URLSearchParams | undefined };
  for (let step = 0; step < 12; step++) {
    const answer = await fetch(next.url, {
      method: next.body === undefined ? "GET" : "POST",
      redirect: "manual",
      headers: { cookie: [...cookies].map((pair) => pair.join("=")).join("; ") },
      ...(next.body === undefined ? {} : { body: next.body }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [name = "", value = ""] = line.split(";")[0]?.split("=") ?? [];
      cookies.set(name, value);
    }
    const target = answer.headers.get("location");
    if (target === null) {
      const page = await answer.text();
      const action = /action="([^"]+)"/.exec(page)?.[1]?.replaceAll("&amp;", "&");
      const form = fill(page);
      if (action === undefined || form === null)
        throw new Error(`The provider shows ${answer.status}: ${page.slice(0, 400)}`);
      next = { url: new URL(action, origin).href, body: new URLSearchParams(form) };
      continue;
    }
    const url = new URL(target, origin);
    if (url.origin !== origin) return Object.fromEntries(url.searchParams);
    next = { url: url.href, body: undefined };
  }
  throw new Error("The provider does not come back");
}
