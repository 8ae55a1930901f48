/** `#rrggbb`, in lower case. */
export type Colour = string;

/** Source: WCAG 2.2, criterion 1.4.3. */
export const LEAST_CONTRAST = 4.5;
/** For whoever asks for more contrast (criterion 1.4.6). */
const MORE_CONTRAST = 7;

const WHITE = "#ffffff";
const CANVAS = "#f3f4f8";
/** Surfaces of the dark theme in `themes.css`. */
export const DARK_SURFACE = "#161b2c";
const DARK_RAISED = "#1d2338";
const DARK_CANVAS = "#0e1220";

type Channels = readonly [red: number, green: number, blue: number];

/** Reads what people type: with or without `#`, three or six digits; null for no colour. */
export function parseColour(text: string): Colour | null {
  const digits = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/.exec(text.trim().toLowerCase())?.[1];
  if (digits === undefined) return null;
  return `#${digits.length === 3 ? digits.replace(/./g, "$&$&") : digits}`;
}

function channelsOf(colour: Colour): Channels {
  const value = Number.parseInt(colour.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

function colourOf(channels: readonly number[]): Colour {
  return `#${channels.map((one) => Math.round(one).toString(16).padStart(2, "0")).join("")}`;
}

/** WCAG 2.2, « relative luminance ». */
function luminanceOf(colour: Colour): number {
  const [red, green, blue] = channelsOf(colour).map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as unknown as Channels;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** WCAG 2.2, « contrast ratio »: 1 to 21. */
export function contrastOf(one: Colour, other: Colour): number {
  const [light, dark] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => b - a);
  return ((light as number) + 0.05) / ((dark as number) + 0.05);
}

/** White words can be read on it. */
export function hasContrast(colour: Colour): boolean {
  return contrastOf(colour, WHITE) >= LEAST_CONTRAST;
}

/** Never rounds up to what is refused: « 4,4 » for 4.49. */
export function shownContrast(ratio: number): string {
  const tenths = ratio < LEAST_CONTRAST ? Math.floor(ratio * 10) : Math.round(ratio * 10);
  return (tenths / 10).toFixed(1).replace(".", ",");
}

function mix(one: Colour, other: Colour, share: number): Colour {
  const others = channelsOf(other);
  return colourOf(
    channelsOf(one).map((channel, at) => channel * share + (others[at] as number) * (1 - share)),
  );
}

/** Hue and saturation stay; `lightness` 0 to 1. Source: CSS Color 4 §7. */
function withLightness(colour: Colour, lightness: number): Colour {
  const parts = channelsOf(colour).map((channel) => channel / 255);
  const [most, least] = [Math.max(...parts), Math.min(...parts)];
  const middle = (most + least) / 2;
  const spread = 1 - Math.abs(2 * middle - 1);
  const saturation = spread === 0 ? 0 : (most - least) / spread;
  const chroma = saturation * (1 - Math.abs(2 * lightness - 1));
  const base = lightness - chroma / 2;
  return colourOf(
    parts.map(
      (part) => 255 * (base + (most === least ? 0 : (chroma * (part - least)) / (most - least))),
    ),
  );
}

function lightnessOf(colour: Colour): number {
  const channels = channelsOf(colour);
  return (Math.max(...channels) + Math.min(...channels)) / 510;
}

const STEPS = 256;

/** Gives the colour itself, or the nearest of its hue that can be read on each of the grounds. */
function towards(
  end: "black" | "white",
  colour: Colour,
  { grounds, least }: { readonly grounds: readonly Colour[]; readonly least: number },
): Colour {
  const from = lightnessOf(colour);
  const to = end === "black" ? 0 : 1;
  for (let step = 0; step < STEPS; step += 1) {
    const one = step === 0 ? colour : withLightness(colour, from + ((to - from) * step) / STEPS);
    if (grounds.every((ground) => contrastOf(one, ground) >= least)) return one;
  }
  return end === "black" ? "#000000" : WHITE;
}

/** Gives one of the same hue; the colour itself when white words can be read on it. */
export function nearestReadable(colour: Colour): Colour {
  return towards("black", colour, { grounds: [WHITE], least: LEAST_CONTRAST });
}

export type Palette = {
  readonly accent: Colour;
  readonly "accent-hover": Colour;
  readonly "accent-active": Colour;
  readonly "accent-soft": Colour;
  readonly "accent-line": Colour;
  readonly "on-accent": Colour;
  readonly focus: Colour;
};

/**
 * `accent` can be read on every ground of its theme, `on-accent` on `accent`. The dark theme has a
 * tint of the same hue.
 */
export function paletteOf(
  colour: Colour,
  { theme, contrast = "normal" }: { theme: "light" | "dark"; contrast?: "normal" | "more" },
): Palette {
  const least = contrast === "more" ? MORE_CONTRAST : LEAST_CONTRAST;
  const isDark = theme === "dark";
  const end = isDark ? "white" : "black";
  const soft = isDark ? mix(colour, DARK_RAISED, 0.12) : mix(colour, WHITE, 0.08);
  const grounds = isDark ? [DARK_SURFACE, DARK_RAISED, soft] : [WHITE, CANVAS, soft];
  const accent = towards(end, colour, { grounds, least });
  const further = (share: number) =>
    withLightness(accent, lightnessOf(accent) * (1 - share) + (isDark ? share : 0));
  return {
    accent,
    "accent-hover": further(0.2),
    "accent-active": further(0.4),
    "accent-soft": soft,
    "accent-line": mix(accent, isDark ? DARK_RAISED : WHITE, 0.35),
    "on-accent": isDark ? DARK_CANVAS : WHITE,
    focus: accent,
  };
}
