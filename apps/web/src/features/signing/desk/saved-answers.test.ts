import { beforeEach, expect, it } from "vitest";
import { type ChosenMark, NO_MARKS } from "../marks/chosen-mark.ts";
import { forgetAnswers, readSavedAnswers, saveAnswers } from "./saved-answers.ts";
import { typedMark } from "./testing/sample-field.ts";

const request = { id: "e1", recipient: { id: "r1" } };
const strokes: readonly (readonly [number, number, number])[][] = [
  [
    [0.1, 0.2, 0.5],
    [0.3, 0.4, 0.6],
    [0.5, 0.4, 0.4],
  ],
];
const drawn: ChosenMark = {
  mark: {
    kind: "drawn",
    strokes: strokes.map((stroke) =>
      stroke.map(([x, y, pressure]): [number, number, number] => [x, y, pressure]),
    ),
  },
  look: { kind: "strokes", strokes },
};
const typed = typedMark();
const uploaded: ChosenMark = {
  mark: { kind: "uploaded", image: "data:image/png;base64,AAAA" },
  look: { kind: "image", src: "data:image/png;base64,AAAA" },
};

beforeEach(() => sessionStorage.clear());

it.each([["drawn", drawn] as const, ["typed", typed] as const, ["uploaded", uploaded] as const])(
  "restores the answers after a reload, with the %s signature and its fields",
  (_kind, mark) => {
    const saved = {
      values: { t: "Fait à Brest" },
      marks: { signature: mark, initials: typed },
      marked: ["s", "p"],
    };
    saveAnswers(request, saved);
    expect(readSavedAnswers(request)).toEqual(saved);
  },
);

it("clips a restored drawing to the pad, which the service would otherwise refuse", () => {
  sessionStorage.setItem(
    "paraphe.mark.e1.r1",
    JSON.stringify({
      mark: {
        kind: "drawn",
        strokes: [
          [
            [0.1, -4, 0.5],
            [25, 3, 2],
          ],
        ],
      },
      marked: ["s"],
    }),
  );
  const strokes = [
    [
      [0.1, 0, 0.5],
      [20, 1, 1],
    ],
  ];
  expect(readSavedAnswers(request).marks.signature).toEqual({
    mark: { kind: "drawn", strokes },
    look: { kind: "strokes", strokes },
  });
});

it("restores answers for one recipient of one envelope only", () => {
  saveAnswers(request, {
    values: { t: "x" },
    marks: { signature: typed, initials: null },
    marked: ["s"],
  });
  expect(readSavedAnswers({ id: "e1", recipient: { id: "r2" } })).toEqual({
    values: {},
    marks: NO_MARKS,
    marked: [],
  });
});

it("forgets all answers", () => {
  saveAnswers(request, {
    values: { t: "x" },
    marks: { signature: typed, initials: null },
    marked: ["s"],
  });
  forgetAnswers(request);
  expect(sessionStorage.length).toBe(0);
});

it.each([
  { kind: "drawn", strokes: [[[0.1, 0.2]]] },
  { kind: "drawn", strokes: [] },
  { kind: "typed", text: "Camille", font: "comic" },
  { kind: "typed", font: "caveat" },
  { kind: "saved", saved_signature_id: "s1" },
  "drawn",
])("drops a mark of another shape: %j", (mark) => {
  sessionStorage.setItem("paraphe.mark.e1.r1", JSON.stringify({ mark, marked: ["s"] }));
  expect(readSavedAnswers(request)).toEqual({ values: {}, marks: NO_MARKS, marked: [] });
});

it("drops stored answers that it did not write", () => {
  sessionStorage.setItem("paraphe.answers.e1.r1", '{"values":{"t":1,"u":"ok"}}');
  sessionStorage.setItem(
    "paraphe.mark.e1.r1",
    '{"mark":{"kind":"uploaded","image":"https://ailleurs.example/x.png"},"marked":["s"]}',
  );
  expect(readSavedAnswers(request)).toEqual({ values: { u: "ok" }, marks: NO_MARKS, marked: [] });
  sessionStorage.setItem("paraphe.answers.e1.r1", "pas du JSON");
  expect(readSavedAnswers(request).values).toEqual({});
});
