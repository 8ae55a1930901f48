import { describe, expect, test } from "vitest";
import {
  contrastOf,
  hasContrast,
  nearestReadable,
  paletteOf,
  parseColour,
  shownContrast,
} from "./colour.ts";

/** Hues all around the circle, pale to dark, dull to bright. */
const CIRCLE = Array.from({ length: 72 }, (_, step) => step * 5).flatMap((hue) =>
  [0.25, 0.6, 1].flatMap((saturation) =>
    [0.1, 0.3, 0.5, 0.7, 0.9].map((lightness) => fromHsl(hue, saturation, lightness)),
  ),
);

/** CSS Color 4 §7.1. */
function fromHsl(hue: number, saturation: number, lightness: number): string {
  const part = (at: number) => {
    const place = (at + hue / 30) % 12;
    const reach = saturation * Math.min(lightness, 1 - lightness);
    return lightness - reach * Math.max(-1, Math.min(place - 3, 9 - place, 1));
  };
  const hex = (value: number) =>
    Math.round(value * 255)
      .toString(16)
      .padStart(2, "0");
  return `#${hex(part(0))}${hex(part(8))}${hex(part(4))}`;
}

function hueOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    Number.parseInt(colour.slice(at, at + 2), 16),
  );
  return (Math.atan2(Math.sqrt(3) * (green - blue), 2 * red - green - blue) * 180) / Math.PI;
}

describe("a colour", () => {
  test.each([
    ["#6B1F3A", "#6b1f3a"],
    [" 6b1f3a ", "#6b1f3a"],
    ["#ABC", "#aabbcc"],
    ["#6b1f3", null],
    ["rouge", null],
    ["#6b1f3a;}", null],
    ["", null],
  ])("typed as '%s' is read as %s", (text, colour) => {
    expect(parseColour(text)).toBe(colour);
  });

  test("has the contrast that WCAG defines", () => {
    expect(contrastOf("#000000", "#ffffff")).toBeCloseTo(21, 5);
    expect(contrastOf("#ffffff", "#ffffff")).toBe(1);
    // These two greys stand on either side of the limit, as every checker says.
    expect([hasContrast("#767676"), hasContrast("#777777")]).toEqual([true, false]);
    expect(shownContrast(contrastOf("#777777", "#ffffff"))).toBe("4,4");
    expect(shownContrast(contrastOf("#6b1f3a", "#ffffff"))).toBe("11,2");
    expect(shownContrast(contrastOf("#e8923a", "#ffffff"))).toBe("2,4");
  });

  test("that is too light has a nearest one of its hue, which is no darker than needed", () => {
    for (const colour of CIRCLE) {
      const near = nearestReadable(colour);
      expect([colour, hasContrast(near)]).toEqual([colour, true]);
      if (hasContrast(colour)) expect(near).toBe(colour);
      else {
        expect([colour, contrastOf(near, "#ffffff") < 4.8]).toEqual([colour, true]);
        const turn = Math.abs(hueOf(near) - hueOf(colour)) % 360;
        expect([colour, Math.min(turn, 360 - turn) < 4]).toEqual([colour, true]);
      }
    }
    expect(nearestReadable("#e8923a")).toMatch(/^#[ab]\w[4-6]\w[01]\w$/);
  });
});

describe("the pages' palette", () => {
  test.each([
    ["light", "normal", 4.5, ["#ffffff", "#f3f4f8"]],
    ["light", "more", 7, ["#ffffff", "#f3f4f8"]],
    ["dark", "normal", 4.5, ["#161b2c", "#0e1220", "#1d2338"]],
    ["dark", "more", 7, ["#161b2c", "#0e1220", "#1d2338"]],
  ] as const)(
    "is read on every ground of the %s theme with %s contrast, for each hue",
    (theme, contrast, least, grounds) => {
      for (const colour of CIRCLE.filter(hasContrast)) {
        const palette = paletteOf(colour, { theme, contrast });
        const pairs = [
          ...[...grounds, palette["accent-soft"]].map((ground) => [palette.accent, ground]),
          ...[palette.accent, palette["accent-hover"], palette["accent-active"]].map((ground) => [
            palette["on-accent"],
            ground,
          ]),
        ] as const;
        for (const [one = "", other = ""] of pairs)
          expect([colour, one, other, contrastOf(one, other) >= least]).toEqual([
            colour,
            one,
            other,
            true,
          ]);
      }
    },
  );

  test("keeps a dark colour as it was chosen", () => {
    expect(paletteOf("#6b1f3a", { theme: "light" })).toMatchObject({
      accent: "#6b1f3a",
      "on-accent": "#ffffff",
    });
  });
});
