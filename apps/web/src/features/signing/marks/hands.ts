import type { Hand } from "@paraphe/contracts";

/** `size` (rem) fits 17 letters in the picker. */
export const HANDS: readonly {
  readonly hand: Hand;
  readonly name: string;
  readonly family: string;
  readonly sizeRem: number;
  /** Mean letter width, in font sizes. */
  readonly letter: number;
}[] = [
  { hand: "caveat", name: "Vive", family: "var(--hand-vive)", sizeRem: 2.1, letter: 0.44 },
  {
    hand: "la-belle-aurore",
    name: "Lettre",
    family: "var(--hand-lettre)",
    sizeRem: 1.9,
    letter: 0.48,
  },
  {
    hand: "playwrite-fr-moderne",
    name: "Cahier",
    family: "var(--hand-cahier)",
    sizeRem: 1.25,
    letter: 0.62,
  },
  {
    hand: "herr-von-muellerhoff",
    name: "Notaire",
    family: "var(--hand-notaire)",
    sizeRem: 2.5,
    letter: 0.38,
  },
];

/** Fills the field: its width, at most its height. */
export function handStyle(hand: Hand, text: string): { fontFamily: string; fontSize: string } {
  const { family, letter } = HANDS.find((entry) => entry.hand === hand) ?? {
    family: "cursive",
    letter: 0.5,
  };
  const width = 96 / (Math.max([...text].length, 3) * letter);
  return { fontFamily: family, fontSize: `min(70cqh, ${width.toFixed(1)}cqw)` };
}

/** Scale to fit one line: 1 up to 17 letters. */
export function handFit(text: string): number {
  return Math.min(1, 17 / Math.max([...text].length, 1));
}

let loading: Promise<unknown> | undefined;

/** Loads the fonts once, when a hand is first shown. */
export function loadHands(): Promise<unknown> {
  loading ??= Promise.all([
    import("@fontsource-variable/caveat/index.css"),
    import("@fontsource/la-belle-aurore/400.css"),
    import("@fontsource/playwrite-fr-moderne/400.css"),
    import("@fontsource/herr-von-muellerhoff/400.css"),
  ]);
  return loading;
}
