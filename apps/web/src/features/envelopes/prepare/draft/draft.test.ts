import { isCalendarDay } from "@paraphe/kernel/paris-days";
import { describe, expect, it } from "vitest";
import { endOfParisDay } from "../documents/deadline.ts";
import { checkFile, proposeTitle } from "../documents/use-uploads.ts";
import { describeField, parsePercent } from "../fields/describe-field.ts";
import { makeEnvelope, makeRecipient } from "../testing/make-envelope.ts";
import { draftChanges } from "./draft-keeper.ts";
import {
  type DraftRecipient,
  canSaveRecipients,
  draftOf,
  recipientErrors,
  recipientWarning,
} from "./draft.ts";

const row = (part: Partial<DraftRecipient>): DraftRecipient => ({
  key: "k",
  fullName: "Camille Roux",
  email: "c@exemple.fr",
  phoneNumber: null,
  role: "signer",
  rank: 1,
  ...part,
});

describe("a chosen file", () => {
  it.each([
    ["photo.jpeg", 10, "Seuls les fichiers PDF sont autorisés"],
    ["vide.PDF", 0, "Le fichier est vide"],
    ["plan.pdf", 10_485_761, "Le fichier est trop volumineux (max 10MB)"],
    ["plan.pdf", 10_485_760, null],
  ])("%s of %i bytes: %s", (name, size, answer) => {
    expect(checkFile({ name, size })).toBe(answer);
  });
  it("a file name becomes a title", () => {
    expect(proposeTitle("contrat_v2-final.pdf")).toBe("Contrat v2 final");
    expect(proposeTitle("état_des__lieux.PDF")).toBe("État des lieux");
    expect(proposeTitle(".pdf")).toBe("Document");
    expect(proposeTitle("bail.final.pdf")).toBe("Bail final");
  });
});

describe("a recipient's row", () => {
  it("a recipient's missing values are named in the contract's words", () => {
    expect(recipientErrors(row({ fullName: "", email: "" }), [])).toEqual({
      fullName: "Nom requis",
      email: "Email requis",
    });
    expect(recipientErrors(row({ email: "c@" }), [])).toEqual({ email: "Email invalide" });
  });
  it("two recipients may share an address, not a name and address", () => {
    const twin = row({ key: "other" });
    expect(recipientErrors(row({}), [row({}), twin])).toEqual({
      email: "Cette adresse figure déjà dans la liste.",
    });
    expect(recipientErrors(row({}), [row({}), { ...twin, fullName: "Paul Roux" }])).toEqual({});
  });
  it("one person may give a visa and sign, as after a step was given away", () => {
    const both = [row({}), row({ key: "other", role: "visa", rank: 2 })];
    expect(both.map((one) => recipientErrors(one, both))).toEqual([{}, {}]);
  });
  it("a shared address is warned of without blocking the list", () => {
    const other = row({ key: "other", fullName: "Paul Roux", email: "C@exemple.fr " });
    expect(recipientWarning(row({}), [row({}), other])).toBe(
      "Cette adresse figure déjà dans la liste.",
    );
    expect(canSaveRecipients([row({}), other])).toBe(true);
    expect(
      recipientWarning(row({ email: "" }), [row({ email: "" }), row({ key: "blank", email: "" })]),
    ).toBeUndefined();
  });
  it("a blank row does not block the list", () => {
    expect(canSaveRecipients([row({}), row({ key: "b", fullName: "", email: "" })])).toBe(true);
    expect(canSaveRecipients([row({}), row({ key: "b", fullName: "Paul", email: "" })])).toBe(
      false,
    );
  });
});

describe("a deadline", () => {
  it("a deadline ends in the evening in Paris, in winter and summer", () => {
    expect(endOfParisDay("2026-12-05")).toBe("2026-12-05T22:59:59.000Z");
    expect(endOfParisDay("2027-07-14")).toBe("2027-07-14T21:59:59.000Z");
  });
  it("is a day of the calendar", () => {
    expect([
      isCalendarDay("2026-12-05"),
      isCalendarDay("2026-02-30"),
      isCalendarDay("5/12"),
    ]).toEqual([true, false, false]);
  });
});

describe("a field's words", () => {
  it("a field's name says its type, person, page and place", () => {
    expect(
      describeField({ type: "signature", page: 2, x: 0.095, y: 0.535 }, "Clémence Aubry-Lefèvre"),
    ).toBe("Signature de Clémence Aubry-Lefèvre, page 2, gauche 9,5\u00a0%, haut 53,5\u00a0%");
  });
  it("a percentage is read with a comma", () => {
    expect([
      parsePercent("9,5"),
      parsePercent("100 %"),
      parsePercent("101"),
      parsePercent(""),
    ]).toEqual([0.095, 1, null, null]);
  });
});

const people = (...orders: readonly number[]) =>
  orders.map((order, index) =>
    makeRecipient({
      id: `r${index}`,
      full_name: `P${index}`,
      email: `p${index}@exemple.fr`,
      order,
    }),
  );
const saved = (part: Parameters<typeof makeEnvelope>[0]) =>
  draftChanges(draftOf(makeEnvelope(part)), {
    dirty: new Set(["recipients"] as const),
    now: new Date(0),
  })?.body.recipients?.map((row) => [row.full_name, row.order]);

it("equal ranks of an ordered list stay, in signing order", () => {
  expect(saved({ flow: "sequential", recipients: people(2, 1, 1) })).toEqual([
    ["P1", 1],
    ["P2", 1],
    ["P0", 2],
  ]);
});

it("equal first ranks of a parallel list become distinct, and other ranks stay", () => {
  expect(saved({ flow: "parallel", recipients: people(1, 1, 1) })).toEqual([
    ["P0", 1],
    ["P1", 2],
    ["P2", 3],
  ]);
  expect(
    saved({ flow: "parallel", recipients: people(1, 1, 2) })?.map(([, order]) => order),
  ).toEqual([1, 1, 2]);
  expect(
    saved({ flow: "sequential", recipients: people(1, 1) })?.map(([, order]) => order),
  ).toEqual([1, 1]);
});
