import type { Checkpoint, CheckpointListAnswer } from "@paraphe/contracts";
import { type ReactNode, useState, useEffect, useRef } from "react";
import { serverSentence } from "../../lib/api/api-error.ts";
import {
  formatDayMonth,
  formatExactInstant,
  formatInstant,
  formatLongDay,
  formatTime,
} from "../../lib/format/format-dates.ts";
import { formatCount, plural } from "../../lib/format/format-numbers.ts";
import { type Loaded, useLoaded } from "../../lib/api/use-loaded.ts";
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
import { GlossaryLink } from "../proof/glossary/glossary-button.tsx";
import {
  checkContinuity,
  type Continuity,
  isRewrite,
  loadCheckpoints,
  loadFirstCheckpoint,
  saveCheckpoint,
  parseSavedCheckpoint,
} from "./check-continuity.ts";
import { OwnCard } from "./own-card.tsx";
import { Dropzone } from "../../ui/dropzone/dropzone.tsx";
import styles from "./log-page.module.css";

type FiguresProps = {
  readonly latest: Checkpoint;
  readonly count: number;
  /** A file chosen by the reader proves a rewrite. */
  readonly isRewritten: boolean;
};

function Figures({ latest, count, isRewritten }: FiguresProps) {
  const origin = useLoaded(`${latest.size} ${latest.root}`, async (signal) =>
    checkContinuity(await loadFirstCheckpoint(count, signal), latest),
  );
  const [word, said] = isRewritten
    ? ["Rupture", "ce que vous avez gardé le montre"]
    : originSaid(origin);
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

function originSaid(origin: Loaded<Continuity>): readonly [string, string] {
  if (origin.status === "loading") return ["…", "continuité en cours de contrôle"];
  if (origin.status === "failed") return ["…", "continuité non vérifiée"];
  if (origin.value.outcome === "holds")
    return ["Aucune", "rupture depuis le premier point, vérifié dans votre navigateur"];
  return isRewrite(origin.value)
    ? ["Rupture", "le journal ne commence plus par son premier point"]
    : ["–", "continuité non vérifiée"];
}

type LatestCheck = Loaded<Awaited<ReturnType<typeof verifyPublishedCheckpoint>>>;

function LatestFault({ check }: { readonly check: LatestCheck }) {
  return check.status === "ready" && !check.value.ok ? (
    <Alert tone="danger" title="Ce point de contrôle ne tient pas">
      La signature ou l’horodatage du dernier point ne correspond pas à ce qu’il dit, ou n’est pas
      d’une autorité de ce service. Ne vous y fiez pas.
    </Alert>
  ) : null;
}

type LatestCardProps = { readonly checkpoint: Checkpoint; readonly check: LatestCheck };

const PENDING = {
  ready: "Ne tient pas",
  failed: "Le contrôle n’a pas pu être chargé.",
  loading: "Contrôle en cours…",
} as const;

function LatestCard({ checkpoint, check }: LatestCardProps) {
  const valid = check.status === "ready" && check.value.ok ? check.value : null;
  const revocation = valid?.revocation === "unknown" ? " (révocation non vérifiée)" : "";
  const facts = valid?.facts ?? null;
  const pending = PENDING[check.status];
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
  readonly outcome: ReactNode;
};

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

export function LogPage() {
  const first = useLoaded("1", (signal) => loadCheckpoints(1, signal));
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
      {first.status === "ready" ? (
        <Log first={first.value} />
      ) : first.status === "failed" ? (
        <Alert tone="danger" title="Le journal n’a pas pu être chargé">
          {serverSentence(first.error)}
          <Button size="sm" onClick={first.retry}>
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
  const [latest] = first.results;
  return latest === undefined ? (
    <Alert tone="info">
      Aucun point de contrôle n’a encore été établi{"\u00a0"}: le premier suivra la première
      enveloppe complétée.
    </Alert>
  ) : (
    <LogParts first={first} latest={latest} />
  );
}

/** Shows the previous page until the next one comes. */
function useListPage(first: CheckpointListAnswer) {
  const [page, setPage] = useState(1);
  const [shown, setShown] = useState(first);
  const asked = useLoaded(String(page), async (signal) =>
    page === 1 ? first : loadCheckpoints(page, signal),
  );
  if (asked.status === "ready" && asked.value !== shown) setShown(asked.value);
  return { shown, setPage, error: asked.status === "failed" ? asked.error : undefined };
}

type LogPartsProps = { readonly first: CheckpointListAnswer; readonly latest: Checkpoint };

function LogParts({ first, latest }: LogPartsProps) {
  const { shown, setPage, error } = useListPage(first);
  const [isRewritten, setIsRewritten] = useState(false);
  const { state, check, checkFile } = useContinuity(latest);
  const latestCheck = useLoaded(`${latest.signature} ${latest.timestamp}`, () =>
    verifyPublishedCheckpoint(latest),
  );
  return (
    <>
      <LatestFault check={latestCheck} />
      <OwnCard latest={latest} onRewritten={() => setIsRewritten(true)} />
      <Figures
        latest={latest}
        count={first.count}
        isRewritten={isRewritten || (state.step === "done" && isRewrite(state.continuity))}
      />
      <CheckpointList
        answer={shown}
        latest={latest}
        onPage={setPage}
        onCheck={(checkpoint) => void check(checkpoint)}
        outcome={<ContinuityOutcome state={state} latest={latest} />}
      />
      {error !== undefined ? (
        <Alert tone="danger" title="Cette page de la liste n’a pas pu être chargée">
          {serverSentence(error)}
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
        <LatestCard checkpoint={latest} check={latestCheck} />
        <ContinuityCard onFile={(file) => void checkFile(file)} />
        <RootList answer={shown} />
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

/** `unread`: no checkpoint in the file; `away`: the path did not load. */
type ContinuityState =
  | { readonly step: "none" | "unread" | "away" | "checking" }
  | { readonly step: "done"; readonly saved: Checkpoint; readonly continuity: Continuity };

function useContinuity(latest: Checkpoint | undefined) {
  const [state, setState] = useState<ContinuityState>({ step: "none" });
  const asked = useRef(0);
  const show = async (answer: () => Promise<ContinuityState>) => {
    const turn = ++asked.current;
    setState({ step: "checking" });
    const said = await answer().catch((error: unknown): ContinuityState => {
      console.warn("a checkpoint could not be compared with the log", error);
      return { step: "away" };
    });
    if (turn === asked.current) setState(said);
  };
  const compare = async (saved: Checkpoint): Promise<ContinuityState> =>
    latest === undefined
      ? { step: "none" }
      : { step: "done", saved, continuity: await checkContinuity(saved, latest) };
  return {
    state,
    check: (saved: Checkpoint) => show(() => compare(saved)),
    checkFile: (file: File) =>
      show(async () => {
        const saved = await parseSavedCheckpoint(file);
        return saved === null ? { step: "unread" } : compare(saved);
      }),
  };
}

type Props = {
  readonly state: ContinuityState;
  readonly latest: Checkpoint;
  readonly onFile: (file: File) => void;
};

function ContinuityCard({ onFile }: Pick<Props, "onFile">) {
  return (
    <Card id="continuite" title="Vérifier la continuité" className="off-paper" isInner>
      <p className="ink2">
        Gardez un point de contrôle{"\u00a0"}: plus tard, cette page vérifiera que le journal
        commence encore par lui, donc que rien de ce qu’il couvrait n’a été retiré ni changé.
      </p>
      <Dropzone
        compact
        title="Déposez un point de contrôle gardé"
        hint={"Le calcul se fait dans votre navigateur\u00a0: rien n’est envoyé."}
        accept=".json,application/json"
        onFiles={([file]) => file && onFile(file)}
      />
    </Card>
  );
}

function ContinuityOutcome({ state, latest }: Pick<Props, "state" | "latest">) {
  const outcome = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (state.step !== "none") outcome.current?.scrollIntoView({ block: "nearest" });
  }, [state]);
  // The live region precedes its text: one inserted with it may stay silent.
  return (
    <div ref={outcome} role="status" aria-label="Continuité">
      <Outcome state={state} latest={latest} />
    </div>
  );
}

function Outcome({ state, latest }: Pick<Props, "state" | "latest">) {
  if (state.step === "done") return <Answer {...state} latest={latest} />;
  if (state.step === "none") return null;
  if (state.step === "checking") return <p className="muted">Vérification en cours…</p>;
  if (state.step === "unread")
    return (
      <Alert isAnnounced={false} tone="warning">
        Ce fichier n’est pas un point de contrôle de ce journal.
      </Alert>
    );
  return (
    <Alert isAnnounced={false} tone="warning">
      Le service n’a pas donné de quoi vérifier. Réessayez dans un instant.
    </Alert>
  );
}

type AnswerProps = Extract<ContinuityState, { readonly step: "done" }> & Pick<Props, "latest">;

function Answer({ saved, continuity, latest }: AnswerProps) {
  const [first, second] = [formatCount(saved.size), formatCount(latest.size)];
  switch (continuity.outcome) {
    case "holds":
      return (
        <Alert isAnnounced={false} tone="success" title="Continuité vérifiée">
          Le journal, qui compte {plural(latest.size, "empreinte")}, commence par{" "}
          {saved.size > 1 ? `les ${first}` : "celle"} du point de contrôle du{" "}
          {formatInstant(saved.at)}
          {"\u00a0"}: aucune n’a été retirée ni changée.
        </Alert>
      );
    case "unsound":
      return (
        <Alert isAnnounced={false} tone="warning" title="Point de contrôle inexploitable">
          Sa signature ou son horodatage ne correspond pas à ce qu’il dit, ou n’est pas d’une
          autorité de ce service{"\u00a0"}: il ne prouve rien contre le journal.
        </Alert>
      );
    case "foreign":
      return (
        <Alert isAnnounced={false} tone="warning" title="Point de contrôle d’un autre journal">
          Il dit être du journal de {continuity.log}
          {"\u00a0"}: il ne dit rien de ce journal-ci.
        </Alert>
      );
    default:
      return (
        <Alert isAnnounced={false} tone="danger" title="Le journal a été réécrit">
          {continuity.outcome === "shorter"
            ? `Le point de contrôle du ${formatInstant(saved.at)} atteste ${plural(saved.size, "empreinte")}, le journal n’en compte plus que ${second}.`
            : `Le journal ne commence pas par ce qu’atteste le point de contrôle du ${formatInstant(saved.at)}.`}{" "}
          Gardez ce point de contrôle{"\u00a0"}: il le prouve.
        </Alert>
      );
  }
}
