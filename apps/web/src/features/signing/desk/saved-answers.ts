import type { ChosenMark, ChosenMarks } from "../marks/chosen-mark.ts";
import { HANDS } from "../marks/hands.ts";
import { strokesOnPad } from "../marks/stroke.ts";

/** Stored in this tab until the signature, for a reload. */
type SavedAnswers = {
  readonly values: Readonly<Record<string, string>>;
  readonly marks: ChosenMarks;
  readonly marked: readonly string[];
};
type Request = { readonly id: string; readonly recipient: { readonly id: string } };

const answersKey = ({ id, recipient }: Request) => `paraphe.answers.${id}.${recipient.id}`;
// The mark has its own key: a large picture may not fit where the answers do.
const markKey = ({ id, recipient }: Request) => `paraphe.mark.${id}.${recipient.id}`;

export function readSavedAnswers(request: Request): SavedAnswers {
  const answers = readRecord(answersKey(request));
  const values = Object.entries(recordOf(answers["values"])).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  const kept = readRecord(markKey(request));
  const marks = { signature: chosenMark(kept["mark"]), initials: chosenMark(kept["initials"]) };
  const isMade = marks.signature !== null || marks.initials !== null;
  const marked =
    isMade && Array.isArray(kept["marked"])
      ? kept["marked"].filter((id) => typeof id === "string")
      : [];
  return { values: Object.fromEntries(values), marks, marked };
}

export function saveAnswers(request: Request, { values, marks, marked }: SavedAnswers): void {
  withStorage((storage) => storage.setItem(answersKey(request), JSON.stringify({ values })));
  withStorage((storage) => storage.removeItem(markKey(request)));
  const [mark, initials] = [marks.signature?.mark, marks.initials?.mark];
  if (mark ?? initials)
    withStorage((storage) =>
      storage.setItem(markKey(request), JSON.stringify({ mark, initials, marked })),
    );
}

export function forgetAnswers(request: Request): void {
  withStorage((storage) => storage.removeItem(answersKey(request)));
  withStorage((storage) => storage.removeItem(markKey(request)));
}

/** Inline pictures only: nothing is fetched. */
const OWN_IMAGE = /^data:image\/(png|jpeg|webp);base64,[A-Za-z0-9+/]+=*$/;

/**
 * Null for another shape. An account's signature is not restored: its picture is not stored here.
 */
function chosenMark(kept: unknown): ChosenMark | null {
  const { kind, text, font, image, strokes } = recordOf(kept);
  const hand = HANDS.find((entry) => entry.hand === font)?.hand;
  if (kind === "typed" && typeof text === "string" && hand)
    return { mark: { kind, text, font: hand }, look: { kind: "text", text, font: hand } };
  if (kind === "uploaded" && typeof image === "string" && OWN_IMAGE.test(image))
    return { mark: { kind, image }, look: { kind: "image", src: image } };
  if (kind === "drawn" && isStrokes(strokes)) {
    const drawn = strokesOnPad(strokes);
    return { mark: { kind, strokes: drawn }, look: { kind: "strokes", strokes: drawn } };
  }
  return null;
}

function isStrokes(value: unknown): value is [number, number, number][][] {
  return isListOf(value, (stroke) =>
    isListOf(stroke, (point) => isListOf(point, Number.isFinite) && point.length === 3),
  );
}

function isListOf(value: unknown, isOne: (item: unknown) => boolean): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0 && value.every(isOne);
}

function readRecord(key: string): Readonly<Record<string, unknown>> {
  try {
    return recordOf(JSON.parse(sessionStorage.getItem(key) ?? "{}"));
  } catch (cause) {
    // Storage blocked, or not JSON: no answers.
    if (cause instanceof DOMException || cause instanceof SyntaxError) return {};
    throw cause;
  }
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function withStorage(action: (storage: Storage) => void): void {
  try {
    action(sessionStorage);
  } catch (cause) {
    // Without storage, a reload loses the answers.
    if (!(cause instanceof DOMException)) throw cause;
  }
}
