import type { Checkpoint, CheckpointListAnswer } from "@paraphe/contracts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { serverSentence } from "../../lib/call-message.ts";
import {
  formatDayMonth,
  formatExactInstant,
  formatInstant,
  formatLongDay,
  formatTime,
} from "../../lib/format-dates.ts";
import { formatCount, plural } from "../../lib/format-numbers.ts";
import { verifyPublishedCheckpoint } from "../../lib/verify-published-checkpoint.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Button } from "../../ui/button/button.tsx";
import { Card } from "../../ui/card/card.tsx";
import { CopyField } from "../../ui/copy-field/copy-field.tsx";
import { type Column, DataTable } from "../../ui/data-table/data-table.tsx";
import { Fold } from "../../ui/fold/fold.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { KeyValue } from "../../ui/key-value/key-value.tsx";
import { PageHeading } from "../../ui/page-heading/page-heading.tsx";
import { Pager } from "../../ui/pager/pager.tsx";
import { PublicPage } from "../../ui/public-page/public-page.tsx";
import { Skeleton } from "../../ui/skeleton/skeleton.tsx";
import { LegalLinks } from "../privacy/legal/legal-links.tsx";
import { GlossaryLink } from "../proof/glossary/glossary-link.tsx";
import {
  checkContinuity,
  type Continuity,
  isRewrite,
  loadCheckpoints,
  loadFirstCheckpoint,
  saveCheckpoint,
} from "./check-continuity.ts";
import { ContinuityCard, ContinuityOutcome, useContinuity } from "./continuity-card.tsx";
import { OwnCard } from "./own-card.tsx";
import styles from "./log-page.module.css";

type FiguresProps = {
  readonly latest: Checkpoint;
  readonly count: number;
  /** Something that somebody kept shows that the past was rewritten, whatever the list holds. */
  readonly isRewritten: boolean;
};

