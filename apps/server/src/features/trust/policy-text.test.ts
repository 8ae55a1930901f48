import { createHash } from "node:crypto";
import { LEGAL_VERSIONS } from "@paraphe/contracts";
import { expect, test } from "vitest";
import type { PkiSettings } from "../../platform/settings/settings.ts";
import { policySections } from "./policy-text.ts";

const facts = {
  publicUrl: "https://sign.exemple.fr",
  pki: { organization: "Exemple", country: "FR" } as PkiSettings,
  root: new Uint8Array(32),
};

test("the text of the policy is that of its date: another text takes another day, then its own hash", () => {
  const texts = [false, true].map((isTimestampedOutside) => policySections({ ...facts, isTimestampedOutside }));
  expect(createHash("sha256").update(JSON.stringify(texts)).digest("hex")).toBe(LEGAL_VERSIONS.certificationPolicy.sha256);
});
