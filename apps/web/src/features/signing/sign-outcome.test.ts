import { expect, it } from "vitest";
import { ApiError } from "../../lib/api/api-error.ts";
import { readSignFailure } from "./sign-outcome.ts";

const refused = (status: number, code: string, more: object = {}) =>
  new ApiError({ status, code, ...more });

it("says what is known when no answer came, and may send the request again", () => {
  for (const error of [new ApiError({ status: 0 }), new ApiError({ status: 504 })]) {
    expect(readSignFailure(error, { isAbsent: true })).toEqual({
      kind: "retry",
      message: "Votre signature n’a pas été enregistrée. Rien n’est perdu\u00a0: réessayez.",
    });
    expect(readSignFailure(error)).toEqual({
      kind: "retry",
      message:
        "La connexion a été coupée\u00a0: nous ne savons pas encore si votre signature a été enregistrée. Rien n’est perdu\u00a0: réessayez, elle ne sera pas faite deux fois.",
    });
  }
});
it("asks for another mark when the mark is refused, and says what to do", () => {
  const refusedWith = (errors: Record<string, string[]>, code = "validation") =>
    readSignFailure(
      refused(400, code, {
        sentence: "Certaines informations sont manquantes ou incorrectes.",
        errors,
      }),
    );
  const outside =
    "Un trait sort de la zone de dessin. Effacez, puis dessinez votre signature de nouveau.";
  expect(refusedWith({ "signature.strokes.0.3.1": [outside] })).toEqual({
    kind: "mark",
    purpose: "signature",
    message: `${outside} Vos réponses sont gardées.`,
  });
  expect(refusedWith({ signature: ["Saisissez votre nom"] })).toEqual({
    kind: "mark",
    purpose: "signature",
    message: "Saisissez votre nom. Vos réponses sont gardées.",
  });
  expect(refusedWith({ "signature.strokes.0.3.2": ["La pression va de 0 à 1."] })).toEqual({
    kind: "mark",
    purpose: "signature",
    message:
      "La pression va de 0 à 1. Dessinez-la de nouveau, ou saisissez votre nom. Vos réponses sont gardées.",
  });
  expect(
    readSignFailure(
      refused(400, "invalid_image", { sentence: "Cette image ne peut pas être lue." }),
    ).kind,
  ).toBe("mark");
});
it("distinguishes refused initials from a refused signature", () => {
  const refusedWith = (errors: Record<string, string[]>) =>
    readSignFailure(refused(400, "unsupported_character", { errors }));
  expect(
    refusedWith({ initials: ["Le caractère «\u00a0署\u00a0» ne peut pas être imprimé."] }),
  ).toEqual({
    kind: "mark",
    purpose: "initials",
    message:
      "Le caractère «\u00a0署\u00a0» ne peut pas être imprimé. Dessinez-le de nouveau, ou saisissez vos initiales. Vos réponses sont gardées.",
  });
  expect(
    refusedWith({
      "initials.strokes.0.0.1": ["Effacez, puis dessinez votre signature de nouveau."],
    }),
  ).toMatchObject({
    purpose: "initials",
    message: "Effacez, puis dessinez votre paraphe de nouveau. Vos réponses sont gardées.",
  });
});
it("asks for a code again when the confirmation has expired", () => {
  expect(readSignFailure(refused(403, "otp_required"))).toEqual({ kind: "code" });
});
it("shows the documents again when they have changed", () => {
  expect(
    readSignFailure(
      refused(409, "documents_changed", {
        sentence: "Le document a changé depuis votre lecture. Relisez-le avant de signer.",
      }),
    ),
  ).toEqual({
    kind: "reload",
    message: "Le document a changé depuis votre lecture. Relisez-le avant de signer.",
  });
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
it("shows the error of each field", () => {
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
it("uses the specification's words for a failed signature when the service gives none", () => {
  expect(readSignFailure(refused(500, "internal"))).toEqual({
    kind: "retry",
    message: "Impossible de signer l'enveloppe",
  });
  expect(readSignFailure(new Error("bug"))).toEqual({
    kind: "retry",
    message: "Impossible de signer l'enveloppe",
  });
});
