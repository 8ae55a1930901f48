import type { Browser, Page } from "@playwright/test";
import { createApiClient } from "./api-client.ts";
import { signIn } from "./sign-in.ts";
import type { OwnService } from "./stories.ts";
import { expectStatus, logIn, PASSWORD, type Person } from "./story.ts";

/** The first start's owner names the organisation, and closes registration unless `isOpen`. */
export async function nameOrganisation(
  { server }: OwnService,
  owner: Person,
  { isOpen = false } = {},
): Promise<void> {
  const token = /\/premier-demarrage#(\S+)/.exec(server.said())?.[1];
  const client = createApiClient(server.url);
  await client.get("/api/verify-token/");
  const account = {
    username: owner.username,
    email: owner.email,
    password: PASSWORD,
    first_name: owner.firstName,
    last_name: owner.lastName,
  };
  const claim = { json: { token, account } };
  expectStatus(await client.post("/api/signature/first-start/", claim), 201, "first start");
  client.close();
  const lead = await logIn(server.url, owner.username);
  const identity = {
    name: "Cabinet Aubry & Associés",
    legal_form: "SELARL",
    address: "14 rue aux Juifs, 76000 Rouen",
    siret: null,
    representative: null,
    contact_email: "contact@cabinet-aubry.fr",
    dpo_email: null,
    version: 1,
  };
  expectStatus(await lead.put("/api/organisation/identity/", { json: identity }), 200, "name");
  const choice = { kind: isOpen ? "open" : "closed", domains: [] };
  const registration = { json: { choice, version: 2 } };
  expectStatus(
    await lead.put("/api/organisation/registration/", registration),
    200,
    "registration",
  );
  lead.close();
}

/** A page of a browser of its own, signed in as `username`. */
export async function openOwnPage(
  browser: Browser,
  { server }: OwnService,
  username?: string,
): Promise<Page> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, baseURL: server.url });
  const page = await context.newPage();
  if (username !== undefined) await signIn(page, { url: server.url, username });
  return page;
}
