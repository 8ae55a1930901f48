import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Envelope, FieldType } from "@paraphe/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectStatus, expectRefusal } from "../../../testing/answers.ts";
import type { TestApp } from "../../../testing/app.ts";
import { refusal, type TestBrowser } from "../../../testing/browser.ts";
import {
  createDraft,
  createSent,
  ELOISE,
  ENVELOPES,
  fieldAt,
  fieldOf,
  PAUL,
} from "../../../testing/envelope.ts";
import { openConfirmedGuest, type TestGuest, TYPED } from "../../../testing/guest.ts";
import { createMember, signIn } from "../../../testing/member.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { openSenderApp } from "../../../testing/sent-to-guest.ts";

const INITIALS = { kind: "typed", text: "P. M.", font: "caveat" };

let service: TestApp;
let owner: TestBrowser;

beforeAll(async () => {
  ({ test: service, owner } = await openSenderApp());
});

afterAll(() => service.close());

/** The index-th of a column of fields. */
const place = (type: FieldType, index: number, more = {}) =>
  fieldAt(type, 0.05 + index * 0.1, { width: 0.3, ...more });
const confirmed = (envelope: Envelope, email: string) =>
  openConfirmedGuest(service, envelope.id, email);
const body = (more: object = {}) => ({ ...TYPED, ...more });

it("values are printed, date and name by themselves, and stored for the sender", async () => {
  const fields = [
    place("signature", 0),
    place("name", 1),
    place("date", 2),
    place("checkbox", 3),
    place("text", 4, { required: false, label: "Remarque" }),
    place("initials", 5),
  ];
  const envelope = await createSent(owner, { recipients: [PAUL], fields });
  const paul = await confirmed(envelope, PAUL.email);
  const values = [
    { id: fieldOf(envelope, "name"), value: "Jean Valjean" },
    { id: fieldOf(envelope, "date"), value: "01/01/1999" },
    { id: fieldOf(envelope, "checkbox"), value: "Oui" },
    {
      id: fieldOf(envelope, "text"),
      value: "Lu et approuvé, « bon pour accord » à 12\u202f500 €",
    },
  ];
  await expectStatus(paul.post("sign/", body({ fields: values })), 200);
  const read = (await owner.get(`${ENVELOPES}${envelope.id}/`)).body as Envelope;
  expect(Object.fromEntries(read.fields.map((field) => [field.type, field.value]))).toMatchObject({
    name: "Paul Morel",
    date: new Intl.DateTimeFormat("fr-FR", {
      timeZone: "Europe/Paris",
      dateStyle: "short",
    }).format(service.platform.clock()),
    checkbox: "Oui",
    text: "Lu et approuvé, « bon pour accord » à 12\u202f500 €",
  });
  const act = await service.platform.db
    .selectFrom("signing_acts")
    .selectAll()
    .where("envelope_id", "=", envelope.id)
    .executeTakeFirstOrThrow();
  expect([act.content, act.sealed_at !== null, act.consent_version]).toEqual([
    null,
    true,
    "2026-11",
  ]);
});

it.each<[string, object, string, object]>([
  [
    "without consent",
    { consent: false },
    "validation",
    { consent: ["Cochez la case de consentement avant de signer."] },
  ],
  ["with an unknown kind of mark", { signature: { kind: "stamp" } }, "validation", {}],
  [
    "with an empty drawing",
    { signature: { kind: "drawn", strokes: [[[0.1, 0.1, 1]]] } },
    "validation",
    { signature: ["Dessinez votre signature"] },
  ],
  [
    "with a stroke far beyond the pad",
    {
      signature: {
        kind: "drawn",
        strokes: [
          [
            [0.1, 0.1, 1],
            [0.2, -3.5, 1],
            [0.4, 0.2, 1],
          ],
        ],
      },
    },
    "validation",
    {
      "signature.strokes.0.1.1": [
        "Un trait sort de la zone de dessin. Effacez, puis dessinez votre signature de nouveau.",
      ],
    },
  ],
  [
    "with an unknown hand",
    { signature: { kind: "typed", text: "Paul", font: "comic" } },
    "validation",
    {},
  ],
  [
    "with a picture that is none",
    { signature: { kind: "uploaded", image: "data:image/png;base64,AAAA" } },
    "invalid_image",
    {},
  ],
  [
    "with a letter that no font has",
    { signature: { kind: "typed", text: "保羅", font: "caveat" } },
    "unsupported_character",
    {},
  ],
  [
    "with a field that is nobody's",
    { fields: [{ id: "019aa000-0000-7000-8000-000000000000", value: "x" }] },
    "validation",
    { fields: ["Ce champ ne vous appartient pas."] },
  ],
  [
    "with a property of its own",
    { signed_at: "2020-01-01T00:00:00Z" },
    "validation",
    { signed_at: ["Champ inconnu"] },
  ],
])("a request %s is refused, and records nothing", async (_, changes, code, errors) => {
  const envelope = await createSent(owner);
  const guest = await confirmed(envelope, PAUL.email);
  const answer = await guest.post("sign/", body(changes));
  await expectRefusal(answer, 400, code);
  expect(answer.body.errors ?? {}).toMatchObject(errors);
  expect(
    await service.platform.db
      .selectFrom("signing_acts")
      .select("id")
      .where("envelope_id", "=", envelope.id)
      .execute(),
  ).toEqual([]);
  await expectStatus(guest.post("sign/", TYPED), 200);
});

