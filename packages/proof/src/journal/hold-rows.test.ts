import { describe, expect, test } from "vitest";
import { type EnvelopeClaims, holdPrint, holdRows, isBetween } from "./hold-rows.ts";
import { isNear, type JournalFacts } from "./journal-facts.ts";

const AT = "2026-11-21T10:00:00.000Z";
const LATER = "2026-11-21T11:00:00.000Z";

const FACTS: JournalFacts = {
  state: "completed",
  completedAt: AT,
  completedSequence: 5,
  purgedAt: null,
  signers: ["r1"],
  total: 1,
  signatures: [
    {
      recipient: "r1",
      serial: "0a",
      name: "Paul",
      since: AT,
      at: AT,
      documents: ["d1"],
      reach: null,
    },
  ],
  documents: ["d1"],
  files: new Map([["d1", ["f1"]]]),
  prepared: new Set(["f0"]),
  title: "Bail",
  documentNames: new Map([["d1", "Bail.pdf"]]),
  names: new Map([["r1", "Paul"]]),
  closed: [],
  isTitled: true,
  proofOnly: null,
  prints: new Map(),
  faults: [],
};
const CLAIMS: EnvelopeClaims = {
  state: "completed",
  title: "Bail",
  completedAt: AT,
  signers: [{ id: "r1", name: "Paul", signed: true }],
  documents: [{ id: "d1", name: "Bail.pdf", sha256: "f1", isSigned: true }],
  signatures: [{ document: "d1", recipient: "r1", serial: "00:0A", name: "Paul", signedAt: AT }],
};
const hold = (facts: Partial<JournalFacts>, claims: Partial<EnvelopeClaims>): string =>
  holdRows({ ...FACTS, ...facts }, { ...CLAIMS, ...claims }).join("\n");

describe("rows", () => {
  test("that say what the journal does are believed", () => {
    expect(hold({}, {})).toBe("");
  });

  test("of a journal that says less are held against what it says", () => {
    const old = {
      signers: null,
      total: null,
      documents: null,
      title: null,
      documentNames: new Map(),
      names: new Map(),
    };
    expect(hold(old, {})).toBe("");
    expect(
      hold(
        { ...old, signatures: [{ ...FACTS.signatures[0], serial: null, name: null } as never] },
        {},
      ),
    ).toBe("");
  });

  test("of what its owner alone signs are a draft's in the journal, which was never sent", () => {
    const draft = { state: "draft", completedAt: null, signatures: [], files: new Map() } as const;
    const rows = {
      completedAt: null,
      signers: [{ id: "r1", name: "Paul", signed: false }],
      signatures: [],
    };
    const documents = [{ id: "d1", name: "Bail.pdf", sha256: "whatever", isSigned: false }];
    expect(hold(draft, { ...rows, documents, state: "sent" })).toBe("");
    expect(hold(draft, { ...rows, documents, state: "completed" })).toMatch(/l’enveloppe/);
  });

  test("with the faults of the journal itself have those first", () => {
    expect(hold({ faults: ["Une faute."] }, { title: "Autre" })).toMatch(
      /^Une faute\.\nPour le titre, l’historique dit «\u00a0Bail\u00a0», la base «\u00a0Autre\u00a0»\.$/,
    );
  });

  const row = CLAIMS.signatures[0] as EnvelopeClaims["signatures"][number];
  const signer = CLAIMS.signers[0] as EnvelopeClaims["signers"][number];
  const document = CLAIMS.documents[0] as EnvelopeClaims["documents"][number];
  test.each<[string, Partial<JournalFacts>, Partial<EnvelopeClaims>, RegExp]>([
    [
      "another state",
      {},
      { state: "cancelled" },
      /Pour l’enveloppe, l’historique dit «\u00a0terminée\u00a0», la base «\u00a0annulée\u00a0»/,
    ],
    ["another end", {}, { completedAt: LATER }, /la date de fin/],
    ["no end", {}, { completedAt: null }, /la base «\u00a0aucune\u00a0»/],
    ["an end that was not", { completedAt: null }, {}, /l’historique dit «\u00a0aucune\u00a0»/],
    [
      "an envelope that was deleted",
      { purgedAt: LATER },
      {},
      /a été supprimée le 2026-11-21T11:00:00\.000Z, et la base la garde/,
    ],
    ["another title", {}, { title: "Autre" }, /le titre/],
    [
      "nobody who signs",
      {},
      { signers: [] },
      /le nombre de signataires.*«\u00a01\u00a0», la base «\u00a00/,
    ],
    ["somebody else who signs", {}, { signers: [{ ...signer, id: "r9" }] }, /, et d’autres/],
    [
      "another name",
      {},
      { signers: [{ ...signer, name: "Marcel" }] },
      /un signataire.*«\u00a0Paul\u00a0», la base «\u00a0Marcel\u00a0»/,
    ],
    [
      "a name that an invitation told otherwise",
      { signatures: [], names: new Map([["r1", "Paul"]]) },
      { signers: [{ ...signer, name: "Marcel" }] },
      /«\u00a0Marcel\u00a0»/,
    ],
    [
      "one who has not signed",
      {},
      { signers: [{ ...signer, signed: false }] },
      /«\u00a0a signé\u00a0», la base «\u00a0n’a pas signé\u00a0»/,
    ],
    [
      "one who had not",
      { signatures: [] },
      {},
      /«\u00a0n’a pas signé\u00a0», la base «\u00a0a signé\u00a0»/,
    ],
    [
      "a signature of nobody's",
      { signers: null, total: null },
      { signers: [] },
      /«\u00a0Paul\u00a0», la base «\u00a0personne\u00a0»/,
    ],
    [
      "no document",
      {},
      { documents: [] },
      /les documents.*«\u00a01\u00a0», la base «\u00a00\u00a0»/,
    ],
    [
      "another document",
      {},
      { documents: [{ ...document, id: "d9" }] },
      /la base «\u00a0d’autres\u00a0»/,
    ],
    [
      "another name of a document",
      {},
      { documents: [{ ...document, name: "Autre.pdf" }] },
      /le nom d’un document/,
    ],
    [
      "another file",
      {},
      { documents: [{ ...document, sha256: "f9" }] },
      /l’empreinte d’un fichier.*«\u00a0f1\u00a0», la base «\u00a0f9\u00a0»/,
    ],
    [
      "an unsigned file of what was signed",
      {},
      { documents: [{ ...document, isSigned: false }] },
      /l’empreinte d’un fichier/,
    ],
    [
      "a file that was not sent",
      { state: "sent", files: new Map() },
      { state: "sent", documents: [{ ...document, isSigned: false }] },
      /«\u00a0f0\u00a0», la base «\u00a0f1\u00a0»/,
    ],
    ["no signature", {}, { signatures: [] }, /le nombre de signatures.*\n.*la signature de/],
    ["a signature twice", {}, { signatures: [row, row] }, /le nombre de signatures/],
    [
      "another certificate",
      {},
      { signatures: [{ ...row, serial: "0b" }] },
      /le certificat.*«\u00a00a\u00a0», la base «\u00a00b\u00a0»/,
    ],
    [
      "another name of a signature",
      {},
      { signatures: [{ ...row, name: "Marcel" }] },
      /un signataire/,
    ],
    [
      "another time of a signature",
      {},
      { signatures: [{ ...row, signedAt: LATER }] },
      /la date d’une signature/,
    ],
  ])("that say otherwise are told with both sides: %s", (_what, facts, claims, said) => {
    expect(hold(facts, claims)).toMatch(said);
  });
});

