import {
  type AuditEvent,
  type ChainAnswer,
  type Envelope,
  type JournalKind,
  eventRules,
} from "@paraphe/contracts";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { formatWeekday, parisDay } from "../../../lib/format-dates.ts";
import { formatCount, plural } from "../../../lib/format-numbers.ts";
import { ofName } from "../../../lib/of-name.ts";
import { useOnPaper } from "../../../lib/use-on-paper.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { CopyField } from "../../../ui/copy-field/copy-field.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { Segmented } from "../../../ui/segmented/segmented.tsx";
import { Skeleton } from "../../../ui/skeleton/skeleton.tsx";
import { Timeline, type TimelineItem } from "../../../ui/timeline/timeline.tsx";
import { OPEN_STATUSES, envelopeCalls } from "../envelope-calls.ts";
import { isAwaited } from "../recipient-state.ts";
import styles from "./journal-card.module.css";

/** An event as the page tells it: `count` of the same one after the other, the newest of which is shown, the oldest of `since`. */
type JournalFold = { readonly event: AuditEvent; readonly count: number; readonly since: string };
type JournalDay = { readonly day: string; readonly folds: readonly JournalFold[] };

/**
 * Gives events, newest first, by their day in Paris; the changes of a draft that one person made one after the other are one line.
 * The journal itself keeps each: only the page folds them.
 */
export function journalDays(events: readonly AuditEvent[]): readonly JournalDay[] {
  const days: { day: string; folds: JournalFold[] }[] = [];
  for (const event of events) {
    const day = parisDay(event.at);
    let last = days.at(-1);
    if (last?.day !== day) {
      last = { day, folds: [] };
      days.push(last);
    }
    const fold = last.folds.at(-1);
    if (fold && isSameChange(fold.event, event))
      last.folds[last.folds.length - 1] = { ...fold, count: fold.count + 1, since: event.at };
    else last.folds.push({ event, count: 1, since: event.at });
  }
  return days;
}

/** The newest lines of a journal, at most so many, still by their days. */
function latestOf(days: readonly JournalDay[], most: number): readonly JournalDay[] {
  const latest: JournalDay[] = [];
  let left = most;
  for (const { day, folds } of days) {
    if (left === 0) break;
    latest.push({ day, folds: folds.slice(0, left) });
    left -= Math.min(left, folds.length);
  }
  return latest;
}

function isSameChange(one: AuditEvent, other: AuditEvent): boolean {
  return (
    one.action === "envelope_updated" &&
    other.action === one.action &&
    other.actor === one.actor &&
    other.ip === one.ip
  );
}

/** Says, beside an event's sentence, who did it where the sentence does not, from which address (to the owner alone), on what and why. */
export function journalNote(
  event: AuditEvent,
  shown: { readonly envelope: Pick<Envelope, "is_owner">; readonly sentence: string },
): string {
  const reason = event.detail["reason"];
  const isNamed = shown.sentence.includes(event.actor);
  return [
    ...(isNamed ? [] : [`Par ${event.actor}`]),
    ...(shown.envelope.is_owner && event.ip !== null ? [`IP ${event.ip}`] : []),
    ...fingerprint(event),
    ...(typeof reason === "string" && reason !== "" ? [`Motif\u00a0: ${reason}`] : []),
  ].join(" · ");
}

/** Of what was signed, the beginning and the end of each file's hash: enough to compare by eye. */
function fingerprint(event: AuditEvent): readonly string[] {
  const documents = event.detail["documents"];
  if (event.action !== "recipient_signed" || !Array.isArray(documents)) return [];
  const hashes = documents.flatMap((entry) => /:([0-9a-f]{64})$/.exec(String(entry))?.[1] ?? []);
  return hashes.map((hash) => `SHA-256\u00a0:\u00a0${hash.slice(0, 4)}…${hash.slice(-2)}`);
}

type Props = { readonly chain: ChainAnswer; readonly busy: boolean; readonly onVerify: () => void };

