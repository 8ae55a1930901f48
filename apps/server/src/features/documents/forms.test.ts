import type { Envelope, FormAnswer } from "@paraphe/contracts";
import { toBase64 } from "@paraphe/kernel/bytes";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { FRENCH_FORMS } from "../../../../../packages/pades/testing/french-forms.ts";
import { smallPdf, stream } from "../../../../../packages/pades/testing/small-pdf.ts";
import { refusal, type TestBrowser } from "../../../testing/browser.ts";
import {
  actOn,
  createDraft,
  ELOISE,
  ENVELOPES,
  eventsOf,
  fieldAt,
  patchEnvelope,
  PAUL,
} from "../../../testing/envelope.ts";
import { createMember, signIn } from "../../../testing/member.ts";
import { SCRIPT } from "../../../testing/pdf.ts";
import { useTestApp } from "../../../testing/use-test-app.ts";
import { SandboxLimitError } from "../../platform/pdf-sandbox/pdf-sandbox.ts";

const service = useTestApp({ settings: { rateLimits: "off" } });
let anne: TestBrowser;
beforeAll(async () => {
  anne = await signIn(service, await createMember(service.platform));
});

const formNamed = (wanted: string) => {
  const form = FRENCH_FORMS.find(({ name }) => name === wanted);
  if (form === undefined) throw new Error(`no form ${wanted}`);
  return form;
};
const TAGGED = formNamed("Contrat à balises");
const ENROLMENT = formNamed("Demande d’inscription");

const draftOf = (bytes: Uint8Array, more: object = {}) =>
  createDraft(anne, { files: [{ name: "Formulaire.pdf", bytes }], ...more });
const found = async (draft: Envelope): Promise<FormAnswer["documents"]> =>
  (await anne.get(`${ENVELOPES}${draft.id}/form/`)).body.documents;
const use = (draft: Envelope, more: object = {}) =>
  patchEnvelope(anne, draft.id, {
    use_forms: [{ document_id: draft.documents[0]?.id, ...more }],
  });
const errorsOf = (answer: Awaited<ReturnType<typeof use>>) => [answer.status, answer.body.errors];

/** A page of text fields, `count` of them, and what else the file has. */
function manyFields(count: number, more: Parameters<typeof smallPdf>[0] = {}): Uint8Array {
  const numbers = Array.from({ length: count }, (_, index) => 100 + index);
  const list = numbers.map((number) => `${number} 0 R`).join(" ");
  const field = (index: number) => {
    const [left, bottom] = [50 + (index % 20) * 25, 40 + (Math.floor(index / 20) % 60) * 12];
    return `<</Type/Annot/Subtype/Widget/FT/Tx/F 4/T(f${index})/Rect[${left} ${bottom} ${left + 20} ${bottom + 10}]>>`;
  };
  return smallPdf({
    catalogExtra: `/AcroForm<</Fields[${list}]>>`,
    pageExtra: `/Annots[${list}]`,
    ...more,
    objects: {
      ...Object.fromEntries(numbers.map((number, index) => [number, field(index)])),
      ...more.objects,
    },
  });
}

