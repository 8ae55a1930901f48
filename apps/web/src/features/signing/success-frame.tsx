import { type ReactNode, useEffect } from "react";
import { ApiError } from "../../lib/api/api-error.ts";
import { usePageTitle } from "../../ui/page-heading/page-heading.tsx";
import { SuccessStroke } from "../../ui/success-stroke/success-stroke.tsx";
import {
  type Ended,
  isWithdrawn,
  type Reading,
  refusalDetail,
  WITHDRAWN,
} from "./request-standing.ts";
import styles from "./success-frame.module.css";

type SignedState = Readonly<Record<"id" | "title" | "recipientId", string | null>>;

/** Navigation state is untrusted. */
export function readSignedState(state: unknown): SignedState {
  const record =
    typeof state === "object" && state !== null ? (state as Record<string, unknown>) : {};
  const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : null);
  const [id, title] = [text(record["id"]), text(record["title"])];
  return { id, title, recipientId: text(record["recipientId"]) };
}

export function SuccessFrame({ heading, children }: { heading: string; children: ReactNode }) {
  usePageTitle(heading);
  useEffect(
    () => document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true }),
    [],
  );
  return (
    <main className="center" id="contenu">
      <div className={`panel ${styles.panel}`}>
        <div className={`panel__b ${styles.body}`}>
          <SuccessStroke />
          <h1 className={`h1 ${styles.heading}`} tabIndex={-1}>
            {heading}
          </h1>
          {children}
        </div>
      </div>
    </main>
  );
}

/** `recipientId`: who signed; null where only the envelope is known. */
export function annulledStanding(
  { data, error }: Reading,
  recipientId: string | null = null,
): Ended | null {
  if (isWithdrawn(error)) return WITHDRAWN;
  const back = error instanceof ApiError && error.code === "not_your_turn";
  const isAsked = data?.status === "sent" || data?.status === "pending";
  const isOther = data !== undefined && "delegation" in data && recipientId === null;
  const isVoid =
    isAsked && !isOther && !data.recipient.signed && data.recipient.status !== "sealing";
  if (!back && !isVoid) return null;
  const to = refusalDetail(error, "sent_back");
  return {
    kind: "waiting",
    title: typeof to === "string" ? to : "Document renvoyé",
    text: back
      ? "Votre signature est annulée\u00a0: l’expéditeur corrige le document, et vous le redemandera si votre signature est encore attendue."
      : "Le document est renvoyé à une étape précédente. Votre signature est annulée\u00a0: elle vous est redemandée à votre tour.",
  };
}
