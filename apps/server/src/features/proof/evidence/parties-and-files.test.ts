import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { PDF } from "@libpdf/core";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { expectStatus } from "../../../../testing/answers.ts";
import { createTestApp, type TestApp } from "../../../../testing/app.ts";
import { BATCH_MARK, BATCH_PLACE, batchPdf, signBatch } from "../../../../testing/batch-calls.ts";
import { multipart, type TestBrowser } from "../../../../testing/browser.ts";
import { createDraft, createSent, ELOISE, ENVELOPES, PAUL } from "../../../../testing/envelope.ts";
import { openConfirmedGuest, signAsGuest, TYPED } from "../../../../testing/guest.ts";
import { asOperator } from "../../../../testing/forged-rows.ts";
import { createMember, signIn } from "../../../../testing/member.ts";
import { makePdf, SCRIPT } from "../../../../testing/pdf.ts";
import { rememberRows } from "../../../../testing/remember-rows.ts";

const WELL = "Toutes les signatures sont valides";
const ILL = /Signature non valide|L’historique a été altéré/;

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
    body: JSON.stringify({ email: "paul.morel@ailleurs.fr", phone_number: "" }),
    headers: { "content-type": "application/json" },
  });
  expect(corrected.status, corrected.text).toBe(200);
  service.platform.clock.advance({ minutes: 2 });
  await signAsGuest(service, sent.id, "paul.morel@ailleurs.fr");
  const words = await wordsOf(sent.id);
  expect(words).toContain("paul.morel@ailleurs.fr");
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
  // Nothing was put together at the end of what had none.
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

  test("an unknown browser is no erased one, and a missing address is", async () => {
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
