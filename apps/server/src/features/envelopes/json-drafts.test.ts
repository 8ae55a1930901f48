import {
  batchPlacementSchema,
  identityRequest,
  inviteRequest,
  KEY_SCOPES,
  MAX_FILE_SIZE_BYTES,
} from "@paraphe/contracts";
import { toBase64 } from "@paraphe/kernel/bytes";
import { beforeAll, describe, expect, test } from "vitest";
import type * as z from "zod/mini";
import { multipart, refusal, type TestBrowser } from "../../../testing/browser.ts";
import {
  actOn,
  createDraft,
  createSent,
  ELOISE,
  ENVELOPES,
  envelopeForm,
  fieldAt,
  PAUL,
  recordTestSignature,
} from "../../../testing/envelope.ts";
import { createMember, signIn, type Member } from "../../../testing/member.ts";
import { createMemberAs } from "../../../testing/organisation.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { useTestApp } from "../../../testing/use-test-app.ts";
import { parseInput } from "../../platform/http/problem-reply.ts";
import { sweepFiles } from "../documents/jobs.ts";

const service = useTestApp();
const bytes = makePdf();
const file = { name: "Bail.pdf", content: toBase64(bytes) };
const ID = "01990000-0000-7000-8000-00000000abcd";
const VALUES = {
  title: "Bail d’habitation",
  message: "À relire",
  deadline_at: "2027-01-15T12:00:00Z",
  flow: "sequential",
  reminders: { every_days: 3 },
  proof_only: true,
  recipients: [PAUL, ELOISE],
  fields: [fieldAt("signature", 0.4)],
} as const;

let member: Member;
let anne: TestBrowser;
let secret: string;

beforeAll(async () => {
  member = await createMember(service.platform);
  anne = await signIn(service, member);
  const asked = { name: "Paie", scopes: Object.keys(KEY_SCOPES), days: null };
  secret = (await anne.post("/api/signature/me/keys/", asked)).body.secret;
});

const keyOf = async (browser: TestBrowser, scopes: readonly string[]): Promise<string> =>
  (await browser.post("/api/signature/me/keys/", { name: "Droits", scopes, days: null })).body
    .secret;
const post = (payload: object, headers: object = {}) =>
  service.app.inject({
    method: "POST",
    url: ENVELOPES,
    payload,
    headers: { authorization: `Bearer ${secret}`, ...headers },
  });

/** Gives what two envelopes of the same request share. */
const shared = (envelope: object) =>
  JSON.parse(
    JSON.stringify(envelope).replaceAll(/"[0-9a-f]{8}-[0-9a-f-]{27}"/g, '"id"'),
    (key, value) => (key.endsWith("_at") && key !== "deadline_at" ? "then" : value),
  );

test("an envelope as JSON equals the one that the form makes", async () => {
  const form = await createDraft(anne, {
    ...VALUES,
    reminders: { every_days: 3, business_days: true },
    files: [{ name: file.name, bytes }],
  });
  const json = await post({ ...VALUES, files: [file] });
  expect(json.statusCode).toBe(201);
  expect(shared(json.json())).toEqual(shared(form));
});

test("a repeated key gives the same envelope, another body a refusal", async () => {
  const key = { "idempotency-key": "un-envoi" };
  const first = await post({ title: "Bail", files: [file] }, key);
  const again = await post({ title: "Bail", files: [file] }, key);
  expect([again.statusCode, again.json().id]).toEqual([201, first.json().id]);
  const other = await post({ title: "Autre", files: [file] }, key);
  expect(refusal({ status: other.statusCode, body: other.json() })).toEqual([
    409,
    "idempotency_conflict",
  ]);
});

