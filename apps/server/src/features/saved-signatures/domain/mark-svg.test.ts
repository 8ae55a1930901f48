import { expect, it } from "vitest";
import { strokesSvg } from "./strokes-svg.ts";
import { textSvg } from "./text-svg.ts";

it("draws each stroke as segments as wide as the pen was pressed, in a frame cut to the ink", () => {
  const svg = strokesSvg([
    [
      [0, 0, 0],
      [1, 0.5, 1],
      [1, 1, 1],
    ],
  ]);
  expect(svg).toContain('viewBox="-0.034 -0.034 1.068 1.068"');
  expect([...svg.matchAll(/stroke-width="([\d.]+)"/g)].map(([, width]) => width)).toEqual(["0.022", "0.034"]);
});

it("draws a dot for a stroke of one point", () => {
  expect(strokesSvg([[[0.5, 0.5, 0.5]], [[0, 0, 1]]]).match(/<path /g)).toHaveLength(2);
});

it("writes a typed mark as text that can be no markup", () => {
  const svg = textSvg({ text: `"><script>'&`, hand: "caveat" });
  expect(svg).toContain("&#34;&#62;&#60;script&#62;&#39;&#38;");
  expect(svg).toContain("font-family=\"'Caveat', cursive\"");
});
