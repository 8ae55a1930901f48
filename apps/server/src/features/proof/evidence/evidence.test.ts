import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { PDF } from "@libpdf/core";
import { verifyProof } from "@paraphe/proof";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test, afterEach } from "vitest";
import { findStoreFaults } from "../../../../../cli/testing/find-store-faults.ts";
import { checkRows } from "../../../../../cli/src/audit/check-rows.ts";
import { expectStatus, expectRefusal } from "../../../../testing/answers.ts";
import { createTestApp, type TestApp } from "../../../../testing/app.ts";
import {
  type Answer,
  multipart,
  openBrowser,
  type TestBrowser,
} from "../../../../testing/browser.ts";
import { createDraft, createSent, ELOISE, ENVELOPES, PAUL } from "../../../../testing/envelope.ts";
import { openConfirmedGuest, signAsGuest, TYPED } from "../../../../testing/guest.ts";
import { createMember, signIn, openMember } from "../../../../testing/member.ts";
import { createMemberAs } from "../../../../testing/organisation.ts";
import { makePdf, SCRIPT } from "../../../../testing/pdf.ts";
import {
  completeEnvelope,
  notOk,
  openProven,
  type Proven,
} from "../../../../testing/proven-envelope.ts";
import { openTestTsa } from "../../../../testing/tsa-server.ts";
import { eventHash } from "../../journal/journal.ts";
import { makeCheckpoint } from "../../journal/transparency/make-checkpoint.ts";
import { createTrust } from "../../trust/public.ts";
import { readRecord } from "../prints/read-record.ts";
import { BATCH_MARK, BATCH_PLACE, batchPdf, signBatch } from "../../../../testing/batch-calls.ts";
import { asOperator, rememberRows } from "../../../../testing/forged-rows.ts";

let service: TestApp;

beforeAll(async () => {
  service = await createTestApp({ settings: { rateLimits: "off" } });
});

afterAll(() => service.close());