it("a required blank or a wrong kind is refused under its field", async () => {
  const envelope = await createSent(owner, {
    recipients: [PAUL],
    fields: [
      place("signature", 0),
      place("text", 1),
      place("date", 2, { required: false }),
      place("checkbox", 3),
    ],
  });
  const guest = await confirmed(envelope, PAUL.email);
  const text = fieldOf(envelope, "text");
  const missing = await guest.post("sign/", TYPED);
  expect([...refusal(missing), Object.keys(missing.body.errors).toSorted()]).toEqual([
    400,
    "field_required",
    [`fields.${text}`, `fields.${fieldOf(envelope, "checkbox")}`].toSorted(),
  ]);
  const filled = (value: string, box: string) =>
    body({
      fields: [
        { id: text, value },
        { id: fieldOf(envelope, "checkbox"), value: box },
      ],
    });
  const wrong = await guest.post("sign/", filled("ok", "on"));
  expect([...refusal(wrong), wrong.body.errors]).toEqual([
    400,
    "validation",
    { [`fields.${fieldOf(envelope, "checkbox")}`]: ["Répondez par Oui ou Non."] },
  ]);
  const unprintable = await guest.post("sign/", filled("Merci 😀", "true"));
  expect([...refusal(unprintable), unprintable.body.errors]).toEqual([
    400,
    "unsupported_character",
    {
      [`fields.${text}`]: [
        "Le caractère « 😀 » ne peut pas être imprimé dans le document. Remplacez-le, puis réessayez.",
      ],
    },
  ]);
  await expectStatus(guest.post("sign/", filled("Merci", "true")), 200);
});

it("the API describes what each kind of field takes", async () => {
  const description = (await owner.get("/api/openapi.json")).body;
  expect(JSON.stringify(description.components.schemas.SignRequest)).toContain("`Oui` or `Non`");
});

const SENTENCE = "Lu et approuvé, bon pour caution à hauteur de 12 000 €";

it("a mention without a sentence blocks the sending", async () => {
  const draft = await createDraft(owner, {
    recipients: [PAUL],
    fields: [fieldAt("signature", 0.1), fieldAt("mention", 0.3)],
  });
  const refused = await owner.post(`${ENVELOPES}${draft.id}/send/`);
  expect([refused.status, refused.body.code, refused.body.errors]).toEqual([
    409,
    "not_ready_to_send",
    { "fields.1.value": ["Écrivez la phrase que le signataire recopiera."] },
  ]);
});

it("a mention is signed once copied letter by letter", async () => {
  const envelope = await createSent(owner, {
    recipients: [PAUL],
    fields: [fieldAt("signature", 0.1), fieldAt("mention", 0.3, { value: SENTENCE })],
  });
  const mention = fieldOf(envelope, "mention");
  const paul = await openConfirmedGuest(service, envelope.id, PAUL.email);
  const shown = (await paul.get("guest/")).body.fields.find(
    (field: { id: string }) => field.id === mention,
  );
  expect([shown.own, shown.value]).toEqual([true, SENTENCE]);
  const sign = (value: string | null) =>
    paul.post("sign/", { ...TYPED, fields: [{ id: mention, value }] });

  for (const missing of [null, "  "]) {
    const refused = await sign(missing);
    expect([refused.status, refused.body.code]).toEqual([400, "field_required"]);
  }
  const refused = await sign("Lu et aprouvé, bon pour caution à hauteur de 12 000 €");
  expect([refused.status, refused.body.code, refused.body.errors]).toEqual([
    400,
    "mention_differs",
    {
      [`fields.${mention}`]: [
        "Une lettre diffère\u00a0: écrivez «\u00a0approuvé,\u00a0», et non «\u00a0aprouvé,\u00a0» (la 3ᵉ\u00a0lettre est «\u00a0p\u00a0»).",
      ],
    },
  ]);
  await expectStatus(sign(` ${SENTENCE}\n`), 200);
  const read = (await owner.get(`${ENVELOPES}${envelope.id}/`)).body as Envelope;
  expect([read.status, read.fields.find(({ id }) => id === mention)?.value]).toEqual([
    "completed",
    SENTENCE,
  ]);
  const copy = (await owner.post(`${ENVELOPES}${envelope.id}/duplicate/`)).body as Envelope;
  expect(copy.fields.find(({ type }) => type === "mention")?.value).toBe(SENTENCE);
});

