import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Envelope, eventRules } from "@paraphe/contracts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { expectRefusal, expectStatus } from "../../../testing/answers.ts";
import type { TestApp } from "../../../testing/app.ts";
import { multipart, refusal, type TestBrowser } from "../../../testing/browser.ts";
import {
  createDraft,
  createSent,
  ELOISE,
  ENVELOPES,
  patchEnvelope,
  PAUL,
} from "../../../testing/envelope.ts";
import { openConfirmedGuest, openMailedGuest, signAsGuest, TYPED } from "../../../testing/guest.ts";
import { mailFor } from "../../../testing/mailbox.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";
import { createMemberAs } from "../../../testing/organisation.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { openSenderApp } from "../../../testing/sent-to-guest.ts";
import { findStoreFaults } from "../../../../cli/testing/find-store-faults.ts";
import { checkRows } from "../../../../cli/src/audit/check-rows.ts";
import { verifyProof } from "@paraphe/proof";
import { readJournal } from "@paraphe/proof/parts";
import { emailKey } from "../accounts/public.ts";
import { ownRecipient } from "../envelopes/domain/viewer.ts";
import { loadEnvelope, ownJournal } from "../envelopes/public.ts";
import { selectUsedBytes } from "../accounts/storage-store.ts";
import { verifyChain } from "../journal/journal.ts";
import { createTrust } from "../trust/public.ts";
import { readRecord, validateRecord } from "../proof/prints/read-record.ts";

let service: TestApp;
let member: Member;
let owner: TestBrowser;

beforeAll(async () => {
  ({ test: service, member } = await openSenderApp());
});
beforeEach(async () => {
  owner = await signIn(service, member);
});
afterAll(() => service.close());

const LEA = { email: "lea.petit@exemple.fr", full_name: "Léa Petit" };
const COPY = { email: "archives@exemple.fr", full_name: "Archives", role: "viewer", order: 3 };
const VISA = { ...ELOISE, role: "visa", order: 1 };
const SIGNER = { ...PAUL, order: 2 };

const send = (recipients: readonly object[] = [VISA, SIGNER, COPY]) =>
  createSent(owner, { recipients, flow: "sequential" });
const confirmed = (envelope: Envelope, email: string) =>
  openConfirmedGuest(service, envelope.id, email);
const mailed = async (email: string) =>
  (await mailFor(service.platform, email)).map(({ subject }) => subject);
const read = async (envelope: Envelope): Promise<Envelope> =>
  (await owner.get(`${ENVELOPES}${envelope.id}/`)).body;
const eventsOf = async (
  envelope: Envelope,
): Promise<readonly { action: string; actor: string; recipient_name?: string }[]> =>
  (await owner.get(`${ENVELOPES}${envelope.id}/events/?page_size=100`)).body.results;
const toPreparer = ({ created_by_name: name }: Envelope) => ({
  order: 0,
  role: "preparer",
  names: [name],
});
const standing = ({ recipients }: Envelope) => recipients.map(({ status }) => status);

it("a visa opens the signature that follows, and signs nothing", async () => {
  const envelope = await send();
  expect(standing(await read(envelope))).toEqual(["notified", "waiting", "waiting"]);
  expect((await mailed(ELOISE.email))[0]).toMatch(/^Document à viser/);
  const eloise = await confirmed(envelope, ELOISE.email);
  const answer = await eloise.post("visa/");
  expect([answer.status, answer.body.status]).toEqual([200, "sent"]);
  const after = await read(envelope);
  expect(standing(after)).toEqual(["approved", "notified", "waiting"]);
  expect(after.progress).toEqual({ signed: 0, total: 1, percent: 0 });
  expect(after.recipients[0]?.approved_at).not.toBeNull();
  expect(await eventsOf(after)).toContainEqual(expect.objectContaining({ action: "visa_given" }));
  await expectRefusal(eloise.post("visa/"), 409, "visa_given");
  await expectRefusal(eloise.post("sign/", TYPED), 403, "other_act_asked");

  await signAsGuest(service, envelope.id, PAUL.email);
  const done = await read(envelope);
  expect([done.status, done.level, ...standing(done)]).toEqual([
    "completed",
    "B-LTA",
    "approved",
    "signed",
    "notified",
  ]);
  for (const { email } of [ELOISE, COPY])
    expect((await mailed(email))[0]).toMatch(/^Document signé par tous/);
  expect(await verifyChain(service.platform.db, envelope.id)).toMatchObject({ ok: true });
  await expectSoundFile(done);
});

