import type { Envelope, JournalKind } from "@paraphe/contracts";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { formatWeekday } from "../../lib/format-dates.ts";
import { plural } from "../../lib/format-numbers.ts";
import { ofName } from "../../lib/of-name.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Button } from "../../ui/button/button.tsx";
import { Segmented } from "../../ui/segmented/segmented.tsx";
import { Skeleton } from "../../ui/skeleton/skeleton.tsx";
import { Timeline, type TimelineItem } from "../../ui/timeline/timeline.tsx";
import { envelopeCalls } from "./envelope-calls.ts";
import { JournalChain } from "./journal-chain.tsx";
import { type JournalFold, journalDays, latestOf } from "./journal-days.ts";
import { journalNote } from "./journal-note.ts";
import { journalSentence } from "./journal-sentence.ts";
import { OPEN_STATUSES } from "./open-statuses.ts";
import { isAwaited } from "./recipient-state.ts";
import styles from "./journal.module.css";

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
  const { journal, verify } = useJournal(envelope.id, kind);
  const [first] = journal.data?.pages ?? [];
  const events = journal.data?.pages.flatMap((page) => page.results) ?? [];
  const waiting = kind === "all" || kind === "signatures" ? awaited(envelope) : [];
  const days = journalDays(events);
  const latest = latestOf(days, FOLDED_EVENTS);
  const isFolded = !isWhole && (latest.length < days.length || latest.at(-1)?.folds.length !== days.at(-1)?.folds.length);
  const isEmpty = waiting.length === 0 && events.length === 0;
  return (
    <section className="card card__body" aria-labelledby="journal" aria-busy={journal.isPending || undefined}>
      <div className={styles["head"]}>
        <h2 className="h2" id="journal">
          Historique
        </h2>
        <span className="muted small">heure de Paris</span>
        {first && <JournalChain chain={first.chain} busy={journal.isRefetching} onVerify={verify} />}
        {first && (
          <div className={styles["filters"]}>
            <Segmented label="Événements affichés" value={kind} options={KINDS} onChange={setKind} />
          </div>
        )}
      </div>
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
      {(isFolded ? latest : days).map(({ day, folds }) => (
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
        <Button size="sm" className={styles["more"]} loading={journal.isFetchingNextPage} onClick={() => void journal.fetchNextPage()}>
          Afficher les événements plus anciens
        </Button>
      )}
    </section>
  );
}

function itemOf({ event, count, since }: JournalFold, envelope: Envelope): TimelineItem {
  const sentence = journalSentence(event, envelope);
  const note = journalNote(event, { envelope, sentence: sentence.text });
  const folded = count > 1 ? { since, text: `${sentence.text} ${count}\u00a0fois` } : {};
  return { key: event.hash, at: event.at, ...sentence, ...folded, ...(note === "" ? {} : { note }) };
}

function useJournal(envelopeId: string, kind: Kind) {
  // Its opening and the button have the whole recomputed; older events, a filter, and a change that comes meanwhile do not.
  const asksAfresh = useRef(true);
  const journal = useInfiniteQuery({
    queryKey: ["envelopes", "events", envelopeId, kind],
    queryFn: async ({ pageParam, signal }) => {
      const verify = pageParam === 1 && asksAfresh.current ? "now" : undefined;
      const answer = await envelopeCalls.events(envelopeId, { page: pageParam, kind: kind === "all" ? undefined : kind, verify }, signal);
      if (verify !== undefined) asksAfresh.current = false;
      return answer;
    },
    initialPageParam: 1,
    getNextPageParam: (last) => (last.page * last.page_size < last.count ? last.page + 1 : undefined),
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
    .map((person) => ({ key: `attente-${person.id}`, icon: "clock", tone: "waiting", text: `En attente ${ofName(person.full_name)}` }));
}
