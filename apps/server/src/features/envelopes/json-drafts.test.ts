import { KEY_SCOPES, MAX_FILE_SIZE_BYTES } from "@paraphe/contracts";
import { toBase64 } from "@paraphe/kernel/bytes";
import { beforeAll, expect, test } from "vitest";
import { refusal, type TestBrowser } from "../../../testing/browser.ts";
import { createDraft, ELOISE, ENVELOPES, fieldAt, PAUL } from "../../../testing/envelope.ts";
import { createMember, signIn } from "../../../testing/member.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { useTestApp } from "../../../testing/use-test-app.ts";

const service = useTestApp();
const bytes = makePdf();
const file = { name: "Bail.pdf", content: toBase64(bytes) };
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

let anne: TestBrowser;
let secret: string;

beforeAll(async () => {
  anne = await signIn(service, await createMember(service.platform));
  const asked = { name: "Paie", scopes: Object.keys(KEY_SCOPES), days: null };
  secret = (await anne.post("/api/signature/me/keys/", asked)).body.secret;
});

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
  if (status === 400) expect(errors).toEqual({ "files.1.content": ["Base64 invalide"] });
  else expect(index).toBe(1);
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
