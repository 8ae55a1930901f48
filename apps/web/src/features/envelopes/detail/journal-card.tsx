import {
  type AuditEvent,
  type ChainAnswer,
  type Envelope,
  type JournalKind,
  eventRules,
} from "@paraphe/contracts";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { ofName } from "@paraphe/kernel/french-words";
import { type ComponentProps, type RefObject, useId, useRef, useState, useEffect } from "react";
import { classNames } from "../../../lib/class-names.ts";
import { formatWeekday, parisDay } from "../../../lib/format/format-dates.ts";
import { formatCount, plural } from "../../../lib/format/format-numbers.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { CopyField } from "../../../ui/copy-field/copy-field.tsx";
import { focusOnceDrawn } from "../../../ui/focus/preserve-focus.ts";
import { Icon } from "../../../ui/icon/icon.tsx";
import { LinkAction } from "../../../ui/link/link-action.tsx";
import { Segmented } from "../../../ui/segmented/segmented.tsx";
import { Skeleton } from "../../../ui/skeleton/skeleton.tsx";
import { Timeline, type TimelineItem } from "../../../ui/timeline/timeline.tsx";
import { envelopeCalls, OPEN_STATUSES } from "../envelope-calls.ts";
import { isAwaited } from "../recipient-state.ts";
import styles from "./journal-card.module.css";
import { flushSync } from "react-dom";

/** `count` like events in a row; the oldest dates from `since`. */
type JournalFold = { readonly event: AuditEvent; readonly count: number; readonly since: string };

/** Newest first; one person's changes on one day are one line. */
export function journalFolds(events: readonly AuditEvent[]): readonly JournalFold[] {
  const folds: JournalFold[] = [];
  for (const event of events) {
    const last = folds.at(-1);
    if (last && isSameChange(last.event, event))
      folds[folds.length - 1] = {
        event: isCorrection(event) ? joined(event, last.event) : last.event,
        count: last.count + 1,
        since: event.at,
      };
    else folds.push({ event, count: 1, since: event.at });
  }
  return folds;
}

function isSameChange(one: AuditEvent, other: AuditEvent): boolean {
  return (
    one.action === "envelope_updated" &&
    one.detail["circuit"] === undefined &&
    other.detail["circuit"] === undefined &&
    other.action === one.action &&
    isCorrection(other) === isCorrection(one) &&
    other.actor === one.actor &&
    other.ip === one.ip &&
    parisDay(other.at) === parisDay(one.at)
  );
}

const isCorrection = ({ detail }: AuditEvent) => detail["correction"] === true;

function joined(older: AuditEvent, newer: AuditEvent): AuditEvent {
  const changed = [older, newer].flatMap(({ detail }) => detail["changed"] ?? []);
  return { ...newer, detail: { ...newer.detail, changed } };
}

export function journalNote(
  event: AuditEvent,
  { sentence, sender }: { readonly sentence: string; readonly sender: string },
): string {
  const reason = event.detail["reason"];
  const isKnown = event.actor === sender || sentence.includes(event.actor);
  return [
    ...(isKnown ? [] : [`Par ${event.actor}`]),
    ...(typeof reason === "string" && reason !== "" ? [`Motif\u00a0: ${reason}`] : []),
  ].join(" · ");
}

export function technicalNote(
  event: AuditEvent,
  { is_owner: isOwner }: Pick<Envelope, "is_owner">,
): string {
  const level = event.detail["level"];
  return [
    ...(isOwner && event.ip !== null ? [`IP ${event.ip}`] : []),
    ...fingerprint(event),
    ...(typeof level === "string" && level !== "" ? [`PAdES ${level}`] : []),
  ].join(" · ");
}

/** The beginning and end of each file's hash: enough to compare by eye. */
function fingerprint(event: AuditEvent): readonly string[] {
  const documents = event.detail["documents"];
  if (event.action !== "recipient_signed" || !Array.isArray(documents)) return [];
  const hashes = documents.flatMap((entry) => /:([0-9a-f]{64})$/.exec(String(entry))?.[1] ?? []);
  return hashes.map((hash) => `SHA-256\u00a0:\u00a0${hash.slice(0, 4)}…${hash.slice(-2)}`);
}

type ChainProps = {
  readonly chain: ChainAnswer | undefined;
  readonly busy: boolean;
  readonly onVerify: () => void;
};

