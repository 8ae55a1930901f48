import type { Envelope } from "@paraphe/contracts";
import { refusedBy } from "@paraphe/kernel/french-words";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { Link, useLocation, useParams } from "react-router";
import { announce } from "../../../lib/browser/announce.ts";
import { ApiError, serverSentence } from "../../../lib/api/api-error.ts";
import { formatInstant, formatWeekday } from "../../../lib/format/format-dates.ts";
import { useServiceRules } from "../../../lib/api/service-rules.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { LinkButton } from "../../../ui/button/link-button.tsx";
import { CopyField } from "../../../ui/copy-field/copy-field.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { lazyPart } from "../../../ui/lazy-step/lazy-step.tsx";
import { PageHeading } from "../../../ui/page-heading/page-heading.tsx";
import { Skeleton } from "../../../ui/skeleton/skeleton.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { DetailActions } from "./detail-actions.tsx";
import styles from "../detail.module.css";
import { DocumentCard } from "./document-card.tsx";
import { OPEN_STATUSES, envelopeCalls } from "../envelope-calls.ts";
import { FactsCard } from "./facts-card.tsx";
import { JournalCard } from "./journal-card.tsx";
import { listAddress, listOfEnvelope } from "../use-row-action.ts";
import { PrintsCard, ProofCard } from "./proof-card.tsx";
import { isLeaving, lastReminder } from "../recipient-state.ts";
import { openedWord } from "../reached-words.ts";
import { SignaturesCard } from "./signatures-card.tsx";
import { SignersCard } from "./signers-card.tsx";
import { StatusBadge } from "../status-badge.tsx";

/** Without mail the sender passes on this address, which works for recipients alone. */
export function HandOver({ envelope }: { readonly envelope: Envelope }) {
  const { mail } = useServiceRules();
  const isUntold = envelope.recipients.some(({ status }) => status === "unreached");
  if (mail || !envelope.is_owner || !isUntold || !OPEN_STATUSES.has(envelope.status)) return null;
  return (
    <Alert tone="info" title="Ce service n’envoie pas d’email">
      <div className="stack stack--sm">
        <p>
          Prévenez vous-même les personnes marquées « Pas encore prévenu » et transmettez-leur cette
          adresse. Elle s’ouvre depuis leur compte Paraphe, si leur email y est confirmé.
        </p>
        <CopyField
          label="Adresse à transmettre"
          value={`${window.location.origin}/signature/sign/${envelope.id}`}
        />
      </div>
    </Alert>
  );
}

/** Announces another user's actions to screen readers, and any change of the deadline. */
export function useAnnouncedChanges(envelope: Envelope): void {
  const before = useRef(envelope);
  useEffect(() => {
    const sentences = changesBetween(before.current, envelope);
    before.current = envelope;
    if (sentences.length > 0) announce(sentences.join(" "));
  }, [envelope]);
}

export function changesBetween(before: Envelope, now: Envelope): readonly string[] {
  if (before.id !== now.id) return [];
  const people = now.recipients.flatMap((person) => {
    const known = before.recipients.find(({ id }) => id === person.id);
    if (known === undefined) return [];
    if (person.approved_at !== null && known.approved_at === null)
      return [`${person.full_name} a donné son visa.`];
    if (person.signed && !known.signed) return [`${person.full_name} a signé.`];
    if (person.status === "declined" && known.status !== "declined")
      return [`${person.full_name} ${refusedBy(person.role)}.`];
    return person.viewed_at !== null && known.viewed_at === null
      ? [`${person.full_name} a ouvert le document.`]
      : [];
  });
  const dated = [...people, ...deadlineChange(before.deadline_at, now.deadline_at)];
  if (now.status === before.status) return dated;
  if (now.returned) return [...dated, "Le document vous est renvoyé."];
  if (now.status === "completed") return [...dated, "Toutes les signatures sont recueillies."];
  return now.status === "expired" ? [...dated, "L’échéance est dépassée."] : dated;
}

/** Announces the user's own change too: the dialog that made it silenced the page. */
function deadlineChange(before: string | null, now: string | null): readonly string[] {
  if (before === now) return [];
  if (now === null) return ["Échéance retirée."];
  const moved =
    before === null ? "fixée" : Date.parse(now) > Date.parse(before) ? "prolongée" : "avancée";
  return [`Échéance ${moved} au ${formatWeekday(now)}.`];
}

const FAILURE = "Impossible de charger les informations du document";
/** The server that takes a message answers within seconds. */
const LEAVING_MS = 3_000;

export function DetailPage() {
  const { id = "" } = useParams();
  const { data, error, refetch } = useQuery({
    queryKey: ["envelopes", "detail", id],
    queryFn: ({ signal }) => envelopeCalls.load(id, signal),
    refetchInterval: ({ state }) => refreshIn(state.data),
  });

  const isPurged = data !== undefined && error instanceof ApiError && error.status === 404;
  const inCorrection = typeof detailOf(error, "sent_back") === "string";
  useEffect(() => {
    if (error && !isPurged && !inCorrection) showToast("err", FAILURE);
  }, [error, isPurged, inCorrection]);

  return (
    <main className="main" id="contenu">
      {data && !isPurged && !inCorrection && <Detail envelope={data} />}
      {isPurged && <Purged title={data.title} />}
      {!data && !error && <DetailSkeleton />}
      {error && inCorrection && <InCorrection error={error} />}
      {!data && error && !inCorrection && (
        <div className="stack">
          <PageHeading title="Document">Document</PageHeading>
          <Alert tone="danger" title={FAILURE}>
            {serverSentence(error) !== undefined && <div>{serverSentence(error)}</div>}
            <Button size="sm" onClick={() => void refetch()}>
              <Icon name="refresh" size="sm" />
              Réessayer
            </Button>
          </Alert>
        </div>
      )}
    </main>
  );
}

