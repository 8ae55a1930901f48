import type { Envelope } from "@paraphe/contracts";
import {
  daysBetween,
  formatDay,
  formatDeadlineDistance,
} from "../../../lib/format/format-dates.ts";
import { plural } from "../../../lib/format/format-numbers.ts";
import { useServiceRules } from "../../../lib/api/service-rules.ts";
import { LinkButton } from "../../../ui/button/link-button.tsx";
import { type Column, actionsColumn } from "../../../ui/data-table/data-table.tsx";
import { DocCell } from "../../../ui/doc-cell/doc-cell.tsx";
import { EmptyState } from "../../../ui/empty-state/empty-state.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { withTeam } from "../../accounts/team-field.tsx";
import { unconfirmedAddress, useIsUnconfirmed } from "../../accounts/use-session.ts";
import { WorkLink } from "../../accounts/work.tsx";
import { ListPage } from "./list-page.tsx";
import styles from "../lists.module.css";
import { actWords, awaitedAct } from "../recipient-state.ts";
import { StatusBadge } from "../status-badge.tsx";
import { useEnvelopeList } from "./use-envelope-list.ts";

const FAILURE = "Impossible de charger les actions requises";
const sign = (envelope: Envelope) => `/signature/sign/${envelope.id}`;

export function ActionRequiredPage() {
  const source = useEnvelopeList({ status: "action_required", failure: FAILURE, noun: "document" });
  const isUnconfirmed = useIsUnconfirmed();
  const { mail } = useServiceRules();
  const confirmation =
    isUnconfirmed && mail ? (
      <LinkButton variant="primary" to="/profile">
        Confirmer mon adresse
      </LinkButton>
    ) : undefined;
  return (
    <ListPage
      title="Action requise"
      action={confirmation}
      lede={(count) =>
        isUnconfirmed && count === 0
          ? "Adresse à confirmer"
          : awaitedWords(count, source.list.data?.results ?? [])
      }
      failure={FAILURE}
      source={source}
      columns={COLUMNS}
      renderCard={(envelope) => (
        <>
          <DocCell
            title={envelope.title}
            to={sign(envelope)}
            subtitle={withTeam(envelope.team, withBehalf(envelope.created_by_name, envelope))}
          />
          <div className="row row--between">
            <StatusBadge status="action_required" />
            <span className="muted num">{deadlineLine(envelope)}</span>
          </div>
          <SignButton envelope={envelope} block />
        </>
      )}
      empty={
        isUnconfirmed ? (
          <EmptyState title="Confirmez votre adresse" action={confirmation}>
            {unconfirmedAddress()}
          </EmptyState>
        ) : (
          <EmptyState
            title="Rien à signer"
            action={
              <WorkLink variant="primary" to="/signature/new">
                Demander signature
              </WorkLink>
            }
          >
            Les documents qu’on vous envoie pour signature apparaîtront ici.
          </EmptyState>
        )
      }
    />
  );
}

const COLUMNS: readonly Column<Envelope>[] = [
  {
    key: "document",
    header: "Document",
    wide: true,
    cell: (envelope) => (
      <DocCell
        title={envelope.title}
        to={sign(envelope)}
        subtitle={withTeam(envelope.team, withBehalf(filesSummary(envelope), envelope))}
      />
    ),
  },
  {
    key: "sender",
    header: "Reçu de",
    cell: (envelope) => <div className={styles["name"]}>{envelope.created_by_name}</div>,
  },
  {
    key: "deadline",
    header: "Échéance",
    className: "num nowrap",
    cell: (envelope) =>
      envelope.deadline_at === null ? (
        "–"
      ) : (
        <>
          {formatDay(envelope.deadline_at)}
          <div className={isNear(envelope.deadline_at) ? styles["near"] : "muted small"}>
            {capitalise(formatDeadlineDistance(envelope.deadline_at, new Date()))}
          </div>
        </>
      ),
  },
  { key: "status", header: "Statut", cell: () => <StatusBadge status="action_required" /> },
  actionsColumn((envelope) => <SignButton envelope={envelope} />),
];

/** Three days are little to read and sign. */
const NEAR_DAYS = 3;

function isNear(deadline: string): boolean {
  return daysBetween(new Date(), deadline) <= NEAR_DAYS;
}

function SignButton({
  envelope,
  block = false,
}: {
  readonly envelope: Envelope;
  readonly block?: boolean;
}) {
  return (
    <LinkButton
      variant="primary"
      size={block ? "md" : "sm"}
      block={block}
      to={sign(envelope)}
      aria-label={`${actWords(envelope)} ${envelope.title}`}
    >
      <Icon name="pen" size="sm" />
      {actWords(envelope)}
    </LinkButton>
  );
}

function deadlineLine(envelope: Envelope): string {
  if (envelope.deadline_at === null) return "Sans échéance";
  return `${formatDay(envelope.deadline_at)}, ${formatDeadlineDistance(envelope.deadline_at, new Date())}`;
}

function filesSummary(envelope: Envelope): string {
  const pages = envelope.documents.reduce((sum, document) => sum + document.page_count, 0);
  return `${plural(envelope.documents.length, "fichier")}, ${plural(pages, "page")}`;
}

function awaitedWords(count: number, shown: readonly Envelope[]): string {
  if (count === 0) return "Aucun document ne vous attend";
  const act = awaitedAct(count, shown);
  const several = count > 1 ? "attendent" : "attend";
  const documents = plural(count, "document");
  return act === null ? `${documents} vous ${several}` : `${documents} ${several} ${act}`;
}

function withBehalf(words: string, { on_behalf_of: behalf }: Envelope): string {
  return behalf === undefined ? words : `${words} · pour ${behalf.full_name}`;
}

function capitalise(text: string): string {
  return text.charAt(0).toLocaleUpperCase("fr-FR") + text.slice(1);
}
