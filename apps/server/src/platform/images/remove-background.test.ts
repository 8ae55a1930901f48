import { expect, test } from "vitest";
import { type Pixels, removeBackground } from "./remove-background.ts";

/** A sheet of one grey with a stroke of another: 20 pixels long, 2 high. */
function sheet(paper: number, ink: number | null): Pixels {
  const [width, height] = [100, 50];
  const data = new Uint8ClampedArray(4 * width * height).fill(255);
  for (let pixel = 0; pixel < width * height; pixel++) {
    const [x, y] = [pixel % width, Math.floor(pixel / width)];
    const isInk = ink !== null && x >= 40 && x < 60 && y >= 20 && y < 22;
    data.fill(isInk ? ink : paper, 4 * pixel, 4 * pixel + 3);
  }
  return { width, height, data };
}
const opacities = ({ data }: Pixels) => data.filter((_, index) => index % 4 === 3);

test.each([
  ["white paper", 250, 10],
  ["paper in the shade", 190, 40],
  ["a grey pencil on white paper", 255, 120],
])("on %s the stroke stays, with a margin, and the paper goes", (_what, paper, ink) => {
  const cleaned = removeBackground(sheet(paper, ink));
  expect(cleaned).toMatchObject({ width: 32, height: 14 });
  const kept = opacities(cleaned as Pixels);
  expect(kept.filter((opacity) => opacity > 200)).toHaveLength(40);
  expect(kept.filter((opacity) => opacity < 24)).toHaveLength(32 * 14 - 40);
});

test("a picture that is transparent already keeps its stroke", () => {
  const picture = sheet(255, 30);
  for (let index = 0; index < picture.data.length; index += 4) if (picture.data[index] === 255) picture.data[index + 3] = 0;
  expect(removeBackground(picture)).toMatchObject({ width: 32, height: 14 });
});

test("a blank sheet leaves nothing", () => {
  expect(removeBackground(sheet(250, null))).toBeNull();
});
