import type { Dashboard } from "@paraphe/contracts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { capitalised } from "@paraphe/kernel/french-words";
import { useEffect, useState } from "react";
import { Link, useSearchParams } from "react-router";
import { api } from "../../../lib/api/api.ts";
import type { DayRange } from "../../../lib/format/day-range.ts";
import { formatInstant, formatLongDay, formatWeekday } from "../../../lib/format/format-dates.ts";
import { formatCount, plural } from "../../../lib/format/format-numbers.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { PageHeading } from "../../../ui/page-heading/page-heading.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { useSession } from "../../accounts/use-session.ts";
import { WorkLink } from "../../accounts/work.tsx";
import { awaitedAct } from "../recipient-state.ts";
import { Counters } from "./counters.tsx";
import { type Period, periodRange } from "./dashboard-dates.ts";
import { RecentDocuments } from "./recent-documents.tsx";
import { Statistics } from "./statistics.tsx";
import styles from "./dashboard.module.css";

export const DASHBOARD_FAILURE = "Échec du chargement du tableau de bord";

export function useDashboard(range: DayRange) {
  const dashboard = useQuery({
    queryKey: ["dashboard", range],
    queryFn: ({ signal }) =>
      api.get<Dashboard>("/api/signature/dashboard/", { query: range, signal }),
    placeholderData: keepPreviousData,
  });
  const { error } = dashboard;
  useEffect(() => {
    if (error) showToast("err", DASHBOARD_FAILURE);
  }, [error]);
  return dashboard;
}

export function Notifications({
  notifications,
}: {
  readonly notifications: Dashboard["notifications"];
}) {
  return (
    <section className="card" aria-labelledby="notifications">
      <div className="card__head">
        <h2 className="h2" id="notifications">
          Notifications récentes
        </h2>
      </div>
      {notifications.length === 0 ? (
        <p className="card__body muted">Aucune notification pour le moment.</p>
      ) : (
        <ul>
          {notifications.map((notification) => (
            <li key={notification.envelope_id} className={styles["notification"]}>
              <Icon name="check-circle" />
              <Link
                to={`/signature/detail/${notification.envelope_id}`}
              >{`Document "${notification.title}" complété`}</Link>
              <small className="num">
                <time dateTime={notification.completed_at}>
                  {formatInstant(notification.completed_at)}
                </time>
              </small>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function FactorDay() {
  const session = useSession();
  const by = session.state === "member" ? session.user.second_factor_by : undefined;
  if (by === undefined) return null;
  return (
    <Alert tone="warning" title={`Second facteur à ajouter avant le ${formatLongDay(by)}`}>
      <p>
        Votre organisation le demande. <Link to="/settings/security">Ouvrir Sécurité</Link>
      </p>
    </Alert>
  );
}

function ToCorrect({ count }: { readonly count: number }) {
  if (count === 0) return null;
  const title = plural(count, "document renvoyé à corriger", "documents renvoyés à corriger");
  return (
    <Alert tone="warning" title={title}>
      <Link to="/signature/envelopes/drafts">Ouvrir les brouillons</Link>
    </Alert>
  );
}

export function DashboardPage() {
  const [detailed, setDetailed] = useDetailed();
  const [period, setPeriod] = useState<Period>({ kind: "month", start: "", end: "" });
  const range = periodRange(period, new Date());
  const { data, isError, refetch } = useDashboard(range);
  return (
    <main className="main main--wide" id="contenu">
      <div className="page-head">
        <div>
          <PageHeading title="Tableau de bord">Tableau de bord</PageHeading>
          <p className="lede">{lede(data)}</p>
        </div>
        <Button
          aria-expanded={detailed}
          aria-controls="statistiques"
          onClick={() => setDetailed(!detailed)}
        >
          {detailed ? "Moins de stats" : "Plus de stats"}
          <Icon name={detailed ? "chevron-up" : "chevron-down"} size="sm" />
        </Button>
        <WorkLink variant="primary" block className="lt-rail" to="/signature/upload">
          <Icon name="send" size="sm" />
          Demander signature
        </WorkLink>
      </div>
      <div className="stack stack--lg">
        <FactorDay />
        <ToCorrect count={data?.standing.toCorrect ?? 0} />
        {isError && (
          <Alert tone="danger">
            <div>{DASHBOARD_FAILURE}</div>
            <Button size="sm" onClick={() => void refetch()}>
              <Icon name="refresh" size="sm" />
              Réessayer
            </Button>
          </Alert>
        )}
        {(data !== undefined || !isError) && (
          <>
            <Counters dashboard={data} />
            {detailed && (
              <Statistics
                id="statistiques"
                dashboard={data}
                period={period}
                range={range}
                onPeriod={setPeriod}
              />
            )}
            <div className={styles["columns"]}>
              <RecentDocuments recent={data?.recent} />
              {data && <Notifications notifications={data.notifications} />}
            </div>
          </>
        )}
      </div>
    </main>
  );
}

/** Stored in the address, so that a reload and Back find the statistics open. */
function useDetailed(): readonly [boolean, (detailed: boolean) => void] {
  const [query, setQuery] = useSearchParams();
  const setDetailed = (detailed: boolean) =>
    setQuery(
      (current) => {
        const changed = new URLSearchParams(current);
        if (detailed) changed.set("stats", "plus");
        else changed.delete("stats");
        return changed;
      },
      { replace: true },
    );
  return [query.get("stats") === "plus", setDetailed];
}

const IN_WORDS = ["Aucun", "Un", "Deux", "Trois", "Quatre", "Cinq", "Six", "Sept", "Huit", "Neuf"];

function lede(dashboard: Dashboard | undefined): string {
  const today = formatWeekday(new Date().toISOString());
  const day = `${capitalised(today)}.`;
  const waiting = dashboard?.counts.actionRequired;
  if (!waiting) return day;
  const shown = dashboard.recent.filter(({ status }) => status === "action_required");
  const act = awaitedAct(waiting, shown);
  const several = waiting > 1 ? "attendent" : "attend";
  const documents = `${IN_WORDS[waiting] ?? formatCount(waiting)} ${waiting > 1 ? "documents" : "document"}`;
  return `${day} ${documents} ${act === null ? `vous ${several}` : `${several} ${act}`}.`;
}
