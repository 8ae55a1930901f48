import { expect, test } from "vitest";
import { readJwsHeader } from "./checkpoint/verify-checkpoint.ts";

const HEADER = { alg: "ES256", kid: "k", typ: "JOSE", x5c: ["AA"] };
const read = (change: object) => readJwsHeader(JSON.stringify({ ...HEADER, ...change }));

test("parses the service's own header", () => {
  expect(read({})).toEqual({ alg: "ES256", kid: "k", x5c: ["AA"] });
});

test.each([
  { alg: "none" },
  { alg: "HS256" },
  { alg: "ES384" },
  { x5c: "AA" },
  { x5c: undefined },
  { crit: ["b64"], b64: false },
  { crit: ["exp"] },
  { crit: [] },
  { b64: true },
])(
  "one that chooses how it is checked, or asks for more than is done here, is refused: %j",
  (change) => {
    expect(read(change)).toBeNull();
  },
);
