import { type GuestEnvelope, type SignPage, turnInWords } from "@paraphe/contracts";
import { useEffect, useRef } from "react";
import { ApiError } from "../../lib/api-error.ts";
import { callMessage } from "../../lib/call-message.ts";
import { formatInstant, formatLongDay } from "../../lib/format-dates.ts";
import { serviceRules } from "../../lib/service-rules.ts";
import type { SigningCalls } from "./signing-calls.ts";

/** Where a request stands for the person who opens it; `open` is the only one where something can be done. */
export type RequestStanding =
  | { readonly kind: "open" }
  | { readonly kind: "sealing" }
  | { readonly kind: "signed"; readonly title: string; readonly text: string }
  | {
      readonly kind: "closed" | "waiting" | "failed";
      readonly title: string;
      readonly text: string;
      /** The deadline alone stands in the way: more time may be asked for. */
      readonly isLate?: true;
    };

type Reading = { readonly data: GuestEnvelope | SignPage | undefined; readonly error: unknown };

/** Says where a request stands, in words for its reader. */
export function requestStanding(request: GuestEnvelope | SignPage): RequestStanding {
  const { recipient, status, progress } = request;
  if (recipient.signed) {
    const when = recipient.signed_at ? ` du ${formatInstant(recipient.signed_at)}` : "";
    const rest =
      progress.signed < progress.total
        ? ` ${copyWords(request)} quand tout le monde aura signé (${progress.signed} sur ${progress.total}).`
        : "";
    return {
      kind: "signed",
      title: SIGNED,
      text: `Votre signature${when} est enregistrée.${rest}`,
    };
  }
  if (status === "declined" || recipient.status === "declined") {
    if (recipient.status === "declined") return declinedStanding();
    return {
      kind: "closed",
      title: "Demande close",
      text: "Un destinataire a refusé de signer\u00a0: cette demande est close.",
    };
  }
  if (status === "cancelled") return CANCELLED;
  if (status === "expired") return expiredStanding(request.deadline_at);
  if (recipient.status === "sealing") return { kind: "sealing" };
  if (recipient.status === "waiting")
    return {
      kind: "waiting",
      title: "Pas encore votre tour",
      text: turnInWords(request.signs_before ?? { count: 0, names: [] }, serviceRules().mail),
    };
  return { kind: "open" };
}

/** Where no mail leaves, nobody is sent a copy: a guest has a link, a member an account. */
function copyWords(request: GuestEnvelope | SignPage): string {
  if (serviceRules().mail) return "Une copie vous sera envoyée";
  return "otp" in request
    ? "Ce lien donnera le document signé"
    : "Vous trouverez le document signé dans votre compte";
}

/** Which document a request is about, and who sent it. */
export type RequestSubject = { readonly title: string; readonly senderName: string };

/** Gives what a request is about: from its last reading, else from the refusal, which says it to whoever holds the right link; null for a wrong one. */
export function subjectOf({ data, error }: Reading): RequestSubject | null {
  if (data) return { title: data.title, senderName: data.sender_name };
  const [title, senderName] = [toldBy(error, "document_title"), toldBy(error, "sender_name")];
  return typeof title === "string" && title !== "" && typeof senderName === "string"
    ? { title, senderName }
    : null;
}

/** What a refusal of the service says beside its sentence. */
function toldBy(error: unknown, key: string): unknown {
  const body = error instanceof ApiError ? error.details.body : null;
  return typeof body === "object" && body !== null ? Reflect.get(body, key) : undefined;
}

/** What may be done about a deadline: it stands beside the button, until it was done. */
export const ASK_FOR_MORE_TIME = "Demandez une prolongation à l’expéditeur.";

const SIGNED = "Vous avez signé ce document";

const CANCELLED: RequestStanding = {
  kind: "closed",
  title: "Cette demande a été annulée",
  text: "L’expéditeur a annulé cette demande. Vous n’avez rien à faire.",
};

/** What one reads after refusing: the service answers 410 from then on. */
export function declinedStanding(): RequestStanding {
  const told = serviceRules().mail
    ? "L’expéditeur en a été informé."
    : "Ce service n’envoie pas d’email\u00a0: prévenez l’expéditeur vous-même.";
  return {
    kind: "closed",
    title: "Demande close",
    text: `Vous avez refusé de signer ce document. ${told}`,
  };
}

/** What one reads who had the request open, and for whom it is none any more. */
const WITHDRAWN: RequestStanding = {
  kind: "closed",
  title: "Demande close",
  text: "Cette demande ne vous attend plus\u00a0: son expéditeur l’a annulée ou changée.",
};