test("two moments are near to what two clocks differ; a signature is between its consent and its event", () => {
  expect([isNear(null, null), isNear(AT, null), isNear(null, AT)]).toEqual([true, false, false]);
  expect([isNear(AT, "2026-11-21T10:10:00.000Z"), isNear(AT, "2026-11-21T10:10:00.001Z")]).toEqual([
    true,
    false,
  ]);
  expect([
    isBetween("2026-11-21T09:50:00.000Z", AT, LATER),
    isBetween("2026-11-21T09:49:59.999Z", AT, LATER),
  ]).toEqual([true, false]);
  expect([
    isBetween("2026-11-21T11:10:00.000Z", AT, LATER),
    isBetween("2026-11-21T11:10:00.001Z", AT, LATER),
  ]).toEqual([true, false]);
});

describe("a print", () => {
  const prints = new Map([["p1", { qrType: "last", at: AT }]]);
  const hold = (print: object) =>
    holdPrint({ prints }, { id: "p1", qrType: "last", createdAt: AT, ...print }, "la base");

  test("is what the event of its making says", () => {
    expect(hold({})).toEqual([]);
    expect(hold({ id: "p2" })).toEqual([
      "L’historique de cette enveloppe ne connaît pas cette impression.",
    ]);
    expect(hold({ qrType: "page" })).toEqual([
      "Pour le genre de l’impression, l’historique dit «\u00a0last\u00a0», la base «\u00a0page\u00a0».",
    ]);
    expect(hold({ createdAt: LATER })).toEqual([
      `Pour la date de l’impression, l’historique dit «\u00a0${AT}\u00a0», la base «\u00a0${LATER}\u00a0».`,
    ]);
    expect(
      holdPrint(
        { prints: new Map([["p1", { qrType: null, at: AT }]]) },
        { id: "p1", qrType: "page", createdAt: AT },
        "la preuve",
      ),
    ).toEqual([]);
  });
});