function JournalHead({ chain, busy, onVerify }: ChainProps) {
  const [isExplained, setIsExplained] = useState(false);
  const id = useId();
  const look = classNames(styles["badge"], styles[chain?.ok ? "intact" : "altered"]);
  const badge = chain && (
    <>
      <Icon name={chain.ok ? "shield" : "alert"} size="sm" />
      {chain.ok ? "Non modifié" : "Modifié"}
    </>
  );
  return (
    <div className={`card__head ${styles["head"] ?? ""}`}>
      <h2 className="h2 grow" id="journal" tabIndex={-1}>
        Historique
      </h2>
      {badge && (
        <span className="on-paper">
          <span className={look}>{badge}</span>
        </span>
      )}
      {badge && (
        <button
          type="button"
          className={`off-paper ${look}`}
          aria-expanded={isExplained}
          aria-controls={id}
          onClick={() => setIsExplained(!isExplained)}
        >
          {badge}
        </button>
      )}
      {chain && isExplained && (
        <div className={styles["meaning"]} id={id}>
          {chain.ok ? <Intact chain={chain} /> : <Altered chain={chain} />}
          <Button size="sm" loading={busy} onClick={onVerify}>
            <Icon name="refresh" size="sm" />
            Vérifier à nouveau
          </Button>
        </div>
      )}
    </div>
  );
}

function Intact({ chain }: { readonly chain: ChainAnswer }) {
  return (
    <>
      <p>
        {chain.count === 1
          ? "L’événement de l’historique vient d’être recalculé"
          : `Les ${formatCount(chain.count)} événements de l’historique viennent d’être recalculés, du premier au dernier`}
        {"\u00a0: "}
        chacun est scellé par l’empreinte du précédent, et aucun n’a été modifié, inséré, déplacé ni
        retiré avant le dernier.
      </p>
      <p>
        Notez l’empreinte du dernier événement pour pouvoir prouver plus tard que rien n’a été
        retiré à la fin.
      </p>
      {chain.head !== null && (
        <CopyField label="Empreinte du dernier événement (SHA-256)" value={chain.head} />
      )}
    </>
  );
}

function Altered({ chain }: { readonly chain: ChainAnswer }) {
  return (
    <p>
      {chain.count === 0
        ? "L’historique ne contient plus aucun événement, alors qu’une enveloppe en a dès sa création."
        : `L’événement n°\u00a0${formatCount(chain.broken_at ?? chain.count)} ne correspond plus à l’empreinte qui le scelle\u00a0: il a été modifié, retiré ou déplacé après coup.`}{" "}
      Ne vous fiez plus à cet historique et prévenez la personne qui administre le service. Les
      signatures des documents se vérifient sans lui.
    </p>
  );
}

type Kind = Exclude<JournalKind, "changes"> | "all";

const KINDS: readonly { readonly value: Kind; readonly label: string }[] = [
  { value: "all", label: "Tout" },
  { value: "signatures", label: "Signatures" },
  { value: "sends", label: "Envois" },
];

/** A long journal would push the page's other cards down. */
const FOLDED_EVENTS = 5;

/** On paper nothing can be unfolded: the technical notes are printed open. */
export function JournalCard({ envelope }: { readonly envelope: Envelope }) {
  const card = useRef<HTMLElement>(null);
  const { kind, setKind, isWhole, unfold, fold } = useUnfolding(card);
  const [isTechnical, setIsTechnical] = useState(false);
  const isOnPaper = useOnPaper();
  const { journal, verify } = useJournal(envelope.id, kind);
  const [first] = journal.data?.pages ?? [];
  const events = journal.data?.pages.flatMap((page) => page.results) ?? [];
  const folds = journalFolds(events);
  const waiting = kind === "sends" ? [] : awaited(envelope);
  const isFolded = !isWhole && folds.length > FOLDED_EVENTS;
  const shown = isFolded && !isOnPaper ? folds.slice(0, FOLDED_EVENTS) : folds;
  return (
    <section
      ref={card}
      className="card"
      aria-labelledby="journal"
      aria-busy={journal.isPending || undefined}
    >
      <JournalHead chain={first?.chain} busy={journal.isRefetching} onVerify={verify} />
      <div className="card__body">
        {isWhole && <KindFilter kind={kind} onChoose={setKind} />}
        {first && (
          <PaperExtent
            kind={kind}
            shown={journal.hasNextPage ? events.length : undefined}
            count={first.count}
          />
        )}
        {journal.isPending && <Skeleton width="100%" height={160} />}
        {journal.isError && !journal.data && <Failure onRetry={() => void journal.refetch()} />}
        {first && (
          <Timeline
            items={[
              ...waiting,
              ...shown.map((line) => itemOf(line, envelope, isTechnical || isOnPaper)),
            ]}
          />
        )}
        {first && waiting.length + shown.length === 0 && (
          <p className="ink2">Aucun événement de ce genre.</p>
        )}
        {!isFolded && journal.hasNextPage && <OlderEvents journal={journal} />}
      </div>
      <JournalFoot
        count={first?.count}
        {...{ isFolded, isWhole, isTechnical, fold }}
        unfold={() => unfold(waiting.length + FOLDED_EVENTS)}
        onTechnical={() => setIsTechnical(!isTechnical)}
      />
    </section>
  );
}

