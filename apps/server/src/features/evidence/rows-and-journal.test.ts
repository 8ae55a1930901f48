import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { BATCH_MARK, BATCH_PLACE, batchPdf, signBatch } from "../../../testing/batch-calls.ts";
import { multipart, type TestBrowser } from "../../../testing/browser.ts";
import { createSent, ELOISE, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { openConfirmedGuest, signAsGuest, TYPED } from "../../../testing/guest.ts";
import { createMember, signIn } from "../../../testing/member.ts";
import { makePdf } from "../../../testing/pdf.ts";

let service: TestApp;
let owner: TestBrowser;

beforeAll(async () => {
  service = await createTestApp({ settings: { rateLimits: "off" } });
  owner = await signIn(service, await createMember(service.platform, { firstName: "Anne", lastName: "Roux" }));
}, 60_000);
afterAll(() => service.close());

async function complete(): Promise<string> {
  const sent = await createSent(owner, { recipients: [PAUL, ELOISE] });
  for (const { email } of [PAUL, ELOISE]) await signAsGuest(service, sent.id, email);
  return sent.id;
}

async function wordsOf(id: string): Promise<string> {
  const answer = await owner.get(`${ENVELOPES}${id}/evidence/`);
  expect(answer.status, answer.text.slice(0, 400)).toBe(200);
  const text = execFileSync("pdftotext", ["-", "-"], { input: answer.bytes, encoding: "utf8" });
  return text.normalize("NFC").replaceAll(/\s+/g, " ");
}

/** What whoever may write in the tables does there: the journal stays as it was written. */
async function edit(...statements: readonly string[]): Promise<void> {
  for (const sql of statements) await service.platform.owner.executeQuery({ sql, parameters: [], query: {} } as never);
}

const WELL = "Toutes les signatures sont valides";
const DIFFERS = "Des données de cette enveloppe ont été modifiées hors de son journal";

describe("a row that was edited beside a journal that holds", () => {
  test.each([
    ["acts", "ip_address = '8.8.8.8'", "Adresse IP de Paul Morel : le journal dit « 127.0.0.1 », la base « 8.8.8.8 »."],
    ["acts", "user_agent = 'Autre navigateur'", "la base « Autre navigateur »."],
    ["acts", "consent_version = '1999-01'", "la base « 1999-01 »."],
    ["acts", "documents_sha256 = '\\x07'::bytea || substring(documents_sha256 from 2)", "Empreinte des documents lus de Paul Morel"],
    ["acts", "signed_at = '2020-02-02T02:02:02Z'", "la base « 2 février 2020"],
    ["acts", "sealed_at = '2020-02-02T02:02:02Z'", "Signature de Paul Morel : le journal dit « 2"],
    ["acts", "method = 'authenticated'", "Moyen de signature de Paul Morel : le journal dit « guest », la base « authenticated »."],
    ["recipients", "full_name = 'Un Autre'", "Nom de Paul Morel : le journal dit « Paul Morel », la base « Un Autre »."],
    ["recipients", "email = 'autre@exemple.fr'", "la base « autre@exemple.fr »."],
    ["recipients", "signed_at = '2020-02-02T02:02:02Z'", "Date du consentement de Paul Morel : le journal dit « 2"],
    ["envelopes", "deadline_at = '2023-01-01T00:00:00Z'", "Échéance : le journal dit « aucune date », la base « 1er janvier 2023"],
    ["recipients", "viewed_at = '2020-02-02T02:02:02Z'", "Ouverture des documents par Paul Morel"],
    ["recipients", "declined_at = '2020-02-02T02:02:02Z'", "Refus de Paul Morel : le journal dit « aucune date »"],
    ["envelopes", "created_by_name = 'Autre expéditeur'", "Expéditeur : le journal dit « Anne Roux », la base « Autre expéditeur »."],
    ["envelopes", "title = 'Autre titre'", "la base « Autre titre »."],
    ["envelopes", "completed_at = '2019-01-01T00:00:00Z'", "la date de fin"],
    ["recipients", "phone_number = '+33600000000'", "Téléphone de Paul Morel : le journal dit « rien », la base « +33600000000 »."],
    ["envelopes", "sent_at = '2019-01-01T00:00:00Z'", "Date d’envoi : le journal dit"],
    ["envelopes", "created_at = '2019-01-01T00:00:00Z'", "Date de création : le journal dit"],
  ])("is never what the file tells: %s, %s", async (table, change, said) => {
    const id = await complete();
    expect(await wordsOf(id)).toContain(WELL);
    const paul = `(select id from recipients where envelope_id = '${id}' and full_name = 'Paul Morel')`;
    const which = { acts: `recipient_id = ${paul}`, recipients: `id = ${paul}`, envelopes: `id = '${id}'` }[table] ?? "false";
    await edit(`update ${table === "acts" ? "signing_acts" : table} set ${change} where ${which}`);
    const words = await wordsOf(id);
    expect(words).toContain(DIFFERS);
    expect(words).toContain(said);
    expect(words).not.toContain(WELL);
    // The value of the table stands where it is said to differ, and nowhere else.
    const value = /'([^'\\]+)'$/.exec(change)?.[1];
    if (value !== undefined && !/^20\d\d|^authenticated/.test(value))
      expect(words.replaceAll(`la base « ${value} »`, "")).not.toContain(value);
  });

  test("nor that nobody else signed, once a signer's rows are gone, nor that all did, once who had not is in copy", async () => {
    const id = await complete();
    const eloise = `(select id from recipients where envelope_id = '${id}' and full_name = '${ELOISE.full_name}')`;
    await edit(
      `delete from signing_acts where recipient_id = ${eloise}`,
      `delete from signatures where recipient_id = ${eloise}`,
      `delete from recipients where id = ${eloise}`,
    ).catch(async () => {
      await edit(`update recipients set role = 'viewer', status = 'notified' where id = ${eloise}`);
    });
    const hidden = await wordsOf(id);
    expect(hidden).toContain(DIFFERS);
    expect(hidden).not.toContain(WELL);

    const sent = await createSent(owner, { recipients: [PAUL, ELOISE] });
    await signAsGuest(service, sent.id, PAUL.email);
    await edit(
      `update recipients set role = 'viewer' where envelope_id = '${sent.id}' and full_name = '${ELOISE.full_name}'`,
      `update envelopes set status = 'completed', completed_at = '2026-11-21T10:00:00Z' where id = '${sent.id}'`,
    );
    const incomplete = await wordsOf(sent.id);
    expect(incomplete).toContain(DIFFERS);
    expect(incomplete).toContain("Dossier provisoire");
    expect(incomplete).not.toContain(WELL);
  });

  test("nor a consent that was taken away, or made up", async () => {
    const id = await complete();
    await edit(
      `delete from signing_acts where recipient_id in (select id from recipients where envelope_id = '${id}' and full_name = 'Paul Morel')`,
    );
    expect(await wordsOf(id)).toContain("Consentements : le journal dit « 2 », la base « 1 ».");
  });
});

