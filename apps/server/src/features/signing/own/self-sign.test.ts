import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Envelope } from "@paraphe/contracts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { expectRefusal, expectStatus } from "../../../../testing/answers.ts";
import { createTestApp, type TestApp } from "../../../../testing/app.ts";
import {
  type Answer,
  multipart,
  openBrowser,
  refusal,
  type TestBrowser,
} from "../../../../testing/browser.ts";
import { createDraft, ELOISE, ENVELOPES, PAUL } from "../../../../testing/envelope.ts";
import { mailFor } from "../../../../testing/mailbox.ts";
import { createMember, type Member, signIn } from "../../../../testing/member.ts";
import { makePdf } from "../../../../testing/pdf.ts";
import { openTestTsa, type TestTsa } from "../../../../testing/tsa-server.ts";
import { loadEnvelope } from "../../envelopes/public.ts";
import { verifyChain } from "../../journal/journal.ts";

let service: TestApp;
let member: Member;
let owner: TestBrowser;

beforeAll(async () => {
  service = await createTestApp({ settings: { rateLimits: "off" } });
  member = await createMember(service.platform, { firstName: "Zoé", lastName: "Lefèvre" });
  owner = await signIn(service, member);
});
afterAll(() => service.close());

const SELF_SIGN = "/api/signature/self-sign/";
const TYPED_MARK = { kind: "typed", text: "Zoé Lefèvre", font: "caveat" };
const PLACE = { page: -1, x: 0.6, y: 0.8, width: 0.3, height: 0.07 };
type Form = {
  readonly file?: Uint8Array | null;
  readonly name?: string;
  readonly fields?: Readonly<Record<string, string>>;
};
const form = ({ file = makePdf(), name = "contrat_v2.pdf", fields = {} }: Form = {}) =>
  multipart(
    { placement: JSON.stringify(PLACE), signature: JSON.stringify(TYPED_MARK), ...fields },
    file === null ? [] : [{ field: "file", name, type: "application/pdf", bytes: file }],
  );