function detailOf(error: unknown, key: string): unknown {
  const body = error instanceof ApiError ? error.details.body : null;
  return typeof body === "object" && body !== null ? Reflect.get(body, key) : undefined;
}

function InCorrection({ error }: { readonly error: Error }) {
  const reason = detailOf(error, "reason");
  const title = String(detailOf(error, "document_title"));
  return (
    <div className="stack">
      <Link className="crumb" to="/dashboard">
        <Icon name="chevron-left" size="sm" />
        Tableau de bord
      </Link>
      <PageHeading title={title}>{title}</PageHeading>
      <Alert tone="info" title={String(detailOf(error, "sent_back"))}>
        {typeof reason === "string" && <p>{`«\u00a0${reason}\u00a0»`}</p>}
        <div>{serverSentence(error)}</div>
      </Alert>
    </div>
  );
}

function Purged({ title }: { readonly title: string }) {
  return (
    <div className="stack">
      <PageHeading title={title}>{title}</PageHeading>
      <Alert tone="warning" title="Cette enveloppe n’est plus ouverte ici.">
        <div>Elle a été purgée, avec ses fichiers, ou vous n’y avez plus accès.</div>
        <LinkButton size="sm" to="/dashboard">
          Tableau de bord
        </LinkButton>
      </Alert>
    </div>
  );
}

/** Polls while a message is being sent; `features/live` brings other changes. */
function refreshIn(envelope: Envelope | undefined): number | false {
  return envelope?.recipients.some(({ deliveries }) => deliveries?.some(isLeaving))
    ? LEAVING_MS
    : false;
}

function Detail({ envelope }: { readonly envelope: Envelope }) {
  const { pathname } = useLocation();
  useAnnouncedChanges(envelope);
  const back = listOfEnvelope(envelope.status);
  // A person who only consults has none of the sender's actions.
  const acting = envelope.read_only ? { ...envelope, is_owner: false } : envelope;
  return (
    <>
      <Link className="crumb" to={listAddress(back.to)}>
        <Icon name="chevron-left" size="sm" />
        {back.label}
      </Link>
      <div className="page-head" style={{ alignItems: "flex-start" }}>
        <div>
          <PageHeading title={envelope.title}>{envelope.title}</PageHeading>
          <div className="row" style={{ marginTop: 8 }}>
            <StatusBadge status={envelope.status} returned={envelope.returned} />
            <span className="ink2">{origin(envelope)}</span>
          </div>
        </div>
        <DetailActions envelope={acting} withQr={!pathname.startsWith("/signature/sent/")} />
      </div>
      <div className="split">
        <div className="stack stack--lg">
          <HandOver envelope={acting} />
          {hasCircuit(acting) ? (
            <LaterCircuit envelope={acting} />
          ) : (
            <SignersCard envelope={acting} />
          )}
          <DocumentCard envelope={envelope} />
          {envelope.progress.signed > 0 && <SignaturesCard envelope={envelope} />}
        </div>
        <aside className={styles["side"]} aria-label="Informations sur l’enveloppe">
          <FactsCard envelope={envelope} />
          {envelope.is_owner && <JournalCard envelope={envelope} />}
          {envelope.is_owner && hasEvidence(envelope) && <ProofCard envelope={envelope} />}
          {envelope.is_owner && envelope.progress.signed > 0 && <PrintsCard envelope={envelope} />}
        </aside>
      </div>
    </>
  );
}

const LaterCircuit = lazyPart(
  async () => (await import("./circuit-card.tsx")).CircuitCard,
  <Skeleton width="100%" height={220} />,
);

function hasCircuit({ circuit, recipients }: Envelope): boolean {
  return circuit !== undefined || recipients.some(({ role }) => role === "visa");
}

/** A self-signed envelope was completed at once and never sent. */
function hasEvidence({ status, sent_at, completed_at }: Envelope): boolean {
  return status !== "draft" && (sent_at !== null || completed_at !== null);
}

function origin(envelope: Envelope): string {
  const reminded = lastReminder(envelope);
  const opened = `${openedWord(envelope)} le ${formatInstant(envelope.sent_at ?? envelope.created_at)}`;
  return reminded === null ? opened : `${opened} · Dernier rappel le ${formatInstant(reminded)}`;
}

function DetailSkeleton() {
  return (
    <div aria-busy="true" className="stack stack--lg">
      <PageHeading title="Document" className="sr">
        Document
      </PageHeading>
      <span className="sr" role="status">
        Chargement du document
      </span>
      <Skeleton width="50%" height={34} />
      <Skeleton width="30%" height={20} />
      <div className="split">
        <div className="stack stack--lg">
          <Skeleton width="100%" height={220} />
          <Skeleton width="100%" height={480} />
        </div>
        <Skeleton width="100%" height={320} />
      </div>
    </div>
  );
}
