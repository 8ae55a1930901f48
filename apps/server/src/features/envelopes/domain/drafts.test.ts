import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { recipientOf } from "../../../../testing/recipient.ts";
import { decideCorrection, decideResend } from "./decisions.ts";
import { checkDraft, checkSize, type DraftToCheck } from "./draft-checks.ts";
import type { EnvelopeField, EnvelopeRecipient } from "./envelope.ts";
import {
  coveredFields,
  type PlacementRequest,
  placeMissingFields,
  smallMentions,
} from "./fields.ts";
import { containsPattern, envelopeText, nearText, searchText } from "./search-text.ts";

const now = new Date("2026-11-21T10:00:00Z");

const A4 = { width: 595, height: 842 };
const document = (id = "doc", pageCount = 2) => ({
  id,
  pageCount,
  pages: Array.from({ length: pageCount }, () => A4),
});
const field = (rest: Partial<EnvelopeField>): EnvelopeField => ({
  id: "f",
  documentId: "doc",
  recipientId: "a",
  type: "signature",
  page: 1,
  x: 0,
  y: 0,
  width: 0.2,
  height: 0.1,
  required: true,
  label: null,
  value: null,
  ...rest,
});
function place(rest: Partial<PlacementRequest>): readonly EnvelopeField[] {
  let next = 0;
  const result = placeMissingFields({
    documents: [document()],
    recipients: [{ id: "a", role: "signer" }],
    fields: [],
    newId: () => `new${++next}`,
    ...rest,
  });
  if (!result.ok) throw new Error(result.error.code);
  return result.value;
}
const overlap = (left: EnvelopeField, right: EnvelopeField) =>
  left.documentId === right.documentId &&
  left.page === right.page &&
  left.x < right.x + right.width &&
  right.x < left.x + left.width &&
  left.y < right.y + right.height &&
  right.y < left.y + left.height;

test("a signer without a signature field gets one on the last page of each document", () => {
  const placed = place({ documents: [document("d1", 3), document("d2", 1)] });
  expect(
    placed.map(({ documentId, page, type, recipientId }) => ({
      documentId,
      page,
      type,
      recipientId,
    })),
  ).toEqual([
    { documentId: "d1", page: 3, type: "signature", recipientId: "a" },
    { documentId: "d2", page: 1, type: "signature", recipientId: "a" },
  ]);
});

test("a signer without a signature field gets one beside the uploaded file's own fields and signatures, never over them", () => {
  const [free] = place({ documents: [document("doc", 1)] });
  const { x, y, width, height } = free as EnvelopeField;
  const taken = [{ x, y, width, height }];
  const [placed] = place({ documents: [{ id: "doc", pageCount: 1, pages: [{ ...A4, taken }] }] });
  expect(placed && overlap(placed, free as EnvelopeField)).toBe(false);
});

test("a signer without a signature field gets one over links when they leave no other place, and never over a field or a signature", () => {
  const link = { x: 0, y: 0, width: 1, height: 1, coverable: true } as const;
  const form = { x: 0, y: 0.5, width: 1, height: 0.5 };
  const on = (...taken: readonly (typeof link | typeof form)[]) => ({
    documents: [{ id: "doc", pageCount: 1, pages: [{ ...A4, taken }] }],
  });
  expect(place(on(link))).toEqual(place(on()));
  const [placed] = place(on(link, form));
  expect(placed && placed.y + placed.height).toBeLessThanOrEqual(0.5);
  const corner = { x: 0, y: 0.5, width: 1, height: 0.5, coverable: true } as const;
  expect(place(on(corner))).toEqual(place(on(form)));
});

test("a signer without a signature field gets none when the sender placed one, in any document", () => {
  expect(place({ documents: [document("doc"), document("d2")], fields: [field({})] })).toEqual([]);
});

test("a signer without a signature field gets one when only another kind of field was placed", () => {
  expect(place({ fields: [field({ type: "date" })] })).toHaveLength(1);
});

test("an approver or a viewer without a signature field gets none", () => {
  expect(
    place({
      recipients: [
        { id: "a", role: "approver" },
        { id: "v", role: "viewer" },
      ],
    }),
  ).toEqual([]);
});