test.each([
  ["not base64", { content: "JVBERi0x_é" }, 400, "validation"],
  ["base64url", { content: "JVBERi0_" }, 400, "validation"],
  ["base64 in lines", { content: file.content.replace(/.{76}/g, "$&\r\n") }, 400, "validation"],
  ["base64 without padding", { content: "JVBERi0" }, 400, "validation"],
  ["cut in the middle", { content: file.content.slice(0, 101) }, 400, "validation"],
  ["no PDF", { content: toBase64(new TextEncoder().encode("bonjour")) }, 415, "not_a_pdf"],
  ["named otherwise", { name: "Bail.exe" }, 415, "not_a_pdf"],
  [
    "too large",
    { content: toBase64(new Uint8Array(MAX_FILE_SIZE_BYTES + 1)) },
    413,
    "file_too_large",
  ],
])("a file %s is refused, and nothing is stored", async (_what, change, status, code) => {
  const count = () => service.platform.db.selectFrom("envelopes").select("id").execute();
  const before = (await count()).length;
  const answer = await post({ title: "Bail", files: [file, { ...file, ...change }] });
  const { errors, file_index: index, ...body } = answer.json();
  expect([answer.statusCode, body.code]).toEqual([status, code]);
  if (status === 400)
    expect(errors).toEqual({ "files.1.content": [expect.stringContaining("Base64 invalide")] });
  else expect([index, Object.keys(errors)]).toEqual([1, ["files.1"]]);
  expect((await count()).length).toBe(before);
});

test("a twenty-first file is refused", async () => {
  const answer = await post({ title: "Bail", files: Array.from({ length: 21 }, () => file) });
  expect([answer.statusCode, answer.json().code]).toEqual([413, "envelope_too_large"]);
});

test("a draft takes further files as JSON", async () => {
  const draft = (await post({ title: "Bail", files: [file] })).json();
  const change = { title: "Bail signé", files: [{ ...file, name: "Annexe.pdf" }] };
  const changed = await anne.send("PATCH", `${ENVELOPES}${draft.id}/`, { body: change });
  expect([changed.status, changed.body.title]).toEqual([200, "Bail signé"]);
  expect(changed.body.documents.map(({ name }: { name: string }) => name)).toEqual([
    "Bail.pdf",
    "Annexe.pdf",
  ]);
});

const UPLOADS = "/api/signature/uploads/";
const upload = (pdf: Uint8Array, { name = "Bail.pdf", ...headers }: Record<string, string> = {}) =>
  service.app.inject({
    method: "POST",
    url: `${UPLOADS}?name=${encodeURIComponent(name)}`,
    payload: Buffer.from(pdf),
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/pdf", ...headers },
  });
const namesOf = (envelope: { documents: { name: string }[] }) =>
  envelope.documents.map(({ name }) => name);
const countOf = async (table: "envelopes" | "uploads") =>
  (await service.platform.owner.selectFrom(table).select("id").execute()).length;
const USED = ["Fichier inconnu, déjà utilisé ou expiré\u00a0: envoyez-le de nouveau"];

function largePdf(): Uint8Array {
  const padded = (length: number) => makePdf({ text: `Bail) Tj ET\n%${"n".repeat(length)}\nBT (` });
  const near = MAX_FILE_SIZE_BYTES - 2_000;
  return padded(near + MAX_FILE_SIZE_BYTES - padded(near).length);
}

