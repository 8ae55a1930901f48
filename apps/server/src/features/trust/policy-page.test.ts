import { X509Certificate } from "node:crypto";
import Fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../testing/database.ts";
import { testTrustPlatform } from "../../../testing/trust-platform.ts";
import { createTrust, type Trust } from "./create-trust.ts";
import { trustRoutes } from "./routes.ts";

let database: TestDatabase;
let trust: Trust;
let app: FastifyInstance;

beforeAll(async () => {
  database = await createTestDatabase();
  const platform = testTrustPlatform(database);
  trust = await createTrust(platform);
  app = Fastify();
  await app.register(trustRoutes(platform, trust));
});
afterAll(async () => {
  await app.close();
  await database.drop();
});

it("GET /politique-de-certification says in French what the policies mean, claims nothing more, and loads nothing", async () => {
  const answer = await app.inject("/politique-de-certification");
  expect([answer.statusCode, answer.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
  for (const said of ["2.25.1348563553.1.1", "2.25.1348563553.2.1", "signatures électroniques simples", "ni avancées ni qualifiées"])
    expect(answer.body).toContain(said);
  expect(answer.body).not.toMatch(/<script|<img|<link|src=/);
  // The fonts of our other pages, from here alone; the system's where the client is not built.
  for (const [, address] of answer.body.matchAll(/url\(([^)]*)\)/g)) expect(address).toMatch(/^\/assets\/[\w-]+\.woff2$/);
  expect(answer.body).toContain('"Instrument Sans",system-ui');
  expect(answer.body).toContain('"Spectral",Georgia');
  expect(String(answer.headers["content-security-policy"])).toContain("default-src 'none'; style-src 'unsafe-inline'; font-src 'self';");
  // It is no dead end.
  for (const link of [
    '<a class="brand" href="/" aria-label="Paraphe, accueil"><svg',
    "<span>Paraphe</span></a>",
    '<a href="/">Retour à l’accueil</a>',
    '<a href="/confidentialite">',
  ])
    expect(answer.body).toContain(link);
  // What a lawyer looks for: whose it is, who is identified and how, the keys, revocation, how long things are kept, whom to ask.
  for (const title of ["Objet et identification", "Identification du signataire", "Clés et certificats à usage unique", "Révocation"])
    expect(answer.body).toMatch(new RegExp(`<h2>\\d\\. ${title}</h2>`));
  for (const said of ["Conservation", "Limites", "Contact et droit applicable", "L’identité civile n’est pas vérifiée", "puis détruite"])
    expect(answer.body).toContain(said);
  expect(answer.body).toContain("applicable depuis le 21\u00a0novembre\u00a02026");
  // Nobody sets another duration: none is promised.
  expect(answer.body).toContain("Les documents et les preuves le sont dix ans après la dernière signature.");
  expect(answer.body).not.toContain("que fixe l’expéditeur");
  expect(answer.body).toContain(new X509Certificate(trust.certificates.root).fingerprint256);
});
