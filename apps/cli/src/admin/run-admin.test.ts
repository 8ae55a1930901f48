import { afterAll, beforeAll, expect, it } from "vitest";
import { createMember } from "../../../server/testing/member.ts";
import { createTestPlatform, type TestPlatform } from "../../../server/testing/platform.ts";
import { listInvitations } from "../../../server/src/features/accounts/members/invitations.ts";
import { eventSentence, selectEvents } from "../../../server/src/features/organisations/public.ts";
import { runAdmin } from "./run-admin.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await createTestPlatform();
});
afterAll(() => platform.close());

/** Gives what the operator did. */
async function journal(): Promise<readonly string[]> {
  const events = await selectEvents(platform.db, { before: null, limit: 50 });
  return events
    .filter(({ actorId }) => actorId === null)
    .map(({ kind, detail }) => eventSentence(kind, { subject: "Une personne", detail }));
}

it("creates an invitation link that an invited person can register with", async () => {
  expect(await runAdmin(platform, ["invite"])).toEqual({
    code: 0,
    lines: [expect.stringMatching(/^https:\/\/localhost:8443\/register\?invitation=[\w-]{43}$/)],
  });
});

it("makes an administrator only of an account with a confirmed address, and explains a refusal", async () => {
  const member = await createMember(platform);
  const waiting = await createMember(platform, { activated: false });
  expect((await runAdmin(platform, ["list"])).lines).toEqual(["Aucun administrateur."]);
  expect((await runAdmin(platform, ["promote", member.email])).code).toBe(0);
  expect((await runAdmin(platform, ["promote", waiting.email])).code).toBe(1);
  const stranger = await createMember(platform, { confirmed: false });
  const refused = await runAdmin(platform, ["promote", stranger.email]);
  expect([refused.code, ...refused.lines]).toEqual([
    1,
    `Aucun compte activé n’a cette adresse, confirmée par la personne\u00a0: ${stranger.email}`,
    expect.stringContaining("ouvre le lien d’une enveloppe reçue par email"),
  ]);
  expect((await runAdmin(platform, ["list"])).lines).toEqual([`${member.email}, administrateur`]);
});

it("mails an invitation, which the running service sends", async () => {
  expect(await runAdmin(platform, ["invite", "zoe@exemple.fr", "administrateur"])).toEqual({
    code: 0,
    lines: ["Invitation pour zoe@exemple.fr\u00a0: le service l’envoie."],
  });
  const queued = platform.db
    .selectFrom("notices")
    .select(["destination", "state"])
    .where("kind", "=", "registration_invited");
  expect(await queued.execute()).toEqual([{ destination: "zoe@exemple.fr", state: "queued" }]);
  await runAdmin(platform, ["invite", "theo@exemple.fr"]);
  const { invitations } = await listInvitations(platform);
  expect(invitations.map(({ email, role, invited_by }) => [email, role, invited_by])).toEqual(
    expect.arrayContaining([
      ["zoe@exemple.fr", "administrator", null],
      ["theo@exemple.fr", "member", null],
    ]),
  );
  expect(await journal()).toEqual(
    expect.arrayContaining([
      "Invitation envoyée à zoe@exemple.fr, comme administrateur",
      "Invitation envoyée à theo@exemple.fr, comme membre",
      "Adresse d’inscription donnée à une personne",
    ]),
  );
  const withoutMail = {
    ...platform,
    settings: { ...platform.settings, mailDisabled: true },
  };
  expect(await runAdmin(withoutMail, ["invite", "zoe@exemple.fr"])).toEqual({
    code: 1,
    lines: [
      "Ce service n’envoie aucun email (MAIL=none). Sans email, la commande donne l’adresse.",
    ],
  });
});

it("gives another address of the first start until there is an administrator", async () => {
  await platform.db.deleteFrom("organisation_members").execute();
  const addresses = [await runAdmin(platform, ["setup"]), await runAdmin(platform, ["setup"])];
  for (const { code, lines } of addresses) {
    expect(code).toBe(0);
    expect(lines[0]).toMatch(/^https:\/\/localhost:8443\/premier-demarrage#[\w-]{43}$/);
  }
  expect(addresses[0]).not.toEqual(addresses[1]);
  const { email } = await createMember(platform);
  expect(await runAdmin(platform, ["promote", email, "propriétaire"])).toEqual({
    code: 0,
    lines: [`${email} est propriétaire.`],
  });
  expect(await runAdmin(platform, ["setup"])).toEqual({
    code: 1,
    lines: [
      "Le service a déjà un administrateur\u00a0: paraphe admin list le montre.",
      "À faire\u00a0: paraphe admin invite administrateur, pour en ajouter un.",
    ],
  });
});

it("removes the second factors of an account and mails its owner", async () => {
  const member = await createMember(platform);
  const now = platform.clock();
  await platform.db
    .insertInto("totp_factors")
    .values({
      user_id: member.id,
      secret_wrapped: new Uint8Array(1),
      last_step: 0,
      created_at: now,
    })
    .execute();
  expect((await runAdmin(platform, ["reset-factors", "personne"])).code).toBe(1);
  expect((await runAdmin(platform, ["reset-factors", member.email])).code).toBe(0);
  const left = await platform.db
    .selectFrom("totp_factors")
    .select("user_id")
    .where("user_id", "=", member.id)
    .execute();
  expect(left).toEqual([]);
  expect(await journal()).not.toContainEqual(expect.stringMatching(/^Second facteur/));
  await runAdmin(platform, ["promote", member.email]);
  await runAdmin(platform, ["reset-factors", member.email]);
  expect(await journal()).toContainEqual(expect.stringMatching(/^Second facteur .* réinitialisé$/));
  const mails = await platform.db
    .selectFrom("notices")
    .select("kind")
    .where("user_id", "=", member.id)
    .execute();
  expect(mails).toEqual([{ kind: "factors_changed" }, { kind: "factors_changed" }]);
});

it("prints its usage when it is misused", async () => {
  for (const words of [
    [],
    ["invite", "tous"],
    ["promote"],
    ["invite", "zoe@exemple.fr", "theo@exemple.fr"],
    ["setup", "x"],
    ["promote", "a@exemple.fr", "chef"],
    ["reset-factors"],
    ["list", "x"],
    ["promote", "a@exemple.fr", "b@exemple.fr"],
  ])
    expect((await runAdmin(platform, words)).code, words.join(" ")).toBe(64);
});