describe("a file sent ahead", () => {
  test("of 10 MB becomes an envelope's, beside one in base64, and serves once", async () => {
    const large = largePdf();
    const sent = await upload(large);
    expect([sent.statusCode, sent.json()]).toEqual([
      201,
      {
        id: expect.any(String),
        name: "Bail.pdf",
        size: MAX_FILE_SIZE_BYTES,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        page_count: 1,
        control: { result: "ok", findings: [] },
        expires_at: expect.stringMatching(/Z$/),
      },
    ]);
    const { id: upload_id, sha256 } = sent.json();
    const made = await post({ title: "Bail", files: [{ upload_id }, file] });
    expect([made.statusCode, namesOf(made.json())]).toEqual([201, ["Bail.pdf", "Bail.pdf"]]);
    expect(made.json().documents[0]).toMatchObject({ size: MAX_FILE_SIZE_BYTES, sha256 });
    const again = await post({ title: "Bail", files: [{ upload_id }] });
    expect([again.statusCode, again.json().errors]).toEqual([400, { "files.0.upload_id": USED }]);
    const read = await anne.get(
      `${ENVELOPES}${made.json().id}/documents/${made.json().documents[0].id}/file/`,
    );
    expect(Buffer.compare(read.bytes, large)).toBe(0);
  });

  test("comes as a form too, takes another name, and joins a draft", async () => {
    const form = multipart({}, [
      { field: "file", name: "Plan.pdf", type: "application/pdf", bytes },
    ]);
    const sent = await anne.send("POST", UPLOADS, form);
    expect([sent.status, sent.body.name]).toEqual([201, "Plan.pdf"]);
    const draft = await createDraft(anne, { files: [{ name: file.name, bytes }] });
    const files = [{ upload_id: sent.body.id, name: "Annexe.pdf" }];
    const changed = await anne.send("PATCH", `${ENVELOPES}${draft.id}/`, { body: { files } });
    expect([changed.status, namesOf(changed.body)]).toEqual([200, ["Bail.pdf", "Annexe.pdf"]]);
    const again = await anne.send("PATCH", `${ENVELOPES}${draft.id}/`, { body: { files } });
    expect([again.status, again.body.errors]).toEqual([400, { "files.0.upload_id": USED }]);
  });

  test("stays after a refused request, and one of two requests at once gets it", async () => {
    const upload_id = (await upload(bytes)).json().id;
    const twice = await post({ title: "Bail", files: [{ upload_id }, { upload_id }] });
    expect(twice.json().errors).toEqual({
      "files.1.upload_id": ["Ce fichier est donné deux fois"],
    });
    const unready = { title: "Bail", files: [{ upload_id }], send: true };
    expect((await post(unready)).json().code).toBe("not_ready_to_send");
    const draft = await createDraft(anne, { files: [{ name: file.name, bytes }] });
    const late = await anne.send("PATCH", `${ENVELOPES}${draft.id}/`, {
      body: { files: [{ upload_id }], deadline_at: "2020-01-01T00:00:00Z" },
    });
    expect(late.status).toBe(400);
    const both = await Promise.all(
      ["a", "b"].map((title) => post({ title, files: [{ upload_id }] })),
    );
    expect(both.map(({ statusCode }) => statusCode).toSorted()).toEqual([201, 400]);
  });

  test("is its account's alone, and a repeated call is answered again", async () => {
    const key = { "idempotency-key": "un-fichier" };
    const first = await upload(bytes, key);
    expect((await upload(bytes, key)).json()).toEqual(first.json());
    for (const other of [{ ...key, name: "Autre.pdf" }, key])
      expect(
        (await upload("name" in other ? bytes : makePdf({ text: "Autre" }), other)).json().code,
      ).toBe("idempotency_conflict");
    const eve = await signIn(service, await createMember(service.platform));
    const files = [{ upload_id: first.json().id }];
    const foreign = await eve.send("POST", ENVELOPES, { body: { title: "Vol", files } });
    expect([foreign.status, foreign.body.errors]).toEqual([400, { "files.0.upload_id": USED }]);
    const made = await Promise.all([1, 2].map(() => post({ title: "Bail", files }, key)));
    expect(new Set(made.map((one) => one.json().id)).size).toBe(1);
  });

  test("counts in the quota, expires after a day, and is swept", async () => {
    const used = async () => (await anne.get("/api/signature/me/storage/")).body.used_bytes;
    const [before, rows] = [await used(), await countOf("uploads")];
    const pdf = makePdf({ text: "Oublié" });
    const { id: upload_id, sha256 } = (await upload(pdf)).json();
    expect([await used(), await countOf("uploads")]).toEqual([before + pdf.length, rows + 1]);
    service.platform.clock.advance({ hours: 24 });
    anne = await signIn(service, member);
    const late = await post({ title: "Bail", files: [{ upload_id }] });
    expect([late.statusCode, late.json().errors]).toEqual([400, { "files.0.upload_id": USED }]);
    const name = Buffer.from(sha256, "hex");
    await sweepFiles(service.platform);
    expect(await used()).toBe(before);
    expect(await service.platform.files.size(name)).toBe(pdf.length);
    await service.platform.owner
      .updateTable("loose_files")
      .set({ at: new Date("2020-01-01") })
      .where("sha256", "=", name)
      .execute();
    await sweepFiles(service.platform);
    expect(await service.platform.files.size(name)).toBeNull();
  });

  test("of another type is told the types of its address", async () => {
    const { detail } = (await upload(bytes, { "content-type": "text/plain" })).json();
    expect(detail).toContain("Content-Type: application/pdf ou multipart/form-data, sans");
  });

  test.each([
    ["application/pdf", new Uint8Array(11_000_000)],
    ["application/json", Buffer.alloc(11_000_000, " ")],
  ])("that is far too large as %s hears the limit of this call", async (type, body) => {
    const answer = await upload(body, { "content-type": type });
    expect([answer.statusCode, answer.json().detail]).toEqual([
      413,
      expect.stringContaining(" 10\u202f485\u202f760 octets"),
    ]);
  });

  test.each([
    ["no PDF", 7, {}, 415, "not_a_pdf"],
    ["named otherwise", null, { name: "Bail.exe" }, 415, "not_a_pdf"],
    ["empty", 0, {}, 400, "validation"],
    ["as JSON", null, { "content-type": "application/json" }, 400, "malformed_request"],
    ["as a text", null, { "content-type": "text/plain" }, 415, "unsupported_media_type"],
    ["a byte too large", MAX_FILE_SIZE_BYTES + 1, {}, 413, "file_too_large"],
    ["far too large", 11_000_000, {}, 413, "file_too_large"],
  ])("that is %s is refused, and nothing is stored", async (_what, size, headers, status, code) => {
    const pdf = size === null ? bytes : new Uint8Array(size);
    const rows = await countOf("uploads");
    const answer = await upload(pdf, headers);
    expect([answer.statusCode, answer.json().code]).toEqual([status, code]);
    const isRead = size === 0 || code === "not_a_pdf";
    expect(Object.keys(answer.json().errors ?? {})).toEqual(isRead ? ["file"] : []);
    expect(await countOf("uploads")).toBe(rows);
  });
});