async function expectSoundFile(envelope: Envelope, count = 1): Promise<void> {
  const address = `${ENVELOPES}${envelope.id}/documents/${envelope.documents[0]?.id}/file/`;
  const folder = mkdtempSync(join(tmpdir(), "paraphe-circuit-"));
  try {
    writeFileSync(join(folder, "final.pdf"), (await owner.get(address)).bytes);
    const options = { cwd: folder, encoding: "utf8" } as const;
    const seen = execFileSync("pdfsig", ["-nocert", "final.pdf"], options);
    expect(seen.match(/Signature is Valid/g)).toHaveLength(count);
    execFileSync("qpdf", ["--check", "final.pdf"], options);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

it("a visa waits for its rank, needs a code, and no signer gives it", async () => {
  const envelope = await send([
    { ...LEA, role: "visa", order: 1 },
    { ...VISA, order: 2 },
    { ...SIGNER, order: 3 },
  ]);
  const lea = await openMailedGuest(service, envelope.id, LEA.email);
  await expectRefusal(lea.post("visa/"), 403, "otp_required");
  await lea.confirm();
  expect((await lea.post("visa/")).status).toBe(200);
  await (await confirmed(envelope, ELOISE.email)).post("visa/");
  const paul = await confirmed(envelope, PAUL.email);
  await expectRefusal(paul.post("visa/"), 403, "other_act_asked");
});

it("a member gives a visa in their session; too early, they read who comes before", async () => {
  const eloise = await createMember(service.platform, { email: "visa@mairie.fr" });
  const browser = await signIn(service, eloise);
  const own = { email: "visa@mairie.fr", full_name: "Visa Membre", role: "visa", order: 2 };
  const envelope = await send([{ ...LEA, role: "visa", order: 1 }, own, { ...SIGNER, order: 3 }]);
  const address = `${ENVELOPES}${envelope.id}/visa/`;
  const early = await browser.post(address, {});
  expect(refusal(early)).toEqual([409, "not_your_turn"]);
  expect(early.body.detail).toContain("après le visa de Léa Petit");
  await (await confirmed(envelope, LEA.email)).post("visa/");
  const back = { order: 1, reason: REASON };
  await expectStatus(browser.post(`${ENVELOPES}${envelope.id}/send-back/`, back), 200);
  const page = await browser.get(`${ENVELOPES}${envelope.id}/sign-page/`);
  expect([...refusal(page), page.body.sent_back]).toEqual([
    409,
    "not_your_turn",
    "Renvoyé à Léa Petit",
  ]);
  const [, returned] = (await read(envelope)).recipients;
  expect(returned?.sent_back).toMatchObject({ to: ["Léa Petit"], reason: REASON });
  service.platform.clock.advance({ minutes: 2 });
  await (await confirmed(envelope, LEA.email)).post("visa/");
  const again = await signIn(service, eloise);
  await expectStatus(again.post(address, {}), 200);
  owner = await signIn(service, member);
  expect(standing(await read(envelope))).toEqual(["approved", "approved", "notified"]);
});

it("two visas of one rank at once are both given, and the signer is invited once", async () => {
  const envelope = await send([VISA, { ...LEA, role: "visa", order: 1 }, SIGNER]);
  const both = [await confirmed(envelope, ELOISE.email), await confirmed(envelope, LEA.email)];
  const answers = await Promise.all(both.map((guest) => guest.post("visa/")));
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(standing(await read(envelope))).toEqual(["approved", "approved", "notified"]);
  const invited = (await eventsOf(envelope)).filter(({ action }) => action === "recipient_invited");
  expect(invited).toHaveLength(3);
});

it("one visa pressed twice at once is given once", async () => {
  const envelope = await send();
  const eloise = await confirmed(envelope, ELOISE.email);
  const answers = await Promise.all([eloise.post("visa/"), eloise.post("visa/")]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
});

const TWO_VISAS = [
  { ...LEA, role: "visa", order: 1 },
  { ...PAUL, order: 2 },
  { ...VISA, order: 3 },
  { email: "maire@exemple.fr", full_name: "Camille Roux", order: 4 },
];
const REASON = "L’article 3 doit prévoir\nle paiement en trois fois";
const QUOTED = REASON.replace("\n", "\n> ");

/** Léa gives her visa and Paul signs: Éloïse's visa is awaited. */
async function sendToSecondVisa(): Promise<Envelope> {
  const envelope = await send(TWO_VISAS);
  await expectStatus((await confirmed(envelope, LEA.email)).post("visa/"), 200);
  await signAsGuest(service, envelope.id, PAUL.email);
  return envelope;
}

it("a return asks whoever signed for the corrected version; their answers go to nobody else", async () => {
  const envelope = await send(TWO_VISAS);
  const [document] = envelope.documents;
  const paul = envelope.recipients.find(({ email }) => email === PAUL.email);
  const place = { document_id: document?.id, recipient_id: paul?.id, type: "text", page: 1 };
  const text = { ...place, x: 0.1, y: 0.1, width: 0.3, height: 0.03, label: "Fonction" };
  await expectStatus((await confirmed(envelope, LEA.email)).post("visa/"), 200);
  const first = await confirmed(envelope, PAUL.email);
  await expectStatus(first.post("sign/", TYPED), 200);
  await service.settle();
  const back = { order: 0, reason: REASON };
  await expectStatus((await confirmed(envelope, ELOISE.email)).post("send-back/", back), 200);
  await expectStatus(patchEnvelope(owner, envelope.id, { fields: [text] }), 200);
  await expectStatus(owner.post(`${ENVELOPES}${envelope.id}/send/`), 200);
  service.platform.clock.advance({ minutes: 2 });
  await expectStatus((await confirmed(envelope, LEA.email)).post("visa/"), 200);
  expect((await mailed(PAUL.email))[0]).toMatch(/^Version corrigée/);
  const again = await confirmed(envelope, PAUL.email);
  const [field] = (await again.get("guest/")).body.fields;
  const answer = { ...TYPED, fields: [{ id: field.id, value: "Gérant" }] };
  await expectStatus(again.post("sign/", answer), 200);
  await service.settle();
  service.platform.clock.advance({ minutes: 2 });
  await expectStatus((await confirmed(envelope, ELOISE.email)).post("send-back/", back), 200);
  owner = await signIn(service, member);
  const valuesNow = async () =>
    (await read(envelope)).fields.flatMap(({ type, value }) => (type === "text" ? [value] : []));
  expect(await valuesNow()).toEqual(["Gérant"]);
  const recipients = (await read(envelope)).recipients.map(
    ({ id, email, full_name, role, order }) =>
      email === PAUL.email
        ? { id, email: "jeanne.roy@exemple.fr", full_name: "Jeanne Roy", role, order }
        : { id, email, full_name, role, order },
  );
  await expectStatus(patchEnvelope(owner, envelope.id, { recipients }), 200);
  expect(await valuesNow()).toEqual([null]);
}, 60_000);

it("a visa sent back annuls the signatures of the version, which are given again", async () => {
  const envelope = await sendToSecondVisa();
  const eloise = await confirmed(envelope, ELOISE.email);
  const page = (await eloise.get("guest/")).body;
  expect(page.step).toEqual({
    returns: [
      toPreparer(envelope),
      { order: 1, role: "visa", names: [LEA.full_name] },
      { order: 2, role: "signer", names: [PAUL.full_name] },
    ],
    may_reassign: true,
  });
  await expectRefusal(eloise.post("send-back/", { order: 3, reason: REASON }), 400, "validation");
  await expectRefusal(eloise.post("send-back/", { order: 1, reason: " " }), 400, "validation");
  await expectStatus(eloise.post("send-back/", { order: 2, reason: REASON }), 200);

  const back = await read(envelope);
  expect([back.status, back.progress.signed, ...standing(back)]).toEqual([
    "sent",
    0,
    "approved",
    "notified",
    "waiting",
    "waiting",
  ]);
  expect(back.download_url).toBeNull();
  const [mail] = await mailFor(service.platform, PAUL.email);
  expect(mail?.content.text).toContain(QUOTED);
  expect(mail?.subject).toBe(`Document renvoyé\u00a0: ${back.title}`);
  const [, asked] = (await read(envelope)).recipients;
  expect(asked?.deliveries?.find(({ kind }) => kind === "invitation")?.subject).toBe(mail?.subject);
  expect((await eloise.get("guest/")).body.signs_before.sent_back).toBe(
    `Renvoyé à ${PAUL.full_name}`,
  );
  expect((await mailed(member.email))[0]).toBe(
    `${ELOISE.full_name} a renvoyé «\u00a0${back.title}\u00a0»`,
  );
  await expectRefusal(eloise.post("visa/"), 409, "not_your_turn");

  service.platform.clock.advance({ minutes: 2 });
  expect((await (await confirmed(envelope, PAUL.email)).get("guest/")).body.step).toEqual({
    returns: [],
    may_reassign: false,
    returned: `Renvoyé par ${ELOISE.full_name}\u00a0: «\u00a0${REASON}\u00a0»`,
  });
  service.platform.clock.advance({ minutes: 2 });
  owner = await signIn(service, member);
  await signAsGuest(service, envelope.id, PAUL.email);
  // Asked once more, whose turn it was before.
  expect((await mailed(ELOISE.email))[0]).toMatch(/^Document à viser/);
  await expectStatus((await confirmed(envelope, ELOISE.email)).post("visa/"), 200);
  await signAsGuest(service, envelope.id, "maire@exemple.fr");
  const done = await read(envelope);
  expect([done.status, done.progress.signed]).toEqual(["completed", 2]);
  await expectSoundFile(done, 2);
  await expectProof(done);
}, 60_000);

/** Compares journal, files and rows. */
async function expectProof(
  envelope: Envelope,
  sentence = `Éloïse a renvoyé le document à l’étape 2, signature de ${PAUL.full_name} annulée`,
): Promise<void> {
  await service.settle({ deferred: "run" });
  const deps = { platform: service.platform, trust: await createTrust(service.platform) };
  const record = await readRecord(service.platform.db, envelope.id);
  expect([record.facts.state, record.facts.faults]).toEqual(["completed", []]);
  const [document] = await validateRecord(deps, record);
  expect(document).toMatchObject({ isSigned: true, faults: [], checked: { isNamed: true } });
  const names = record.events.map(({ action, detail, personal }) =>
    eventRules(action)?.sentence({
      who: "Éloïse",
      facts: { ...detail, ...valuesOf(personal) },
      left: false,
    }),
  );
  expect(names).toContain(sentence);
}

/** Rows, files and journals say the same. */
async function expectSoundStore(): Promise<void> {
  expect(await findStoreFaults(service.platform)).toEqual([]);
  expect((await checkRows(service.platform)).faults).toEqual([]);
}

const valuesOf = (personal: Readonly<Record<string, { value?: unknown }>>) =>
  Object.fromEntries(Object.entries(personal).map(([name, { value }]) => [name, value]));

it("a first visa returns the document to its sender, who corrects it and sends it again", async () => {
  const used = () => selectUsedBytes(service.platform.db, member.id);
  const before = await used();
  const envelope = await send();
  const eloise = await confirmed(envelope, ELOISE.email);
  expect((await eloise.get("guest/")).body.step.returns).toEqual([toPreparer(envelope)]);
  await expectStatus(eloise.post("send-back/", { order: 0, reason: REASON }), 200);
  expect((await mailed(member.email))[0]).toBe(
    `${ELOISE.full_name} vous renvoie «\u00a0${envelope.title}\u00a0»`,
  );

  const back = await read(envelope);
  const returned = { by: ELOISE.full_name, at: expect.any(String), reason: REASON };
  expect(back).toMatchObject({ status: "draft", returned });
  // What was sent counts no more.
  expect((await used()) - before).toBe(back.documents[0]?.size);
  expect(back.recipients[0]?.sent_back).toMatchObject({
    to: [envelope.created_by_name],
    reason: REASON,
  });
  expect((await owner.get(`${ENVELOPES}?status=draft`)).body.results[0]).toMatchObject({
    id: envelope.id,
    returned: { by: null, at: null, reason: null },
  });
  expect(await eventsOf(envelope)).toContainEqual(
    expect.objectContaining({ action: "step_sent_back" }),
  );
  await expectSoundStore();
  const early = await eloise.get("guest/");
  await expectRefusal(early, 409, "not_your_turn");
  expect(early.body).toMatchObject({
    detail: `Ce n’est pas encore votre tour. Vous pourrez répondre une fois le document corrigé par ${envelope.created_by_name}\u00a0: les visas et signatures donnés avant son renvoi sont annulés.`,
    sent_back: `Renvoyé à ${envelope.created_by_name}`,
    document_title: envelope.title,
  });
  await expectRefusal(eloise.post("visa/"), 409, "not_your_turn");
  const pageAs = async (email: string) =>
    (await signIn(service, await createMember(service.platform, { email }))).get(
      `${ENVELOPES}${envelope.id}/sign-page/`,
    );
  await expectRefusal(pageAs(ELOISE.email), 409, "not_your_turn");
  await expectRefusal(pageAs(PAUL.email), 404, "not_found");
  const own = await createMember(service.platform, { email: "chef.vise@mairie.fr" });
  const theirs = await send([{ email: own.email, full_name: "Chef", role: "visa" }, SIGNER]);
  const holder = await signIn(service, own);
  const back0 = { order: 0, reason: REASON };
  await expectStatus(holder.post(`${ENVELOPES}${theirs.id}/send-back/`, back0), 200);
  const detail = await holder.get(`${ENVELOPES}${theirs.id}/`);
  expect([...refusal(detail), detail.body.sent_back, detail.body.reason]).toEqual([
    409,
    "not_your_turn",
    `Renvoyé à ${theirs.created_by_name}`,
    REASON,
  ]);

  const [document] = back.documents;
  const files = [
    { field: "files", name: "Corrigé.pdf", type: "application/pdf", bytes: makePdf() },
  ];
  const change = { remove_documents: JSON.stringify([document?.id]), title: "Contrat corrigé" };
  const corrected = await owner.send(
    "PATCH",
    `${ENVELOPES}${envelope.id}/`,
    multipart(change, files),
  );
  expect([corrected.status, corrected.body.documents.length]).toEqual([200, 1]);
  expect((await eloise.get("guest/")).body.document_title).toBe(envelope.title);
  await expectStatus(owner.post(`${ENVELOPES}${envelope.id}/send/`), 200);
  const [again] = await mailFor(service.platform, ELOISE.email);
  const words = `Version corrigée. Vous l’aviez renvoyée\u00a0: «\u00a0${REASON}\u00a0»`;
  expect(again?.subject).toBe("Version corrigée\u00a0: Contrat corrigé");
  expect(again?.content.text).toContain(words);
  expect(standing(await read(envelope))).toEqual(["notified", "waiting", "waiting"]);
  service.platform.clock.advance({ minutes: 2 });
  owner = await signIn(service, member);
  const anew = await confirmed(envelope, ELOISE.email);
  expect((await anew.get("guest/")).body.step.returned).toBe(words);
  await expectStatus(anew.post("visa/"), 200);
  expect((await mailed(PAUL.email))[0]).toMatch(/^Document à signer\u00a0: Contrat corrigé/);
  await signAsGuest(service, envelope.id, PAUL.email);
  const done = await read(envelope);
  expect([done.status, done.level, done.returned]).toEqual(["completed", "B-LTA", undefined]);
  const evidence = await owner.get(`${ENVELOPES}${envelope.id}/evidence/`);
  const text = execFileSync("pdftotext", ["-", "-"], { input: evidence.bytes, encoding: "utf8" });
  expect(text.normalize("NFC").replaceAll(/\s+/g, " ")).toContain(REASON.replace("\n", " "));
  await expectSoundFile(done);
  await expectProof(done, "Éloïse a renvoyé le document à la préparation");
  await expectSoundStore();
}, 60_000);

it("a signer's return to the sender annuls the signatures; another address gets another link", async () => {
  const envelope = await sendToSecondVisa();
  const [lea, paul] = [LEA, PAUL].map(({ email }) => email);
  const former = await openMailedGuest(service, envelope.id, String(paul));
  const print = await owner.post("/api/signature/prints/generate/", {
    envelope: envelope.id,
    qr_type: "page",
  });
  const { bytes } = await owner.get(print.body.document_url);
  const eloise = await confirmed(envelope, ELOISE.email);
  await expectStatus(eloise.post("send-back/", { order: 0, reason: REASON }), 200);
  for (const [email, what] of [
    [lea, "Votre visa est annulé."],
    [paul, "Votre signature est annulée."],
  ] as const) {
    const [mail] = await mailFor(service.platform, String(email));
    expect(mail?.subject).toBe(`Document renvoyé\u00a0: ${envelope.title}`);
    for (const words of [QUOTED, what, `à ${envelope.created_by_name} pour correction`])
      expect(mail?.content.text).toContain(words);
  }
  const back = await read(envelope);
  const expectVoid = async () => {
    const { id, sig } = print.body;
    for (const what of ["verify", "proof", "document", "printable"])
      for (const query of [`?sig=${sig}`, ""]) {
        const answer = owner.get(`/api/signature/prints/${id}/${what}/${query}`);
        await expectRefusal(answer, 410, "print_returned");
      }
  };
  await expectVoid();
  expect([back.progress.signed, back.download_url, ...standing(back)]).toEqual([
    0,
    null,
    ...back.recipients.map(() => "waiting"),
  ]);
  const recipients = back.recipients.map(({ id, email, full_name, role, order }) =>
    email === paul
      ? { id, email: "jean.roux@exemple.fr", full_name: "Jean Roux", role, order }
      : { id, email, full_name: full_name.replace("Éloïse", "Héloïse"), role, order },
  );
  await expectStatus(patchEnvelope(owner, envelope.id, { recipients }), 200);
  const gone = await former.get("guest/");
  expect([...refusal(gone), gone.body.withdrawn]).toEqual([404, "not_found", true]);
  await expectStatus(owner.post(`${ENVELOPES}${envelope.id}/send/`), 200);
  service.platform.clock.advance({ minutes: 2 });
  owner = await signIn(service, member);
  const [asked] = await mailFor(service.platform, String(lea));
  const corrected = `Version corrigée. Votre visa sur la version précédente est annulé, et une réponse est redemandée sur celle-ci. Motif du renvoi\u00a0: «\u00a0${REASON}\u00a0»`;
  expect(asked?.subject).toBe(`Version corrigée\u00a0: ${envelope.title}`);
  expect(asked?.content.text).toContain(corrected);
  const anew = await confirmed(envelope, String(lea));
  expect((await anew.get("guest/")).body.step.returned).toBe(corrected);
  await expectStatus(anew.post("visa/"), 200);
  // Whoever replaces a signer has no answer that a return annulled.
  expect((await mailed("jean.roux@exemple.fr"))[0]).toMatch(/^Document à signer/);
  await signAsGuest(service, envelope.id, "jean.roux@exemple.fr");
  await service.settle();
  const { download_url } = (await owner.get(`${ENVELOPES}${envelope.id}/download/?current=true`))
    .body;
  const partly = await owner.get(download_url);
  // Her session was hers under the former name.
  await expectRefusal(eloise.post("visa/"), 403, "otp_required");
  service.platform.clock.advance({ minutes: 2 });
  owner = await signIn(service, member);
  await expectStatus((await confirmed(envelope, ELOISE.email)).post("visa/"), 200);
  await signAsGuest(service, envelope.id, "maire@exemple.fr");
  const signed = (await eventsOf(envelope)).filter(({ action }) => action === "recipient_signed");
  expect(signed.map((one) => one.recipient_name ?? one.actor)).toEqual([
    "Camille Roux",
    "Jean Roux",
    PAUL.full_name,
  ]);
  await service.settle({ deferred: "run" });
  const again = await owner.post("/api/signature/prints/generate/", {
    envelope: envelope.id,
    qr_type: "page",
  });
  const answer = await owner.get(again.body.proof_url);
  const { proof } = answer.body;
  // A paper's holder learns who signed, not who signed the version that came back.
  expect([proof.verdict, readJournal(proof.journal.events).closed]).toEqual(["valid", []]);
  expect(JSON.stringify(proof)).not.toContain(PAUL.full_name);
  const { verdict, checks } = await verifyProof({
    proof: answer.bytes,
    files: [
      { name: "ancien.pdf", bytes },
      { name: "partiel.pdf", bytes: partly.bytes },
    ],
    roots: [],
    now: service.platform.clock(),
  });
  expect([
    verdict,
    ...checks.filter(({ name }) => name === "file").map(({ sentence }) => sentence),
  ]).toEqual([
    "invalid",
    expect.stringMatching(
      /^Ce fichier est d’une version renvoyée le .*\u00a0: ses signatures sont annulées/,
    ),
    expect.stringMatching(
      /^Ce fichier est une version antérieure\u00a0: le document a été complété/,
    ),
    expect.stringMatching(/^Ce fichier n’a pas été donné/),
  ]);
  expect(await evidenceWords(envelope)).toContain(
    `a renvoyé le document à la préparation, signature de ${PAUL.full_name} annulée, visa de Léa Petit annulé`,
  );
  await expectVoid();
  await expectSoundStore();
}, 60_000);

it("those asked are told when a returned document is cancelled; its returner is named after a removal", async () => {
  const envelope = await send();
  const eloise = await confirmed(envelope, ELOISE.email);
  await expectStatus(eloise.post("send-back/", { order: 0, reason: REASON }), 200);
  const kept = (await read(envelope)).recipients.filter(({ email }) => email !== ELOISE.email);
  const listed = kept.map(({ id, email, full_name, role, order }) => ({
    id,
    email,
    full_name,
    role,
    order,
  }));
  const other = await send([{ ...VISA, email: "autre@exemple.fr" }, SIGNER]);
  await expectStatus(patchEnvelope(owner, envelope.id, { recipients: listed }), 200);
  expect((await read(envelope)).returned?.by).toBe(ELOISE.full_name);
  const gone = await eloise.get("guest/");
  expect([...refusal(gone), gone.body.withdrawn]).toEqual([404, "not_found", true]);
  const asked = await confirmed(other, "autre@exemple.fr");
  await expectStatus(asked.post("send-back/", { order: 0, reason: REASON }), 200);
  await expectStatus(patchEnvelope(owner, other.id, { title: "Titre jamais envoyé" }), 200);
  await expectStatus(owner.post(`${ENVELOPES}${other.id}/cancel/`), 200);
  const mails = await mailFor(service.platform, "autre@exemple.fr");
  const [told] = mails;
  expect(told?.subject).toMatch(/annul/);
  expect(JSON.stringify(told)).toContain(other.title);
  expect(JSON.stringify(told)).not.toContain("Titre jamais envoyé");
  expect((await read(other)).restores_to).toBe("draft");
  await expectStatus(owner.post(`${ENVELOPES}${other.id}/restore/`), 200);
  expect(await read(other)).toMatchObject({ status: "draft", returned: { reason: REASON } });
  expect(await mailFor(service.platform, "autre@exemple.fr")).toEqual(mails);
  await expectSoundStore();
}, 60_000);

const evidenceWords = async ({ id }: Envelope): Promise<string> => {
  const { bytes } = await owner.get(`${ENVELOPES}${id}/evidence/`);
  const text = execFileSync("pdftotext", ["-", "-"], { input: bytes, encoding: "utf8" });
  return text.normalize("NFC").replaceAll(/\s+/g, " ");
};

it("history and proof name those whom a correction removed; their messages stay", async () => {
  const envelope = await sendToSecondVisa();
  await expectStatus((await confirmed(envelope, ELOISE.email)).post("reassign/", NEW_HOLDER), 204);
  const holder = await confirmed(envelope, NEW_HOLDER.email);
  await expectStatus(holder.post("send-back/", { order: 0, reason: REASON }), 200);
  await expectStatus(patchEnvelope(owner, envelope.id, { title: "Contrat corrigé" }), 200);
  const recipients = [
    { email: "camille@exemple.fr", full_name: "Camille Roux", role: "signer", order: 1 },
  ];
  await expectStatus(patchEnvelope(owner, envelope.id, { recipients }), 200);
  await expectStatus(owner.post(`${ENVELOPES}${envelope.id}/send/`), 200);
  service.platform.clock.advance({ minutes: 2 });
  owner = await signIn(service, member);
  await signAsGuest(service, envelope.id, "camille@exemple.fr");
  const words = await evidenceWords(envelope);
  for (const told of [
    `Invitation préparée pour ${LEA.full_name} par email`,
    `${LEA.full_name} a donné son visa`,
    `Invitation préparée pour ${PAUL.full_name} par email`,
    `${PAUL.full_name} a signé`,
    `${ELOISE.full_name} a confié son étape à Maëlys Adam`,
    `Maëlys Adam a renvoyé le document à la préparation, signature de ${PAUL.full_name} annulée`,
    "Correction enregistrée : titre",
    "Correction enregistrée : destinataires",
    "Invitation préparée pour Camille Roux par email",
  ])
    expect(words).toContain(told);
  const invited = (await eventsOf(envelope)).filter(({ action }) => action === "recipient_invited");
  expect(invited.map(({ recipient_name: name }) => name)).toEqual([
    "Camille Roux",
    NEW_HOLDER.full_name,
    ELOISE.full_name,
    PAUL.full_name,
    LEA.full_name,
  ]);
  const former = (await read(envelope)).former_deliveries?.map(({ destination }) => destination);
  expect(former).toEqual(expect.arrayContaining([LEA, PAUL, ELOISE].map(({ email }) => email)));
}, 60_000);

it("a corrected file with the fields or a signature of this envelope is refused by every door", async () => {
  const envelope = await sendToSecondVisa();
  const [document] = envelope.documents;
  const file = async () =>
    (await owner.get(`${ENVELOPES}${envelope.id}/documents/${document?.id}/file/`)).bytes;
  const signed = await file();
  const eloise = await confirmed(envelope, ELOISE.email);
  await expectStatus(eloise.post("send-back/", { order: 2, reason: REASON }), 200);
  const prepared = await file();
  service.platform.clock.advance({ minutes: 2 });
  owner = await signIn(service, member);
  await signAsGuest(service, envelope.id, PAUL.email);
  const again = await confirmed(envelope, ELOISE.email);
  await expectStatus(again.post("send-back/", { order: 0, reason: REASON }), 200);
  service.platform.clock.advance({ minutes: 2 });
  owner = await signIn(service, member);
  const address = `${ENVELOPES}${envelope.id}/`;
  const deposit = (bytes: Uint8Array) =>
    owner.send(
      "PATCH",
      address,
      multipart({ remove_documents: JSON.stringify([document?.id]) }, [
        { field: "files", name: "Corrigé.pdf", type: "application/pdf", bytes },
      ]),
    );
  for (const bytes of [signed, prepared]) {
    const content = Buffer.from(bytes).toString("base64");
    const named = { files: [{ name: "Corrigé.pdf", content }] };
    for (const answer of [await deposit(bytes), await patchEnvelope(owner, envelope.id, named)]) {
      expect(refusal(answer)).toEqual([422, "pdf_of_this_envelope"]);
      expect(answer.body).toMatchObject({ file_name: "Corrigé.pdf", file_index: 0 });
      expect(answer.body.detail).toContain("Déposez le fichier corrigé à partir de l’original");
    }
  }
  expect((await read(envelope)).documents).toMatchObject([{ id: document?.id }]);
  await expectStatus(deposit(makePdf()), 200);
  await expectStatus(owner.post(`${address}send/`), 200);
  await expectStatus((await confirmed(envelope, LEA.email)).post("visa/"), 200);
  await signAsGuest(service, envelope.id, PAUL.email);
  expect((await read(envelope)).progress.signed).toBe(1);
  // Another envelope may carry it on.
  const files = [{ field: "files", name: "Signé.pdf", type: "application/pdf", bytes: signed }];
  const other = await owner.send("POST", ENVELOPES, multipart({ title: "Suite" }, files));
  expect(other.status).toBe(201);
}, 60_000);

it("a step sent back while another signs waits for the signature, or refuses it", async () => {
  const envelope = await send([
    { ...LEA, role: "visa", order: 1 },
    { ...VISA, order: 2 },
    { ...PAUL, order: 2 },
    { email: "maire@exemple.fr", full_name: "Camille Roux", order: 3 },
  ]);
  await (await confirmed(envelope, LEA.email)).post("visa/");
  const [eloise, paul] = [
    await confirmed(envelope, ELOISE.email),
    await confirmed(envelope, PAUL.email),
  ];
  const [back, signed] = await Promise.all([
    eloise.post("send-back/", { order: 1, reason: REASON }),
    paul.post("sign/", TYPED),
  ]);
  const outcome = [back.status, signed.status].join();
  // The consent wins and the return waits, or the return wins and the signature is refused.
  expect(["409,200", "409,202", "200,409", "200,200"]).toContain(outcome);
  await service.settle();
  const after = await read(envelope);
  const rows = await service.platform.db
    .selectFrom("signatures")
    .select("recipient_id")
    .where("envelope_id", "=", envelope.id)
    .execute();
  expect(rows).toHaveLength(after.progress.signed);
  if (back.status === 200)
    expect(standing(after)).toEqual(["notified", "waiting", "waiting", "waiting"]);
  expect(await verifyChain(service.platform.db, envelope.id)).toMatchObject({ ok: true });
});

const NEW_HOLDER = { email: "adjoint@exemple.fr", full_name: "Maëlys Adam", reason: "En congé" };
const LATER_HOLDER = { email: "karim@exemple.fr", full_name: "Karim Absent" };
const GIVEN =
  /^Cette étape a été confiée à Maëlys Adam à \d\d\u00a0?h\u00a0?\d\d\. Rien n’a été signé\.$/;

it("a step given to somebody else ends the former holder's link", async () => {
  const envelope = await send();
  const eloise = await confirmed(envelope, ELOISE.email);
  await expectRefusal(
    eloise.post("reassign/", { email: ELOISE.email, full_name: ELOISE.full_name }),
    400,
    "validation",
  );
  await expectStatus(eloise.post("reassign/", NEW_HOLDER), 204);
  for (const late of [await eloise.get("guest/"), await eloise.post("visa/")]) {
    expect(refusal(late)).toEqual([410, "step_reassigned"]);
    expect(late.body.detail).toMatch(GIVEN);
  }
  const [mail] = await mailFor(service.platform, NEW_HOLDER.email);
  expect(mail?.content.text).toContain(
    `${ELOISE.full_name} vous confie cette étape\u00a0: «\u00a0En congé\u00a0»`,
  );
  const told = (await mailFor(service.platform, member.email)).find(({ subject }) =>
    subject.includes("a confié son étape"),
  );
  expect(told?.content.text).toContain(
    `${ELOISE.full_name} a confié à Maëlys Adam son étape de «\u00a0${envelope.title}\u00a0»`,
  );
  const after = await read(envelope);
  expect(after.recipients[0]).toMatchObject({
    email: NEW_HOLDER.email,
    full_name: NEW_HOLDER.full_name,
    role: "visa",
    status: "notified",
  });
  await expectStatus((await confirmed(envelope, NEW_HOLDER.email)).post("visa/"), 200);
  await signAsGuest(service, envelope.id, PAUL.email);
  const record = await readRecord(service.platform.db, envelope.id);
  expect(record.facts.faults).toEqual([]);
  expect([...record.facts.parties.values()][0]).toMatchObject({ name: NEW_HOLDER.full_name });
});

it("a returned draft names who gave a step away, until somebody else gets it", async () => {
  const envelope = await send([VISA, SIGNER]);
  await expectStatus((await confirmed(envelope, ELOISE.email)).post("reassign/", NEW_HOLDER), 204);
  const holder = await confirmed(envelope, NEW_HOLDER.email);
  await expectStatus(holder.post("send-back/", { order: 0, reason: REASON }), 200);
  const [given, signer] = (await read(envelope)).recipients;
  const renamed = await patchEnvelope(owner, envelope.id, { title: "Autre" });
  for (const one of [given, renamed.body.recipients[0]])
    expect(one.given_by).toBe(ELOISE.full_name);
  const recipients = [
    { ...VISA, id: given?.id },
    { ...SIGNER, id: signer?.id },
  ];
  await expectStatus(patchEnvelope(owner, envelope.id, { recipients }), 200);
  const [restored] = (await read(envelope)).recipients;
  expect([restored?.id, restored?.full_name]).toEqual([given?.id, ELOISE.full_name]);
  expect(restored?.given_by).toBeUndefined();
});

/** The actions of the journal in a member's export. */
async function exportedBy(
  { id, email }: Member,
  envelope: Pick<Envelope, "id">,
): Promise<readonly string[]> {
  const { db } = service.platform;
  const aggregate = await loadEnvelope(db, envelope.id);
  if (aggregate === null) throw new Error("The envelope is gone");
  const user = { id, recipient_key: emailKey(email) };
  const recipientId = ownRecipient(aggregate, emailKey(email))?.id ?? "";
  const viewer = { kind: "recipient", recipientId } as const;
  const told = await Array.fromAsync(ownJournal({ db }, aggregate, { user, viewer }));
  return told.map(({ action }) => action);
}

it("a step whose address was corrected says nothing of its former holder", async () => {
  const envelope = await send();
  const eloise = await confirmed(envelope, ELOISE.email);
  await expectStatus(eloise.post("send-back/", { order: 0, reason: REASON }), 200);
  const later = await createMember(service.platform, { email: "remplacante@mairie.fr" });
  const recipients = (await read(envelope)).recipients.map(
    ({ id, email, full_name, role, order }) => ({
      ...(email === ELOISE.email
        ? { id, email: later.email, full_name: "Maëlys Adam" }
        : { id, email, full_name }),
      role,
      order,
    }),
  );
  await expectStatus(patchEnvelope(owner, envelope.id, { recipients }), 200);
  const [holder] = (await read(envelope)).recipients;
  expect([holder?.full_name, holder?.sent_back]).toEqual(["Maëlys Adam", undefined]);
  expect((await read(envelope)).returned).toMatchObject({ by: ELOISE.full_name, reason: REASON });
  await expectStatus(owner.post(`${ENVELOPES}${envelope.id}/send/`), 200);
  expect(await exportedBy(later, envelope)).toEqual([]);
  const visa = await confirmed(envelope, later.email);
  await expectStatus(visa.post("visa/"), 200);
  expect(await exportedBy(later, envelope)).toContain("visa_given");
  expect(await exportedBy(later, envelope)).not.toContain("step_sent_back");
});

it("whoever had the step is named for what they did before it was given away", async () => {
  const envelope = await send([
    { ...LEA, role: "visa", order: 1 },
    { ...VISA, order: 2 },
    { ...SIGNER, order: 3 },
  ]);
  const lea = await confirmed(envelope, LEA.email);
  await expectStatus(lea.post("visa/"), 200);
  const eloise = await confirmed(envelope, ELOISE.email);
  await expectStatus(eloise.post("send-back/", { order: 1, reason: REASON }), 200);
  await expectStatus(lea.post("reassign/", NEW_HOLDER), 204);
  expect((await eloise.get("guest/")).body.signs_before.sent_back).toBe("Renvoyé à Léa Petit");
  await expectStatus((await confirmed(envelope, NEW_HOLDER.email)).post("visa/"), 200);
  service.platform.clock.advance({ minutes: 2 });
  owner = await signIn(service, member);
  const [, sender] = (await read(envelope)).recipients;
  expect(sender?.sent_back?.to).toEqual(["Léa Petit"]);
  const later = await createMember(service.platform, { email: LATER_HOLDER.email });
  await expectStatus(eloise.post("reassign/", LATER_HOLDER), 204);

  const [, holder] = (await read(envelope)).recipients;
  expect([holder?.given_by, holder?.sent_back]).toEqual([ELOISE.full_name, undefined]);
  expect(await exportedBy(later, envelope)).toEqual([]);
  const named = (await eventsOf(envelope))
    .filter(({ action }) => ["visa_given", "step_sent_back", "step_reassigned"].includes(action))
    .map(({ action, recipient_name: name }) => [action, name]);
  expect(named).toEqual([
    ["step_reassigned", LATER_HOLDER.full_name],
    ["visa_given", NEW_HOLDER.full_name],
    ["step_reassigned", NEW_HOLDER.full_name],
    ["step_sent_back", ELOISE.full_name],
    ["visa_given", LEA.full_name],
  ]);
  const words = await evidenceWords(envelope);
  for (const told of [
    "Code vérifié pour Léa Petit",
    "Léa Petit a donné son visa",
    `${ELOISE.full_name} a renvoyé le document à l’étape 1`,
    "Léa Petit a confié son étape à Maëlys Adam",
    "Maëlys Adam a donné son visa",
    `${ELOISE.full_name} a confié son étape à Karim Absent`,
  ])
    expect(words).toContain(told);
});

it("a step reassigned while its holder gives the visa has one outcome", async () => {
  const envelope = await send();
  const eloise = await confirmed(envelope, ELOISE.email);
  const [given, visa] = await Promise.all([
    eloise.post("reassign/", NEW_HOLDER),
    eloise.post("visa/"),
  ]);
  const after = await read(envelope);
  if (given.status === 204) {
    expect(refusal(visa)).toEqual([410, "step_reassigned"]);
    expect(standing(after)).toEqual(["notified", "waiting", "waiting"]);
  } else {
    expect([visa.status, refusal(given)]).toEqual([200, [409, "visa_given"]]);
    expect(standing(after)).toEqual(["approved", "notified", "waiting"]);
  }
});

it("a member whose step was given away reads to whom", async () => {
  const browser = await signIn(
    service,
    await createMember(service.platform, { email: "chef@mairie.fr" }),
  );
  const own = { email: "chef@mairie.fr", full_name: "Chef", role: "visa", order: 1 };
  const envelope = await send([own, SIGNER]);
  const page = await browser.get(`${ENVELOPES}${envelope.id}/sign-page/`);
  expect(page.body.step).toEqual({ returns: [toPreparer(envelope)], may_reassign: true });
  const recipient = page.body.recipient.id;
  await expectStatus(browser.post(`${ENVELOPES}${envelope.id}/reassign/`, NEW_HOLDER), 204);
  for (const call of [`visa/?recipient=${recipient}`, "visa/"]) {
    const late = await browser.post(`${ENVELOPES}${envelope.id}/${call}`, {});
    expect(refusal(late)).toEqual([410, "step_reassigned"]);
  }
});

it("a circuit lets a signer send back or give the step away", async () => {
  const envelope = await send();
  const rights = { may_return: true, may_reassign: true, days: null, remind: null };
  const circuit = {
    id: service.platform.newId(),
    name: "Conventions",
    imposed: false,
    steps: [
      { role: "visa", order: 1, who: "person", ...rights },
      { role: "signer", order: 2, who: "person", ...rights },
    ],
  };
  await service.platform.db
    .updateTable("envelopes")
    .set({ circuit: JSON.stringify(circuit) })
    .where("id", "=", envelope.id)
    .execute();
  const eloise = await confirmed(envelope, ELOISE.email);
  await expectStatus(eloise.post("visa/"), 200);
  const paul = await confirmed(envelope, PAUL.email);
  expect((await paul.get("guest/")).body.step).toEqual({
    returns: [toPreparer(envelope), { order: 1, role: "visa", names: [ELOISE.full_name] }],
    may_reassign: true,
  });
  await expectStatus(paul.post("send-back/", { order: 1, reason: REASON }), 200);
  expect(standing(await read(envelope))).toEqual(["notified", "waiting", "waiting"]);
  await expectStatus(eloise.post("visa/"), 200);
  await expectStatus(paul.post("reassign/", NEW_HOLDER), 204);
  await expectRefusal(paul.post("sign/", TYPED), 410, "step_reassigned");
});

it("a signer may neither send back nor give the step away without a circuit", async () => {
  const envelope = await send();
  await (await confirmed(envelope, ELOISE.email)).post("visa/");
  const paul = await confirmed(envelope, PAUL.email);
  await expectRefusal(paul.post("reassign/", NEW_HOLDER), 403, "not_allowed");
  await expectRefusal(paul.post("send-back/", { order: 1, reason: REASON }), 403, "not_allowed");
});

const personOf = ({ email, full_name }: typeof LEA) => ({ who: "person", email, full_name });

it.each(["changed", "deleted"])(
  "a document returned after its imposed circuit was %s says so before it is sent again",
  async (change) => {
    const lead = await signIn(service, await createMemberAs(service.platform, "administrator"));
    const step = {
      together: false,
      may_return: true,
      may_reassign: true,
      days: null,
      remind: null,
    };
    const steps = [
      { ...step, kind: "visa", by: personOf(ELOISE) },
      { ...step, kind: "signature", by: personOf(PAUL) },
    ];
    const kind = `Arrêté ${change}`;
    const body = { name: kind, use: "imposed", kinds: [kind], steps };
    const saved = await lead.post("/api/organisation/circuits/", body);
    const circuit = saved.body.circuits.find(({ name }: { name: string }) => name === kind);
    const at = `/api/organisation/circuits/${circuit.id}/`;
    const draft = await createDraft(lead, { recipients: [], fields: [] });
    const address = `${ENVELOPES}${draft.id}/`;
    const choice = { kind, circuit_id: null };
    await expectStatus(lead.send("PUT", `${address}circuit/`, { body: choice }), 200);
    await expectStatus(lead.post(`${address}send/`, {}), 200);
    const sendBack = async () => {
      const eloise = await openConfirmedGuest(service, draft.id, ELOISE.email);
      await expectStatus(eloise.post("send-back/", { order: 0, reason: REASON }), 200);
    };
    const imposed = async () => (await lead.get(address)).body.circuit.imposed;
    await sendBack();
    expect(await imposed()).toBe(true);
    await expectStatus(lead.post(`${address}send/`, {}), 200);
    service.platform.clock.advance({ minutes: 2 });
    await expectStatus(
      change === "deleted"
        ? lead.send("DELETE", at)
        : lead.send("PUT", at, {
            body: { ...body, steps: [steps[1]], version: circuit.version },
          }),
      200,
    );
    expect(await imposed()).toBe(true);
    await sendBack();
    expect(await imposed()).toBe(false);
  },
);
