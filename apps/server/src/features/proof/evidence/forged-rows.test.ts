import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { PDF } from "@libpdf/core";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../../testing/app.ts";
import { BATCH_MARK, BATCH_PLACE, batchPdf, signBatch } from "../../../../testing/batch-calls.ts";
import { multipart, type TestBrowser } from "../../../../testing/browser.ts";
import { createDraft, createSent, ELOISE, ENVELOPES, PAUL } from "../../../../testing/envelope.ts";
import { openConfirmedGuest, signAsGuest, TYPED } from "../../../../testing/guest.ts";
import { asOperator, makeJournalOfBefore } from "../../../../testing/journal-of-before.ts";
import { createMember, signIn } from "../../../../testing/member.ts";
import { makePdf, SCRIPT } from "../../../../testing/pdf.ts";
import { rememberRows } from "../../../../testing/remember-rows.ts";

const WELL = "Toutes les signatures sont valides";
const DIFFERS = "Des données de cette enveloppe ont été modifiées hors de son historique";

let service: TestApp;
let owner: TestBrowser;

beforeAll(async () => {
  service = await createTestApp({ settings: { rateLimits: "off" } });
});
beforeAll(async () => {
  owner = await signIn(
    service,
    await createMember(service.platform, { firstName: "Anne", lastName: "Roux" }),
  );
}, 60_000);

afterAll(() => service.close());

