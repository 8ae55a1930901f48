import type { OwnSession } from "@paraphe/contracts";
import { useRef, useState } from "react";
import { classNames } from "../../../lib/class-names.ts";
import { formatDay, formatShortInstant } from "../../../lib/format-dates.ts";
import { Badge } from "../../../ui/badge/badge.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { ConfirmDialog } from "../../../ui/dialog/confirm-dialog.tsx";
import { SkeletonRows } from "../../../ui/skeleton/skeleton-rows.tsx";
import { useLogOut } from "../use-session.ts";
import { LoadFailure } from "./settings-layout.tsx";
import { SettingRow } from "./setting-row.tsx";
import { useSessions } from "./use-sessions.ts";
import styles from "./settings.module.css";

type Props = { readonly session: OwnSession; readonly ending: boolean; readonly onEnd: () => void };

function SessionRow({ session, ending, onEnd }: Props) {
  const { device, current, created_at, last_used_at, remember_me, ip } = session;
  return (
    <SettingRow
      title={device}
      control={
        current ? (
          <Badge tone="info">Cette session</Badge>
        ) : (
          <Button
            size="sm"
            loading={ending}
            aria-label={`Fermer la session ${device}, ${formatShortInstant(last_used_at)}`}
            onClick={onEnd}
          >
            Fermer
          </Button>
        )
      }
    >
      <p className="num">
        {current ? (
          "Active maintenant"
        ) : (
          <time
            dateTime={last_used_at}
          >{`Dernière activité le ${formatShortInstant(last_used_at)}`}</time>
        )}
        {ip !== null && ` · ${ip}`}
      </p>
      <p>
        <time dateTime={created_at}>{`Ouverte le ${formatDay(created_at)}`}</time>
        {remember_me && " · Rester connecté"}
      </p>
    </SettingRow>
  );
}

const FAILURE = "Impossible de charger vos sessions";
type Question = "others" | "everywhere";

export function SessionsCard() {
  const { query, endOne, endOthers } = useSessions();
  const { logOut, isPending: leaving } = useLogOut();
  const [question, setQuestion] = useState<Question>();
  const title = useRef<HTMLHeadingElement>(null);
  const { data, error, refetch } = query;
  const others = data?.filter(({ current }) => !current) ?? [];

  const end = (session: OwnSession) => {
    // The pressed button disappears with its row.
    endOne.mutate(session.id, { onSuccess: () => title.current?.focus() });
  };
  const confirm = () => {
    endOthers.mutate(undefined, {
      onSuccess: () => (question === "everywhere" ? logOut() : undefined),
      onSettled: () => setQuestion(undefined),
    });
  };
  return (
    <section className="card" aria-labelledby="titre-sessions">
      <div className="card__head">
        <h2 className="h2" id="titre-sessions" tabIndex={-1} ref={title}>
          Sessions ouvertes
        </h2>
      </div>
      <div className="card__body">
        {data ? (
          <ul>
            {data.map((session) => (
              <li key={session.id} className={styles["item"]}>
                <SessionRow
                  session={session}
                  ending={endOne.isPending && endOne.variables === session.id}
                  onEnd={() => end(session)}
                />
              </li>
            ))}
          </ul>
        ) : error ? (
          <LoadFailure error={error} fallback={FAILURE} onRetry={() => void refetch()} />
        ) : (
          <SkeletonRows rows={2} label="Chargement de vos sessions" />
        )}
      </div>
      <div className={classNames("card__foot", styles["save"])}>
        {others.length > 0 && (
          <Button onClick={() => setQuestion("others")}>Fermer les autres sessions</Button>
        )}
        <Button onClick={() => setQuestion("everywhere")} loading={leaving}>
          Se déconnecter partout
        </Button>
      </div>
      {question && (
        <ConfirmDialog
          {...QUESTIONS[question]}
          busy={endOthers.isPending || leaving}
          onConfirm={confirm}
          onCancel={() => setQuestion(undefined)}
        />
      )}
    </section>
  );
}

const QUESTIONS = {
  others: {
    title: "Fermer les autres sessions\u202f?",
    message: "Vos autres appareils et navigateurs devront se connecter à nouveau.",
    secondary: "Cette session reste ouverte.",
    confirmLabel: "Fermer les sessions",
  },
  everywhere: {
    title: "Se déconnecter partout\u202f?",
    message: "Toutes vos sessions seront fermées, celle-ci comprise.",
    secondary: undefined,
    confirmLabel: "Se déconnecter",
  },
} as const;
