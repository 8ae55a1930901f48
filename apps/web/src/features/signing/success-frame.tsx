import { type ReactNode, useEffect } from "react";
import { usePageTitle } from "../../ui/page-heading/page-heading.tsx";
import { SuccessStroke } from "../../ui/success-stroke/success-stroke.tsx";
import styles from "./success-frame.module.css";

type SignedState = { readonly id: string | null; readonly title: string | null };

/** Navigation state is untrusted. */
export function readSignedState(state: unknown): SignedState {
  const record =
    typeof state === "object" && state !== null ? (state as Record<string, unknown>) : {};
  const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : null);
  return { id: text(record["id"]), title: text(record["title"]) };
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
