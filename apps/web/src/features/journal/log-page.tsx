import type { CheckpointListAnswer } from "@paraphe/contracts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { serverSentence } from "../../lib/call-message.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Button } from "../../ui/button/button.tsx";
import { Fold } from "../../ui/fold/fold.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { PageHeading } from "../../ui/page-heading/page-heading.tsx";
import { PublicPage } from "../../ui/public-page/public-page.tsx";
import { Skeleton } from "../../ui/skeleton/skeleton.tsx";
import { GlossaryLink } from "../proof/glossary/glossary-link.tsx";
import { LegalLinks } from "../privacy/legal/legal-links.tsx";
import { isRewrite } from "./check-continuity.ts";
import { CheckpointList, RootList } from "./checkpoint-list.tsx";
import { ContinuityCard, ContinuityOutcome } from "./continuity-card.tsx";
import { Figures } from "./figures.tsx";
import { LatestCard, LatestFault } from "./latest-card.tsx";
import { loadCheckpoints } from "./log-calls.ts";
import styles from "./log-page.module.css";
import { OwnCard } from "./own-card.tsx";
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
        <p className="lead">
          Ce registre public prouve qu’un document signé existait à sa date. Toute modification du passé se verrait, même si elle venait de
          nous.
        </p>
        <p className={`ink2 ${styles["holds"]}`}>
          Il ne contient ni nom ni document{"\u00a0"}: seulement des empreintes, des suites de chiffres et de lettres qui changent dès
          qu’une virgule change.
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
  const [isRewritten, setIsRewritten] = useState(false);
  const { state, check, checkFile } = useContinuity(latest);
  if (latest === undefined)
    return (
      <Alert tone="info">Aucun point de contrôle n’a encore été établi{"\u00a0"}: le premier suivra la première enveloppe complétée.</Alert>
    );
  return (
    <>
      <LatestFault checkpoint={latest} />
      <OwnCard latest={latest} onRewritten={() => setIsRewritten(true)} />
      <Figures latest={latest} count={first.count} isRewritten={isRewritten || (state.step === "done" && isRewrite(state.continuity))} />
      <CheckpointList
        answer={shown.data ?? first}
        latest={latest}
        onPage={setPage}
        onCheck={(checkpoint) => void check(checkpoint)}
        outcome={<ContinuityOutcome state={state} latest={latest} />}
      />
      {shown.isError ? (
        <Alert tone="danger" title="Cette page de la liste n’a pas pu être chargée">
          {serverSentence(shown.error)}
        </Alert>
      ) : null}
      <Fold id="details" title="Détails techniques" hint="Arbre de Merkle, signatures, continuité" icon="shield">
        <p className="ink2">
          Chaque enveloppe tient un historique, dont l’empreinte du dernier événement est une feuille de cet arbre de Merkle (RFC 9162).
          Chaque point de contrôle porte la signature du cachet et un horodatage (RFC 3161).
        </p>
        <LatestCard checkpoint={latest} />
        <ContinuityCard onFile={(file) => void checkFile(file)} />
        <RootList answer={shown.data ?? first} />
      </Fold>
      <p className="muted small">
        Les heures sont à l’heure de Paris. <GlossaryLink />
      </p>
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