describe("the evidence file", () => {
  let owner: TestBrowser;
  beforeAll(async () => {
    owner = await signIn(
      service,
      await createMember(service.platform, { firstName: "Anne", lastName: "Roux" }),
    );
  }, 60_000);

  const evidenceOf = (id: string, browser = owner): Promise<Answer> =>
    browser.get(`${ENVELOPES}${id}/evidence/`);

  async function complete(recipients: readonly { email: string }[] = [PAUL]): Promise<string> {
    const sent = await createSent(owner, { recipients });
    for (const { email } of recipients) await signAsGuest(service, sent.id, email);
    return sent.id;
  }

  /** The words of an evidence file, its line breaks as spaces. */
  async function wordsOf(answer: Answer): Promise<string> {
    expect(answer.status, answer.text.slice(0, 400)).toBe(200);
    const text = execFileSync("pdftotext", ["-", "-"], { input: answer.bytes, encoding: "utf8" });
    return text.normalize("NFC").replaceAll(/\s+/g, " ");
  }

  async function attachedTo(answer: Answer): Promise<ReadonlyMap<string, Uint8Array>> {
    const pdf = await PDF.load(answer.bytes);
    return new Map(
      [...pdf.getAttachments().keys()].map((name) => [name, pdf.getAttachment(name) as Uint8Array]),
    );
  }
  const jsonOf = (files: ReadonlyMap<string, Uint8Array>, name: string) =>
    JSON.parse(new TextDecoder().decode(files.get(name)));

  test("names the circuit that the organisation fixed, from the event of sending alone", async () => {
    const chief = await signIn(service, await createMemberAs(service.platform, "administrator"));
    const rights = { together: false, may_return: true, may_reassign: true };
    const by = { who: "person", email: ELOISE.email, full_name: ELOISE.full_name };
    const steps = [{ kind: "signature", by, days: null, remind: null, ...rights }];
    const circuit = { name: "Marchés publics", use: "imposed", kinds: ["Marché"], steps };
    await expectStatus(chief.post("/api/organisation/circuits/", circuit), 200);
    const { id } = await createDraft(chief, { recipients: [], fields: [] });
    const choose = (kind: string | null) =>
      chief.send("PUT", `${ENVELOPES}${id}/circuit/`, { body: { kind, circuit_id: null } });
    for (const kind of [null, "Marché"]) await expectStatus(choose(kind), 200);
    await expectStatus(chief.post(`${ENVELOPES}${id}/send/`), 200);
    const words = await wordsOf(await evidenceOf(id, chief));
    expect(words).toContain("Circuit Marchés publics, fixé par l’organisation");
    expect(words).toMatch(/Aucun circuit choisi.*Circuit « Marchés publics » appliqué/);
    const forged = sql`update envelopes set circuit = null where id = ${id}::uuid`;
    await forged.execute(service.platform.db);
    expect(await wordsOf(await evidenceOf(id, chief))).toContain("Circuit Marchés publics, fixé");
    expect(await findStoreFaults(service.platform)).toEqual([]);
    expect((await checkRows(service.platform)).faults).toEqual([]);
    expect(await wordsOf(await evidenceOf(await complete()))).not.toContain("Circuit");
  });

  test("an evidence file is sealed at B-LTA, named after the title and not cached", async () => {
    const answer = await evidenceOf(await complete());
    expect(answer.status, answer.text.slice(0, 400)).toBe(200);
    expect(answer.headers).toMatchObject({
      "content-type": "application/pdf",
      "content-disposition": expect.stringContaining(
        'attachment; filename="bail-dhabitation_dossier_de_preuve.pdf"',
      ),
      "cache-control": "private, no-store",
    });
    const { trustAnchors } = await (await createTrust(service.platform)).evidence();
    const report = await service.platform.sandbox.call("validate", new Uint8Array(answer.bytes), {
      evidence: { trustAnchors },
      now: service.platform.clock(),
      policy: { revocation: "required" },
    });
    expect(report.problems).toEqual([]);
    expect(report.signatures).toMatchObject([
      {
        kind: "signature",
        indication: "TOTAL_PASSED",
        level: "B-LTA",
        certificate: { subject: { commonName: "Paraphe Cachet" } },
      },
      { kind: "document_timestamp", indication: "TOTAL_PASSED", coverage: "whole_file" },
    ]);
  });

  describe("says, of a completed envelope,", () => {
    let id: string;
    let answer: Answer;
    let words: string;
    beforeAll(async () => {
      id = await complete([PAUL, ELOISE]);
      await owner.post("/api/signature/prints/generate/", { envelope: id, qr_type: "page" });
      answer = await evidenceOf(id);
      words = await wordsOf(answer);
    }, 60_000);

    test("an evidence file names the parties, and how each was identified", () => {
      expect(words).toContain("Anne Roux");
      expect(words).toContain("Éloïse Lefèvre");
      expect(words).toContain("paul.morel@exemple.fr");
      expect(words).toMatch(
        /Code à usage unique de six chiffres envoyé par email à p•••@exemple\.fr le 21 novembre 2026 à 11 h 00 min 00 s/,
      );
      expect(words).toContain(
        "envoyé par email à p•••@exemple.fr, demandé le 21 novembre 2026 à 11 h 00 min 00 s.",
      );
      expect(words).toContain("Code saisi et vérifié le 21 novembre 2026 à 11 h 00 min 00 s.");
    });

    test("an evidence file says what it proves and what not", () => {
      expect(words).toContain("Toutes les signatures sont valides");
      expect(words).toContain("Horodatage d’archivage 21 novembre 2026 à 11 h 00 min 00 s");
      expect(words).toContain(
        "signatures électroniques simples, au sens de l’article 3, point 10), du règlement (UE) n° 910/2014",
      );
      expect(words).toContain(
        "L’identité civile des signataires : le service a vérifié l’accès à une adresse email",
      );
      expect(words).toContain("Un horodatage qualifié au sens de l’article 42");
    });

    test("an evidence file lists the messages and the servers' answers", async () => {
      const { message_id } = await service.platform.db
        .selectFrom("notices")
        .select("message_id")
        .where("envelope_id", "=", id)
        .where("kind", "=", "invitation")
        .executeTakeFirstOrThrow();
      expect(words.replaceAll(" ", "")).toContain(message_id);
      expect(words).toContain("Lien ouvert le 21/11/2026 à 11 h 00 min 00 s");
    });

    test("an evidence file lists each event and the last hash", async () => {
      const journal = (await owner.get(`${ENVELOPES}${id}/events/?page_size=100`)).body;
      expect(words).toContain(`${journal.count} événements, sans lacune ni altération`);
      expect(words).toContain(journal.chain.head);
      expect(words).toContain("Paul Morel a signé");
    });

    test("the attached files recompute the chain and contain the signed bytes, each by its fingerprint", async () => {
      const files = await attachedTo(answer);
      expect([...files.keys()].toSorted()).toEqual([
        "bail_signe.pdf",
        "certificats.pem",
        "empreintes.json",
        "evenements.json",
        "inclusion.json",
        "messages.json",
        "preuve.json",
      ]);
      for (const bytes of files.values()) {
        const hash = createHash("sha256").update(bytes).digest("hex");
        for (const half of [hash.slice(0, 32), hash.slice(32)]) expect(words).toContain(half);
      }
      const { envelope_id, events } = jsonOf(files, "evenements.json");
      let previous: Uint8Array | null = null;
      for (const { at, actor, action, detail, hash } of events) {
        previous = eventHash(previous, { envelope_id, at, actor, action, detail });
        expect(Buffer.from(previous).toString("hex")).toBe(hash);
      }
      const [document] = jsonOf(files, "empreintes.json").documents;
      expect(
        createHash("sha256")
          .update(files.get("bail_signe.pdf") as Uint8Array)
          .digest("hex"),
      ).toBe(document.sha256);
      expect(document.signatures).toMatchObject([
        { indication: "TOTAL_PASSED" },
        { indication: "TOTAL_PASSED" },
      ]);
      expect(jsonOf(files, "inclusion.json").entry.envelope_id).toBe(id);
      expect(jsonOf(files, "preuve.json").jws).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    });
  });

  test("a refused envelope's file says by whom and why, and that the signatures given are sound", async () => {
    const sent = await createSent(owner, { recipients: [PAUL, ELOISE] });
    await signAsGuest(service, sent.id, PAUL.email);
    const guest = await openConfirmedGuest(service, sent.id, ELOISE.email);
    await expectStatus(
      guest.post("decline/", { reason: "Le loyer n’est pas celui convenu." }),
      200,
    );
    const words = await wordsOf(await evidenceOf(sent.id));
    expect(words).toContain(
      "Enveloppe refusée Éloïse Lefèvre a refusé de signer le 21 novembre 2026",
    );
    expect(words).toContain("« Le loyer n’est pas celui convenu »");
    expect(words).toContain("Les signatures apposées sont valides");
  });

  test("a reason for refusal is quoted, and cannot pass for the file's own words", async () => {
    const sent = await createSent(owner, { title: "Bail\u2028\u200f2027", recipients: [ELOISE] });
    const guest = await openConfirmedGuest(service, sent.id, ELOISE.email);
    const reason = "Non ».\n\nEnveloppe terminée\u2028Toutes les signatures sont valides. «";
    await expectStatus(guest.post("decline/", { reason }), 200);
    const words = await wordsOf(await evidenceOf(sent.id));
    expect(words).toContain(
      "Motif donné : « Non”. Enveloppe terminée Toutes les signatures sont valides. “ ».",
    );
    expect(words).toContain(
      "Dossier de preuve Bail 2027 Les heures de ce dossier sont à l’heure de Paris. Enveloppe refusée",
    );
  });

  test("a waiting envelope's file is provisional", async () => {
    const sent = await createSent(owner, { recipients: [PAUL] });
    expect(await wordsOf(await evidenceOf(sent.id))).toContain(
      "Dossier provisoire Des signatures sont encore attendues.",
    );
  });

  test("characters without a font are shown by their numbers", async () => {
    const sent = await createSent(owner, { title: "Bail 中 de Nguyễn", recipients: [PAUL] });
    const words = await wordsOf(await evidenceOf(sent.id));
    expect(words).toContain("Bail [U+4E2D] de Nguyễn");
    expect(words).toContain(
      "Une lettre que les polices de ce fichier n’ont pas y est écrite par son numéro Unicode entre crochets",
    );
  });

  test("a replaced stored file makes the verdict negative", async () => {
    const id = await complete();
    const { blob_sha256 } = await service.platform.db
      .selectFrom("document_revisions as r")
      .innerJoin("documents as d", (join) =>
        join.onRef("d.id", "=", "r.document_id").onRef("d.current_revision", "=", "r.number"),
      )
      .select("r.blob_sha256")
      .where("d.envelope_id", "=", id)
      .executeTakeFirstOrThrow();
    await service.platform.files.remove(blob_sha256);
    const answer = await evidenceOf(id);
    const words = await wordsOf(answer);
    expect(words).toContain("Signature non valide");
    expect(words).not.toContain("Toutes les signatures sont valides");
    expect((await attachedTo(answer)).has("bail_signe.pdf")).toBe(false);
  });

  /** Does what the holder of the database may do to a journal, with its trigger off. */
  const tamper = async (statements: readonly string[]): Promise<void> => {
    await service.platform.owner.transaction().execute(async (trx) => {
      const run = (sql: string) => trx.executeQuery({ sql, parameters: [], query: {} } as never);
      await run("alter table audit_events disable trigger user");
      for (const statement of statements) await run(statement);
      await run("alter table audit_events enable trigger user");
    });
  };

  test("an edited event makes the verdict negative", async () => {
    const id = await complete();
    await tamper([
      `update audit_events set action = 'envelope_updated' where envelope_id = '${id}' and sequence = 3`,
    ]);
    const words = await wordsOf(await evidenceOf(id));
    expect(words).toContain(
      "L’historique a été altéré La chaîne des événements se rompt à l’événement n° 3.",
    );
    expect(words).not.toContain("Toutes les signatures sont valides");
  });

  test("a journal cut before its checkpoint makes the verdict negative", async () => {
    const id = await complete();
    await makeCheckpoint({
      platform: service.platform,
      trust: await createTrust(service.platform),
    });
    await tamper([
      `delete from audit_details where envelope_id = '${id}'`,
      `delete from audit_events where envelope_id = '${id}' and action in ('recipient_signed', 'envelope_completed')`,
    ]);
    expect(await wordsOf(await evidenceOf(id))).toMatch(
      /L’événement n° \d+ n’est pas celui qui est inscrit au journal de transparence\./,
    );
  });

  test("a journal cut, extended and logged makes the verdict negative", async () => {
    const id = await complete();
    const log = async () =>
      makeCheckpoint({ platform: service.platform, trust: await createTrust(service.platform) });
    await log();
    await tamper([
      `delete from audit_details where envelope_id = '${id}'`,
      `delete from audit_events where envelope_id = '${id}' and action = 'envelope_completed'`,
    ]);
    for (const qr_type of ["page", "last"])
      await owner.post("/api/signature/prints/generate/", { envelope: id, qr_type });
    await log();
    expect(await wordsOf(await evidenceOf(id))).toMatch(
      /L’événement n° \d+ n’est pas celui qui est inscrit au journal de transparence\./,
    );
  });

  test("an evidence file is refused without a session (401), to others (404) and to recipients (403)", async () => {
    const id = await complete();
    const stranger = await openMember(service);
    const paul = await signIn(service, await createMember(service.platform, { email: PAUL.email }));
    await expectStatus(evidenceOf(id, openBrowser(service.app)), 401);
    await expectRefusal(evidenceOf(id, stranger), 404, "not_found");
    await expectRefusal(evidenceOf(service.platform.newId()), 404, "not_found");
    await expectRefusal(evidenceOf(id, paul), 403, "not_allowed");
  });

  test("an evidence file is refused for a draft, cancelled or not (409)", async () => {
    const draft = await createDraft(owner);
    await expectRefusal(evidenceOf(draft.id), 409, "invalid_state");
    await owner.post(`${ENVELOPES}${draft.id}/cancel/`);
    await expectRefusal(evidenceOf(draft.id), 409, "invalid_state");
  });

  test("an evidence file is refused after the purge (404)", async () => {
    const id = await complete();
    await owner.post(`${ENVELOPES}${id}/cancel/`);
    await expectStatus(owner.send("DELETE", `${ENVELOPES}${id}/purge/`), 204);
    await expectRefusal(evidenceOf(id), 404, "not_found");
  });

  test("an evidence file without time-stamps is not made: come back later", async () => {
    const tsa = await openTestTsa({ now: service.platform.clock() });
    const own = await createTestApp({
      settings: { rateLimits: "off", tsaUrl: tsa.url },
      now: service.platform.clock(),
    });
    try {
      const anne = await openMember(own);
      const sent = await createSent(anne, { recipients: [PAUL] });
      await expectStatus(evidenceOf(sent.id, anne), 200);
      tsa.behave({ away: true });
      const answer = await evidenceOf(sent.id, anne);
      await expectRefusal(answer, 503, "service_unavailable");
      expect(answer.headers["retry-after"]).toBe("30");
    } finally {
      await own.close();
      await tsa.close();
    }
  });

  test("an account may make sixty evidence files an hour", async () => {
    const own = await createTestApp();
    try {
      const member = await createMember(own.platform);
      const anne = await signIn(own, member);
      const sent = await createSent(anne, { recipients: [PAUL] });
      const now = own.platform.clock();
      const window_start = new Date(Math.floor(now.getTime() / 3_600_000) * 3_600_000);
      await own.platform.owner
        .insertInto("throttles")
        .values({ key: `evidence ${member.id}`, window_start, hits: 60 })
        .execute();
      await expectRefusal(evidenceOf(sent.id, anne), 429, "too_many_requests");
    } finally {
      await own.close();
    }
  });
});

