import type { CheckpointListAnswer } from "@paraphe/contracts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { serverSentence } from "../../lib/call-message.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Button } from "../../ui/button/button.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { PageHeading } from "../../ui/page-heading/page-heading.tsx";
import { PublicPage } from "../../ui/public-page/public-page.tsx";
import { Skeleton } from "../../ui/skeleton/skeleton.tsx";
import { LegalLinks } from "../legal/legal-links.tsx";
import { CheckpointList } from "./checkpoint-list.tsx";
import { ContinuityCard } from "./continuity-card.tsx";
import { LatestCard } from "./latest-card.tsx";
import { loadCheckpoints } from "./log-calls.ts";
import { useContinuity } from "./use-continuity.ts";

const queryOf = (page: number) => ({
  queryKey: ["checkpoints", page],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => loadCheckpoints(page, signal),
});

/** `/journal-de-transparence`: the log that the past is held against, for anybody, without an account. */
export function LogPage() {
  const first = useQuery(queryOf(1));
  return (
    <PublicPage about="Page publique" isNarrow foot={<LegalLinks />}>
      <div className="stack stack--sm">
        <PageHeading title="Journal de transparence">Journal de transparence</PageHeading>
        <p className="lede">
          Chaque enveloppe tient un journal, dont la dernière empreinte est versée ici{"\u00a0"}: aucun nom, aucun document, des empreintes
          seules. Ce registre ne peut que grandir{"\u202f"}; signé, horodaté et copié au dehors, il trahit qui voudrait changer le passé,
          nous compris.
        </p>
      </div>
      {first.data ? (
        <Log first={first.data} />
      ) : first.isError && !first.isFetching ? (
        <Alert tone="danger" title="Le journal n’a pas pu être chargé">
          {serverSentence(first.error)}
          <Button size="sm" onClick={() => void first.refetch()}>
            <Icon name="refresh" size="sm" />
            Réessayer
          </Button>
        </Alert>
      ) : (
        <Loading />
      )}
    </PublicPage>
  );
}

function Log({ first }: { readonly first: CheckpointListAnswer }) {
  const [page, setPage] = useState(1);
  const shown = useQuery({ ...queryOf(page), placeholderData: keepPreviousData });
  const [latest] = first.results;
  const { state, check, checkFile } = useContinuity(latest);
  if (latest === undefined)
    return (
      <Alert tone="info">Aucun point de contrôle n’a encore été établi{"\u00a0"}: le premier suivra la première enveloppe complétée.</Alert>
    );
  return (
    <>
      <LatestCard checkpoint={latest} />
      <ContinuityCard state={state} latest={latest} onFile={(file) => void checkFile(file)} />
      <CheckpointList answer={shown.data ?? first} latest={latest} onPage={setPage} onCheck={(checkpoint) => void check(checkpoint)} />
      {shown.isError ? (
        <Alert tone="danger" title="Cette page de la liste n’a pas pu être chargée">
          {serverSentence(shown.error)}
        </Alert>
      ) : null}
    </>
  );
}

function Loading() {
  return (
    <div className="card card__body stack" aria-busy="true">
      <span className="sr" role="status">
        Chargement du journal
      </span>
      {[70, 50, 90, 60].map((width) => (
        <Skeleton key={width} width={`${width}%`} />
      ))}
    </div>
  );
}