test("an added signature field lies in a free place of the last page", () => {
  const full = Array.from({ length: 9 }, (_, index) =>
    field({
      id: `f${index}`,
      recipientId: "b",
      type: "text",
      page: 2,
      x: 0,
      y: 0.9 - index * 0.08,
      width: 1,
      height: 0.08,
    }),
  );
  const [placed] = place({ fields: full });
  expect(placed?.page).toBe(2);
  expect(full.some((other) => overlap(other, placed as EnvelopeField))).toBe(false);
});

test("a hundred added signature fields lie within the page and apart", () => {
  const recipients = Array.from({ length: 100 }, (_, index) => ({
    id: `r${index}`,
    role: "signer" as const,
  }));
  const placed = place({ recipients });
  expect(placed).toHaveLength(100);
  for (const [index, one] of placed.entries()) {
    expect(one.x >= 0 && one.y >= 0 && one.x + one.width <= 1 && one.y + one.height <= 1).toBe(
      true,
    );
    expect(placed.slice(index + 1).some((other) => overlap(one, other))).toBe(false);
  }
});

test("an added signature field fits a page of any size", () => {
  fc.assert(
    fc.property(
      fc.double({ min: 20, max: 5_000, noNaN: true }),
      fc.double({ min: 20, max: 5_000, noNaN: true }),
      (width, height) => {
        const [one] = place({
          documents: [{ id: "doc", pageCount: 1, pages: [{ width, height }] }],
        });
        expect(
          one &&
            one.x >= 0 &&
            one.y >= 0 &&
            one.x + one.width <= 1.0001 &&
            one.y + one.height <= 1.0001 &&
            one.width > 0 &&
            one.height > 0,
        ).toBe(true);
      },
    ),
  );
});

test("a last page without a free place is refused", () => {
  const result = placeMissingFields({
    documents: [document()],
    recipients: [{ id: "a", role: "signer" }],
    fields: [field({ recipientId: "b", page: 2, width: 1, height: 1 })],
    newId: () => "x",
  });
  expect(result).toMatchObject({ ok: false, error: { code: "not_ready_to_send" } });
});

test.each([
  ["Éloïse Lefèvre", "eloise lefevre"],
  ["Zoë ŒUVRARD", "zoe oeuvrard"],
  ["Ÿvonne  Đặng\nJørgen Michał", "yvonne dang jorgen michal"],
  ["L’avenant", "l'avenant"],
])("a search ignores case and accents of %s", (text, expected) => {
  expect(searchText(text)).toBe(expected);
});

test("an envelope's search text sorts a title before a longer one that begins with it", () => {
  const texts = ["Bail\t2", "bail", "Bail!", "Bail-type", "Baïl é"].map((title) =>
    envelopeText(title, "Zoë", []),
  );
  expect(texts.toSorted().map((text) => text.split("\n"))).toEqual(
    ["bail", "bail 2", "bail e", "bail!", "bail-type"].map((title) => [title, "zoe"]),
  );
});

test("an envelope's search text lists title, sender and people, up to the index's limit", () => {
  const people = [
    { fullName: "Zoë Œuvrard", email: "Zoe@Exemple.fr" },
    { fullName: "", email: "b@exemple.fr" },
  ];
  expect(envelopeText("Bail", "Anne", people)).toBe(
    "bail\nanne\nzoe oeuvrard zoe@exemple.fr\nb@exemple.fr",
  );
  const crowd = Array.from({ length: 100 }, (_, index) => ({
    fullName: "ﷺ".repeat(20),
    email: `${index}@exemple.fr`,
  }));
  const text = envelopeText("ﷺ".repeat(200), "Zoë", crowd);
  expect(new TextEncoder().encode(text).length).toSatisfy(
    (size: number) => size > 2_390 && size <= 2_400,
  );
});