/** How much the log holds, since when, and whether it still begins as the list of checkpoints does: this browser finds that out by itself. */
function Figures({ latest, count, isRewritten }: FiguresProps) {
  const origin = useQuery({
    queryKey: ["origin", latest.size, latest.root],
    queryFn: async ({ signal }) =>
      checkContinuity(await loadFirstCheckpoint(count, signal), latest),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [word, said] = isRewritten
    ? ["Rupture", "ce que vous avez gardé le montre"]
    : origin.data === undefined
      ? ["…", pendingSaid(origin.isError)]
      : originSaid(origin.data);
  return (
    <ul className={styles["figures"]} aria-label="Le journal en trois chiffres">
      <li>
        <b className="num">{formatCount(latest.size)}</b>
        <span>{latest.size > 1 ? "empreintes enregistrées" : "empreinte enregistrée"}</span>
      </li>
      <li>
        <b>
          {formatDayMonth(latest.at)} {formatTime(latest.at)}
        </b>
        <span>dernier point de contrôle, heure de Paris</span>
      </li>
      <li data-bad={word === "Rupture" ? "" : undefined}>
        <b>{word}</b>
        <span>{said}</span>
      </li>
    </ul>
  );
}

const pendingSaid = (isAway: boolean): string =>
  isAway ? "continuité non vérifiée" : "continuité en cours de contrôle";

function originSaid(continuity: Continuity): readonly [string, string] {
  if (continuity.outcome === "holds")
    return ["Aucune", "rupture depuis le premier point, vérifié dans votre navigateur"];
  return isRewrite(continuity)
    ? ["Rupture", "le journal ne commence plus par son premier point"]
    : ["–", "continuité non vérifiée"];
}

/** What this browser finds of the log's latest checkpoint. */
function useLatestCheck(checkpoint: Checkpoint) {
  return useQuery({
    queryKey: ["checkpoint", checkpoint.signature, checkpoint.timestamp],
    queryFn: () => verifyPublishedCheckpoint(checkpoint),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** That the latest checkpoint does not hold: said before anything else. */
function LatestFault({ checkpoint }: { readonly checkpoint: Checkpoint }) {
  return useLatestCheck(checkpoint).data?.ok === false ? (
    <Alert tone="danger" title="Ce point de contrôle ne tient pas">
      La signature ou l’horodatage du dernier point ne correspond pas à ce qu’il dit, ou n’est pas
      d’une autorité de ce service. Ne vous y fiez pas.
    </Alert>
  ) : null;
}

/** The state of the log now, its signature and time-stamp checked in this browser. */
function LatestCard({ checkpoint }: { readonly checkpoint: Checkpoint }) {
  const checked = useLatestCheck(checkpoint);
  const revocation =
    checked.data?.ok && checked.data.revocation === "unknown" ? " (révocation non vérifiée)" : "";
  const facts = checked.data?.ok ? checked.data.facts : null;
  const pending = checked.data
    ? "Ne tient pas"
    : checked.isError
      ? "Le contrôle n’a pas pu être chargé."
      : "Contrôle en cours…";
  return (
    <Card
      id="dernier"
      title="Dernier point de contrôle"
      isInner
      aside={
        <Button size="sm" onClick={() => saveCheckpoint(checkpoint)}>
          <Icon name="download" size="sm" />
          Garder ce point de contrôle
        </Button>
      }
    >
      <KeyValue
        entries={[
          ["Empreintes enregistrées", <span key="size">{formatCount(checkpoint.size)}</span>],
          ["Journal", facts ? facts.log : pending],
          ["Établi le", formatExactInstant(checkpoint.at)],
          [
            "Signature",
            facts ? `Valide, par ${facts.seal.subject.commonName}${revocation}` : pending,
          ],
          [
            "Horodatage",
            facts
              ? `${formatExactInstant(facts.timestamp.time.toISOString())}, par ${facts.timestamp.authorityName} (non qualifié)`
              : pending,
          ],
        ]}
      />
      <CopyField label="Racine du journal (SHA-256)" value={checkpoint.root} />
      <p className="muted small">
        Ces contrôles se font dans votre navigateur. Les certificats du service sont publiés dans la{" "}
        <a href="/politique-de-certification">politique de certification</a>.
      </p>
    </Card>
  );
}

type CheckpointListProps = {
  readonly answer: CheckpointListAnswer;
  readonly latest: Checkpoint;
  readonly onPage: (page: number) => void;
  readonly onCheck: (checkpoint: Checkpoint) => void;
  /** What came of the last one that was asked about. */
  readonly outcome: ReactNode;
};

/** Every checkpoint, newest first, each of which the log of today can be held against. */
function CheckpointList({ answer, latest, onPage, onCheck, outcome }: CheckpointListProps) {
  const action = (checkpoint: Checkpoint) =>
    checkpoint.size === latest.size ? (
      <span className="muted">Le dernier</span>
    ) : (
      <Button
        size="sm"
        aria-label={`Contrôler le point du ${formatInstant(checkpoint.at)}`}
        onClick={() => onCheck(checkpoint)}
      >
        Contrôler
      </Button>
    );
  const date = ({ at }: Checkpoint) => (
    <>
      <b>{formatLongDay(at)}</b>{" "}
      <span className="ink2 num nowrap">
        à{"\u00a0"}
        {formatTime(at)}
      </span>
    </>
  );
  const columns: readonly Column<Checkpoint>[] = [
    { key: "at", header: "Date", wide: true, cell: date },
    {
      key: "size",
      header: "Empreintes",
      cell: ({ size }) => <span className="num">{formatCount(size)}</span>,
    },
    { key: "check", header: "Contrôle", cell: action },
  ];
  return (
    <Card id="points" title="Points de contrôle">
      <p className="muted small">
        Le registre est complété au moins toutes les heures, puis figé, signé et horodaté. «
        {"\u00a0"}Contrôler{"\u00a0"}» vérifie qu’il commence encore par ce point.
      </p>
      {outcome}
      <div className={styles["rows"]}>
        <DataTable
          caption="Points de contrôle, du plus récent au plus ancien"
          rows={answer.results}
          rowKey={({ size }) => String(size)}
          columns={columns}
          renderCard={(checkpoint) => (
            <div className={styles["row"]}>
              <span className="stack stack--sm">
                <span>{date(checkpoint)}</span>
                <span className="ink2">{plural(checkpoint.size, "empreinte")}</span>
              </span>
              {action(checkpoint)}
            </div>
          )}
        />
      </div>
      <Pager page={answer.page} pageSize={answer.page_size} count={answer.count} onPage={onPage} />
    </Card>
  );
}

/** The roots of the checkpoints that are shown, for whoever compares them. */
function RootList({ answer }: Pick<CheckpointListProps, "answer">) {
  return (
    <Card id="racines" title="Racine de chaque point" isInner>
      <ul className="stack stack--sm">
        {answer.results.map(({ size, at, root }) => (
          <li key={size}>
            <span className="ink2">{formatInstant(at)}</span>
            <code className={styles["root"]}>{root}</code>
          </li>
        ))}
      </ul>
    </Card>
  );
}

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
          Ce registre public prouve qu’un document signé existait à sa date. Toute modification du
          passé se verrait, même si elle venait de nous.
        </p>
        <p className={`ink2 ${styles["holds"]}`}>
          Il ne contient ni nom ni document{"\u00a0"}: seulement des empreintes, des suites de
          chiffres et de lettres qui changent dès qu’une virgule change.
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
      <Alert tone="info">
        Aucun point de contrôle n’a encore été établi{"\u00a0"}: le premier suivra la première
        enveloppe complétée.
      </Alert>
    );
  return (
    <>
      <LatestFault checkpoint={latest} />
      <OwnCard latest={latest} onRewritten={() => setIsRewritten(true)} />
      <Figures
        latest={latest}
        count={first.count}
        isRewritten={isRewritten || (state.step === "done" && isRewrite(state.continuity))}
      />
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
      <Fold
        id="details"
        title="Détails techniques"
        hint="Arbre de Merkle, signatures, continuité"
        icon="shield"
      >
        <p className="ink2">
          Chaque enveloppe tient un historique, dont l’empreinte du dernier événement est une
          feuille de cet arbre de Merkle (RFC 9162). Chaque point de contrôle porte la signature du
          cachet et un horodatage (RFC 3161).
        </p>
        <LatestCard checkpoint={latest} />
        <ContinuityCard onFile={(file) => void checkFile(file)} />
        <RootList answer={shown.data ?? first} />
      </Fold>
      <p className="muted small">
        <GlossaryLink />
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
