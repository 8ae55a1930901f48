import { type GuestEnvelope, type Role, type SignPage, turnInWords } from "@paraphe/contracts";
import { useEffect, useRef } from "react";
import { ApiError, callMessage } from "../../lib/api/api-error.ts";
import { formatInstant, formatLongDay } from "../../lib/format/format-dates.ts";
import { serviceRules } from "../../lib/api/service-rules.ts";
import type { SigningCalls } from "./signing-calls.ts";

/** `open` is the only state with something to do. */
export type RequestStanding =
  | { readonly kind: "open" }
  | { readonly kind: "sealing" }
  | { readonly kind: "signed"; readonly title: string; readonly text: string }
  | {
      readonly kind: "closed" | "waiting" | "failed";
      readonly title: string;
      readonly text: string;
      /** Only the deadline is in the way, so an extension may be asked for. */
      readonly isLate?: true;
      /** Closed because the reader did what was asked. */
      readonly isDone?: true;
      readonly isDeclined?: true;
      readonly isInAccount?: true;
      /** The link opens nothing, or no longer. */
      readonly isSpent?: true;
    };

export type Reading = {
  readonly data: GuestEnvelope | SignPage | undefined;
  readonly error: unknown;
};

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
    if (recipient.status === "declined") return declinedStanding(recipient.role);
    return {
      kind: "closed",
      title: "Demande close",
      text: "Un destinataire a refusé sa signature ou son visa\u00a0: cette demande est close.",
    };
  }
  if (status === "cancelled") return CANCELLED;
  if (status === "expired") return expiredStanding(request.deadline_at);
  if (recipient.status === "approved")
    return {
      kind: "closed",
      title: "Visa donné",
      text: "Votre visa est enregistré. Le document poursuit son circuit.",
      isDone: true,
    };
  if (recipient.status === "sealing") return { kind: "sealing" };
  if (recipient.status === "waiting")
    return {
      kind: "waiting",
      title: request.signs_before?.sent_back ?? EARLY,
      text: turnInWords(request.signs_before ?? { count: 0, names: [] }, serviceRules().mail),
    };
  return { kind: "open" };
}

/** Without mail, nobody gets a copy: guests have a link, members an account. */
function copyWords(request: GuestEnvelope | SignPage): string {
  if (request.mail !== false && serviceRules().mail) return "Une copie vous sera envoyée";
  return "otp" in request
    ? "Ce lien donnera le document signé"
    : "Vous trouverez le document signé dans votre compte";
}

export type RequestSubject = { readonly title: string; readonly senderName: string };

/** From the last reading, else from the refusal; null for a wrong link. */
export function subjectOf({ data, error }: Reading): RequestSubject | null {
  if (data) return { title: data.title, senderName: data.sender_name };
  const [title, senderName] = [
    refusalDetail(error, "document_title"),
    refusalDetail(error, "sender_name"),
  ];
  return typeof title === "string" && title !== "" && typeof senderName === "string"
    ? { title, senderName }
    : null;
}

export function refusalDetail(error: unknown, key: string): unknown {
  const body = error instanceof ApiError ? error.details.body : null;
  return typeof body === "object" && body !== null ? Reflect.get(body, key) : undefined;
}

/** Shown beside its button until the button is pressed. */
export const ASK_FOR_MORE_TIME = "Demandez une prolongation à l’expéditeur.";

const EARLY = "Pas encore votre tour";
const SIGNED = "Vous avez signé ce document";

const CANCELLED: RequestStanding = {
  kind: "closed",
  title: "Cette demande a été annulée",
  text: "L’expéditeur a annulé cette demande. Vous n’avez rien à faire.",
};

/** « de signer », after « refuser ». */
export function deedOf(role: Role): string {
  return role === "visa" ? "de viser" : role === "approver" ? "d’approuver" : "de signer";
}

export function declinedStanding(role: Role = "signer"): RequestStanding {
  const notice = serviceRules().mail
    ? "L’expéditeur en a été informé."
    : "Ce service n’envoie pas d’email\u00a0: prévenez l’expéditeur vous-même.";
  return {
    kind: "closed",
    title: "Demande close",
    text: `Vous avez refusé ${deedOf(role)} ce document. ${notice}`,
    isDeclined: true,
  };
}

/** Shown to a reader whose open request was withdrawn. */
export const WITHDRAWN: Ended = {
  kind: "closed",
  title: "Demande close",
  text: "Cette demande ne vous attend plus\u00a0: son expéditeur l’a annulée ou changée.",
  isSpent: true,
};

/** A refusal replaces what was read before; a cut network changes nothing. */
export function standingOf(reading: Reading, unknown: RequestStanding): RequestStanding | null {
  const { data, error } = reading;
  const isCut = error instanceof ApiError && error.isUnreachable;
  if (data && error instanceof ApiError && error.status === 404) return WITHDRAWN;
  if (error && !(data && isCut)) return failedStanding(error, unknown);
  return data ? requestStanding(data) : null;
}

export type Ended = Exclude<RequestStanding, { kind: "open" }>;

export const isWithdrawn = (error: unknown) => refusalDetail(error, "withdrawn") === true;

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

/** Without mail, nobody is notified when the turn comes. */
function earlyText(error: ApiError): string {
  const notice = serviceRules().mail
    ? "Un message vous préviendra."
    : "Revenez alors sur cette page.";
  return `${callMessage(error, "Ce n’est pas encore votre tour.")} ${notice}`;
}

/** `unknown` never reveals whether the request exists. */
export function failedStanding(error: unknown, unknown: RequestStanding): RequestStanding {
  if (error instanceof ApiError) {
    if (isWithdrawn(error)) return WITHDRAWN;
    if (error.status === 404) return unknown;
    if (error.code === "envelope_expired" || error.code === "deadline_passed")
      return expiredStanding(refusalDetail(error, "deadline_at"));
    if (error.code === "envelope_cancelled") return CANCELLED;
    if (error.code === "envelope_declined" && refusalDetail(error, "declined_by_you") === true)
      return declinedStanding();
    if (error.status === 410)
      return {
        kind: "closed",
        title:
          error.code === "step_reassigned"
            ? "Étape confiée à quelqu’un d’autre"
            : "Ce lien n’est plus valable",
        text: callMessage(error, "Demandez un nouveau lien à la personne qui vous l’a envoyé."),
      };
    if (error.code === "account_required")
      return {
        kind: "waiting",
        title: "Signez dans votre compte",
        text: callMessage(error, ""),
        isInAccount: true,
      };
    if (error.code === "already_signed")
      return { kind: "signed", title: SIGNED, text: "Votre signature est enregistrée." };
    if (error.code === "not_your_turn")
      return {
        kind: "waiting",
        title: (refusalDetail(error, "sent_back") as string | undefined) ?? EARLY,
        text: earlyText(error),
      };
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
  /** Null while the request is not open. */
  readonly recipientId: string | null;
  readonly readAgain: () => Promise<unknown>;
};

/**
 * Asks, whenever the page is seen again, whether the request was closed. An open one is not read
 * again, because documents may not change while they are read.
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
        // The focused element is gone, so the title takes the focus.
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

/** Network and server errors close nothing. */
async function isClosed(calls: SigningCalls, recipientId: string): Promise<boolean> {
  try {
    return requestStanding(await calls.load(undefined, recipientId)).kind === "closed";
  } catch (error) {
    return error instanceof ApiError && [404, 409, 410].includes(error.status);
  }
}