test("a search without results is corrected by one letter, by two in a long word, and no further", () => {
  const texts = [
    "bail d'habitation\nclemence aubry-lefevre",
    "contrat de prestation\nclemence aubry-lefevre\ntheo lenoir",
  ];
  for (const [sought, near] of [
    ["aubri", "aubry"],
    ["lefrevre", "lefevre"],
    ["contart de prestation", "contrat de prestation"],
    ["habitasions", "habitation"],
    ["lenior", "lenoir"],
    ["aubri lenoir", null],
    ["bial", "bail"],
    ["bol", null],
    ["dupont", null],
    ["aubry", null],
    ["% _", null],
  ] as const)
    expect(nearText(sought, texts), sought).toBe(near);
});

test("a search takes %, _ and \\ literally", () => {
  expect(containsPattern("50 % _\\")).toBe("%50 \\% \\_\\\\%");
});

describe("the decision of a correction", () => {
  const person = (rest: Partial<EnvelopeRecipient> = {}) =>
    recipientOf({
      email: "anne@exemple.fr",
      emailKey: "anne@exemple.fr",
      fullName: "Anne Roux",
      phoneNumber: "+33612345678",
      notifiedAt: now,
      ...rest,
    });
  const open = {
    envelope: { status: "sent" as const, deadlineAt: null, circuit: null },
    recipients: [person()],
  };
  const nobody: ReadonlySet<string> = new Set();
  const asked = { recipientId: "a", now, consenting: nobody };
  const correct = (
    subject: Parameters<typeof decideCorrection>[0],
    email: string | null,
    rest: object = {},
  ) =>
    decideCorrection(subject, {
      ...asked,
      email: email === null ? null : { value: email, key: email.toLowerCase() },
      phoneNumber: undefined,
      ...rest,
    });

  test("a correction gives the new address, and says that it changed", () => {
    expect(correct(open, "Anne.Roux@exemple.fr")).toMatchObject({
      ok: true,
      value: {
        change: {
          email: "Anne.Roux@exemple.fr",
          emailKey: "anne.roux@exemple.fr",
          phoneNumber: "+33612345678",
          newAddress: true,
        },
      },
    });
  });

  test("a correction of the number alone keeps the address; a number may be removed", () => {
    expect(correct(open, null, { phoneNumber: null })).toMatchObject({
      value: { change: { phoneNumber: null, newAddress: false } },
    });
  });

  test("a correction to the present values changes nothing", () => {
    expect(correct(open, "anne@exemple.fr", { phoneNumber: "+33612345678" })).toMatchObject({
      ok: true,
      value: { change: null },
    });
  });

  test("a correction is allowed after the link was opened: it may have reached the wrong person", () => {
    const seen = { ...open, recipients: [person({ status: "viewed", viewedAt: now })] };
    expect(correct(seen, "b@exemple.fr").ok).toBe(true);
  });

  test("a correction may not duplicate a person; an address may serve two names", () => {
    const other = person({
      id: "b",
      email: "b@exemple.fr",
      emailKey: "b@exemple.fr",
      fullName: "ANNE ROUX",
    });
    expect(correct({ ...open, recipients: [person(), other] }, "b@exemple.fr")).toMatchObject({
      ok: false,
      error: {
        code: "validation",
        errors: { email: ["Cette personne figure déjà parmi les destinataires"] },
      },
    });
    expect(
      correct({ ...open, recipients: [person(), { ...other, fullName: "Bruno" }] }, "b@exemple.fr")
        .ok,
    ).toBe(true);
  });

  test("a corrected name is refused where it cannot be printed or is there already", () => {
    expect(correct(open, null, { fullName: "李 Wang" })).toMatchObject({
      ok: false,
      error: { code: "validation", errors: { full_name: [expect.stringContaining("李")] } },
    });
    const copy = { ...open, recipients: [person({ role: "viewer" })] };
    expect(correct(copy, null, { fullName: "李 Wang" }).ok).toBe(true);
    const other = person({ id: "b", fullName: "Bruno" });
    expect(
      correct({ ...open, recipients: [person(), other] }, "anne@exemple.fr", { fullName: "Bruno" }),
    ).toMatchObject({
      error: { errors: { full_name: ["Cette personne figure déjà parmi les destinataires"] } },
    });
  });

  describe.each([
    [
      "a correction",
      (subject: Parameters<typeof decideResend>[0], rest: object = {}) =>
        correct(subject, "b@exemple.fr", rest),
    ],
    [
      "a resending",
      (subject: Parameters<typeof decideResend>[0], rest: object = {}) =>
        decideResend(subject, { ...asked, ...rest }),
    ],
  ] as const)("%s", (_, decide) => {
    test.each([
      ["draft", "invalid_state"],
      ["completed", "invalid_state"],
      ["cancelled", "invalid_state"],
      ["declined", "invalid_state"],
      ["expired", "invalid_state"],
    ] as const)("in a %s envelope is refused: %s", (status, code) => {
      expect(
        decide({ ...open, envelope: { status, deadlineAt: null, circuit: null } }),
      ).toMatchObject({
        ok: false,
        error: { code },
      });
    });

    test("a correction is refused past the deadline, for nobody of the envelope, and for one who has answered", () => {
      expect(
        decide({ ...open, envelope: { status: "sent", deadlineAt: now, circuit: null } }),
      ).toMatchObject({
        error: { code: "deadline_passed" },
      });
      expect(decide(open, { recipientId: "z" })).toMatchObject({ error: { code: "not_found" } });
      expect(
        decide({ ...open, recipients: [person({ status: "signed", awaited: false })] }),
      ).toMatchObject({
        error: { code: "recipient_answered" },
      });
      expect(decide(open, { consenting: new Set(["a"]) })).toMatchObject({
        error: { code: "signature_in_progress", retryAfterS: 5 },
      });
    });
  });

  test("a resending is for somebody whose signature is awaited", () => {
    expect(
      decideResend({ ...open, recipients: [person({ awaited: false })] }, asked),
    ).toMatchObject({
      error: { code: "recipient_not_awaited" },
    });
  });

  test("a resending waits an hour after the last one", () => {
    const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
    expect(
      decideResend({ ...open, recipients: [person({ remindedAt: minutesAgo(59) })] }, asked),
    ).toMatchObject({
      error: { code: "remind_cooldown", retryAfterS: 60 },
    });
    expect(
      decideResend({ ...open, recipients: [person({ remindedAt: minutesAgo(60) })] }, asked).ok,
    ).toBe(true);
  });
});