test.each([
  ["GET", `${ENVELOPES}?status=open`, null, "status", /draft, sent, .*unsigned,pending/],
  ["GET", `${ENVELOPES}?team=all`, null, "team", /^mine, ou l’identifiant d’une équipe$/],
  ["GET", `${ENVELOPES}?from=31/12/2026`, null, "from", /^Date attendue\u00a0: 2026-12-31$/],
  ["GET", `${ENVELOPES}?ordering=date`, null, "ordering", /^Au choix.*-created_at, created_at/],
  ["POST", ENVELOPES, { flow: "serial" }, "flow", /^Au choix\u00a0: parallel, sequential$/],
  [
    "POST",
    ENVELOPES,
    { recipients: [{ ...PAUL, role: "boss" }] },
    "recipients.0.role",
    /^Au choix\u00a0: signer, approver, visa, viewer$/,
  ],
  ["PATCH", "/api/signature/me/", { gender: "Autre" }, "gender", /: Homme, Femme, ""$/],
  [
    "POST",
    "/api/signature/saved-signatures/",
    { kind: "stamp" },
    "kind",
    /^Au choix\u00a0: drawn, typed, uploaded$/,
  ],
  [
    "POST",
    "/api/signature/saved-signatures/",
    { kind: "uploaded", image: "iVBORw0KGgo=" },
    "image",
    /data:image\/png;base64,/,
  ],
] as const)(
  "%s %s with %j names at %s what may be chosen",
  async (method, url, body, at, words) => {
    const answer = body === null ? await anne.get(url) : await anne.send(method, url, { body });
    expect(answer.body.errors[at]).toEqual([expect.stringMatching(words)]);
  },
);