describe("rows beside the journal", () => {
  let id: string;
  let putBack: () => Promise<void>;
  beforeAll(async () => {
    ({ id } = await createSent(owner, { recipients: [PAUL, ELOISE] }));
    for (const { email } of [PAUL, ELOISE]) await signAsGuest(service, id, email);
    putBack = await rememberRows(service.platform);
  });
  afterEach(() => putBack());

  async function wordsOf(id: string): Promise<string> {
    const answer = await owner.get(`${ENVELOPES}${id}/evidence/`);
    expect(answer.status, answer.text.slice(0, 400)).toBe(200);
    const text = execFileSync("pdftotext", ["-", "-"], { input: answer.bytes, encoding: "utf8" });
    return text.normalize("NFC").replaceAll(/\s+/g, " ");
  }

  /** What whoever may write in the tables does there: the journal stays as it was written. */
  async function edit(...statements: readonly string[]): Promise<void> {
    for (const sql of statements)
      await service.platform.owner.executeQuery({ sql, parameters: [], query: {} } as never);
  }

  describe("a row that was edited beside a journal that holds", () => {
    test("is told from an envelope of which nothing was edited: its signatures are all valid", async () => {
      expect(await wordsOf(id)).toContain(WELL);
    });

    test.each([
      [
        "acts",
        "ip_address = '8.8.8.8'",
        "Adresse IP de Paul Morel : l’historique dit « 127.0.0.1 », la base « 8.8.8.8 ».",
      ],
      ["acts", "user_agent = 'Autre navigateur'", "la base « Autre navigateur »."],
      ["acts", "consent_version = '1999-01'", "la base « 1999-01 »."],
      [
        "acts",
        "documents_sha256 = '\\x07'::bytea || substring(documents_sha256 from 2)",
        "Empreinte des documents lus de Paul Morel",
      ],
      ["acts", "signed_at = '2020-02-02T02:02:02Z'", "la base « 2 février 2020"],
      [
        "acts",
        "sealed_at = '2020-02-02T02:02:02Z'",
        "Signature de Paul Morel : l’historique dit « 2",
      ],
      [
        "acts",
        "method = 'authenticated'",
        "Moyen de signature de Paul Morel : l’historique dit « guest », la base « authenticated ».",
      ],
      [
        "recipients",
        "full_name = 'Un Autre'",
        "Nom de Paul Morel : l’historique dit « Paul Morel », la base « Un Autre ».",
      ],
      ["recipients", "email = 'autre@exemple.fr'", "la base « autre@exemple.fr »."],
      [
        "recipients",
        "signed_at = '2020-02-02T02:02:02Z'",
        "Date du consentement de Paul Morel : l’historique dit « 2",
      ],
      [
        "envelopes",
        "deadline_at = '2023-01-01T00:00:00Z'",
        "Échéance : l’historique dit « aucune date », la base « 1er janvier 2023",
      ],
      [
        "recipients",
        "viewed_at = '2020-02-02T02:02:02Z'",
        "Ouverture des documents par Paul Morel",
      ],
      [
        "recipients",
        "declined_at = '2020-02-02T02:02:02Z'",
        "Refus de Paul Morel : l’historique dit « aucune date »",
      ],
      [
        "envelopes",
        "created_by_name = 'Autre expéditeur'",
        "Expéditeur : l’historique dit « Anne Roux », la base « Autre expéditeur ».",
      ],
      ["envelopes", "title = 'Autre titre'", "la base « Autre titre »."],
      ["envelopes", "completed_at = '2019-01-01T00:00:00Z'", "la date de fin"],
      [
        "recipients",
        "phone_number = '+33600000000'",
        "Téléphone de Paul Morel : l’historique dit « rien », la base « +33600000000 ».",
      ],
      ["envelopes", "sent_at = '2019-01-01T00:00:00Z'", "Date d’envoi : l’historique dit"],
      ["envelopes", "created_at = '2019-01-01T00:00:00Z'", "Date de création : l’historique dit"],
    ])("is never what the file tells: %s, %s", async (table, change, said) => {
      const paul = `(select id from recipients where envelope_id = '${id}' and full_name = 'Paul Morel')`;
      const which =
        { acts: `recipient_id = ${paul}`, recipients: `id = ${paul}`, envelopes: `id = '${id}'` }[
          table
        ] ?? "false";
      await edit(
        `update ${table === "acts" ? "signing_acts" : table} set ${change} where ${which}`,
      );
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
      const eloise = `(select id from recipients where envelope_id = '${id}' and full_name = '${ELOISE.full_name}')`;
      await edit(
        `delete from signing_acts where recipient_id = ${eloise}`,
        `delete from signatures where recipient_id = ${eloise}`,
        `delete from recipients where id = ${eloise}`,
      ).catch(async () => {
        await edit(
          `update recipients set role = 'viewer', status = 'notified' where id = ${eloise}`,
        );
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
      await edit(
        `delete from signing_acts where recipient_id in (select id from recipients where envelope_id = '${id}' and full_name = 'Paul Morel')`,
      );
      expect(await wordsOf(id)).toContain("Consentements : l’historique dit « 2 », la base « 1 ».");
    });
  });

  describe("the file of an honest envelope says that nothing differs", () => {
    test("when an address was corrected, the number taken away, and the reader came twice", async () => {
      const sent = await createSent(owner, {
        recipients: [{ ...PAUL, phone_number: "06 11 22 33 44" }, ELOISE],
      });
      const paul = sent.recipients.find(({ email }: { email: string }) => email === PAUL.email);
      await openConfirmedGuest(service, sent.id, PAUL.email);
      const corrected = await owner.send(
        "PATCH",
        `${ENVELOPES}${sent.id}/recipients/${paul?.id}/`,
        {
          body: JSON.stringify({ email: "paul.morel@ailleurs.fr", phone_number: "" }),
          headers: { "content-type": "application/json" },
        },
      );
      expect(corrected.status, corrected.text).toBe(200);
      service.platform.clock.advance({ minutes: 2 });
      await signAsGuest(service, sent.id, "paul.morel@ailleurs.fr");
      const words = await wordsOf(sent.id);
      expect(words).toContain("paul.morel@ailleurs.fr");
      expect(words).not.toContain(DIFFERS);
    });

    test("when it was declined, cancelled, restored, or waits", async () => {
      const sent = await createSent(owner, {
        recipients: [PAUL, ELOISE],
        deadline_at: "2026-12-20T10:00:00Z",
      });
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
      const form = multipart(
        { placement: JSON.stringify(BATCH_PLACE), signature: JSON.stringify(BATCH_MARK) },
        [{ field: "file", name: "seul.pdf", type: "application/pdf", bytes: makePdf() }],
      );
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
      const member = await createMember(service.platform, {
        firstName: "Éloïse",
        lastName: "Lefèvre",
      });
      const sent = await createSent(owner, {
        recipients: [{ email: member.email, full_name: "Éloïse Lefèvre" }, PAUL],
      });
      const eloise = await signIn(service, member);
      expect((await eloise.post(`${ENVELOPES}${sent.id}/view/`)).status).toBe(204);
      const signed = await eloise.post(`${ENVELOPES}${sent.id}/sign_authenticated/`, TYPED);
      expect(signed.status, signed.text).toBe(200);
      await signAsGuest(service, sent.id, PAUL.email);
      const words = await wordsOf(sent.id);
      expect(words).toContain("Session du compte");
      expect(words).toContain("Éloïse Lefèvre a signé");
      expect(words).toContain("un autre scelle l’ensemble à la fin");
      expect(words).not.toContain(DIFFERS);
    });
  });
});

describe("parties and files", { timeout: 60_000 }, () => {
  const VICTOR = { email: "victor@exemple.fr", full_name: "Victor Copie", role: "viewer" };
  const HEX = /[0-9a-f]{64}/g;

  let plain: Completed;
  let corrected: Completed;
  let putBack: () => Promise<void>;
  beforeAll(async () => {
    plain = await complete({ isCorrected: false });
    corrected = await complete({ isCorrected: true, deadline_at: "2026-12-20T10:00:00Z" });
    putBack = await rememberRows(service.platform);
  });
  afterEach(() => putBack());

  type Completed = Awaited<ReturnType<typeof complete>>;
  /** An envelope of two signers and somebody in copy, its one file signed in the corrected copy that its sender accepted. */
  async function complete({
    isCorrected,
    ...values
  }: {
    isCorrected: boolean;
    deadline_at?: string;
  }) {
    const uploaded = isCorrected ? makePdf({ catalogExtra: SCRIPT }) : makePdf();
    const files = [{ name: "Bail.pdf", bytes: uploaded }];
    const draft = await createDraft(owner, {
      recipients: [PAUL, ELOISE, VICTOR],
      files,
      ...values,
    });
    const ids = draft.documents.map(({ id }) => id);
    if (isCorrected)
      expect(
        (
          await owner.send("PATCH", `${ENVELOPES}${draft.id}/`, {
            body: { accept_normalised: ids },
          })
        ).status,
      ).toBe(200);
    expect((await owner.post(`${ENVELOPES}${draft.id}/send/`)).status).toBe(200);
    for (const { email } of [PAUL, ELOISE]) await signAsGuest(service, draft.id, email);
    return { id: draft.id, uploaded: createHash("sha256").update(uploaded).digest("hex") };
  }

  async function fileOf(
    id: string,
  ): Promise<{ readonly words: string; readonly hashes: Record<string, unknown> }> {
    const answer = await owner.get(`${ENVELOPES}${id}/evidence/`);
    expect(answer.status, answer.text.slice(0, 400)).toBe(200);
    const text = execFileSync("pdftotext", ["-", "-"], { input: answer.bytes, encoding: "utf8" });
    const pdf = await PDF.load(answer.bytes);
    const { documents } = JSON.parse(
      new TextDecoder().decode(pdf.getAttachment("empreintes.json")),
    );
    return { words: text.normalize("NFC").replaceAll(/\s+/g, " "), hashes: documents[0] };
  }

  const OTHER = "09".repeat(32);
  const edits = {
    uploaded: (id: string) =>
      sql`update documents set uploaded_sha256 = decode(${OTHER}, 'hex') where envelope_id = ${id}`,
    original: (
      id: string,
    ) => sql`update document_revisions set blob_sha256 = decode(${"07".repeat(32)}, 'hex')
    where number = 0 and document_id = (select id from documents where envelope_id = ${id})`,
  };

  describe("the evidence file names nobody whom the journal has not", () => {
    test("nor has anybody do what the journal does not say they did", async () => {
      const { id } = plain;
      expect((await fileOf(id)).words).toContain(WELL);
      const { rows } = await sql<{
        name: string;
      }>`select column_name as name from information_schema.columns
      where table_schema = 'public' and table_name = 'recipients' and is_generated = 'NEVER'`.execute(
        service.platform.owner,
      );
      const values: Record<string, string> = {
        id: `'${service.platform.newId()}'`,
        full_name: "'Maître Durand'",
        email: "'durand@notaires.example'",
        email_key: "'durand@notaires.example'",
        position: "9",
        status: "'signed'",
        signed_at: "'2026-11-20T09:00:00Z'",
      };
      const names = rows.map(({ name }) => name);
      await asOperator(
        service,
        sql.raw(
          `insert into recipients (${names.join()}) select ${names.map((name) => values[name] ?? name).join()} from recipients where envelope_id = '${id}' and role = 'viewer'`,
        ),
        sql`update recipients set status = 'signed', signed_at = '2021-03-03T03:03:03Z' where envelope_id = ${id} and full_name = 'Victor Copie'`,
      );
      const { words } = await fileOf(id);
      expect(words).toContain(DIFFERS);
      expect(words).toContain(
        "Une des parties : l’historique dit « personne », la base « Maître Durand ».",
      );
      expect(words).toContain(
        "État de Victor Copie : l’historique dit « pas encore invité », la base « a signé ».",
      );
      expect(words).not.toContain("durand@notaires.example");
      expect(words).not.toContain("A consenti le 3 mars 2021");
      expect(words).toContain("En copie Reçoit une copie");
    });

    test("nor a consent that somebody else gave", async () => {
      const { id } = plain;
      await asOperator(
        service,
        sql`update signing_acts set recipient_id = (select id from recipients where envelope_id = ${id} and role = 'viewer')
        where recipient_id = (select id from recipients where envelope_id = ${id} and full_name = 'Paul Morel')`,
      );
      const { words } = await fileOf(id);
      expect(words).toContain("Consentement de Victor Copie : l’historique dit « aucun »");
      expect(words).toContain(
        "Consentement de Paul Morel : l’historique dit « a signé », la base « aucun consentement ».",
      );
      expect(words).not.toContain("Adresse email victor@exemple.fr");
    });

    test("nor a certificate that is not in the file", async () => {
      const { id } = plain;
      const before = await fileOf(id);
      await asOperator(
        service,
        sql`update signatures set certificate_der = (select certificate_der from signatures where envelope_id = ${id} and signer_name = 'Paul Morel')
        where envelope_id = ${id} and signer_name = 'Éloïse Lefèvre'`,
      );
      const { words, hashes } = await fileOf(id);
      expect(hashes).toEqual(before.hashes);
      const serials = (hashes["signatures"] as { certificate_serial: string }[]).map(
        (one) => one.certificate_serial,
      );
      expect(serials.filter((serial) => words.includes(serial))).toHaveLength(2);
    });

    test("and says so when what the journal committed to was taken out of it", async () => {
      const { id } = plain;
      await asOperator(
        service,
        sql`delete from audit_details where envelope_id = ${id} and name in ('recipients', 'sender_email')`,
      );
      const { words } = await fileOf(id);
      expect(words).toContain("L’historique engage les parties, et le texte en a été retiré.");
      expect(words).toContain(
        "L’historique engage l’adresse de l’expéditeur, et le texte en a été retiré.",
      );
      expect(words).not.toContain(WELL);
    });
  });

  describe("the files that were deposited, and accepted, are those that the journal names", () => {
    test("whatever the rows say", async () => {
      const { id, uploaded } = corrected;
      const before = await fileOf(id);
      expect(before.words).toContain(WELL);
      expect(before.words).toContain("Copie corrigée, acceptée par l’expéditeur (SHA-256)");
      expect(before.hashes).toMatchObject({ uploaded_sha256: uploaded });
      await asOperator(
        service,
        edits.uploaded(id),
        edits.original(id),
        sql`update documents set page_count = 7 where envelope_id = ${id}`,
        sql`update document_revisions set size = 12345678 where number > 0 and document_id = (select id from documents where envelope_id = ${id})`,
      );
      const after = await fileOf(id);
      expect(after.words).toContain(
        `Fichier déposé de Bail.pdf : l’historique dit « ${uploaded} », la base « ${OTHER} ».`,
      );
      expect(after.words).toContain("Fichier à signer de Bail.pdf : l’historique dit «");
      expect(after.words).toContain("Pages de Bail.pdf : le fichier en a 1, la base dit 7.");
      expect(after.words).toMatch(
        /Taille de Bail\.pdf : le fichier a \d+ octets, la base dit 12345678\./,
      );
      expect(after.words).not.toContain(WELL);
      expect(after.words.match(new RegExp(OTHER, "g"))).toHaveLength(1);
      expect(after.hashes).toEqual(before.hashes);
    });

    test("or, in a journal of before, that the kept file begins with", async () => {
      const { id, uploaded } = corrected;
      await makeJournalOfBefore(service, id);
      const before = await fileOf(id);
      expect(before.words).toContain(WELL);
      expect(before.hashes).toMatchObject({ uploaded_sha256: uploaded });
      await asOperator(service, edits.original(id));
      const original = await fileOf(id);
      expect(original.words).toContain(
        "Fichier à signer de Bail.pdf : le fichier conservé ne commence pas par celui que dit la base",
      );
      expect(original.hashes).toMatchObject({ original_sha256: null });
      await asOperator(service, edits.uploaded(id));
      const deposited = await fileOf(id);
      expect(deposited.words).toContain("Fichier déposé de Bail.pdf : l’historique dit «");
      expect(deposited.hashes).toMatchObject({ uploaded_sha256: null });
    });

    test("and no copy was accepted that the journal does not tell of", async () => {
      const { id } = plain;
      await makeJournalOfBefore(service, id);
      await asOperator(service, edits.original(id));
      const { words } = await fileOf(id);
      expect(words).toContain("Copie corrigée de Bail.pdf : l’historique dit « aucune »");
      expect(words).not.toContain(WELL);
    });
  });

  describe("an honest envelope’s file says that nothing differs, and what comes from the tables alone", () => {
    test("with somebody in copy, a corrected copy and a deadline that was moved; of before as of today", async () => {
      const { id } = corrected;
      const now = await fileOf(id);
      expect(now.words).toContain(WELL);
      expect(now.words).toContain("Échéance 20 décembre 2026 à 11 h 00 min 00 s Dossier établi le");
      expect(now.words).not.toContain("D’après");
      await makeJournalOfBefore(service, id);
      const before = await fileOf(id);
      expect(before.words).not.toContain(DIFFERS);
      expect(before.words).toContain(WELL);
      expect(before.words).toContain("D’après la base du service : l’historique ne la dit pas.");
      expect(before.words).toContain(
        "D’après le compte, à la date de ce dossier : l’historique ne dit pas cette adresse.",
      );
      expect(before.words).toContain(
        "Victor Copie D’après la base du service : aucun événement ne nomme cette personne.",
      );
      expect(before.words).not.toContain("Paul Morel D’après");
      expect(before.words.match(HEX)).toEqual(
        expect.arrayContaining(now.words.match(/(?<=expéditeur \(SHA-256\) )[0-9a-f]{64}/g) ?? []),
      );
    });

    test("when a deadline passed and was put off, or was taken away", async () => {
      const draft = await createDraft(owner, {
        recipients: [PAUL],
        deadline_at: "2026-11-22T10:00:00Z",
      });
      const of = `${ENVELOPES}${draft.id}/`;
      expect((await owner.post(`${of}send/`)).status).toBe(200);
      expect(
        (
          await owner.send("PUT", `${of}deadline/`, {
            body: { deadline_at: "2026-12-01T10:00:00Z" },
          })
        ).status,
      ).toBe(200);
      await makeJournalOfBefore(service, draft.id);
      expect((await fileOf(draft.id)).words).toContain(
        "Échéance 1er décembre 2026 à 11 h 00 min 00 s Dossier établi le",
      );
      expect(
        (await owner.send("PUT", `${of}deadline/`, { body: { deadline_at: null } })).status,
      ).toBe(200);
      const { words } = await fileOf(draft.id);
      expect(words).not.toContain("Échéance 1er");
      expect(words).not.toContain(DIFFERS);
    });

    test("when its owner signed a corrected copy alone", async () => {
      const values = {
        placement: JSON.stringify(BATCH_PLACE),
        signature: JSON.stringify(BATCH_MARK),
        accept_normalised: "true",
      };
      const form = multipart(values, [
        {
          field: "file",
          name: "seul.pdf",
          type: "application/pdf",
          bytes: makePdf({ catalogExtra: SCRIPT }),
        },
      ]);
      const alone = await owner.send("POST", "/api/signature/self-sign/", form);
      expect(alone.status, alone.text).toBe(201);
      const now = await fileOf(alone.body.id);
      expect(now.words).toContain(WELL);
      await makeJournalOfBefore(service, alone.body.id);
      const before = await fileOf(alone.body.id);
      expect(before.words).toContain(WELL);
      expect(before.words).toContain("Copie corrigée, acceptée par l’expéditeur (SHA-256)");
      expect(before.hashes).toEqual(now.hashes);
    });
  });

  test("a browser that told nothing of itself was not erased, an address that is gone was", async () => {
    const draft = await createDraft(owner, { recipients: [PAUL] });
    expect((await owner.post(`${ENVELOPES}${draft.id}/send/`)).status).toBe(200);
    const guest = await openConfirmedGuest(service, draft.id, PAUL.email);
    expect([200, 202]).toContain((await guest.post("sign/", TYPED, { "user-agent": "" })).status);
    await service.settle();
    const consent = sql`select sequence from audit_events where envelope_id = ${draft.id} and action = 'consent_given'`;
    await asOperator(
      service,
      sql`delete from audit_details where envelope_id = ${draft.id} and name = 'ip' and sequence in (${consent})`,
    );
    expect((await fileOf(draft.id)).words).toContain(
      "Depuis Adresse effacée Navigateur non communiqué",
    );
  });
});