describe("covered fields", () => {
  const OWN = { x: 0.2, y: 0.2, width: 0.3, height: 0.1 };
  const documents = [
    { id: "d", pages: [{}, { fields: [OWN, { x: 0.8, y: 0.8, width: 0.1, height: 0.1 }] }] },
    { id: "e", pages: [{}, {}] },
  ];
  const field = (rest: Partial<EnvelopeField>): EnvelopeField => ({
    id: "f",
    documentId: "d",
    recipientId: "r",
    type: "signature",
    page: 2,
    ...OWN,
    required: true,
    label: null,
    value: null,
    ...rest,
  });
  const isCovering = (rest: Partial<EnvelopeField>) =>
    coveredFields({ documents, fields: [field(rest)] }).length > 0;

  test("a place over a field of the file's own form is a warning", () => {
    expect(
      coveredFields({
        documents,
        fields: [
          field({ id: "a" }),
          field({ id: "b", page: 1 }),
          field({ id: "c", documentId: "e" }),
        ],
      }),
    ).toEqual([{ code: "covers_form_field", field_id: "a", document_id: "d", page: 2 }]);
    expect(isCovering({ x: 0.45, y: 0.25 })).toBe(true);
    expect(isCovering({ x: 0.25, y: 0.22, width: 0.05, height: 0.02 })).toBe(true);
    expect(isCovering({ x: 0.75, y: 0.85 })).toBe(true);
  });

  test("a place beside a field, or that touches its edge, is no warning", () => {
    expect(isCovering({ x: 0.5 })).toBe(false);
    expect(isCovering({ x: 0.499 })).toBe(false);
    expect(isCovering({ y: 0.3 })).toBe(false);
    expect(isCovering({ x: 0.55, y: 0.5 })).toBe(false);
  });

  test("an unknown page, or a document without a form, gives no warning", () => {
    expect(isCovering({ page: 9 })).toBe(false);
    expect(coveredFields({ documents: [], fields: [field({})] })).toEqual([]);
  });
});