test.each([
  [inviteRequest, { emails: ["a@exemple.fr"], role: "boss" }, "role", /: member, reader, admin/],
  [identityRequest, { legal_form: "SNC" }, "legal_form", /^Au choix\u00a0: .+, .+/],
  [identityRequest, { legal_form: "" }, "legal_form", /^Forme juridique requise$/],
  [batchPlacementSchema, { page: "first" }, "page", /all, -1/],
] as const)(
  "%# a person's choice that is none names those there are",
  (schema, body, at, words) => {
    const read = parseInput<z.ZodMiniType>(schema, body);
    expect(read.ok ? [] : read.error.errors?.[at]).toEqual([expect.stringMatching(words)]);
  },
);

test("what is of another type hears what is expected", async () => {
  const errorsOf = async (body: unknown) =>
    (
      await post(JSON.stringify(body) as unknown as object, { "content-type": "application/json" })
    ).json().errors;
  const text = ["Du texte est attendu"];
  const wrong = { title: 5, recipients: [{ full_name: [], email: true }], files: "Bail.pdf" };
  expect(await errorsOf(wrong)).toEqual({
    title: text,
    "recipients.0.full_name": text,
    "recipients.0.email": text,
    files: ["Une liste est attendue"],
  });
  expect((await errorsOf({ title: null, files: [file] })).title).toEqual(["Titre requis"]);
  expect(await errorsOf({ title: "📄", files: [] })).toEqual({
    title: ["Au moins une lettre ou un chiffre"],
    files: ["Au moins un fichier"],
  });
  const codes = await anne.post("/api/signature/prints/generate/", { envelope: ID, qr_type: "x" });
  expect(codes.body.errors).toEqual({ qr_type: ["Au choix\u00a0: page, last, certificate"] });
  for (const body of [[], null, "Bail", 5])
    expect([body, await errorsOf(body)]).toEqual([
      body,
      { non_field_errors: ["Un objet est attendu"] },
    ]);
});