it("optional initials are left blank on request", async () => {
  const fields = [
    fieldAt("signature", 0.1),
    fieldAt("initials", 0.3),
    fieldAt("initials", 0.5, { required: false, label: "facultatif" }),
  ];
  const envelope = await createSent(owner, { recipients: [PAUL], fields });
  const paul = await openConfirmedGuest(service, envelope.id, PAUL.email);
  const [required, optional] = ["initials", "facultatif"].map(
    (name) => envelope.fields.find(({ type, label }) => (label ?? type) === name)?.id as string,
  );
  const refused = await paul.post("sign/", {
    ...TYPED,
    fields: [{ id: required, value: "Non" }],
  });
  expect([refused.status, refused.body.code]).toEqual([400, "field_required"]);
  await expectStatus(
    paul.post("sign/", { ...TYPED, fields: [{ id: optional, value: "Non" }] }),
    200,
  );
  const file = await owner.get(
    `${ENVELOPES}${envelope.id}/documents/${envelope.documents[0]?.id}/file/`,
  );
  const objects = Buffer.from(file.bytes).toString("latin1").split("endobj");
  const hasValue = (id: string | undefined) =>
    /\/V ?[(<]/.test(
      objects.findLast((text) => text.includes(`_${id})`) && text.includes("/FT")) ?? "",
    );
  expect([hasValue(required), hasValue(optional)]).toEqual([true, false]);
});

const FIELDS = [fieldAt("signature", 0.1), fieldAt("initials", 0.3)];

const consentOf = async (envelope: Envelope) => {
  const { results } = (await owner.get(`${ENVELOPES}${envelope.id}/events/`)).body;
  return results.find((event: { action: string }) => event.action === "consent_given").detail;
};

it("initials of their own are in the journal, apart from the signature", async () => {
  const envelope = await createSent(owner, { recipients: [PAUL], fields: FIELDS });
  const paul = await openConfirmedGuest(service, envelope.id, PAUL.email);
  const strokes = [
    [
      [0, 0.2, 0.4],
      [0.5, 0.8, 0.9],
    ],
  ];
  await expectStatus(paul.post("sign/", { ...TYPED, initials: { kind: "drawn", strokes } }), 200);
  expect(await consentOf(envelope)).toMatchObject({ mark: "typed", initials: "drawn" });
});

it.each([
  ["that no hand can write", { ...INITIALS, text: "署" }, 400, "unsupported_character"],
  ["that draw nothing", { kind: "drawn", strokes: [[[0.5, 0.5, 1]]] }, 400, "validation"],
])(
  "initials %s are refused by name, and nothing is signed",
  async (_what, initials, status, code) => {
    const envelope = await createSent(owner, { recipients: [PAUL], fields: FIELDS });
    const paul = await openConfirmedGuest(service, envelope.id, PAUL.email);
    const refused = await paul.post("sign/", { ...TYPED, initials });
    expect([refused.status, refused.body.code, Object.keys(refused.body.errors)]).toEqual([
      status,
      code,
      ["initials"],
    ]);
    expect((await paul.get("guest/")).body.recipient.signed).toBe(false);
  },
);

it("a saved mark serves as initials, and each use is noted", async () => {
  const member = await createMember(service.platform, { firstName: "Paul", lastName: "Morel" });
  const paul = await signIn(service, member);
  const save = async (name: string, text: string) =>
    (
      await paul.post("/api/signature/saved-signatures/", {
        name,
        kind: "typed",
        text,
        font: "caveat",
      })
    ).body.id as string;
  const [signature, initials] = [
    await save("Signature", "Paul Morel"),
    await save("Paraphe", "P. M."),
  ];
  const envelope = await createSent(owner, {
    recipients: [{ email: member.email, full_name: "Paul Morel" }],
    fields: FIELDS,
  });
  const kept = (id: string) => ({ kind: "saved", saved_signature_id: id });
  const signed = await paul.post(`${ENVELOPES}${envelope.id}/sign_authenticated/`, {
    fields: [],
    signature: kept(signature),
    initials: kept(initials),
    consent: true,
  });
  expect(signed.status).toBe(200);
  expect(await consentOf(envelope)).toMatchObject({
    saved_signature: signature,
    initials: "saved",
    saved_initials: initials,
  });
  const { results } = (await paul.get("/api/signature/saved-signatures/")).body;
  expect(results.map((one: { last_used_at: string | null }) => one.last_used_at !== null)).toEqual([
    true,
    true,
  ]);
});

describe("printed fields", () => {
  const SENTENCE = "Lu et approuvé, bon pour 12 000 €";
  /** Each kind of field, with the top of its box as a fraction of the page. */
  const PLACES: readonly (readonly [FieldType, number])[] = [
    ["initials", 0.9],
    ["name", 0.2],
    ["date", 0.32],
    ["text", 0.44],
    ["checkbox", 0.56],
    ["mention", 0.68],
    ["signature", 0.8],
  ];
  const fields = [
    ...PLACES.map(([type, y]) => fieldAt(type, y, type === "mention" ? { value: SENTENCE } : {})),
    fieldAt("initials", 0.3, { page: 2 }),
  ];

  async function open(
    more: object = {},
  ): Promise<{ readonly envelope: Envelope; readonly paul: TestGuest }> {
    const files = [{ name: "Bail.pdf", bytes: makePdf({ pages: 2 }) }];
    const envelope = await createSent(owner, { files, recipients: [PAUL], fields, ...more });
    return { envelope, paul: await openConfirmedGuest(service, envelope.id, PAUL.email) };
  }
  const answersTo = (envelope: Envelope) => [
    { id: fieldOf(envelope, "text"), value: "Fait à Évreux, « cœur »" },
    { id: fieldOf(envelope, "checkbox"), value: "Oui" },
    { id: fieldOf(envelope, "mention"), value: SENTENCE },
  ];
  const today = () =>
    new Intl.DateTimeFormat("fr-FR", { timeZone: "Europe/Paris", dateStyle: "short" }).format(
      service.platform.clock(),
    );
  const fileOf = async (envelope: Envelope) =>
    (await owner.get(`${ENVELOPES}${envelope.id}/documents/${envelope.documents[0]?.id}/file/`))
      .bytes;

  /** Gives a field's value in the file's form, as qpdf reads it; undefined where there is none. */
  function formValues(bytes: Uint8Array): (id: string) => string | undefined {
    const read = inFile(bytes, (path) =>
      execFileSync("qpdf", ["--json", "--json-key=acroform", path], { encoding: "utf8" }),
    );
    const known = JSON.parse(read).acroform.fields as readonly {
      readonly fullname: string;
      readonly value: unknown;
    }[];
    return (id) => {
      const value = known.find(({ fullname }) => fullname.endsWith(`_${id}`))?.value;
      return typeof value === "string" ? value.replace(/^u:/, "") : undefined;
    };
  }

  /**
   * The words that poppler draws, with their page and the height of their middle from the top, as a
   * fraction of the page.
   */
  function drawnWords(
    bytes: Uint8Array,
  ): readonly { readonly page: number; readonly y: number; readonly text: string }[] {
    const html = inFile(bytes, (path) => {
      execFileSync("pdftocairo", ["-pdf", path, `${path}.flat`]);
      return execFileSync("pdftotext", ["-bbox", `${path}.flat`, "-"], { encoding: "utf8" });
    });
    return html
      .split("<page ")
      .slice(1)
      .flatMap((page, index) => {
        const height = Number(/height="([\d.]+)"/.exec(page)?.[1]);
        const words = [...page.matchAll(/yMin="([\d.]+)" xMax="[\d.]+" yMax="([\d.]+)">([^<]*)</g)];
        return words.map(([, top, bottom, text]) => ({
          page: index + 1,
          y: (Number(top) + Number(bottom)) / 2 / height,
          text: (text ?? "").normalize("NFC"),
        }));
      });
  }

  function inFile(bytes: Uint8Array, read: (path: string) => string): string {
    const folder = mkdtempSync(join(tmpdir(), "paraphe-fields-"));
    try {
      const path = join(folder, "f.pdf");
      writeFileSync(path, bytes);
      return read(path);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  /** What is drawn in the box of this kind of field. */
  function drawnIn(bytes: Uint8Array, type: FieldType): string {
    const top = PLACES.find(([placed]) => placed === type)?.[1] ?? 0;
    const words = drawnWords(bytes).filter(
      ({ page, y }) => page === 1 && y > top && y < top + 0.06,
    );
    return words.map(({ text }) => text).join(" ");
  }

  it("each kind of field is in the signed file, as value and drawing", async () => {
    const { envelope, paul } = await open();
    const signed = await paul.post("sign/", {
      ...TYPED,
      initials: INITIALS,
      fields: answersTo(envelope),
    });
    expect([signed.status, signed.body.level]).toEqual([200, "B-LTA"]);
    const bytes = await fileOf(envelope);
    const valueOf = formValues(bytes);
    const expected: Partial<Record<FieldType, string>> = {
      name: "Paul Morel",
      date: today(),
      text: "Fait à Évreux, « cœur »",
      mention: SENTENCE,
    };
    for (const [type, value] of Object.entries(expected)) {
      expect([type, valueOf(fieldOf(envelope, type as FieldType))]).toEqual([type, value]);
      expect([type, drawnIn(bytes, type as FieldType)]).toEqual([type, value]);
    }
    expect(valueOf(fieldOf(envelope, "checkbox"))).toBe("Oui");
    expect(drawnIn(bytes, "signature")).toContain("Paul Morel");
    expect(drawnIn(bytes, "initials")).toBe("P. M.");
    expect(drawnWords(bytes).filter(({ page, text }) => page === 2 && text === "P.")).toHaveLength(
      1,
    );
  });

  it("an empty box and a ticked one are drawn and described", async () => {
    const shapes = [];
    for (const value of ["Oui", "Non"]) {
      const box = fieldAt("checkbox", 0.56, { required: false });
      const { envelope, paul } = await open({ fields: [box, fieldAt("signature", 0.8)] });
      const id = fieldOf(envelope, "checkbox");
      await expectStatus(paul.post("sign/", { ...TYPED, fields: [{ id, value }] }), 200);
      const bytes = await fileOf(envelope);
      expect(formValues(bytes)(id)).toBe(value);
      shapes.push(
        inFile(bytes, (path) => {
          execFileSync("pdftoppm", [
            "-gray",
            "-r",
            "72",
            "-f",
            "1",
            "-l",
            "1",
            "-x",
            "55",
            "-y",
            "465",
            "-W",
            "250",
            "-H",
            "60",
            path,
            path,
          ]);
          return execFileSync("sh", ["-c", `cat ${path}-*.pgm`], { encoding: "latin1" });
        }),
      );
    }
    const ink = shapes.map(
      (shape) => [...shape].filter((pixel) => pixel.charCodeAt(0) < 128).length,
    );
    expect(ink[0]).toBeGreaterThan((ink[1] ?? 0) + 20);
  });

  it("printed values are shown to the next signer, prepared ones to nobody else", async () => {
    const eloises = fieldAt("text", 0.92, { recipient_index: 1, value: "prévu pour Éloïse" });
    const { envelope, paul } = await open({
      recipients: [PAUL, ELOISE],
      fields: [...fields, eloises],
    });
    const eloise = await openConfirmedGuest(service, envelope.id, ELOISE.email);
    type Shown = {
      readonly id: string;
      readonly own: boolean;
      readonly value: string | null;
      readonly filled_by?: string;
    };
    const others = async (guest: TestGuest) =>
      ((await guest.get("guest/")).body.fields as readonly Shown[]).filter(({ own }) => !own);
    expect(
      (await others(eloise)).filter((field) => field.value !== null || "filled_by" in field),
    ).toEqual([]);
    expect(
      (await others(paul)).filter((field) => field.value !== null || "filled_by" in field),
    ).toEqual([]);
    await expectStatus(
      paul.post("sign/", { ...TYPED, initials: INITIALS, fields: answersTo(envelope) }),
      200,
    );
    const told = new Map(
      (await others(eloise)).map((field) => [field.id, [field.value, field.filled_by]]),
    );
    expect(told.get(fieldOf(envelope, "text"))).toEqual(["Fait à Évreux, « cœur »", "Paul Morel"]);
    expect(told.get(fieldOf(envelope, "checkbox"))).toEqual(["Oui", "Paul Morel"]);
    expect(told.get(fieldOf(envelope, "signature"))).toEqual([null, "Paul Morel"]);
  });

  it.each<FieldType>(["text", "checkbox", "mention", "initials"])(
    "a required %s left out is refused",
    async (type) => {
      const { envelope, paul } = await open();
      const id = fieldOf(envelope, type);
      const given = answersTo(envelope).filter((answer) => answer.id !== id);
      const left = type === "initials" ? [...given, { id, value: "Non" }] : given;
      const refused = await paul.post("sign/", { ...TYPED, fields: left });
      expect([refused.status, refused.body.code, refused.body.errors]).toEqual([
        400,
        "field_required",
        { [`fields.${id}`]: ["Champ obligatoire"] },
      ]);
    },
  );
});