/** The focus follows what was opened or closed. */
function useUnfolding(card: RefObject<HTMLElement | null>) {
  const [kind, setKind] = useState<Kind>("all");
  const [isWhole, setIsWhole] = useState(false);
  const unfold = (firstHidden: number) => {
    setIsWhole(true);
    focusOnceDrawn(() => card.current?.querySelectorAll("li")[firstHidden]);
  };
  const fold = () => {
    setIsWhole(false);
    setKind("all");
    focusOnceDrawn(() => card.current?.querySelector("h2"));
  };
  return { kind, setKind, isWhole, unfold, fold };
}

function OlderEvents({ journal }: Pick<ReturnType<typeof useJournal>, "journal">) {
  return (
    <Button
      size="sm"
      className={styles["more"]}
      loading={journal.isFetchingNextPage}
      onClick={() => void journal.fetchNextPage()}
    >
      Afficher les événements plus anciens
    </Button>
  );
}

type FootProps = {
  readonly count: number | undefined;
  readonly isFolded: boolean;
  readonly isWhole: boolean;
  readonly isTechnical: boolean;
  readonly unfold: () => void;
  readonly fold: () => void;
  readonly onTechnical: () => void;
};

function JournalFoot(props: FootProps) {
  const { count, isFolded, isWhole, isTechnical, unfold, fold, onTechnical } = props;
  return (
    <div className={`card__foot ${styles["foot"] ?? ""}`}>
      {isFolded && count !== undefined && (
        <FootAction aria-expanded={false} onClick={unfold}>
          {`Tout afficher (${plural(count, "événement")})`}
        </FootAction>
      )}
      {isWhole && (
        <FootAction aria-expanded onClick={fold}>
          Replier
        </FootAction>
      )}
      <span className="muted small">Heure de Paris</span>
      {!isFolded && count !== undefined && (
        <FootAction aria-pressed={isTechnical} onClick={onTechnical}>
          Détails techniques
        </FootAction>
      )}
    </div>
  );
}

function FootAction(props: ComponentProps<typeof LinkAction>) {
  return <LinkAction {...props} className="off-paper" />;
}

type FilterProps = { readonly kind: Kind; readonly onChoose: (kind: Kind) => void };

function KindFilter({ kind, onChoose }: FilterProps) {
  return (
    <div className={`off-paper ${styles["filters"] ?? ""}`}>
      <Segmented label="Événements affichés" value={kind} options={KINDS} onChange={onChoose} />
    </div>
  );
}

function Failure({ onRetry }: { readonly onRetry: () => void }) {
  return (
    <Alert tone="danger">
      <div>Impossible de charger l’historique.</div>
      <Button size="sm" onClick={onRetry}>
        Réessayer
      </Button>
    </Alert>
  );
}

type Extent = { readonly kind: Kind; readonly shown: number | undefined; readonly count: number };

/** `shown`: how many events are printed, when not all. */
function PaperExtent({ kind, shown, count }: Extent) {
  const label = KINDS.find(({ value }) => value === kind)?.label ?? kind;
  const parts = [
    ...(kind === "all" ? [] : [`«\u00a0${label}\u00a0» seulement`]),
    ...(shown === undefined
      ? []
      : [`les ${formatCount(shown)} derniers événements sur ${formatCount(count)}`]),
  ];
  return parts.length === 0 ? null : (
    <p className="on-paper muted small">{`Imprimé\u00a0: ${parts.join(", ")}`}</p>
  );
}

