import { describe, expect, it } from "vitest";
import { ApiError } from "../../lib/api-error.ts";
import { readSignFailure } from "./sign-outcome.ts";

const refused = (status: number, code: string, more: object = {}) => new ApiError({ status, code, ...more });

describe("a signature that did not pass", () => {
  it("may go again as it was when no answer came", () => {
    expect(readSignFailure(new ApiError({ status: 0 }))).toEqual({
      kind: "retry",
      message: "Votre signature n’a pas été enregistrée. Rien n’est perdu\u202f: réessayez.",
    });
  });
  it("asks for a code again when the confirmation has expired", () => {
    expect(readSignFailure(refused(403, "otp_required"))).toEqual({ kind: "code" });
  });
  it("shows the documents again when they have changed", () => {
    expect(
      readSignFailure(
        refused(409, "documents_changed", { sentence: "Le document a changé depuis votre lecture. Relisez-le avant de signer." }),
      ),
    ).toEqual({ kind: "reload", message: "Le document a changé depuis votre lecture. Relisez-le avant de signer." });
  });
  it.each([
    "already_signed",
    "not_your_turn",
    "envelope_cancelled",
    "envelope_expired",
    "envelope_declined",
    "invalid_state",
    "deadline_passed",
  ])("reads the request again when it is refused as %s", (code) => {
    expect(readSignFailure(refused(409, code))).toEqual({ kind: "reload", message: null });
  });
  it("shows under each field what is wrong with it", () => {
    expect(
      readSignFailure(
        refused(400, "field_required", {
          sentence: "Remplissez tous les champs obligatoires avant de signer.",
          errors: { "fields.f1": ["Champ obligatoire"] },
        }),
      ),
    ).toEqual({
      kind: "fields",
      message: "Remplissez tous les champs obligatoires avant de signer.",
      errors: { f1: "Champ obligatoire" },
    });
  });
  it("has the specification's words when the service gives none", () => {
    expect(readSignFailure(refused(500, "internal"))).toEqual({ kind: "retry", message: "Impossible de signer l'enveloppe" });
    expect(readSignFailure(new Error("bug"))).toEqual({ kind: "retry", message: "Impossible de signer l'enveloppe" });
  });
});
