import { expect, it } from "vitest";
import { LOUPE, inLoupe, loupeCentre, loupePlace } from "./field-loupe.tsx";

const PHONE = { width: 390, height: 844 };

it("stands above the finger, inside the window", () => {
  expect(loupePlace({ x: 200, y: 400 }, PHONE)).toEqual({
    left: 200 - LOUPE.width / 2,
    top: 400 - 44 - LOUPE.height,
  });
  expect(loupePlace({ x: 4, y: 400 }, PHONE).left).toBe(8);
  expect(loupePlace({ x: 388, y: 400 }, PHONE).left).toBe(390 - LOUPE.width - 8);
});

it("goes to the side where there is no room above", () => {
  expect(loupePlace({ x: 60, y: 90 }, PHONE)).toEqual({ left: 104, top: 90 - LOUPE.height / 2 });
  expect(loupePlace({ x: 330, y: 20 }, PHONE)).toEqual({ left: 330 - 44 - LOUPE.width, top: 8 });
});

it("shows a whole field that moves when it fits, and the finger's own place otherwise", () => {
  const finger = { x: 100, y: 100 };
  const small = { left: 80, top: 90, width: 60, height: 20 };
  expect(loupeCentre(finger, small, "move")).toEqual({ x: 110, y: 100 });
  expect(loupeCentre(finger, small, "se")).toEqual(finger);
  expect(loupeCentre(finger, { ...small, width: 160 }, "move")).toEqual(finger);
});

it("magnifies around its middle", () => {
  expect(inLoupe({ left: 100, top: 100, width: 10, height: 5 }, { x: 100, y: 100 })).toEqual({
    left: LOUPE.width / 2,
    top: LOUPE.height / 2,
    width: 10 * LOUPE.zoom,
    height: 5 * LOUPE.zoom,
  });
});