describe("created and sent in one call", () => {
  test("as JSON or as a form, each recipient asked once, and repeated safely", async () => {
    const key = { "idempotency-key": "un-seul-envoi" };
    const asked = { title: "Bail", recipients: [PAUL], files: [file], send: true };
    const made = await post(asked, key);
    expect([made.statusCode, made.json().status]).toEqual([201, "sent"]);
    expect((await post(asked, key)).json().id).toBe(made.json().id);
    const form = envelopeForm({ title: "Bail", recipients: [PAUL], send: true } as object);
    const sent = await anne.send("POST", ENVELOPES, form);
    expect([sent.status, sent.body.status]).toEqual([201, "sent"]);
    for (const { id } of [made.json(), sent.body]) {
      const actions = (await anne.get(`${ENVELOPES}${id}/events/`)).body.results.map(
        ({ action }: { action: string }) => action,
      );
      expect(actions.toSorted()).toEqual([
        "envelope_created",
        "envelope_sent",
        "recipient_invited",
      ]);
    }
    const draft = await post({ ...asked, send: false });
    expect(draft.json().status).toBe("draft");
  });

  test("a circuit to be applied is named with its call", async () => {
    const circuit = { name: "Baux", use: "imposed", kinds: ["Bail"], version: null };
    const by = { who: "person", email: ELOISE.email, full_name: ELOISE.full_name };
    const step = { kind: "signature", by, together: false, may_return: true, may_reassign: true };
    const steps = [{ ...step, days: null, remind: null }];
    const administrator = await createMemberAs(service.platform, "administrator");
    const browser = await signIn(service, administrator);
    const made = await browser.post("/api/organisation/circuits/", { ...circuit, steps });
    expect(made.status, made.text).toBe(200);
    const clerk = await signIn(service, await createMemberAs(service.platform, "member"));
    const authorization = `Bearer ${await keyOf(clerk, Object.keys(KEY_SCOPES))}`;
    const asked = { title: "Bail", document_kind: "BAIL", recipients: [PAUL], files: [file] };
    const answer = await post({ ...asked, send: true }, { authorization });
    expect([answer.statusCode, answer.json().detail]).toEqual([
      409,
      "L’enveloppe ne peut pas encore être envoyée\u00a0: appliquez le circuit «\u00a0Baux\u00a0», que l’organisation fixe pour ce genre de document. Rien n’a été créé\u00a0: créez le brouillon sans «\u00a0send\u00a0». Appliquez le circuit (PUT …/circuit/), puis renvoyez la demande.",
    ]);
  });

  test("what cannot be sent is refused with its reason, and nothing stays", async () => {
    const before = await countOf("envelopes");
    const bare = await post({ title: "Bail", files: [file], send: true });
    expect([bare.statusCode, bare.json().code, bare.json().detail]).toEqual([
      409,
      "not_ready_to_send",
      "L’enveloppe ne peut pas encore être envoyée\u00a0: ajoutez au moins un signataire. Rien n’a été créé\u00a0: complétez la demande, puis renvoyez-la.",
    ]);
    const asked = { title: "Bail", recipients: [PAUL], files: [file], send: true };
    const settings = { rateLimits: service.platform.settings.rateLimits };
    Object.assign(service.platform.settings, { rateLimits: "on" });
    expect((await post(asked)).statusCode).toBe(201);
    const key = `envelope invite ${member.id}`;
    await service.platform.owner
      .updateTable("throttles")
      .set({ hits: 5_000 })
      .where("key", "=", key)
      .execute();
    const limited = await post(asked);
    Object.assign(service.platform.settings, settings);
    await service.platform.owner.deleteFrom("throttles").where("key", "=", key).execute();
    expect([limited.statusCode, limited.json().code]).toEqual([429, "too_many_requests"]);
    expect(await countOf("envelopes")).toBe(before + 1);
  });

  test("needs the scope of a sending", async () => {
    const writer = await keyOf(anne, ["envelopes:write"]);
    const before = await countOf("envelopes");
    const asked = { title: "Bail", recipients: [PAUL], files: [file] };
    const headers = { authorization: `Bearer ${writer}` };
    const refused = await post({ ...asked, send: true }, headers);
    expect([refused.statusCode, refused.json().code, refused.json().detail]).toEqual([
      403,
      "key_scope",
      expect.stringContaining("envelopes:send"),
    ]);
    expect(await countOf("envelopes")).toBe(before);
    expect((await post(asked, headers)).statusCode).toBe(201);
  });
});

test("before completion a key gets no download unless it asks for the file as it is; a page does", async () => {
  const sent = await createSent(anne, { recipients: [PAUL] });
  const path = `${ENVELOPES}${sent.id}/download/`;
  const get = (url: string) =>
    service.app.inject({ url, headers: { authorization: `Bearer ${secret}` } });
  const refused = await get(path);
  expect([refused.statusCode, refused.json()]).toEqual([
    409,
    expect.objectContaining({
      code: "not_completed",
      state: "sent",
      detail: expect.stringContaining("?current=true"),
    }),
  ]);
  const current = await get(`${path}?current=true`);
  expect(current.json().file_name).toBe("bail-dhabitation.pdf");
  expect((await service.app.inject(current.json().download_url)).statusCode).toBe(200);
  const withKey = await get(current.json().download_url);
  expect([withKey.statusCode, withKey.json()]).toEqual([
    403,
    expect.objectContaining({
      code: "key_not_for_programs",
      detail: expect.stringContaining("s’ouvre sans l’en-tête Authorization"),
    }),
  ]);
  expect((await get(`${path}?current=oui`)).statusCode).toBe(400);
  expect((await anne.get(path)).status).toBe(200);
  await recordTestSignature(service.platform, sent.id, sent.recipients[0]?.id ?? "");
  expect((await get(path)).json().file_name).toBe("bail-dhabitation_signe.pdf");
  await actOn(anne, sent.id, "cancel");
  expect((await get(path)).json().file_name).toBe("bail-dhabitation_signe.pdf");
});
