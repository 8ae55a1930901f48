import { beforeAll, expect, test } from "vitest";
import { type AttackStage, createAttackStage, STAGE_LATER } from "../../testing/attack-stage.ts";
import { signAs } from "../../testing/sign-flow.ts";
import { smallPdf } from "../../testing/small-pdf.ts";
import { TEST_FONTS } from "../../testing/test-fonts.ts";
import { trusting } from "../../testing/test-pki.ts";
import { inspectPdf } from "../inspect/inspect-pdf.ts";
import type { FieldPlacement } from "../pdf/types.ts";
import { validate } from "../validate/validate.ts";
import { overfullPages, type SignatureState } from "./plan-fields.ts";
import { prepareFields } from "./prepare-fields.ts";

let stage: AttackStage;
beforeAll(async () => {
  stage = await createAttackStage();
});

type Owner = "alice" | "bob";
/** A place as wide as the page; `height` is its part of the page. */
const place = (
  name: string,
  ownerKey: Owner,
  height: number,
  rest: Partial<FieldPlacement> = {},
): FieldPlacement => ({
  name,
  ownerKey,
  type: "signature",
  pageNumber: 1,
  x: 0,
  y: 0,
  width: 1,
  height,
  label: name,
  tooltip: name,
  ...rest,
});
const PREFIX = "places";
const SIGNERS: readonly Owner[] = ["alice", "bob"];

/**
 * Prepares these fields and has each owner sign in turn; says whether every signature passes in the
 * end.
 */
async function standsWhole(
  file: Uint8Array,
  fields: readonly FieldPlacement[],
  owners = SIGNERS,
): Promise<boolean> {
  let bytes = await prepareFields(file, {
    namePrefix: PREFIX,
    fonts: TEST_FONTS,
    fields,
    ownerKeys: owners,
  });
  for (const ownerKey of owners) {
    const own = fields.filter((field) => field.ownerKey === ownerKey);
    const ownFields = own.map(({ name, type, label, pageNumber }) => ({
      name,
      type,
      label,
      pageNumber,
      value: type === "text" ? "Lu" : null,
    }));
    bytes = await signAs(bytes, {
      signer: stage[ownerKey],
      tsa: stage.pki.tsa,
      ownerKey,
      options: { namePrefix: PREFIX, ownFields },
    });
  }
  const { signatures } = await validate(bytes, {
    evidence: trusting(stage.pki.root.certificates),
    now: STAGE_LATER,
  });
  return signatures.every(({ indication }) => indication === "TOTAL_PASSED");
}

type Case = {
  readonly file?: Uint8Array;
  readonly fields: readonly FieldPlacement[];
  readonly state?: SignatureState;
};
/** Gives what the rule says before anybody signs, and what a validation says afterwards. */
async function both({ file = smallPdf(), fields, state = "unsigned" }: Case) {
  const { covered } = await inspectPdf(file);
  const pages = overfullPages({ fields, firstOwners: ["alice"], state, covered });
  return {
    said: pages.map(({ pageNumber, excess }) => `${pageNumber}: ${excess}`),
    standsWhole: await standsWhole(file, fields),
  };
}

test("an unsigned file has room for seven tenths of a page of later signers' places", async () => {
  const alice = [place("a", "alice", 0.9), place("a2", "alice", 0.8, { type: "text" })];
  const bob = (height: number) => [
    ...alice,
    place("b", "bob", 0.3),
    place("b2", "bob", height, { type: "text", y: 0.1 }),
  ];
  expect(await both({ fields: bob(0.399) })).toEqual({ said: [], standsWhole: true });
  expect(await both({ fields: bob(0.401) })).toEqual({ said: ["1: most"], standsWhole: false });
});

test("a signed file has room for half of a page, one place for each owner", async () => {
  const file = stage.archived;
  const fields = (height: number) => [
    place("a", "alice", 0.26),
    place("b", "bob", height, { y: 0.5 }),
    place("b2", "bob", 0.9),
  ];
  expect(await both({ file, state: "signed", fields: fields(0.239) })).toEqual({
    said: [],
    standsWhole: true,
  });
  expect(await both({ file, state: "signed", fields: fields(0.241) })).toEqual({
    said: ["1: half"],
    standsWhole: false,
  });
  expect(await both({ file, state: "signed", fields: [place("a", "alice", 1)] })).toEqual({
    said: [],
    standsWhole: true,
  });
});

test("a file signed several times counts what was placed and filled since the first signature", async () => {
  const prepared = await prepareFields(stage.archived, {
    namePrefix: "earlier",
    fonts: TEST_FONTS,
    fields: [place("e", "bob", 0.4)],
  });
  const ownFields = [{ name: "e", type: "signature", pageNumber: 1, value: null }] as const;
  const options = { namePrefix: "earlier", ownFields };
  const file = await signAs(prepared, {
    signer: stage.bob,
    tsa: stage.pki.tsa,
    ownerKey: "bob",
    options,
  });
  const { covered } = await inspectPdf(file);
  // Bob's two places of the first round were there to be filled: 3 % of the page, and one that he
  // left blank.
  expect(covered).toEqual([
    { pageNumber: 1, added: expect.closeTo(0.4, 4), filled: expect.closeTo(0.03, 4) },
  ]);
  expect(await both({ file, state: "signed", fields: [place("a", "alice", 0.099)] })).toEqual({
    said: [],
    standsWhole: true,
  });
  expect(await both({ file, state: "signed", fields: [place("a", "alice", 0.101)] })).toEqual({
    said: ["1: half"],
    standsWhole: false,
  });
});

test("a certified file is never overfull, as its new fields are invisible", async () => {
  const { certified: file } = stage;
  expect(
    await both({
      file,
      state: "certified",
      fields: [place("a", "alice", 1), place("b", "bob", 1)],
    }),
  ).toEqual({
    said: [],
    standsWhole: true,
  });
});

test("only the places of later signers count; each page is named, and parts beside it do not count", () => {
  const fields = [
    place("a", "alice", 0.72, { pageNumber: 3 }),
    place("b", "bob", 0.05, { pageNumber: 3 }),
    place("b2", "bob", 0.75, { pageNumber: 2 }),
    place("b3", "bob", 0.75, { pageNumber: 4, y: 0.4 }),
    place("b4", "bob", 0.75, { pageNumber: 5, x: 0.1 }),
  ];
  const said = (firstOwners: readonly Owner[]) =>
    overfullPages({ fields, firstOwners, state: "unsigned", covered: [] });
  expect(said(["alice"])).toEqual([{ pageNumber: 2, excess: "most" }]);
  expect(said(["alice", "bob"]).map(({ pageNumber }) => pageNumber)).toEqual([2, 3]);
  expect(said([])).toEqual([]);
});

test("a file whose signature covers all of it has as much room as an unsigned one", async () => {
  expect((await inspectPdf(stage.first)).covered).toEqual([]);
  expect((await inspectPdf(stage.second)).covered).toEqual([
    { pageNumber: 1, added: 0, filled: expect.closeTo(0.03, 4) },
  ]);
});
