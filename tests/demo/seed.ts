import { createApiClient, type ApiClient } from "../support/api-client.ts";
import { makeContract } from "../support/make-contract.ts";
import { readLocalMailbox } from "../support/read-local-mailbox.ts";
import { findFreePort, startServer } from "../support/start-server.ts";
import * as story from "../support/story.ts";

/**
 * `npm run seed`: fills the data folder by the public contract of a service started for it; one
 * that runs already stays. Three accounts, envelopes in every state, real signatures.
 */
const API = "/api/signature";
const PEOPLE = {
  clemence: {
    username: "clemence",
    email: "clemence@exemple.fr",
    firstName: "Clémence",
    lastName: "Aubry-Lefèvre",
  },
  francois: {
    username: "francois",
    email: "francois@exemple.fr",
    firstName: "François",
    lastName: "Müller",
  },
  zoe: { username: "zoe", email: "zoe@exemple.fr", firstName: "Zoë", lastName: "Œuvrard" },
} as const;
const GUESTS = [
  { email: "come@exemple.fr", full_name: "Côme Nguyễn" },
  { email: "maelys@exemple.fr", full_name: "Maëlys N'Guessan" },
] as const;

type Seeding = {
  readonly world: story.World;
  readonly clemence: ApiClient;
  readonly francois: ApiClient;
};

function fullName({ firstName, lastName }: { firstName: string; lastName: string }): string {
  return `${firstName} ${lastName}`;
}

async function draft(
  sender: ApiClient,
  title: string,
  guests: readonly story.Guest[],
): Promise<string> {
  return (await story.createEnvelope(sender, { title, pdf: await makeContract(title), guests })).id;
}

async function sent(
  sender: ApiClient,
  title: string,
  guests: readonly story.Guest[],
): Promise<string> {
  const id = await draft(sender, title, guests);
  await story.sendEnvelope(sender, id);
  return id;
}

async function visit(
  { world }: Seeding,
  guest: story.Guest,
  id: string,
): Promise<story.GuestVisit> {
  const opened = await story.openInvitation(world, guest, id);
  await story.confirmGuest(world, opened);
  return opened;
}

async function sign(seeding: Seeding, guest: story.Guest, id: string): Promise<void> {
  await story.signAsGuest(
    await visit(seeding, guest, id),
    guest === GUESTS[0] ? story.DRAWN : story.typed(guest.full_name),
  );
}

/** Every state that the sender can reach. */
async function seedStates(seeding: Seeding): Promise<void> {
  const { clemence, francois } = seeding;
  await draft(clemence, "Avenant n° 3 – télétravail", GUESTS);
  await sent(clemence, "Bail commercial – 12 rue Haute", GUESTS);
  await sign(
    seeding,
    GUESTS[0],
    await sent(clemence, "Contrat de prestation – Pêche & Forêt", GUESTS),
  );

  const completed = await sent(clemence, "Devis n° 2026-118 – toiture du hangar", GUESTS);
  for (const guest of GUESTS) await sign(seeding, guest, completed);
  const print = await clemence.post(`${API}/prints/generate/`, {
    json: { envelope: completed, qr_type: "certificate" },
  });
  console.log(`Preuve publique : ${story.expectStatus(print, 201, "print").json.verify_url}`);

  const declined = await sent(clemence, "Proposition d'achat – véhicule", [GUESTS[1]]);
  const refusal = await visit(seeding, GUESTS[1], declined);
  story.expectStatus(
    await refusal.client.post(`${refusal.path}/decline/`, {
      json: { reason: "Le prix a changé." },
    }),
    200,
    "decline",
  );

  const cancelled = await sent(clemence, "Convention de stage – à refaire", [GUESTS[0]]);
  story.expectStatus(await clemence.post(`${API}/envelopes/${cancelled}/cancel/`), 200, "cancel");

  const asked = await sent(francois, "Procès-verbal d'assemblée générale", [
    { email: PEOPLE.clemence.email, full_name: fullName(PEOPLE.clemence) },
  ]);
  await story.confirmAddress(seeding.world, PEOPLE.clemence, asked);
}

/** Awaits a real deadline. */
async function seedExpired({ clemence }: Seeding): Promise<void> {
  const title = "Ordre de mission – Genève";
  const pdf = await makeContract(title);
  const deadlineAt = new Date(Date.now() + 5_000).toISOString();
  const { id } = await story.createEnvelope(clemence, {
    title,
    pdf,
    guests: [GUESTS[0]],
    deadlineAt,
  });
  await story.sendEnvelope(clemence, id);
  const until = Date.now() + 120_000;
  while (Date.now() < until) {
    const { status } = (await clemence.get(`${API}/envelopes/${id}/`)).json;
    if (status === "expired") return;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  throw new Error("the deadline passed, and the envelope did not expire within two minutes");
}

async function isSeeded(url: string): Promise<boolean> {
  const client = createApiClient(url);
  await client.get("/api/verify-token/");
  const json = { username: PEOPLE.clemence.username, password: story.PASSWORD, remember_me: false };
  const { status } = await client.post("/api/token/", { json });
  client.close();
  return status === 200;
}

const publicUrl = process.env.PUBLIC_URL ?? `https://localhost:${process.env.PORT ?? "8443"}`;
const { DATABASE_URL, MASTER_KEY } = process.env;
const server = await startServer({
  dataDir: process.env.DATA_DIR ?? "data",
  port: await findFreePort(),
  env: {
    PUBLIC_URL: publicUrl,
    RATE_LIMITS: "off",
    ...(DATABASE_URL ? { DATABASE_URL } : {}),
    ...(MASTER_KEY ? { MASTER_KEY } : {}),
  },
});
try {
  if (!(await isSeeded(server.localUrl))) {
    const world = { url: server.localUrl, mails: readLocalMailbox(server.localUrl) };
    for (const person of Object.values(PEOPLE)) await story.registerPerson(world, person);
    const clemence = await story.logIn(world.url, PEOPLE.clemence.username);
    const francois = await story.logIn(world.url, PEOPLE.francois.username);
    const seeding = { world, clemence, francois };
    await seedStates(seeding);
    await seedExpired(seeding);
  }
  console.log("La démonstration est prête. Comptes :");
  for (const { username, email } of Object.values(PEOPLE))
    console.log(`  ${username} (${email}), mot de passe ${story.PASSWORD}`);
  console.log(`Ouvrez ${publicUrl} après « npm start ».`);
} finally {
  await server.stop();
}
