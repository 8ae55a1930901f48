import type { Hand } from "@paraphe/contracts";
import { useState } from "react";
import { readSigningPreferences } from "../../../lib/browser/signing-preferences.ts";
import { type ChosenMark, type MarkPurpose, type SavedMark, savedChoice } from "./chosen-mark.ts";
import { type Stroke, isDrawn } from "./stroke.ts";

export type MarkMethod = "draw" | "type" | "import" | "saved";

const REMEMBERED = "paraphe.mark-method";

function recallMethod(): MarkMethod | null {
  try {
    const value = sessionStorage.getItem(REMEMBERED);
    return value === "draw" || value === "type" || value === "import" || value === "saved"
      ? value
      : null;
  } catch (cause) {
    if (cause instanceof DOMException) return null;
    throw cause;
  }
}

function rememberMethod(method: MarkMethod): void {
  try {
    sessionStorage.setItem(REMEMBERED, method);
  } catch (cause) {
    // Without storage, the last method is not recalled.
    if (!(cause instanceof DOMException)) throw cause;
  }
}

type MakerOptions = {
  readonly signerName: string;
  /** Null where none may be chosen: a guest, or a new signature. */
  readonly savedMarks: readonly SavedMark[] | null;
  readonly purpose?: MarkPurpose;
};

export function useMarkMaker({ signerName, savedMarks, purpose = "signature" }: MakerOptions) {
  const proposed = proposedMark(savedMarks ?? [], purpose);
  const [method, setMethod] = useState<MarkMethod>(() => firstMethod(proposed !== undefined));
  const [strokes, setStrokes] = useState<readonly Stroke[]>([]);
  const [name, setName] = useState(signerName);
  const [hand, setHand] = useState<Hand>(() => readSigningPreferences().hand);
  const [image, setImage] = useState<string | null>(null);
  const [savedId, setSavedId] = useState<string | null>((proposed ?? savedMarks?.[0])?.id ?? null);
  const saved = savedMarks?.find((mark) => mark.id === savedId);
  return {
    method,
    strokes,
    name,
    hand,
    image,
    savedId,
    savedMarks,
    setStrokes,
    setName,
    setHand,
    setImage,
    setSavedId,
    choose: (next: MarkMethod) => {
      setMethod(next);
      rememberMethod(next);
    },
    mark: chosenMark(method, { strokes, name: name.trim(), hand, image, saved }),
  };
}

export type MarkMaker = ReturnType<typeof useMarkMaker>;

type Made = {
  readonly strokes: readonly Stroke[];
  readonly name: string;
  readonly hand: Hand;
  readonly image: string | null;
  readonly saved: SavedMark | undefined;
};

function chosenMark(method: MarkMethod, made: Made): ChosenMark | null {
  if (method === "draw") {
    if (!isDrawn(made.strokes)) return null;
    return {
      mark: {
        kind: "drawn",
        strokes: made.strokes.map((stroke) =>
          stroke.map(([x, y, pressure]): [number, number, number] => [x, y, pressure]),
        ),
      },
      look: { kind: "strokes", strokes: made.strokes },
    };
  }
  if (method === "type") {
    if (made.name === "") return null;
    return {
      mark: { kind: "typed", text: made.name, font: made.hand },
      look: { kind: "text", text: made.name, font: made.hand },
    };
  }
  if (method === "import")
    return made.image === null
      ? null
      : { mark: { kind: "uploaded", image: made.image }, look: { kind: "image", src: made.image } };
  return made.saved ? savedChoice(made.saved) : null;
}

/** The first signature; for initials, only one named so. */
function proposedMark(
  savedMarks: readonly SavedMark[],
  purpose: MarkPurpose,
): SavedMark | undefined {
  return purpose === "initials"
    ? savedMarks.find(({ name }) => /paraphe|initiales/i.test(name))
    : savedMarks[0];
}

/** The preferred method, else the last; else typing for keyboard users, drawing for others. */
function firstMethod(hasSaved: boolean): MarkMethod {
  const { method } = readSigningPreferences();
  const preferred = method === "last" ? null : method;
  if (preferred !== null && (preferred !== "saved" || hasSaved)) return preferred;
  const remembered = recallMethod();
  if (remembered && remembered !== "saved") return remembered;
  if (hasSaved) return "saved";
  const byKeyboard =
    document.activeElement instanceof HTMLElement &&
    document.activeElement.matches(":focus-visible") &&
    !window.matchMedia("(pointer: coarse)").matches;
  return byKeyboard ? "type" : "draw";
}
