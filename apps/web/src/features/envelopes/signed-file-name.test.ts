import { expect, test } from "vitest";
import { signedFileName } from "./use-download.ts";

test("a signed document ends in _signe.pdf, another in .pdf, several in one zip", () => {
  expect(signedFileName({ title: "Bail – 12, rue Haute", isSigned: true }, "application/pdf")).toBe(
    "bail-12-rue-haute_signe.pdf",
  );
  expect(signedFileName({ title: "Bail", isSigned: false }, "application/pdf")).toBe("bail.pdf");
  expect(signedFileName({ title: "Bail", isSigned: true }, "application/zip")).toBe(
    "bail_signe.zip",
  );
});
