import type { GuestEnvelope } from "@paraphe/contracts";
import { expect, it } from "vitest";
import { ApiError } from "../../lib/api/api-error.ts";
import { failedStanding, requestStanding, standingOf, subjectOf } from "./request-standing.ts";

const request = (
  part: Partial<GuestEnvelope> = {},
  recipient: Partial<GuestEnvelope["recipient"]> = {},
): GuestEnvelope => ({
  id: "e1",
  title: "Bail",
  status: "sent",
  sender_name: "Paul Martin",
  message: null,
  deadline_at: "2026-11-20T22:59:59Z",
  recipient: {
    id: "r1",
    full_name: "Camille Roux",
    email: "c•••@exemple.fr",
    phone_hint: null,
    role: "signer",
    status: "notified",
    signed: false,
    signed_at: null,
    ...recipient,
  },
  progress: { signed: 1, total: 2, percent: 50 },
  otp: { channel: "email", failed: null, verified: false, resend_in: 0 },
  ...part,
});
const UNKNOWN = { kind: "closed", title: "Inconnu", text: "Rien." } as const;
/** The guest's standing after a refusal of the service. */
const refused = (status: number, code: string, more: object = {}) =>
  failedStanding(new ApiError({ status, code, ...more }), UNKNOWN);
const title = (standing: ReturnType<typeof requestStanding>) =>
  "title" in standing ? standing.title : standing.kind;
const text = (standing: ReturnType<typeof requestStanding>) =>
  "text" in standing ? standing.text.replaceAll("\u00a0", " ") : standing.kind;

it("gives the subject from the last reading, else from the refusal of a right link", () => {
  const subject = { title: "Bail", senderName: "Paul Martin" };
  const refusal = (body: object) => new ApiError({ status: 410, code: "envelope_cancelled", body });
  expect(subjectOf({ data: request(), error: null })).toEqual(subject);
  expect(
    subjectOf({
      data: undefined,
      error: refusal({ document_title: "Bail", sender_name: "Paul Martin" }),
    }),
  ).toEqual(subject);
  for (const body of [
    {},
    { document_title: "", sender_name: "Paul Martin" },
    { document_title: "Bail" },
  ])
    expect(subjectOf({ data: undefined, error: refusal(body) })).toBeNull();
  expect(subjectOf({ data: undefined, error: new Error("cut") })).toBeNull();
});

it("says to whom the reader sent the document back", () => {
  const signs_before = { count: 1, names: ["Léo Marchand"], sent_back: "Renvoyé à Léo Marchand" };
  const standing = requestStanding(request({ signs_before }, { status: "waiting" }));
  expect(title(standing)).toBe("Renvoyé à Léo Marchand");
  const early = refused(409, "not_your_turn", { body: { sent_back: "Renvoyé à Léo Marchand" } });
  expect(title(early)).toBe("Renvoyé à Léo Marchand");
  expect(title(refused(409, "not_your_turn"))).toBe("Pas encore votre tour");
});