function itemOf(
  { event, count, since }: JournalFold,
  envelope: Envelope,
  isTechnical: boolean,
): TimelineItem {
  const sentence = journalSentence(event, envelope);
  const times = isCorrection(event) ? "" : ` ${count}\u00a0fois`;
  const folded = count > 1 ? { since, text: `${sentence.text}${times}` } : {};
  const notes = [
    journalNote(event, { sentence: sentence.text, sender: envelope.created_by_name }),
    isTechnical ? technicalNote(event, envelope) : "",
  ].filter((note) => note !== "");
  return { key: event.hash, at: event.at, isExact: isTechnical, ...sentence, ...folded, notes };
}

function useJournal(envelopeId: string, kind: Kind) {
  // Older events, filters and live changes do not recompute the chain.
  const asksAfresh = useRef(true);
  const journal = useInfiniteQuery({
    queryKey: ["envelopes", "events", envelopeId, kind],
    queryFn: async ({ pageParam, signal }) => {
      const verify = pageParam === 1 && asksAfresh.current ? "now" : undefined;
      const answer = await envelopeCalls.events(
        envelopeId,
        { page: pageParam, kind: kind === "all" ? undefined : kind, verify },
        signal,
      );
      if (verify !== undefined) asksAfresh.current = false;
      return answer;
    },
    initialPageParam: 1,
    getNextPageParam: (last) =>
      last.page * last.page_size < last.count ? last.page + 1 : undefined,
    placeholderData: keepPreviousData,
  });
  const verify = () => {
    asksAfresh.current = true;
    void journal.refetch();
  };
  return { journal, verify };
}

function awaited(envelope: Envelope): readonly TimelineItem[] {
  if (!OPEN_STATUSES.has(envelope.status)) return [];
  const next = envelope.reminders?.next_at;
  return envelope.recipients
    .filter((person) => !person.signed && isAwaited(person))
    .map((person) => ({
      key: `attente-${person.id}`,
      icon: "clock",
      tone: "waiting",
      text: `En attente ${ofName(person.full_name)}`,
      notes: next ? [`Prochain rappel ${formatWeekday(next)}`] : [],
    }));
}

type Sentence = Pick<TimelineItem, "icon" | "tone"> & { readonly text: string };
type Reached = Pick<Envelope, "recipients" | "reached">;

/** The sentence of an event unknown to the client is its actor's name. */
export function journalSentence(event: AuditEvent, envelope: Reached): Sentence {
  const rules = eventRules(event.action);
  if (rules === null) return { icon: "info", tone: "neutral", text: `Action de ${event.actor}` };
  const who = recipientOf(event, envelope.recipients) ?? event.actor;
  const text = rules.sentence({ who, facts: event.detail, left: hasLeft(event, envelope) });
  return { icon: rules.icon, tone: rules.tone, text };
}

function recipientOf(event: AuditEvent, people: Envelope["recipients"]): string | undefined {
  if (event.recipient_name !== undefined) return event.recipient_name;
  const { recipient, recipient_id: former, full_name: name } = event.detail;
  const listed = people.find((person) => person.id === (recipient ?? former))?.full_name;
  return typeof name === "string" && name !== "" ? name : listed;
}

/** True when a server took the message; for an event to everybody, at least one message. */
function hasLeft(event: AuditEvent, { recipients, reached }: Reached): boolean {
  const { recipient, message } = event.detail;
  if (recipient === undefined) return reached !== false;
  const state = recipients
    .find(({ id }) => id === recipient)
    ?.deliveries?.find(({ id }) => id === message)?.state;
  return state === "sent" || state === "delivered";
}

/** True while printing: folded parts have to be shown. */
function useOnPaper(): boolean {
  const [isOnPaper, setIsOnPaper] = useState(false);
  useEffect(() => {
    // The browser prints the page as it stands when the event ends.
    const follow = ({ type }: Event) => flushSync(() => setIsOnPaper(type === "beforeprint"));
    window.addEventListener("beforeprint", follow);
    window.addEventListener("afterprint", follow);
    return () => {
      window.removeEventListener("beforeprint", follow);
      window.removeEventListener("afterprint", follow);
    };
  }, []);
  return isOnPaper;
}