describe("the form of an uploaded file", () => {
  test.each(FRENCH_FORMS)("gives the fields of « $name »", async ({ bytes, fields }) => {
    const draft = await draftOf(bytes);
    const [document] = await found(draft);
    expect(document?.refused).toBe(null);
    expect(document?.fields.map(({ type, label }) => `${type} ${label ?? ""}`)).toEqual(fields);
    expect(draft.documents[0]?.control.result).toBe("ok");
    expect(draft.fields).toEqual([]);
  });

  test("places its fields for the first signer, and is gone from what is signed", async () => {
    const draft = await draftOf(ENROLMENT.bytes, { fields: [fieldAt("initials", 0.9)] });
    const used = await use(draft);
    expect(used.status, used.text).toBe(200);
    const { fields, documents, recipients } = used.body as Envelope;
    expect(fields.map(({ type, label }) => `${type} ${label ?? ""}`)).toEqual([
      "initials ",
      ...ENROLMENT.fields,
    ]);
    expect(new Set(fields.map((one) => one.recipient_id))).toEqual(new Set([recipients[0]?.id]));
    expect(fields.map(({ value }) => value).filter(Boolean)).toEqual(["01 02 03 04 05"]);
    expect(documents[0]?.sha256).not.toBe(draft.documents[0]?.sha256);
    expect(documents[0]?.control.findings.map(({ code }) => code)).toEqual(["form_used"]);
    const original = await anne.get(`${ENVELOPES}${draft.id}/original-document/`);
    const start = original.bytes.subarray(0, ENROLMENT.bytes.length);
    expect(Buffer.from(start).equals(Buffer.from(ENROLMENT.bytes))).toBe(true);
    expect(await found(draft)).toMatchObject([{ refused: null, fields: [] }]);
    expect((await eventsOf(anne, draft.id))[0].detail.changed).toEqual(["use_forms"]);
    expect((await actOn(anne, draft.id, "send")).status).toBe(200);
  });

  test("leaves no remark on its own places once it is used", async () => {
    const draft = await draftOf(ENROLMENT.bytes, {
      fields: [fieldAt("text", 0.1, { x: 0.3, width: 0.3 })],
    });
    expect(draft.warnings?.map(({ code }) => code)).toEqual(["covers_form_field"]);
    expect((await use(draft)).body.warnings).toEqual([]);
  });

  test("gives each role's tags to who is chosen, or to the signer of its number", async () => {
    const draft = await draftOf(TAGGED.bytes);
    const [paul, eloise] = draft.recipients;
    expect(errorsOf(await use(draft))).toEqual([
      400,
      { "use_forms.0.recipients": ["Le rôle «\u00a0prestataire\u00a0» n’a pas de destinataire"] },
    ]);
    const recipients = [
      { role: "Prestataire", recipient_id: eloise?.id },
      { role: "client", recipient_id: paul?.id },
    ];
    const used = await use(draft, { recipients, erase_tags: true });
    expect(used.status, used.text).toBe(200);
    expect(
      used.body.fields.map((one: Envelope["fields"][number]) => [
        one.type,
        one.recipient_id === eloise?.id,
      ]),
    ).toEqual([
      ["signature", true],
      ...["signature", "initials", "text", "date", "checkbox", "mention"].map((type) => [
        type,
        false,
      ]),
    ]);
    expect(used.body.fields.at(-1).value).toBe("Lu et approuvé");
    expect(
      used.body.documents[0].control.findings.map(({ code }: { code: string }) => code),
    ).toEqual(["form_used", "tags_covered", "tags_unread"]);
    const invoice = formNamed("Facture à signer");
    const byNumber = await use(await draftOf(invoice.bytes));
    expect(byNumber.body.fields).toHaveLength(2);
  });

  test("names the tags that are misspelt, before and once it is used, and alone in the refusal", async () => {
    const page = (...lines: readonly string[]) =>
      smallPdf({
        objects: {
          4: stream(
            "",
            lines
              .map((line, row) => `BT /F1 11 Tf 50 ${760 - 60 * row} Td (${line}) Tj ET`)
              .join(" "),
          ),
          5: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        },
      });
    const one =
      "Une balise de texte n’est pas reconnue et reste telle quelle\u00a0: «\u00a0{{signatur:client}}\u00a0» (attendu\u00a0: {{signature:rôle}}).";
    const draft = await draftOf(page("{{signatur:client}}", "{{date:client}}"));
    expect(draft.documents[0]?.control.findings).toEqual([]);
    expect(await found(draft)).toMatchObject([
      { findings: [{ code: "tags_unread", detail: one }], fields: [{ type: "date" }] },
    ]);
    const recipients = [{ role: "client", recipient_id: draft.recipients[0]?.id }];
    const used = await use(draft, { recipients, erase_tags: true });
    expect(used.body.documents[0].control.findings.slice(1)).toEqual([
      { code: "tags_covered", detail: expect.any(String) },
      { code: "tags_unread", detail: one },
    ]);
    const left = await draftOf(page("{{signatur:client}}", "{{date:client}}"));
    const first = { recipients: [{ role: "client", recipient_id: left.recipients[0]?.id }] };
    expect((await use(left, first)).status).toBe(200);
    expect(errorsOf(await use(left, { ...first, erase_tags: true }))).toEqual([
      400,
      { "use_forms.0.document_id": ["Ce document n’a pas de champ à utiliser"] },
    ]);
    const { documents } = (await anne.get(`${ENVELOPES}${left.id}/`)).body as Envelope;
    expect(documents[0]?.control.findings.map(({ code }) => code)).toEqual([
      "form_used",
      "tags_unread",
    ]);
    const none = await use(await draftOf(page(...Array.from({ length: 12 }, () => "{{signature"))));
    expect(errorsOf(none)).toEqual([
      400,
      {
        "use_forms.0.document_id": [
          "Ce document n’a pas de champ à utiliser",
          expect.stringMatching(
            /^12 balises .*telles quelles\u00a0: («\u00a0\{\{sign[^«]*; ){10}…$/,
          ),
        ],
      },
    ]);
  });

  test("is used at creation by a program, in the same call", async () => {
    const { secret } = (
      await anne.post("/api/signature/me/keys/", {
        name: "Inscriptions",
        scopes: ["envelopes:read", "envelopes:write"],
        days: null,
      })
    ).body;
    const create = (use_forms: readonly object[]) =>
      service.app.inject({
        method: "POST",
        url: ENVELOPES,
        headers: { authorization: `Bearer ${secret}` },
        payload: {
          title: "Contrat",
          recipients: [PAUL, ELOISE],
          files: [{ name: "Contrat.pdf", content: toBase64(TAGGED.bytes) }],
          use_forms,
        },
      });
    const recipients = [
      { role: "prestataire", recipient_index: 1 },
      { role: "client", recipient_index: 0 },
    ];
    const made = await create([{ document_index: 0, recipients, erase_tags: true }]);
    expect(made.statusCode, made.body).toBe(201);
    const draft = made.json() as Envelope;
    expect(draft.fields).toHaveLength(7);
    expect(draft.fields[0]?.recipient_id).toBe(draft.recipients[1]?.id);
    const read = await anne.get(`${ENVELOPES}${draft.id}/`);
    expect(read.body.documents).toEqual(draft.documents);
    for (const [asked, errors] of [
      [[{ document_index: 1 }], { "use_forms.0.document_index": [expect.any(String)] }],
      [[{ document_index: 0 }], { "use_forms.0.recipients": [expect.any(String)] }],
      [
        [
          {
            document_index: 0,
            recipients: [recipients[0], { role: "client", recipient_index: 9 }],
          },
        ],
        { "use_forms.0.recipients.1.recipient_index": [expect.stringMatching(/ne signe pas$/)] },
      ],
      [
        [
          { document_index: 0, recipients },
          { document_index: 0, recipients },
        ],
        { "use_forms.1.document_index": [expect.any(String)] },
      ],
    ] as const) {
      const refused = await create(asked);
      expect([refused.statusCode, refused.json().errors]).toEqual([400, errors]);
    }
  });

  test("waits for the corrected copy, and is then used from it", async () => {
    const bytes = manyFields(3, {
      catalogExtra: `${SCRIPT}/AcroForm<</Fields[100 0 R 101 0 R 102 0 R]>>`,
    });
    const draft = await draftOf(bytes);
    expect(await found(draft)).toMatchObject([{ refused: "copy_to_accept", fields: [] }]);
    expect(errorsOf(await use(draft))).toEqual([
      400,
      { "use_forms.0.document_id": ["Acceptez d’abord la copie corrigée de ce document"] },
    ]);
    await patchEnvelope(anne, draft.id, { accept_normalised: [draft.documents[0]?.id] });
    const used = await use(draft);
    expect([used.status, used.body.fields.length]).toEqual([200, 3]);
    expect(used.body.documents[0].control.result).toBe("fixable");
    expect((await actOn(anne, draft.id, "send")).status).toBe(200);
  });

  test("too complex to be read or corrected is refused by the member that named it", async () => {
    const files = [
      ENROLMENT.bytes,
      manyFields(1, { catalogExtra: `${SCRIPT}/AcroForm<</Fields[100 0 R]>>` }),
    ];
    const draft = await createDraft(anne, {
      files: files.map((bytes, index) => ({ name: `${index}.pdf`, bytes })),
    });
    const accept_normalised = draft.documents.map(({ id }) => id);
    const spy = vi.spyOn(service.platform.sandbox, "askedBy").mockReturnValue({
      call() {
        throw new SandboxLimitError("time");
      },
    });
    const answers = [
      await patchEnvelope(anne, draft.id, { accept_normalised }),
      await use(draft),
      await anne.get(`${ENVELOPES}${draft.id}/form/`),
    ];
    spy.mockRestore();
    expect(answers.map(({ body }) => [body.code, Object.keys(body.errors ?? {})])).toEqual([
      ["pdf_too_complex", ["accept_normalised.1"]],
      ["pdf_too_complex", ["use_forms.0.document_id"]],
      ["pdf_too_complex", []],
    ]);
  });

  test.each([
    ["nothing to fill in", smallPdf(), "Ce document n’a pas de champ à utiliser"],
    ["501 fields", manyFields(501), "Ce document a plus de 500 champs, le maximum d’une enveloppe"],
  ])("with %s is refused, and nothing changes", async (_what, bytes, reason) => {
    const draft = await draftOf(bytes);
    expect(errorsOf(await use(draft))).toEqual([400, { "use_forms.0.document_id": [reason] }]);
    expect((await anne.get(`${ENVELOPES}${draft.id}/`)).body.version).toBe(draft.version);
  });

  test("with 5,001 fields is cut, said to be too large, and read in time", async () => {
    const [document] = await found(await draftOf(manyFields(5_001)));
    expect([document?.refused, document?.fields.length]).toEqual(["too_many", 5_000]);
  });

  test("with hostile fields gives those that a person can fill in", async () => {
    const widget = (more: string) => `<</Type/Annot/Subtype/Widget/F 4${more}>>`;
    const [long, box] = ["A".repeat(5_000), "/Rect[50 700 200 720]"];
    const bytes = smallPdf({
      catalogExtra: "/AcroForm<</Fields[20 0 R 21 0 R 22 0 R 23 0 R 24 0 R 25 0 R 26 0 R]>>",
      pageExtra: "/Annots[20 0 R 21 0 R 22 0 R 23 0 R 24 0 R 25 0 R 26 0 R 20 0 R]",
      objects: {
        20: widget(`/FT/Tx/T(${long})${box}`),
        21: widget(`/FT/Tx/T(dehors)/Rect[900 900 990 950]`),
        22: widget(`/FT/Tx/T(coupe)/Rect[500 300 900 320]`),
        23: widget(`/FT/Tx/TU<FEFF202E0000D83DDE00004E006F006D>${box}`),
        24: widget(`/FT/Sig/T(signature)/Rect[50 600 200 640]`),
        25: widget(`/FT/Tx/T(vide)/Rect[50 50 50 50]`),
        26: widget(`/FT/Tx/T(cache)/F 2${box}`).replace("/F 4", ""),
      },
    });
    const draft = await draftOf(bytes, { recipients: [PAUL] });
    const accepted = await patchEnvelope(anne, draft.id, {
      accept_normalised: draft.documents.map(({ id }) => id),
    });
    expect(accepted.status).toBe(200);
    const [document] = await found(draft);
    expect(document?.fields.map(({ type, width }) => [type, width < 0.3])).toEqual([
      ["text", true],
      ["text", true],
      ["text", true],
      ["signature", true],
    ]);
    const used = await use(draft);
    expect(used.status, used.text).toBe(200);
    expect(used.body.fields[2].label).toBe("Nom");
    expect((await actOn(anne, draft.id, "send")).status).toBe(200);
  });

  test("whose fields are their own parents is refused at upload", async () => {
    const field =
      "<</Type/Annot/Subtype/Widget/FT/Sig/T(a)/Parent 20 0 R/Kids[20 0 R]/Rect[0 0 9 9]>>";
    const bytes = smallPdf({
      catalogExtra: "/AcroForm<</Fields[20 0 R]>>",
      pageExtra: "/Annots[20 0 R]",
      objects: { 20: field },
    });
    await expect(draftOf(bytes)).rejects.toThrow("pdf_damaged");
  });

  test("is the sender's alone, and a draft's", async () => {
    const draft = await draftOf(ENROLMENT.bytes);
    const other = await signIn(service, await createMember(service.platform));
    expect(refusal(await other.get(`${ENVELOPES}${draft.id}/form/`))).toEqual([404, "not_found"]);
    await actOn(anne, draft.id, "send");
    expect(refusal(await anne.get(`${ENVELOPES}${draft.id}/form/`))).toEqual([
      409,
      "invalid_state",
    ]);
    expect(refusal(await use(draft))).toEqual([409, "invalid_state"]);
  });

  test("is not asked about again in a copy of the envelope", async () => {
    const draft = await draftOf(TAGGED.bytes, { recipients: [PAUL] });
    const [paul] = draft.recipients;
    const recipients = TAGGED.roles.map((role) => ({ role, recipient_id: paul?.id }));
    await use(draft, { recipients, erase_tags: true });
    const copy = (await actOn(anne, draft.id, "duplicate")).body as Envelope;
    expect(copy.fields).toHaveLength(7);
    expect(await found(copy)).toMatchObject([{ refused: null, fields: [] }]);
  });
});