const draft = (rest: Partial<DraftToCheck> = {}): DraftToCheck => ({
  deadlineAt: null,
  pageCounts: [2],
  recipients: [
    { emailKey: "paul@exemple.fr", fullName: "Paul Morel", role: "signer", phoneNumber: null },
  ],
  fields: [],
  now,
  firstMissing: (text) => /[^\n-\u02ff]/u.exec(text)?.[0] ?? null,
  isServed: (number) => number.startsWith("+33"),
  ...rest,
});
const errorsOf = (rest: Partial<DraftToCheck>) => {
  const result = checkDraft(draft(rest));
  return result.ok ? {} : result.error.errors;
};

test("a draft may have no recipient, no field and no deadline yet", () => {
  expect(checkDraft(draft({ recipients: [] }))).toEqual({ ok: true, value: null });
});

test("a draft needs a file", () => {
  expect(errorsOf({ pageCounts: [] })).toEqual({ files: ["Au moins un fichier"] });
});

test("a draft's deadline is in the future and within two years", () => {
  expect(errorsOf({ deadlineAt: now })).toEqual({
    deadline_at: ["L'échéance doit être dans le futur"],
  });
  expect(errorsOf({ deadlineAt: new Date("2028-11-21T10:00:00Z") })).toEqual({});
  expect(errorsOf({ deadlineAt: new Date("2028-11-21T10:00:01Z") })).toEqual({
    deadline_at: ["L’échéance doit être dans les deux ans"],
  });
});

test("a draft refuses the same person twice, not one address for two people", () => {
  const paul = {
    emailKey: "paul@exemple.fr",
    fullName: "Paul Morel",
    role: "signer",
    phoneNumber: null,
  } as const;
  expect(errorsOf({ recipients: [paul, { ...paul, fullName: "PAUL MOREL" }] })).toEqual({
    "recipients.1.email": ["Cette personne figure déjà parmi les destinataires"],
  });
  expect(errorsOf({ recipients: [paul, { ...paul, fullName: "Jeanne Morel" }] })).toEqual({});
  expect(errorsOf({ recipients: [paul, { ...paul, emailKey: "p.morel@exemple.fr" }] })).toEqual({});
});

test("a draft takes one address twenty times at most", () => {
  const family = Array.from({ length: 22 }, (_, index) => ({
    emailKey: "famille@exemple.fr",
    fullName: `Paul Morel ${index}`,
    role: "signer" as const,
    phoneNumber: null,
  }));
  expect(errorsOf({ recipients: family.slice(0, 20) })).toEqual({});
  const words = ["Cette adresse figure déjà 20 fois, le maximum. Indiquez-en une autre"];
  expect(errorsOf({ recipients: family })).toEqual({
    "recipients.20.email": words,
    "recipients.21.email": words,
  });
});

test("a draft refuses a number of a country that no text goes to", () => {
  const paul = { emailKey: "paul@exemple.fr", fullName: "Paul Morel", role: "signer" } as const;
  expect(errorsOf({ recipients: [{ ...paul, phoneNumber: "+33612345678" }] })).toEqual({});
  expect(errorsOf({ recipients: [{ ...paul, phoneNumber: "+12025550123" }] })).toEqual({
    "recipients.0.phone_number": [
      "Ce service n’envoie pas de SMS vers ce pays. Indiquez un autre numéro, ou aucun",
    ],
  });
});

test("a draft refuses a field without its document, page or person, and every fault at once", () => {
  const field = {
    documentIndex: 0,
    recipientIndex: 0,
    page: 1,
    type: "text",
    label: null,
    value: null,
  } as const;
  expect(
    errorsOf({
      fields: [
        field,
        { ...field, page: 3 },
        { ...field, documentIndex: -1 },
        { ...field, recipientIndex: 4 },
      ],
    }),
  ).toEqual({
    "fields.1.page": ["Ce document n’a que 2 pages"],
    "fields.2.document_id": ["Ce document n’est pas dans l’enveloppe"],
    "fields.3.recipient_id": ["Ce destinataire n’est pas dans l’enveloppe"],
  });
});