it("is open while the signature is awaited", () => {
  expect(requestStanding(request()).kind).toBe("open");
});
it("says when the signer has signed, and how many are awaited", () => {
  expect(
    text(
      requestStanding(
        request({}, { status: "signed", signed: true, signed_at: "2026-11-21T11:38:00Z" }),
      ),
    ),
  ).toBe(
    "Votre signature du 21 novembre 2026 à 12 h 38 est enregistrée. Une copie vous sera envoyée quand tout le monde aura signé (1 sur 2).",
  );
});
it("says that a signature is being sealed, or that the turn has not come", () => {
  expect(requestStanding(request({}, { status: "sealing" })).kind).toBe("sealing");
  expect(text(requestStanding(request({}, { status: "waiting" })))).toBe(
    "Ce n’est pas encore votre tour. Vous recevrez un message le moment venu.",
  );
  const waiting = (signs_before: GuestEnvelope["signs_before"]) =>
    text(requestStanding(request({ signs_before }, { status: "waiting" })));
  expect(waiting({ count: 1, names: ["Paul Martin"] })).toBe(
    "Ce n’est pas encore votre tour. Vous recevrez un message après la signature de Paul Martin.",
  );
  expect(waiting({ count: 2, names: [] })).toBe(
    "Ce n’est pas encore votre tour. Vous recevrez un message après les signatures des 2 personnes qui vous précèdent.",
  );
});
it("says why a request is closed", () => {
  const cancelled = requestStanding(request({ status: "cancelled" }));
  expect([title(cancelled), text(cancelled)]).toEqual([
    "Cette demande a été annulée",
    "L’expéditeur a annulé cette demande. Vous n’avez rien à faire.",
  ]);
  const expired = requestStanding(request({ status: "expired" }));
  expect([title(expired), text(expired)]).toEqual([
    "Le délai de signature est dépassé",
    "Il était possible de signer ce document jusqu’au 20 novembre 2026.",
  ]);
  expect(text(requestStanding(request({ status: "declined" })))).toBe(
    "Un destinataire a refusé sa signature ou son visa : cette demande est close.",
  );
  expect(text(requestStanding(request({ status: "declined" }, { status: "declined" })))).toBe(
    "Vous avez refusé de signer ce document. L’expéditeur en a été informé.",
  );
});

it("says what its reader is told of an unknown request", () => {
  expect(refused(404, "not_found")).toBe(UNKNOWN);
});
it("uses the same words for a refusal as for a cancelled or signed request", () => {
  const words = (code: string, status: number) => {
    const standing = refused(status, code);
    return [title(standing), text(standing)];
  };
  expect(words("envelope_cancelled", 410)).toEqual([
    "Cette demande a été annulée",
    "L’expéditeur a annulé cette demande. Vous n’avez rien à faire.",
  ]);
  expect(words("already_signed", 409)).toEqual([
    "Vous avez signé ce document",
    "Votre signature est enregistrée.",
  ]);
});
it("says when the turn comes, and that a message will say so", () => {
  const sentence =
    "Ce n’est pas encore votre tour. Vous pourrez répondre après la signature de Paul Martin.";
  expect(
    text(failedStanding(new ApiError({ status: 409, code: "not_your_turn", sentence }), UNKNOWN)),
  ).toBe(`${sentence} Un message vous préviendra.`);
});
it("says who refused: this reader or somebody else", () => {
  const declined = (declined_by_you: boolean) => {
    const more = { sentence: "Un destinataire a refusé.", body: { declined_by_you } };
    return text(refused(410, "envelope_declined", more));
  };
  expect(declined(true)).toBe(
    "Vous avez refusé de signer ce document. L’expéditeur en a été informé.",
  );
  expect(declined(false)).toBe("Un destinataire a refusé.");
});
it("says since when the deadline has passed", () => {
  const late = (body: object) =>
    text(refused(410, "envelope_expired", { sentence: "Le délai est dépassé.", body }));
  expect(late({ deadline_at: "2026-11-20T22:59:59Z" })).toBe(
    "Il était possible de signer ce document jusqu’au 20 novembre 2026.",
  );
  expect(late({})).toBe("Ce document ne peut plus être signé.");
});
it("can be tried again when no answer came", () => {
  expect(failedStanding(new ApiError({ status: 0 }), UNKNOWN)).toMatchObject({
    kind: "failed",
    text: "Impossible de charger les informations du document",
  });
});

it("closes a request that the service now refuses", () => {
  const gone = new ApiError({
    status: 410,
    code: "envelope_cancelled",
    sentence: "Cette demande a été annulée par l’expéditeur.",
  });
  expect(standingOf({ data: request(), error: gone }, UNKNOWN)?.kind).toBe("closed");
});
it("leaves a request as it was when the network is cut", () => {
  expect(standingOf({ data: request(), error: new ApiError({ status: 0 }) }, UNKNOWN)?.kind).toBe(
    "open",
  );
  expect(standingOf({ data: undefined, error: null }, UNKNOWN)).toBeNull();
});