/** Whether the journal is whole, as the service has just recomputed it; what that means, and what to compare with, on demand. */
function JournalChain({ chain, busy, onVerify }: Props) {
  return (
    <details className={styles["chain"]}>
      <summary className={chain.ok ? styles["intact"] : styles["altered"]}>
        <Icon name={chain.ok ? "shield" : "alert"} size="sm" />
        <b>{chain.ok ? "Historique non modifié" : "Historique modifié"}</b>
        <span className={`off-paper ${styles["what"] ?? ""}`}>Ce que cela veut dire</span>
      </summary>
      <div className={styles["meaning"]}>
        {chain.ok ? <Intact chain={chain} /> : <Altered chain={chain} />}
        <Button size="sm" loading={busy} onClick={onVerify}>
          <Icon name="refresh" size="sm" />
          Vérifier à nouveau
        </Button>
      </div>
    </details>
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

type Kind = JournalKind | "all";

const KINDS: readonly { readonly value: Kind; readonly label: string }[] = [
  { value: "all", label: "Tout" },
  { value: "signatures", label: "Signatures" },
  { value: "sends", label: "Envois" },
  { value: "changes", label: "Modifications" },
];

/** What is shown of a journal until more is asked for: a long one would stand lower than all the rest. */
const FOLDED_EVENTS = 5;

/** The journal, newest first, folded to its last events, then twenty at a time; who is awaited stands at its head, and whether it is whole above it. */
export function JournalCard({ envelope }: { readonly envelope: Envelope }) {
  const [kind, setKind] = useState<Kind>("all");
  const [isWhole, setIsWhole] = useState(false);
  const isOnPaper = useOnPaper();
  const { journal, verify } = useJournal(envelope.id, kind);
  const [first] = journal.data?.pages ?? [];
  const events = journal.data?.pages.flatMap((page) => page.results) ?? [];
  const waiting = kind === "all" || kind === "signatures" ? awaited(envelope) : [];
  const days = journalDays(events);
  const latest = latestOf(days, FOLDED_EVENTS);
  const isFolded =
    !isWhole &&
    (latest.length < days.length || latest.at(-1)?.folds.length !== days.at(-1)?.folds.length);
  const isEmpty = waiting.length === 0 && events.length === 0;
  return (
    <section
      className="card card__body"
      aria-labelledby="journal"
      aria-busy={journal.isPending || undefined}
    >
      <div className={styles["head"]}>
        <h2 className="h2" id="journal">
          Historique
        </h2>
        <span className="muted small">heure de Paris</span>
        {first && (
          <JournalChain chain={first.chain} busy={journal.isRefetching} onVerify={verify} />
        )}
        {first && (
          <div className={`off-paper ${styles["filters"] ?? ""}`}>
            <Segmented
              label="Événements affichés"
              value={kind}
              options={KINDS}
              onChange={setKind}
            />
          </div>
        )}
      </div>
      {first && (
        <PaperExtent
          kind={kind}
          shown={journal.hasNextPage ? events.length : undefined}
          count={first.count}
        />
      )}
      {journal.isPending && <Skeleton width="100%" height={160} />}
      {journal.isError && !journal.data && (
        <Alert tone="danger">
          <div>Impossible de charger l’historique.</div>
          <Button size="sm" onClick={() => void journal.refetch()}>
            Réessayer
          </Button>
        </Alert>
      )}
      {journal.data && waiting.length > 0 && <Timeline items={waiting} />}
      {(isFolded && !isOnPaper ? latest : days).map(({ day, folds }) => (
        // A day may come twice in a journal that was changed.
        <div key={folds[0]?.event.hash}>
          <h3 className={styles["day"]}>{formatWeekday(`${day}T12:00:00Z`)}</h3>
          <Timeline items={folds.map((fold) => itemOf(fold, envelope))} />
        </div>
      ))}
      {journal.data && isEmpty && <p className="ink2">Aucun événement de ce genre.</p>}
      {isFolded && first && (
        <Button size="sm" className={styles["more"]} onClick={() => setIsWhole(true)}>
          {`Tout afficher (${plural(first.count, "événement")})`}
        </Button>
      )}
      {!isFolded && journal.hasNextPage && (
        <Button
          size="sm"
          className={styles["more"]}
          loading={journal.isFetchingNextPage}
          onClick={() => void journal.fetchNextPage()}
        >
          Afficher les événements plus anciens
        </Button>
      )}
    </section>
  );
}

type Extent = { readonly kind: Kind; readonly shown: number | undefined; readonly count: number };

/** Which part of the journal a sheet bears, where it is not the whole: nobody can ask it for the rest. `shown`: so many of them, if not all. */
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

function itemOf({ event, count, since }: JournalFold, envelope: Envelope): TimelineItem {
  const sentence = journalSentence(event, envelope);
  const note = journalNote(event, { envelope, sentence: sentence.text });
  const folded = count > 1 ? { since, text: `${sentence.text} ${count}\u00a0fois` } : {};
  return {
    key: event.hash,
    at: event.at,
    ...sentence,
    ...folded,
    ...(note === "" ? {} : { note }),
  };
}

function useJournal(envelopeId: string, kind: Kind) {
  // Its opening and the button have the whole recomputed; older events, a filter, and a change that comes meanwhile do not.
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
  return envelope.recipients
    .filter((person) => !person.signed && isAwaited(person))
    .map((person) => ({
      key: `attente-${person.id}`,
      icon: "clock",
      tone: "waiting",
      text: `En attente ${ofName(person.full_name)}`,
    }));
}

type Sentence = Pick<TimelineItem, "icon" | "tone"> & { readonly text: string };
type Reached = Pick<Envelope, "recipients" | "reached">;

/** Gives the sentence of a journal event. One that the client does not know is still shown, by the name of who acted. */
export function journalSentence(event: AuditEvent, envelope: Reached): Sentence {
  const rules = eventRules(event.action);
  if (rules === null) return { icon: "info", tone: "neutral", text: `Action de ${event.actor}` };
  const who = recipientOf(event, envelope.recipients) ?? event.actor;
  const text = rules.sentence({ who, facts: event.detail, left: hasLeft(event, envelope) });
  return { icon: rules.icon, tone: rules.tone, text };
}

/** Says who an event is about: the recipient its detail names, if there is one; by the name they had then, should they have left the list. */
function recipientOf(event: AuditEvent, people: Envelope["recipients"]): string | undefined {
  const { recipient, recipient_id: former, full_name: name } = event.detail;
  const listed = people.find((person) => person.id === (recipient ?? former))?.full_name;
  return listed ?? (typeof name === "string" && name !== "" ? name : undefined);
}

/** A server took the message that the event asked for; of one that asks everybody, somebody was told. */
function hasLeft(event: AuditEvent, { recipients, reached }: Reached): boolean {
  const { recipient, message } = event.detail;
  if (recipient === undefined) return reached !== false;
  const state = recipients
    .find(({ id }) => id === recipient)
    ?.deliveries?.find(({ id }) => id === message)?.state;
  return state === "sent" || state === "delivered";
}