test("a draft gives a person in copy no field", () => {
  const viewer = {
    emailKey: "v@exemple.fr",
    fullName: "V",
    role: "viewer",
    phoneNumber: null,
  } as const;
  expect(
    errorsOf({
      recipients: [viewer],
      fields: [
        {
          documentIndex: 0,
          recipientIndex: 0,
          page: 1,
          type: "signature",
          label: null,
          value: null,
        },
      ],
    }),
  ).toEqual({
    "fields.0.recipient_id": ["Une personne en copie ne remplit aucun champ"],
  });
});

test("a draft refuses a character that cannot be printed in a signer's name, a label or a value: sealing would never succeed", () => {
  const sentence = (character: string) => [
    `Le caractère « ${character} » ne peut pas être imprimé dans le document. Remplacez-le, puis réessayez.`,
  ];
  const person = (fullName: string, role: "signer" | "approver" | "viewer") => ({
    emailKey: fullName,
    fullName,
    role,
    phoneNumber: null,
  });
  const field = {
    documentIndex: 0,
    recipientIndex: 0,
    page: 1,
    type: "text",
    label: "Fait à 京",
    value: "Merci 😀",
  } as const;
  expect(
    errorsOf({
      recipients: [
        person("Léa 😀", "signer"),
        person("李雷", "approver"),
        person("محمد", "viewer"),
      ],
      fields: [field],
    }),
  ).toEqual({
    "recipients.0.full_name": sentence("😀"),
    "recipients.1.full_name": sentence("李"),
    "fields.0.label": sentence("京"),
    "fields.0.value": sentence("😀"),
  });
});

test("the weight of an envelope is at most 20 documents and 50 MB", () => {
  expect(checkSize(Array.from({ length: 20 }, () => 1))).toMatchObject({ ok: true });
  expect(checkSize(Array.from({ length: 21 }, () => 1))).toMatchObject({
    error: { code: "envelope_too_large" },
  });
  expect(checkSize([50 * 1024 * 1024])).toMatchObject({ ok: true });
  expect(checkSize([50 * 1024 * 1024, 1])).toMatchObject({
    error: { code: "envelope_too_large" },
  });
});

describe("small mentions", () => {
  const documents = [{ id: "d", pages: [{ width: 595, height: 842 }] }];
  const CAUTION =
    "Je me porte caution solidaire pour la somme de douze mille euros en principal, intérêts et pénalités. ";
  const mention = (rest: Partial<EnvelopeField>): EnvelopeField => ({
    id: "m",
    documentId: "d",
    recipientId: "r",
    type: "mention",
    page: 1,
    x: 0.1,
    y: 0.1,
    width: 0.45,
    height: 0.05,
    required: true,
    label: null,
    value: "Lu et approuvé",
    ...rest,
  });
  const isSmall = (rest: Partial<EnvelopeField>) =>
    smallMentions({ documents, fields: [mention(rest)] }).length > 0;

  test("a mention too long for its place is a warning", () => {
    expect(
      smallMentions({
        documents,
        fields: [mention({ id: "a", value: CAUTION.repeat(9) }), mention({ id: "b" })],
      }),
    ).toEqual([{ code: "mention_too_small", field_id: "a", document_id: "d", page: 1 }]);
    expect(isSmall({ value: CAUTION })).toBe(false);
    expect(isSmall({ value: CAUTION.repeat(18) })).toBe(true);
    expect(isSmall({ value: CAUTION.repeat(18), width: 0.8, height: 0.4 })).toBe(false);
  });

  test("a word wider than its place, or a place lower than a line, is a warning", () => {
    expect(isSmall({ value: "anticonstitutionnellement", width: 0.1 })).toBe(true);
    expect(isSmall({ value: "Lu", height: 0.007 })).toBe(true);
    expect(isSmall({ value: "Lu", height: 0.008 })).toBe(false);
  });

  test("another field, a mention without a sentence, or an unknown page gives no warning", () => {
    for (const rest of [
      { type: "text" },
      { value: null },
      { value: " \u200b" },
      { page: 9 },
      { documentId: "e" },
    ] as const)
      expect(isSmall({ value: CAUTION.repeat(18), ...rest })).toBe(false);
  });
});
