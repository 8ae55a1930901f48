import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Envelope, FieldType } from "@paraphe/contracts";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { TestApp } from "../../../testing/app.ts";
import type { TestBrowser } from "../../../testing/browser.ts";
import { createSent, ELOISE, ENVELOPES, fieldAt, fieldOf, PAUL } from "../../../testing/envelope.ts";
import { openConfirmedGuest, type TestGuest, TYPED } from "../../../testing/guest.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { openSenderApp } from "../../../testing/sent-to-guest.ts";

const SENTENCE = "Lu et approuvé, bon pour 12 000 €";
const INITIALS = { kind: "typed", text: "P. M.", font: "caveat" };
/** Where each kind of field is put: the top of its box, a fraction of the page. */
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

let test: TestApp;
let owner: TestBrowser;

beforeAll(async () => {
  ({ test, owner } = await openSenderApp());
});
afterAll(() => test.close());

async function open(more: object = {}): Promise<{ readonly envelope: Envelope; readonly paul: TestGuest }> {
  const files = [{ name: "Bail.pdf", bytes: makePdf({ pages: 2 }) }];
  const envelope = await createSent(owner, { files, recipients: [PAUL], fields, ...more });
  return { envelope, paul: await openConfirmedGuest(test, envelope.id, PAUL.email) };
}
const answersTo = (envelope: Envelope) => [
  { id: fieldOf(envelope, "text"), value: "Fait à Évreux, « cœur »" },
  { id: fieldOf(envelope, "checkbox"), value: "Oui" },
  { id: fieldOf(envelope, "mention"), value: SENTENCE },
];
const today = () => new Intl.DateTimeFormat("fr-FR", { timeZone: "Europe/Paris", dateStyle: "short" }).format(test.platform.clock());
const fileOf = async (envelope: Envelope) =>
  (await owner.get(`${ENVELOPES}${envelope.id}/documents/${envelope.documents[0]?.id}/file/`)).bytes;

/** The value that the form of a file has for a field, as qpdf reads it; undefined where there is none. */
function formValues(bytes: Uint8Array): (id: string) => string | undefined {
  const read = inFile(bytes, (path) => execFileSync("qpdf", ["--json", "--json-key=acroform", path], { encoding: "utf8" }));
  const known = JSON.parse(read).acroform.fields as readonly { readonly fullname: string; readonly value: unknown }[];
  return (id) => {
    const value = known.find(({ fullname }) => fullname.endsWith(`_${id}`))?.value;
    return typeof value === "string" ? value.replace(/^u:/, "") : undefined;
  };
}

/** The words that poppler draws, each with the page it is on and where its middle is, from the top: a fraction of the page. */
function drawnWords(bytes: Uint8Array): readonly { readonly page: number; readonly y: number; readonly text: string }[] {
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
  const words = drawnWords(bytes).filter(({ page, y }) => page === 1 && y > top && y < top + 0.06);
  return words.map(({ text }) => text).join(" ");
}

it("each kind of field lands in the signed file: its value in the form, and drawn where it was put", async () => {
  const { envelope, paul } = await open();
  const signed = await paul.post("sign/", { ...TYPED, initials: INITIALS, fields: answersTo(envelope) });
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
  expect(drawnWords(bytes).filter(({ page, text }) => page === 2 && text === "P.")).toHaveLength(1);
});

it("an empty box is said and drawn as one, a ticked one has its tick", async () => {
  const shapes = [];
  for (const value of ["Oui", "Non"]) {
    const box = fieldAt("checkbox", 0.56, { required: false });
    const { envelope, paul } = await open({ fields: [box, fieldAt("signature", 0.8)] });
    const id = fieldOf(envelope, "checkbox");
    expect((await paul.post("sign/", { ...TYPED, fields: [{ id, value }] })).status).toBe(200);
    const bytes = await fileOf(envelope);
    expect(formValues(bytes)(id)).toBe(value);
    shapes.push(
      inFile(bytes, (path) => {
        execFileSync("pdftoppm", ["-gray", "-r", "72", "-f", "1", "-l", "1", "-x", "55", "-y", "465", "-W", "250", "-H", "60", path, path]);
        return execFileSync("sh", ["-c", `cat ${path}-*.pgm`], { encoding: "latin1" });
      }),
    );
  }
  const ink = shapes.map((shape) => [...shape].filter((pixel) => pixel.charCodeAt(0) < 128).length);
  expect(ink[0]).toBeGreaterThan((ink[1] ?? 0) + 20);
});

it("what a signer filled in is told to the next one, as the document shows it; what is prepared for another is told to nobody", async () => {
  const eloises = fieldAt("text", 0.92, { recipient_index: 1, value: "prévu pour Éloïse" });
  const { envelope, paul } = await open({ recipients: [PAUL, ELOISE], fields: [...fields, eloises] });
  const eloise = await openConfirmedGuest(test, envelope.id, ELOISE.email);
  type Shown = { readonly id: string; readonly own: boolean; readonly value: string | null; readonly filled_by?: string };
  const others = async (guest: TestGuest) => ((await guest.get("guest/")).body.fields as readonly Shown[]).filter(({ own }) => !own);
  expect((await others(eloise)).filter((field) => field.value !== null || "filled_by" in field)).toEqual([]);
  expect((await others(paul)).filter((field) => field.value !== null || "filled_by" in field)).toEqual([]);
  expect((await paul.post("sign/", { ...TYPED, initials: INITIALS, fields: answersTo(envelope) })).status).toBe(200);
  const told = new Map((await others(eloise)).map((field) => [field.id, [field.value, field.filled_by]]));
  expect(told.get(fieldOf(envelope, "text"))).toEqual(["Fait à Évreux, « cœur »", "Paul Morel"]);
  expect(told.get(fieldOf(envelope, "checkbox"))).toEqual(["Oui", "Paul Morel"]);
  expect(told.get(fieldOf(envelope, "signature"))).toEqual([null, "Paul Morel"]);
});

it.each<FieldType>(["text", "checkbox", "mention", "initials"])(
  "a required %s that is left out is refused by the service",
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