describe("the sender in the journal", () => {
  const OTHER = "ministre@gouv.example";
  let owner: TestBrowser;
  let email: string;
  beforeAll(async () => {
    const member = await createMember(service.platform, { firstName: "Anne", lastName: "Roux" });
    email = member.email;
    owner = await signIn(service, member);
  }, 60_000);

  async function wordsOf(id: string): Promise<string> {
    const answer = await owner.get(`${ENVELOPES}${id}/evidence/`);
    return execFileSync("pdftotext", ["-", "-"], {
      input: answer.bytes,
      encoding: "utf8",
    }).replaceAll(/\s+/g, " ");
  }
  const rename = (to: string) =>
    sql`update users set email = ${to} where first_name = 'Anne'`.execute(service.platform.owner);
  const senderOf = async (id: string) =>
    (await readRecord(service.platform.db, id)).facts.sender.email;

  test("the sender's address is the one in the journal, whatever the account's row says", async () => {
    const { id } = await createSent(owner, { recipients: [PAUL] });
    await rename(OTHER);
    const words = await wordsOf(id);
    await rename(email);
    expect(words).toContain(email);
    expect(words).not.toContain(OTHER);
  });

  test("a document signed alone commits to its sender's address when created", async () => {
    const placement = JSON.stringify({ page: -1, x: 0.6, y: 0.8, width: 0.3, height: 0.07 });
    const signature = JSON.stringify({ kind: "typed", text: "Anne Roux", font: "caveat" });
    const { body, headers } = multipart({ placement, signature }, [
      { field: "file", name: "a.pdf", type: "application/pdf", bytes: makePdf() },
    ]);
    const answer = await owner.send("POST", "/api/signature/self-sign/", { body, headers });
    expect(await senderOf(answer.body.id)).toBe(email);
  });
});

