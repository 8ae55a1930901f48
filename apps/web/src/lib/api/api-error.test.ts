import { expect, test } from "vitest";
import { ApiError, callMessage } from "./api-error.ts";

test("gives the server's sentence, else the call's own default", () => {
  expect(
    callMessage(
      new ApiError({ status: 409, sentence: "Action impossible" }),
      "Échec de l'annulation",
    ),
  ).toBe("Action impossible");
  expect(callMessage(new ApiError({ status: 500 }), "Échec de l'annulation")).toBe(
    "Échec de l'annulation",
  );
  expect(callMessage(new TypeError("bug"), "Échec de l'annulation")).toBe("Échec de l'annulation");
});
