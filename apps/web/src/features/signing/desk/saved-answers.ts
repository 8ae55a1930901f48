import type { ChosenMark, ChosenMarks } from "../marks/chosen-mark.ts";
import { HANDS } from "../marks/hands.ts";
import { strokesOnPad } from "../marks/stroke.ts";

/** What a signer has done, kept in this tab only and until the signature, so that a reload loses nothing. */
type SavedAnswers = {
  readonly values: Readonly<Record<string, string>>;
  readonly marks: ChosenMarks;
  /** The fields that the signer agreed to mark. */
  readonly marked: readonly string[];
};
type Request = { readonly id: string; readonly recipient: { readonly id: string } };

const answersKey = ({ id, recipient }: Request) => `paraphe.answers.${id}.${recipient.id}`;
// Apart from the answers: a big picture may not fit in the tab's storage, the words always do.
const markKey = ({ id, recipient }: Request) => `paraphe.mark.${id}.${recipient.id}`;

/** Gives the answers given before a reload, or none. */
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

/** Keeps the answers for a reload. */
export function saveAnswers(request: Request, { values, marks, marked }: SavedAnswers): void {
  withStorage((storage) => storage.setItem(answersKey(request), JSON.stringify({ values })));
  withStorage((storage) => storage.removeItem(markKey(request)));
  const [mark, initials] = [marks.signature?.mark, marks.initials?.mark];
  if (mark ?? initials)
    withStorage((storage) =>
      storage.setItem(markKey(request), JSON.stringify({ mark, initials, marked })),
    );
}

/** Forgets them once signed or refused. */
export function forgetAnswers(request: Request): void {
  withStorage((storage) => storage.removeItem(answersKey(request)));
  withStorage((storage) => storage.removeItem(markKey(request)));
}

/** A picture in the page itself: nothing is fetched from elsewhere. */
const OWN_IMAGE = /^data:image\/(png|jpeg|webp);base64,[A-Za-z0-9+/]+=*$/;

/**
 * The storage holds what is sent; the look follows from it. What has another shape was not written here, and is dropped; what the service would
 * refuse of it, it refuses. One of the account's signatures is chosen again: its picture is not here.
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
    // Storage refused by the browser, or text that is not ours: nothing was kept.
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
    // A full or forbidden storage only costs the comfort of a reload.
    if (!(cause instanceof DOMException)) throw cause;
  }
}