describe("the attached proof", () => {
  let proven: Proven;
  beforeAll(async () => {
    proven = await openProven();
  });
  afterAll(() => proven.test.close());

  test.each([
    ["of which no QR code was ever made", () => completeEnvelope(proven), false],
    ["of which one was made", async () => proven.envelope, true],
  ])(
    "an evidence file proves an envelope %s without the service",
    async (_what, make, hasPrint) => {
      const { id } = await make();
      const { bytes } = await proven.owner.get(`${ENVELOPES}${id}/evidence/`);
      const pdf = await PDF.load(bytes);
      const proof = pdf.getAttachment("preuve.json") as Uint8Array;
      const files = [
        { name: "bail_signe.pdf", bytes: pdf.getAttachment("bail_signe.pdf") as Uint8Array },
      ];
      const report = await verifyProof({
        proof,
        files,
        roots: proven.roots,
        now: proven.test.platform.clock(),
      });
      // A checkpoint covers what was written some moments before.
      expect(notOk(report).filter(([name]) => name !== "inclusion")).toEqual([]);
      expect(report.proof).toMatchObject({
        envelope: id,
        verdict: "valid",
        journal: { disclosed: "all" },
      });
      expect([report.proof?.print !== null, report.proof?.document_url !== null]).toEqual([
        hasPrint,
        hasPrint,
      ]);
    },
  );
});

