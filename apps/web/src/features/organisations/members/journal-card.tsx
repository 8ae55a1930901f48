import { useInfiniteQuery } from "@tanstack/react-query";
import { classNames } from "../../../lib/class-names.ts";
import { formatShortInstant } from "../../../lib/format/format-dates.ts";
import { Button, buttonLook } from "../../../ui/button/button.tsx";
import { DataTable } from "../../../ui/data-table/data-table.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { FormSkeleton, LoadFailure } from "../../accounts/settings/settings-layout.tsx";
import { journalExport, journalQuery } from "./member-calls.ts";
import styles from "../organisation.module.css";

/** Who invited, promoted, removed, changed a setting, exported. */
export function JournalCard() {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } =
    useInfiniteQuery(journalQuery);
  if (data === undefined)
    return error === null ? (
      <FormSkeleton lines={3} label="Chargement du journal…" />
    ) : (
      <LoadFailure
        error={error}
        fallback="Impossible de charger le journal"
        onRetry={() => void refetch()}
      />
    );
  return (
    <section className="card" aria-labelledby="titre-journal">
      <Head />
      <DataTable
        caption="Journal de l’organisation"
        rows={data.pages.flatMap(({ entries }) => entries)}
        rowKey={({ id }) => id}
        columns={[
          {
            key: "at",
            header: "Date",
            className: "num nowrap",
            cell: ({ at }) => formatShortInstant(at),
          },
          { key: "sentence", header: "Événement", wide: true, cell: ({ sentence }) => sentence },
          { key: "actor", header: "Par", cell: ({ actor }) => actor },
        ]}
        renderCard={({ at, sentence, actor }) => (
          <>
            <span className="break">{sentence}</span>
            <span className="muted small num">
              {formatShortInstant(at)}, {actor}
            </span>
          </>
        )}
      />
      {hasNextPage && (
        <div className="card__body">
          <Button block loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Afficher les événements précédents
          </Button>
        </div>
      )}
    </section>
  );
}

function Head() {
  return (
    <div className={classNames("card__head", styles["wrapping"])}>
      <div className="grow">
        <h2 className="h2" id="titre-journal">
          Journal de l’organisation
        </h2>
        <p className="muted small">
          Qui a invité, changé un rôle, retiré, modifié un réglage, exporté
        </p>
      </div>
      {(["csv", "json"] as const).map((format) => (
        <a
          key={format}
          className={buttonLook({ size: "sm" })}
          href={journalExport(format)}
          download
          aria-label={`Exporter le journal en ${format.toUpperCase()}`}
        >
          <Icon name="download" size="sm" />
          {format.toUpperCase()}
        </a>
      ))}
    </div>
  );
}