const selfSign = (
  given: Form = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> => {
  const { body, headers: own } = form(given);
  return owner.send("POST", SELF_SIGN, { body, headers: { ...own, ...headers } });
};
const counts = async () => (await owner.get(`${ENVELOPES}counts/`)).body;

/** Gives pdfsig's verdict on each signature. */
function signaturesIn(bytes: Uint8Array): string {
  const folder = mkdtempSync(join(tmpdir(), "paraphe-self-sign-"));
  try {
    writeFileSync(join(folder, "f.pdf"), bytes);
    return execFileSync("pdfsig", ["-nocert", join(folder, "f.pdf")], { encoding: "utf8" });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Gives the text that poppler reads on the pages, values of the form included. */
function textOf(bytes: Uint8Array): string {
  const folder = mkdtempSync(join(tmpdir(), "paraphe-self-sign-"));
  try {
    writeFileSync(join(folder, "f.pdf"), bytes);
    execFileSync("pdftocairo", ["-pdf", join(folder, "f.pdf"), join(folder, "flat.pdf")]);
    return execFileSync("pdftotext", [join(folder, "flat.pdf"), "-"], {
      encoding: "utf8",
    }).normalize("NFC");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

it("an own document is completed at B-LTA, listed and counted, without messages", async () => {
  const before = await counts();
  const answer = await selfSign({ fields: { title: "Contrat de prêt", consent: "true" } });
  expect([answer.status, answer.headers["x-envelope-id"]]).toEqual([201, answer.body.id]);
  expect(answer.body).toMatchObject({
    title: "Contrat de prêt",
    status: "completed",
    level: "B-LTA",
    is_owner: true,
  });
  expect(answer.body.progress).toEqual({ signed: 1, total: 1, percent: 100 });
  expect(answer.body.recipients).toMatchObject([
    { email: member.email, full_name: "Zoé Lefèvre", role: "signer", signed: true },
  ]);
  expect(answer.body.fields).toMatchObject([{ type: "signature", page: 1, x: 0.6, y: 0.8 }]);
  expect(await counts()).toEqual({ ...before, completed: before.completed + 1 });
  const listed = await owner.get(`${ENVELOPES}?status=completed`);
  expect(listed.body.results[0].id).toBe(answer.body.id);
  await service.settle();
  expect(await mailFor(service.platform, member.email)).toHaveLength(0);
  expect(await verifyChain(service.platform.db, answer.body.id)).toMatchObject({ ok: true });
  const events = (await owner.get(`${ENVELOPES}${answer.body.id}/events/`)).body.results.map(
    (event: { action: string }) => event.action,
  );
  expect(events.toReversed()).toEqual([
    "envelope_created",
    "consent_given",
    "recipient_signed",
    "envelope_completed",
  ]);
});

it("date, name and text are printed as form values that a validator accepts", async () => {
  const place = { page: -1, x: 0.1, width: 0.3, height: 0.03 };
  const fields = [
    { type: "date", ...place, y: 0.1, value: "01/01/1999" },
    { type: "name", ...place, y: 0.2 },
    { type: "text", ...place, y: 0.3, value: "Lu et approuvé" },
  ];
  const answer = await selfSign({ fields: { fields: JSON.stringify(fields) } });
  expect([answer.status, answer.body.level]).toEqual([201, "B-LTA"]);
  const today = new Intl.DateTimeFormat("fr-FR", {
    timeZone: "Europe/Paris",
    dateStyle: "short",
  }).format(service.platform.clock());
  expect(
    answer.body.fields.map(
      ({ type, value, page }: { type: string; value: string; page: number }) => [type, value, page],
    ),
  ).toEqual([
    ["signature", null, 1],
    ["date", today, 1],
    ["name", "Zoé Lefèvre", 1],
    ["text", "Lu et approuvé", 1],
  ]);
  const { bytes } = await owner.get(`${ENVELOPES}${answer.body.id}/signed-document/`);
  expect(signaturesIn(bytes)).toContain("Signature Validation: Signature is Valid.");
  const words = textOf(bytes);
  for (const word of [today, "Zoé Lefèvre", "Lu et approuvé"]) expect(words).toContain(word);
});

it.each([
  [
    "a text without words",
    { type: "text", value: "  " },
    [400, "field_required", { "fields.0": ["Champ obligatoire"] }],
  ],
  [
    "a page that it has not",
    { type: "date", page: 2 },
    [400, "validation", { "fields.0": ["Ce document n’a que 1 page"] }],
  ],
  [
    "letters that cannot be printed",
    { type: "text", value: "\u{13000}" },
    [400, "unsupported_character", { "fields.0": [expect.any(String)] }],
  ],
  ["another kind of field", { type: "checkbox" }, [400, "validation", expect.any(Object)]],
  ["a field beside the page", { type: "date", x: 0.9 }, [400, "validation", expect.any(Object)]],
])("%s signs nothing", async (_what, field, expected) => {
  const fields = JSON.stringify([{ page: 1, x: 0.1, y: 0.1, width: 0.3, height: 0.03, ...field }]);
  const before = await counts();
  const { status, body } = await selfSign({ fields: { fields } });
  expect([status, body.code, body.errors]).toEqual(expected);
  expect(await counts()).toEqual(before);
});

it("the signed PDF is given on request, and a validator accepts it", async () => {
  const answer = await selfSign({}, { accept: "application/pdf" });
  expect([answer.status, answer.headers["content-type"]]).toEqual([200, "application/pdf"]);
  expect(answer.headers["content-disposition"]).toBe('attachment; filename="contrat-v2_signe.pdf"');
  const report = signaturesIn(answer.bytes);
  expect(report).toContain("ETSI.CAdES.detached");
  expect(report).toContain("Signature Validation: Signature is Valid.");
  const stored = await owner.get(
    `${ENVELOPES}${String(answer.headers["x-envelope-id"])}/signed-document/`,
  );
  expect(Buffer.compare(stored.bytes, answer.bytes)).toBe(0);
});

it("the signature is on the page asked for, −1 the last, or in a free place", async () => {
  const file = makePdf({ pages: 3 });
  const at = async (placement: object) =>
    (await selfSign({ file, fields: { placement: JSON.stringify(placement) } })).body.fields[0]
      .page;
  expect(await at(PLACE)).toBe(3);
  expect(await at({ ...PLACE, page: 2 })).toBe(2);
  const { body, headers } = multipart({ signature: JSON.stringify(TYPED_MARK) }, [
    { field: "file", name: "a.pdf", type: "application/pdf", bytes: file },
  ]);
  const unplaced = await owner.send("POST", SELF_SIGN, { body, headers });
  expect([unplaced.status, unplaced.body.fields[0].page, unplaced.body.title]).toEqual([
    201,
    3,
    "a",
  ]);
});

it("a repeated key gives the first answer", async () => {
  const key = { "idempotency-key": "auto-1" };
  const [first, second] = [await selfSign({}, key), await selfSign({}, key)];
  expect([first.status, second.status, second.body.id]).toEqual([201, 201, first.body.id]);
  const other = await selfSign({ fields: { title: "Un autre" } }, key);
  await expectRefusal(other, 409, "idempotency_conflict");
});

it("a repeated key gives the same file", async () => {
  const headers = { "idempotency-key": "auto-pdf", accept: "application/pdf" };
  const [first, second] = [await selfSign({}, headers), await selfSign({}, headers)];
  expect([second.status, second.headers["x-envelope-id"]]).toEqual([
    200,
    first.headers["x-envelope-id"],
  ]);
  expect(Buffer.compare(second.bytes, first.bytes)).toBe(0);
  const asJson = await selfSign({}, { "idempotency-key": "auto-pdf" });
  expect([asJson.status, asJson.body.id]).toEqual([201, first.headers["x-envelope-id"]]);
});

it("twenty requests with one key make one envelope", async () => {
  const before = await counts();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => selfSign({}, { "idempotency-key": "auto-20" })),
  );
  expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
  expect((await counts()).completed).toBe(before.completed + 1);
});

it("a file to correct needs acceptance, with its findings", async () => {
  const file = withScript();
  const asked = await selfSign({ file });
  await expectRefusal(asked, 422, "copy_to_accept");
  expect(asked.body.findings[0].detail).toMatch(/JavaScript|script/i);
  expect([asked.body.file_name, Object.keys(asked.body.errors)]).toEqual([
    "contrat_v2.pdf",
    ["file"],
  ]);
  const accepted = await selfSign(
    { file, fields: { accept_normalised: "true" } },
    { accept: "application/pdf" },
  );
  expect(accepted.status).toBe(200);
  expect(signaturesIn(accepted.bytes)).toContain("Signature is Valid");
  const stored = await loadEnvelope(service.platform.db, String(accepted.headers["x-envelope-id"]));
  const [document] = stored?.documents ?? [];
  expect(document?.normalisedAccepted).toBe(true);
  const { results } = (await owner.get(`${ENVELOPES}${stored?.envelope.id}/events/`)).body;
  const { detail } = results.find((event: { action: string }) => event.action === "consent_given");
  expect([detail.copy_accepted_at, detail.consented_at]).toEqual([
    detail.consented_at,
    service.platform.clock().toISOString(),
  ]);
  expect(
    Buffer.compare(document?.uploadedSha256 as Uint8Array, document?.original.sha256 as Uint8Array),
  ).not.toBe(0);
});

it.each<[string, Form, readonly [number, string, string?]]>([
  ["no file", { file: null }, [400, "validation", "file"]],
  ["an empty file", { file: new Uint8Array() }, [400, "validation", "file"]],
  ["another name", { name: "photo.png" }, [415, "not_a_pdf", "file"]],
  ["no PDF", { file: new TextEncoder().encode("Bonjour") }, [415, "not_a_pdf", "file"]],
  ["a file over 10 MB", { file: new Uint8Array(10_485_761) }, [413, "file_too_large", "file"]],
  [
    "a page that is not there",
    { fields: { placement: JSON.stringify({ ...PLACE, page: 2 }) } },
    [400, "validation"],
  ],
  ["page 0", { fields: { placement: JSON.stringify({ ...PLACE, page: 0 }) } }, [400, "validation"]],
  [
    "a place beyond the page",
    { fields: { placement: JSON.stringify({ ...PLACE, x: 0.9 }) } },
    [400, "validation"],
  ],
  ["a place that is no JSON", { fields: { placement: "ici" } }, [400, "validation"]],
  ["a mark that is no JSON", { fields: { signature: "moi" } }, [400, "validation"]],
  ["an unknown field", { fields: { status: "completed" } }, [400, "validation"]],
  ["a consent refused", { fields: { consent: "false" } }, [400, "validation"]],
  [
    "a saved signature nobody has",
    {
      fields: {
        signature: JSON.stringify({
          kind: "saved",
          saved_signature_id: "01990000-0000-7000-8000-00000000abcd",
        }),
      },
    },
    [404, "not_found"],
  ],
  [
    "a mark that no hand can write",
    { fields: { signature: JSON.stringify({ ...TYPED_MARK, text: "署名" }) } },
    [400, "unsupported_character"],
  ],
])(
  "a request with %s is refused, and stores nothing",
  async (_what, given, [status, code, member]) => {
    const before = await counts();
    const answer = await selfSign(given);
    expect(refusal(answer)).toEqual([status, code]);
    if (member !== undefined) expect(Object.keys(answer.body.errors)).toEqual([member]);
    expect(answer.body.detail).not.toBe("");
    expect(await counts()).toEqual(before);
  },
);

it("the API describes the form and both answers", async () => {
  const { paths } = (await service.app.inject({ url: "/api/openapi.json" })).json();
  const described = paths[SELF_SIGN].post;
  const { properties, required } = described.requestBody.content["multipart/form-data"].schema;
  expect([Object.keys(properties).toSorted(), required.toSorted()]).toEqual([
    ["accept_normalised", "consent", "fields", "file", "placement", "signature", "title"],
    ["file", "signature"],
  ]);
  expect(["200", "201"].map((status) => Object.keys(described.responses[status].content))).toEqual([
    ["application/pdf"],
    ["application/json"],
  ]);
});

it("signing an own document needs a session and the CSRF token", async () => {
  const { body, headers } = form();
  const visitor = await openBrowser(service.app).send("POST", SELF_SIGN, { body, headers });
  expect(visitor.status).toBe(401);
  const forged = await owner.send("POST", SELF_SIGN, {
    body,
    headers: { ...headers, "x-csrftoken": "faux" },
  });
  await expectRefusal(forged, 403, "csrf_failed");
});

describe("without a time-stamp", () => {
  let tsa: TestTsa;
  let later: TestApp;
  beforeAll(async () => {
    tsa = await openTestTsa();
    later = await createTestApp({ settings: { rateLimits: "off", tsaUrl: tsa.url } });
  });
  afterAll(async () => {
    await later.close();
    await tsa.close();
  });

  it("without a time-stamp a file that cannot be finished is refused, and no consent recorded", async () => {
    const browser = await signIn(later, await createMember(later.platform));
    tsa.behave({ away: true });
    const { body, headers } = form({ file: unfinishable() });
    const answer = await browser.send("POST", SELF_SIGN, { body, headers });
    tsa.behave({});
    await expectRefusal(answer, 422, "pdf_unfinishable");
    expect((await browser.get(ENVELOPES)).body.count).toBe(0);
  });

  it("without a time-stamp the consent is recorded, and completed later without asking again", async () => {
    const person = await createMember(later.platform);
    const browser = await signIn(later, person);
    tsa.behave({ away: true });
    const written = [
      {
        type: "text",
        page: 1,
        x: 0.1,
        y: 0.1,
        width: 0.3,
        height: 0.03,
        value: "Lu et approuvé",
      },
    ];
    const { body, headers } = form({ fields: { fields: JSON.stringify(written) } });
    const answer = await browser.send("POST", SELF_SIGN, { body, headers });
    await expectRefusal(answer, 503, "timestamp_unavailable");
    const read = async () => (await browser.get(`${ENVELOPES}${answer.body.envelope_id}/`)).body;
    expect(await read()).toMatchObject({ status: "sent", progress: { signed: 0, total: 1 } });
    expect((await browser.get(`${ENVELOPES}counts/`)).body).toMatchObject({
      action_required: 0,
      completed: 0,
    });
    tsa.behave({});
    await later.settle({ deferred: "run" });
    expect(await read()).toMatchObject({ status: "completed", level: "B-LTA" });
    const { bytes } = await browser.get(`${ENVELOPES}${answer.body.envelope_id}/signed-document/`);
    expect(textOf(bytes)).toContain("Lu et approuvé");
    expect(await mailFor(later.platform, person.email)).toHaveLength(0);
  });
});

const control = (file: Uint8Array, name = "a.pdf") => {
  const { body, headers } = multipart({}, [
    { field: "file", name, type: "application/pdf", bytes: file },
  ]);
  return owner.send("POST", `${SELF_SIGN}control/`, { body, headers });
};

it("a corrected copy is compared, and not stored", async () => {
  const { body, headers } = multipart({}, [
    { field: "file", name: "a.pdf", type: "application/pdf", bytes: withScript() },
  ]);
  const before = await counts();
  const answer = await owner.send("POST", `${SELF_SIGN}correction/?from=1`, { body, headers });
  expect(answer.body).toEqual({ page_count: 1, next: null, unread: [], difference: null });
  const stray = multipart({}, [
    { field: "autre", name: "a.pdf", type: "application/pdf", bytes: withScript() },
  ]);
  await expectRefusal(owner.send("POST", `${SELF_SIGN}correction/`, stray), 400, "validation");
  await expectRefusal(
    owner.send("POST", `${SELF_SIGN}correction/?from=x`, { body, headers }),
    400,
    "validation",
  );
  expect(await counts()).toEqual(before);
});

it("a control says what signing would say, with a free place, and stores nothing", async () => {
  const before = await counts();
  const answer = await control(makePdf({ pages: 2 }));
  expect(answer.body).toMatchObject({
    name: "a.pdf",
    page_count: 2,
    control: { result: "ok", findings: [] },
    taken: [],
  });
  expect(answer.body.placement).toMatchObject({ page: -1 });
  expect((await control(withScript())).body.control.result).toBe("fixable");
  await expectRefusal(control(new TextEncoder().encode("Bonjour")), 415, "not_a_pdf");
  await expectRefusal(control(makePdf(), "a.txt"), 415, "not_a_pdf");
  await expectRefusal(control(unfinishable()), 422, "pdf_unfinishable");
  expect(await counts()).toEqual(before);
});

const unfinishable = () => makePdf({ pageExtra: "/Odd[1 0 R]" });

it("a sound file is not rehearsed before it is signed; one that cannot be finished is refused", async () => {
  const before = await counts();
  const tasks: string[] = [];
  const { sandbox } = service.platform;
  const spy = vi.spyOn(sandbox, "askedBy").mockImplementation(() => ({
    call: (task, ...args) => {
      tasks.push(task);
      return sandbox.call(task, ...args);
    },
  }));
  try {
    await expectStatus(selfSign({ file: makePdf({ text: "Signé sans répétition" }) }), 201);
    expect(tasks).toEqual(["inspect"]);
    tasks.length = 0;
    await expectRefusal(selfSign({ file: unfinishable() }), 422, "pdf_unfinishable");
    expect(tasks).toEqual(["inspect", "control"]);
  } finally {
    spy.mockRestore();
  }
  expect(await counts()).toEqual({ ...before, completed: before.completed + 1 });
});

/** A sound PDF with a script that runs when it opens is signed only as a corrected copy. */
function withScript(): Uint8Array {
  const text = Buffer.from(makePdf()).toString("latin1");
  const script = "<</Type/Catalog/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>/Pages 2 0 R>>";
  const head = text
    .slice(0, text.indexOf("xref\n"))
    .replace("<</Type/Catalog/Pages 2 0 R>>", script);
  const objects = [...head.matchAll(/^(\d+) 0 obj$/gm)];
  const table = objects
    .map(({ index }) => `${String(index).padStart(10, "0")} 00000 n \n`)
    .join("");
  const size = objects.length + 1;
  const end = `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<</Size ${size}/Root 1 0 R>>\nstartxref\n${head.length}\n%%EOF\n`;
  return new Uint8Array(Buffer.from(head + end, "latin1"));
}

const TYPED = JSON.stringify({ kind: "typed", text: "Camille Roux", font: "caveat" });
/** A place across the page; `height` is its part of the page. */
const across = (height: number, y = 0) => ({ x: 0, y, width: 1, height });
async function signOwn(bytes: Uint8Array, place: object) {
  const file = { field: "file", name: "contrat.pdf", type: "application/pdf", bytes };
  const form = multipart({ placement: JSON.stringify({ page: 1, ...place }), signature: TYPED }, [
    file,
  ]);
  return owner.send("POST", "/api/signature/self-sign/", form);
}
async function signedOwn(bytes: Uint8Array, place: object): Promise<Uint8Array> {
  const answer = await signOwn(bytes, place);
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return (await owner.get(`${ENVELOPES}${answer.body.id}/signed-document/`)).bytes;
}
const warned = ({ warnings }: Envelope) =>
  warnings?.map(({ code, page, field_id }) => ({ code, page, field_id }));
const SENTENCE = (share: string) =>
  `Les champs couvriraient ${share} de la page 1 de «\u00a0contrat.pdf\u00a0», et une signature apposée avant eux ne serait plus valable. Réduisez-les, ou placez-les sur d’autres pages.`;

it("fields that cover too much of a signed page block the sending", async () => {
  const signed = await signedOwn(makePdf(), across(0.05, 0.9));
  const field = (recipient_index: number, y: number) => ({
    ...across(0.27, y),
    type: "signature",
    page: 1,
    document_index: 0,
    recipient_index,
  });
  const files = [{ name: "contrat.pdf", bytes: signed }];
  const draft = await createDraft(owner, {
    files,
    recipients: [PAUL, ELOISE],
    fields: [field(0, 0.1), field(1, 0.4)],
  });
  expect(warned(draft)).toEqual([{ code: "page_covered", page: 1, field_id: draft.fields[0]?.id }]);
  const refused = await owner.post(`${ENVELOPES}${draft.id}/send/`);
  expect([...refusal(refused), refused.body.detail]).toEqual([
    422,
    "page_covered",
    SENTENCE("plus de la moitié"),
  ]);
  expect((await owner.get(`${ENVELOPES}${draft.id}/`)).body.status).toBe("draft");
  const fields = draft.fields.map((one) => ({ ...one, height: 0.2 }));
  const smaller = await owner.send("PATCH", `${ENVELOPES}${draft.id}/`, { body: { fields } });
  expect(smaller.body.warnings).toEqual([]);
  await expectStatus(owner.post(`${ENVELOPES}${draft.id}/send/`), 200);
});

it("fields of later signers count in their order in an unsigned file", async () => {
  const fields = [
    { ...across(0.05, 0.9), type: "signature", page: 1, document_index: 0, recipient_index: 0 },
    { ...across(0.75), type: "text", page: 1, document_index: 0, recipient_index: 1 },
    { ...across(0.05, 0.8), type: "signature", page: 1, document_index: 0, recipient_index: 1 },
  ];
  const files = [{ name: "contrat.pdf", bytes: makePdf() }];
  const draft = await createDraft(owner, { files, recipients: [PAUL, ELOISE], fields });
  expect(warned(draft)).toEqual([{ code: "page_covered", page: 1, field_id: draft.fields[1]?.id }]);
  const refused = await owner.post(`${ENVELOPES}${draft.id}/send/`);
  expect([...refusal(refused), refused.body.detail]).toEqual([
    422,
    "page_covered",
    SENTENCE("plus de 70\u00a0%"),
  ]);
  const turned = draft.recipients.map((one, index) => ({
    id: one.id,
    email: one.email,
    full_name: one.full_name,
    role: one.role,
    order: 2 - index,
  }));
  const later = await owner.send("PATCH", `${ENVELOPES}${draft.id}/`, {
    body: { flow: "sequential", recipients: turned },
  });
  expect([later.status, later.body.warnings]).toEqual([200, []]);
  await expectStatus(owner.post(`${ENVELOPES}${draft.id}/send/`), 200);
});

it("an own document without room is refused before signing, alone or in a batch", async () => {
  const first = await signedOwn(makePdf(), across(0.05, 0.9));
  const second = await signedOwn(first, across(0.4, 0.1));
  const refused = await signOwn(second, across(0.15, 0.6));
  expect([...refusal(refused), refused.body.detail]).toEqual([
    422,
    "page_covered",
    SENTENCE("plus de la moitié"),
  ]);
  const placement = JSON.stringify({ page: 1, ...across(0.15, 0.6) });
  const form = multipart({ placement, signature: TYPED }, [
    { field: "files", name: "contrat.pdf", type: "application/pdf", bytes: second },
  ]);
  const batch = await owner.send("POST", "/api/signature/batch-sign/", form);
  await service.settle({ deferred: "run" });
  expect((await owner.get(`/api/signature/batch-jobs/${batch.body.id}/`)).body.items).toMatchObject(
    [{ status: "failed", code: "page_covered", detail: SENTENCE("plus de la moitié") }],
  );
  await expectStatus(signOwn(second, across(0.05, 0.6)), 201);
});