const WELL = "Toutes les signatures sont valides";
const ILL = /Signature non valide|L’historique a été altéré/;

let owner: TestBrowser;

beforeAll(async () => {
  owner = await signIn(
    service,
    await createMember(service.platform, { firstName: "Anne", lastName: "Roux" }),
  );
}, 60_000);

async function wordsOf(id: string): Promise<string> {
  const answer = await owner.get(`${ENVELOPES}${id}/evidence/`);
  expect(answer.status, answer.text.slice(0, 400)).toBe(200);
  const text = execFileSync("pdftotext", ["-", "-"], { input: answer.bytes, encoding: "utf8" });
  return text.normalize("NFC").replaceAll(/\s+/g, " ");
}

test("a corrected address, a removed number and a reader who came twice are described", async () => {
  const sent = await createSent(owner, {
    recipients: [{ ...PAUL, phone_number: "06 11 22 33 44" }, ELOISE],
  });
  const paul = sent.recipients.find(({ email }: { email: string }) => email === PAUL.email);
  await openConfirmedGuest(service, sent.id, PAUL.email);
  const corrected = await owner.send("PATCH", `${ENVELOPES}${sent.id}/recipients/${paul?.id}/`, {
    body: JSON.stringify({
      full_name: "Jeanne Le Goff",
      email: "paul.morel@ailleurs.fr",
      phone_number: "",
    }),
    headers: { "content-type": "application/json" },
  });
  expect(corrected.status, corrected.text).toBe(200);
  service.platform.clock.advance({ minutes: 2 });
  await signAsGuest(service, sent.id, "paul.morel@ailleurs.fr");
  const words = await wordsOf(sent.id);
  expect(words).toContain("paul.morel@ailleurs.fr");
  expect(words).toContain("Jeanne Le Goff remplace Paul Morel");
  expect(words).toContain("Code vérifié pour Jeanne Le Goff");
  expect(words).not.toMatch(ILL);
});