describe("the file of an honest envelope says that nothing differs", () => {
  test("when an address was corrected, the number taken away, and the reader came twice", async () => {
    const sent = await createSent(owner, { recipients: [{ ...PAUL, phone_number: "06 11 22 33 44" }, ELOISE] });
    const paul = sent.recipients.find(({ email }: { email: string }) => email === PAUL.email);
    await openConfirmedGuest(service, sent.id, PAUL.email);
    const corrected = await owner.send("PATCH", `${ENVELOPES}${sent.id}/recipients/${paul?.id}/`, {
      body: JSON.stringify({ email: "paul.morel@ailleurs.fr", phone_number: "" }),
      headers: { "content-type": "application/json" },
    });
    expect(corrected.status, corrected.text).toBe(200);
    service.platform.clock.advance({ minutes: 2 });
    await signAsGuest(service, sent.id, "paul.morel@ailleurs.fr");
    const words = await wordsOf(sent.id);
    expect(words).toContain("paul.morel@ailleurs.fr");
    expect(words).not.toContain(DIFFERS);
  });

  test("when it was declined, cancelled, restored, or waits", async () => {
    const sent = await createSent(owner, { recipients: [PAUL, ELOISE], deadline_at: "2026-12-20T10:00:00Z" });
    expect(await wordsOf(sent.id)).not.toContain(DIFFERS);
    await signAsGuest(service, sent.id, PAUL.email);
    await owner.post(`${ENVELOPES}${sent.id}/cancel/`);
    expect(await wordsOf(sent.id)).not.toContain(DIFFERS);
    await owner.post(`${ENVELOPES}${sent.id}/restore/`);
    expect(await wordsOf(sent.id)).not.toContain(DIFFERS);
    const guest = await openConfirmedGuest(service, sent.id, ELOISE.email);
    expect((await guest.post("decline/", { reason: "Trop cher." })).status).toBe(200);
    const declined = await wordsOf(sent.id);
    expect(declined).not.toContain(DIFFERS);
    // Nothing was put together at the end of what had none.
    expect(declined).not.toContain("un autre scelle l’ensemble à la fin");
  });

  test("when its owner signed alone, by hand and in a batch", async () => {
    const form = multipart({ placement: JSON.stringify(BATCH_PLACE), signature: JSON.stringify(BATCH_MARK) }, [
      { field: "file", name: "seul.pdf", type: "application/pdf", bytes: makePdf() },
    ]);
    const alone = await owner.send("POST", "/api/signature/self-sign/", form);
    expect(alone.status, alone.text).toBe(201);
    await signBatch(service, owner, [batchPdf("Lot")]);
    const { results } = (await owner.get(`${ENVELOPES}?page_size=2`)).body;
    for (const { id } of results) {
      const words = await wordsOf(id);
      expect(words).toContain(WELL);
      expect(words).not.toContain(DIFFERS);
    }
  });

  test("when a member signed from their account", async () => {
    const member = await createMember(service.platform, { firstName: "Éloïse", lastName: "Lefèvre" });
    const sent = await createSent(owner, { recipients: [{ email: member.email, full_name: "Éloïse Lefèvre" }, PAUL] });
    const eloise = await signIn(service, member);
    expect((await eloise.post(`${ENVELOPES}${sent.id}/view/`)).status).toBe(204);
    const signed = await eloise.post(`${ENVELOPES}${sent.id}/sign_authenticated/`, TYPED);
    expect(signed.status, signed.text).toBe(200);
    await signAsGuest(service, sent.id, PAUL.email);
    const words = await wordsOf(sent.id);
    expect(words).toContain("Session du compte");
    expect(words).toContain("Signature d’Éloïse Lefèvre apposée");
    expect(words).toContain("un autre scelle l’ensemble à la fin");
    expect(words).not.toContain(DIFFERS);
  });
});