/**
 * Says where a request stands from the last reading of it. A refusal of the service outweighs what was read before it;
 * a cut network does not: the page stays as it is.
 */
export function standingOf(reading: Reading, who: "guest" | "member"): RequestStanding | null {
  const { data, error } = reading;
  const isCut = error instanceof ApiError && error.isUnreachable;
  if (data && error instanceof ApiError && error.status === 404) return WITHDRAWN;
  if (error && !(data && isCut)) return failedStanding(error, who);
  return data ? requestStanding(data) : null;
}

/** Until when one could sign, where it is known. */
function expiredStanding(deadline: unknown): RequestStanding {
  const isKnown = typeof deadline === "string" && !Number.isNaN(Date.parse(deadline));
  return {
    kind: "closed",
    title: "Le délai de signature est dépassé",
    text: isKnown
      ? `Il était possible de signer ce document jusqu’au ${formatLongDay(deadline)}.`
      : "Ce document ne peut plus être signé.",
    isLate: true,
  };
}

/** The service says when the turn comes; who is told of it depends on whether mail leaves. */
function earlyText(error: ApiError): string {
  const told = serviceRules().mail
    ? "Un message vous préviendra."
    : "Revenez alors sur cette page.";
  return `${callMessage(error, "Ce n’est pas encore votre tour.")} ${told}`;
}

/** Says why a request could not be read. Whether an unknown request exists is never told. */
export function failedStanding(error: unknown, who: "guest" | "member"): RequestStanding {
  if (error instanceof ApiError) {
    if (error.status === 404 && who === "guest")
      return {
        kind: "closed",
        title: "Lien non valide",
        text: "Ce lien n’est pas valide. Rouvrez celui que vous avez reçu, ou vérifiez que vous avez copié l’adresse entière.",
      };
    if (error.status === 404)
      return {
        kind: "closed",
        title: "Document introuvable",
        text: "Ce document n’existe pas, ou il ne vous est pas adressé.",
      };
    if (error.code === "envelope_expired" || error.code === "deadline_passed")
      return expiredStanding(toldBy(error, "deadline_at"));
    if (error.code === "envelope_cancelled") return CANCELLED;
    if (error.code === "envelope_declined" && toldBy(error, "declined_by_you") === true)
      return declinedStanding();
    if (error.status === 410)
      return {
        kind: "closed",
        title: "Ce lien n’est plus valable",
        text: callMessage(error, "Demandez un nouveau lien à la personne qui vous l’a envoyé."),
      };
    if (error.code === "already_signed")
      return { kind: "signed", title: SIGNED, text: "Votre signature est enregistrée." };
    if (error.code === "not_your_turn")
      return { kind: "waiting", title: "Pas encore votre tour", text: earlyText(error) };
    if (error.status === 409)
      return {
        kind: "closed",
        title: "Demande close",
        text: callMessage(error, "Cette demande n’attend plus de signature."),
      };
  }
  return {
    kind: "failed",
    title: "Chargement impossible",
    text: callMessage(error, "Impossible de charger les informations du document"),
  };
}

type OpenRequest = {
  readonly calls: SigningCalls;
  /** Whom the request is open for; null while it is not. */
  readonly recipientId: string | null;
  readonly readAgain: () => Promise<unknown>;
};

/**
 * Looks, whenever an open request is seen again, whether the service has closed it meanwhile (cancelled, expired, declined, withdrawn): it is then read
 * again, and the page says so. One that is still open stays as it was read: nothing changes under the reader's eyes.
 */
export function useClosedElsewhere({ calls, recipientId, readAgain }: OpenRequest): void {
  const latest = useRef(readAgain);
  useEffect(() => {
    latest.current = readAgain;
  });
  useEffect(() => {
    if (recipientId === null) return undefined;
    let isLooking = false;
    const look = async () => {
      if (isLooking || document.visibilityState === "hidden") return;
      isLooking = true;
      if (await isClosed(calls, recipientId)) {
        await latest.current();
        // What had the focus is gone: the title says what became of the request.
        requestAnimationFrame(() => document.querySelector("h1")?.focus());
      }
      isLooking = false;
    };
    const seen = () => void look();
    document.addEventListener("visibilitychange", seen);
    window.addEventListener("focus", seen);
    return () => {
      document.removeEventListener("visibilitychange", seen);
      window.removeEventListener("focus", seen);
    };
  }, [calls, recipientId]);
}

/** A cut network, or a service in trouble, closes nothing. */
async function isClosed(calls: SigningCalls, recipientId: string): Promise<boolean> {
  try {
    return requestStanding(await calls.load(undefined, recipientId)).kind === "closed";
  } catch (error) {
    return error instanceof ApiError && [404, 409, 410].includes(error.status);
  }
}