test("a declined, cancelled, restored or waiting envelope is described", async () => {
  const sent = await createSent(owner, {
    recipients: [PAUL, ELOISE],
    deadline_at: "2026-12-20T10:00:00Z",
  });
  expect(await wordsOf(sent.id)).not.toMatch(ILL);
  await signAsGuest(service, sent.id, PAUL.email);
  await owner.post(`${ENVELOPES}${sent.id}/cancel/`);
  expect(await wordsOf(sent.id)).not.toMatch(ILL);
  await owner.post(`${ENVELOPES}${sent.id}/restore/`);
  expect(await wordsOf(sent.id)).not.toMatch(ILL);
  const guest = await openConfirmedGuest(service, sent.id, ELOISE.email);
  await expectStatus(guest.post("decline/", { reason: "Trop cher." }), 200);
  const declined = await wordsOf(sent.id);
  expect(declined).not.toMatch(ILL);
  // A declined envelope has no end to seal.
  expect(declined).not.toContain("un autre scelle l’ensemble à la fin");
});

test("an envelope signed by its owner alone, by hand or in a batch, is described", async () => {
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
    expect(words).not.toMatch(ILL);
  }
});

test("a signature from an account is described", async () => {
  const member = await createMember(service.platform, {
    firstName: "Éloïse",
    lastName: "Lefèvre",
  });
  const sent = await createSent(owner, {
    recipients: [{ email: member.email, full_name: "Éloïse Lefèvre" }, PAUL],
  });
  const eloise = await signIn(service, member);
  await expectStatus(eloise.post(`${ENVELOPES}${sent.id}/view/`), 204);
  const signed = await eloise.post(`${ENVELOPES}${sent.id}/sign_authenticated/`, TYPED);
  expect(signed.status, signed.text).toBe(200);
  await signAsGuest(service, sent.id, PAUL.email);
  const words = await wordsOf(sent.id);
  expect(words).toContain("Session du compte");
  expect(words).toContain("Éloïse Lefèvre a signé");
  expect(words).toContain("un autre scelle l’ensemble à la fin");
  expect(words).not.toMatch(ILL);
});

