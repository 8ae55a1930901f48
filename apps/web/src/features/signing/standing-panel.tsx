import { capitalised, ofName } from "@paraphe/kernel/french-words";
import type { ReactNode } from "react";
import { Button } from "../../ui/button/button.tsx";
import { DocCell } from "../../ui/doc-cell/doc-cell.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { PageHeading } from "../../ui/page-heading/page-heading.tsx";
import type { RequestStanding, RequestSubject } from "./request-standing.ts";
import { SEALING } from "./sign-outcome.ts";
import styles from "./standing-panel.module.css";

type StandingPanelProps = {
  readonly standing: Exclude<RequestStanding, { kind: "open" }>;
  /** Null where it may not be revealed. */
  readonly subject?: RequestSubject | null;
  readonly onRetry?: () => void;
  readonly children?: ReactNode;
};
const ICONS = {
  signed: "check-circle",
  closed: "cancel",
  waiting: "clock",
  failed: "warning",
  sealing: "lock",
} as const;

export function StandingPanel({ standing, subject, onRetry, children }: StandingPanelProps) {
  const isSealing = standing.kind === "sealing";
  const look = "isDone" in standing ? "signed" : standing.kind;
  const title = isSealing ? "Signature enregistrée" : standing.title;
  return (
    <div className="center">
      <div className="panel">
        <div className={`panel__b ${styles.panel}`} aria-busy={isSealing}>
          <span className={styles.icon} data-kind={look}>
            <Icon name={ICONS[look]} />
          </span>
          <PageHeading title={title}>{title}</PageHeading>
          <p className="ink2" role={standing.kind === "failed" ? "alert" : "status"}>
            {isSealing ? SEALING : standing.text}
          </p>
          {subject ? (
            <div className={styles.subject}>
              <DocCell title={subject.title} subtitle={capitalised(ofName(subject.senderName))} />
            </div>
          ) : null}
          {standing.kind === "failed" && onRetry ? (
            <Button onClick={onRetry}>
              <Icon name="refresh" size="sm" />
              Réessayer
            </Button>
          ) : null}
          {children}
        </div>
      </div>
    </div>
  );
}