describe("parties and files", { timeout: 60_000 }, () => {
  const VICTOR = { email: "victor@exemple.fr", full_name: "Victor Copie", role: "viewer" };

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
  /**
   * Completes an envelope of two signers and a viewer, whose one file is signed in the corrected
   * copy that its sender accepted.
   */
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
      await expectStatus(
        owner.send("PATCH", `${ENVELOPES}${draft.id}/`, {
          body: { accept_normalised: ids },
        }),
        200,
      );
    await expectStatus(owner.post(`${ENVELOPES}${draft.id}/send/`), 200);
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

  test("removed committed data is reported", async () => {
    const { id } = plain;
    await asOperator(
      service,
      sql`delete from audit_details where envelope_id = ${id} and name in ('recipients', 'sender_email')`,
    );
    const { words } = await fileOf(id);
    expect(words).toContain("Résultat indéterminé");
    expect(words).toContain(
      "l’historique ne montre plus de quoi vérifier : l’adresse de l’expéditeur, les parties.",
    );
    expect(words).not.toContain(WELL);
  });

  test("people in copy, corrected copies, uploads and deadlines are described", async () => {
    const { id, uploaded } = corrected;
    const { words, hashes } = await fileOf(id);
    expect(words).toContain(WELL);
    expect(words).toContain("Copie corrigée, acceptée par l’expéditeur (SHA-256)");
    expect(words).toContain("Victor Copie victor@exemple.fr En copie Reçoit une copie");
    expect(words).toContain("Échéance 20 décembre 2026 à 11 h 00 min 00 s Dossier établi le");
    expect(hashes).toMatchObject({ uploaded_sha256: uploaded });
    expect(hashes["original_sha256"]).not.toBe(uploaded);
    expect(hashes["original_sha256"]).toMatch(/^[0-9a-f]{64}$/);
  });

  test("an extended or removed deadline is described", async () => {
    const draft = await createDraft(owner, {
      recipients: [PAUL],
      deadline_at: "2026-11-22T10:00:00Z",
    });
    const of = `${ENVELOPES}${draft.id}/`;
    await expectStatus(owner.post(`${of}send/`), 200);
    await expectStatus(
      owner.send("PUT", `${of}deadline/`, {
        body: { deadline_at: "2026-12-01T10:00:00Z" },
      }),
      200,
    );
    expect((await fileOf(draft.id)).words).toContain(
      "Échéance 1er décembre 2026 à 11 h 00 min 00 s Dossier établi le",
    );
    await expectStatus(owner.send("PUT", `${of}deadline/`, { body: { deadline_at: null } }), 200);
    const { words } = await fileOf(draft.id);
    expect(words).not.toContain("Échéance 1er");
    expect(words).not.toMatch(ILL);
  });

  test("a corrected copy signed by its owner alone is described", async () => {
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
    expect(now.words).toContain("Copie corrigée, acceptée par l’expéditeur (SHA-256)");
  });

  test("an unknown browser is not shown as erased, and a missing address is", async () => {
    const draft = await createDraft(owner, { recipients: [PAUL] });
    await expectStatus(owner.post(`${ENVELOPES}${draft.id}/send/`), 200);
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
