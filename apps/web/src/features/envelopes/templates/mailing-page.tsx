import {
  MAILING_SENTENCES,
  type Mailing,
  type MailingRow,
  MAX_MAILING_SIZE_BYTES,
  type Template,
} from "@paraphe/contracts";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Navigate, useSearchParams } from "react-router";
import { api } from "../../../lib/api/api.ts";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { saveBlob } from "../../../lib/browser/save-blob.ts";
import { formatInstant } from "../../../lib/format/format-dates.ts";
import { formatCount, plural } from "../../../lib/format/format-numbers.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { LinkButton } from "../../../ui/button/link-button.tsx";
import { Dropzone } from "../../../ui/dropzone/dropzone.tsx";
import { SideHeading } from "../../../ui/editor-frame/editor-frame.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { TextLink } from "../../../ui/link/link-action.tsx";
import { PageHeading } from "../../../ui/page-heading/page-heading.tsx";
import { Pager } from "../../../ui/pager/pager.tsx";
import { ProgressBar } from "../../../ui/progress/progress.tsx";
import { FullLoader, SkeletonRows } from "../../../ui/skeleton/skeleton.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import {
  mailingCalls,
  MailingFrame,
  mailingNote,
  type ShownProps,
  useStart,
} from "./mailing-frame.tsx";
import {
  ColumnsStep,
  ControlStep,
  LineState,
  LineWords,
  RowDialog,
  useRefresh,
} from "./mailing-steps.tsx";
import { roleNames, useTemplates } from "./use-templates.ts";
import styles from "./mailing.module.css";

const MAILINGS = "/api/signature/mailings/";
const AGAIN_MS = 1_500;
/** Of a paused mailing, which waits for hours. */
const PAUSED_MS = 15_000;

const mailingQuery = (id: string) =>
  queryOptions({
    queryKey: ["mailing", id],
    queryFn: ({ signal }) => api.get<Mailing>(`${MAILINGS}${id}/`, { signal }),
    refetchInterval: ({ state: { data } }) =>
      data?.state === "running" ? AGAIN_MS : data?.state === "paused" ? PAUSED_MS : false,
  });

/** `/signature/templates/…/csv`; `?envoi=` names a file already read, which a reload finds. */
export function MailingPage({ templateId }: { readonly templateId: string }) {
  const [search, setSearch] = useSearchParams();
  const id = search.get("envoi");
  const templates = useTemplates();
  const template = templates.data?.results.find((one) => one.id === templateId);
  if (templates.isPending) return <FullLoader label="Chargement du modèle" />;
  if (template === undefined && id === null) return <Navigate to="/signature/templates" replace />;
  if (id === null)
    return (
      <FileStep template={template as Template} onRead={(read) => setSearch({ envoi: read.id })} />
    );
  return <OneMailing key={id} {...{ id, template }} />;
}

type OneProps = { readonly id: string; readonly template: Template | undefined };

function OneMailing({ id, template }: OneProps) {
  const [search, setSearch] = useSearchParams();
  const client = useQueryClient();
  const { data: mailing, error } = useQuery(mailingQuery(id));
  const show = (changed: Mailing) => {
    client.setQueryData(mailingQuery(id).queryKey, changed);
    void client.invalidateQueries({ queryKey: ["mailing-rows", id] });
  };
  const goTo = (etape: string | null) =>
    setSearch(etape === null ? { envoi: id } : { envoi: id, etape });
  if (error !== null && mailing === undefined) return <Lost error={error} />;
  if (mailing === undefined) return <FullLoader label="Chargement de l’envoi" />;
  if (mailing.state === "running" || mailing.state === "paused")
    return <SendingStep {...{ mailing, show }} />;
  if (mailing.state === "done") return <ReportStep {...{ mailing, template, show }} />;
  if (template === undefined) return <Lost error={new Error("the template is gone")} />;
  const common = { mailing, template, show };
  return search.get("etape") === "controle" ? (
    <ControlStep {...common} onBack={() => goTo(null)} />
  ) : (
    <ColumnsStep {...common} onChecked={() => goTo("controle")} />
  );
}

function Lost({ error }: { readonly error: Error }) {
  return (
    <main className="main main--form stack" id="contenu">
      <PageHeading title="Envoi introuvable">Envoi introuvable</PageHeading>
      <Alert tone="danger">
        {callMessage(error, "Cet envoi n’existe plus, ou son modèle a été supprimé.")}
      </Alert>
      <div>
        <LinkButton to="/signature/templates">Voir les modèles</LinkButton>
      </div>
    </main>
  );
}

type FileStepProps = {
  readonly template: Template;
  readonly onRead: (mailing: Mailing) => void;
};

function useReading({ template, onRead }: FileStepProps) {
  const [failure, setFailure] = useState<string>();
  const reading = useMutation({
    mutationFn: (file: File) => mailingCalls.read(template.id, file),
    onSuccess: onRead,
    onError: (error) => {
      const said = error instanceof ApiError ? error.fieldErrors["file"]?.join(" ") : undefined;
      setFailure(said ?? callMessage(error, "Le fichier n’a pas pu être lu."));
    },
  });
  const read = ([file]: readonly File[]) => {
    if (file === undefined) return;
    const isLarge = file.size > MAX_MAILING_SIZE_BYTES;
    setFailure(isLarge ? MAILING_SENTENCES.too_large : undefined);
    if (!isLarge) reading.mutate(file);
  };
  return { failure, read, isReading: reading.isPending, name: reading.variables?.name };
}

function FileStep(props: FileStepProps) {
  const { template } = props;
  const { failure, read, isReading, name } = useReading(props);
  const pages = template.documents.reduce((sum, { page_count }) => sum + page_count, 0);
  const parts = [
    plural(pages, "page"),
    `rôles\u00a0: ${roleNames(template)}`,
    ...(template.texts.length > 0 ? [`textes\u00a0: ${template.texts.join(", ")}`] : []),
  ];
  return (
    <MailingFrame name={template.name} note={`Modèle, ${plural(pages, "page")}`} step={0}>
      <PageHeading title="Envoi par fichier">Un modèle, une liste</PageHeading>
      <p className="lede">
        Chaque ligne du fichier devient une enveloppe, avec ses signataires et ses textes.
      </p>
      <section className="card" aria-labelledby="modele">
        <div className="card__head">
          <h2 className="h2 grow" id="modele">
            Modèle
          </h2>
          <LinkButton to="/signature/templates" size="sm">
            Changer
          </LinkButton>
        </div>
        <div className="card__body">
          <b>{template.name}</b>
          <p className="muted small">{parts.join(" · ")}</p>
        </div>
      </section>
      {failure !== undefined && (
        <Alert tone="danger" title="Fichier non reconnu">
          <p>{failure}</p>
        </Alert>
      )}
      {isReading ? (
        <SkeletonRows rows={3} label={`Lecture de ${name ?? ""}`} />
      ) : (
        <Dropzone
          title="Déposez votre fichier CSV ici"
          accept=".csv,.tsv,.txt,text/csv"
          hint={`CSV, ${formatCount(1_000)} lignes et 5\u00a0Mo au plus. Séparateur et accents reconnus.`}
          onFiles={read}
        />
      )}
      <div>
        <Button
          variant="ghost"
          size="sm"
          onClick={() => saveBlob(exampleOf(template), "exemple.csv")}
        >
          <Icon name="download" size="sm" />
          Télécharger un fichier d’exemple
        </Button>
      </div>
      <RecentMailings templateId={template.id} />
    </MailingFrame>
  );
}

function exampleOf({ roles, texts, title }: Template): Blob {
  const headings = [
    "Titre",
    ...roles.flatMap(({ label }) => [`${label} nom`, `${label} email`]),
    ...texts,
  ];
  const cells = [
    title,
    ...roles.flatMap(() => ["Camille Durand", "camille.durand@exemple.fr"]),
    ...texts.map(() => ""),
  ];
  const lineOf = (line: readonly string[]) =>
    line.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(";");
  return new Blob([`\ufeff${lineOf(headings)}\r\n${lineOf(cells)}\r\n`], { type: "text/csv" });
}

function RecentMailings({ templateId }: { readonly templateId: string }) {
  const { data } = useQuery({ queryKey: ["mailings"], queryFn: mailingCalls.recent });
  const recent = (data?.results ?? [])
    .filter(({ template }) => template === templateId)
    .slice(0, 5);
  if (recent.length === 0) return null;
  return (
    <section className="stack stack--sm" aria-labelledby="envois-recents">
      <SideHeading id="envois-recents">Envois récents</SideHeading>
      <ul className={styles["rows"]}>
        {recent.map(({ id, file_name, state, sent, total, created_at }) => (
          <li key={id} className="row">
            <TextLink to={`/signature/templates/${templateId}/csv?envoi=${id}`}>
              {file_name}
            </TextLink>
            <span className="muted small num">
              {`${formatInstant(created_at)}, ${state === "ready" ? "à contrôler" : `${plural(sent, "envoyée")} sur ${total}`}`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function SendingStep({ mailing, show }: ShownProps) {
  const stop = useMutation({
    mutationFn: () => mailingCalls.stop(mailing.id),
    onSuccess: show,
    onError: (error) => showToast("err", callMessage(error, "L’envoi n’a pas pu être arrêté.")),
  });
  const { sent, failed, ready, pause } = mailing;
  const all = sent + failed + ready;
  const words = `${plural(sent, "enveloppe")} sur ${formatCount(all)}`;
  return (
    <MailingFrame name={mailing.template_name} note={mailingNote(mailing)} step={3}>
      <PageHeading title="Envoi en cours">
        {pause === null ? "Envoi en cours" : "Envoi en pause"}
      </PageHeading>
      <p className="lede">
        Vous pouvez quitter cette page&nbsp;: l’envoi continue, une notification vous préviendra.
      </p>
      {pause !== null && (
        <Alert tone="warning" title={pause.detail}>
          <p>{`L’envoi reprendra de lui-même le ${formatInstant(pause.until)}. Rien n’est perdu.`}</p>
        </Alert>
      )}
      <section className="card card__body stack" aria-label="Avancement">
        <b className="num" role="status">
          {words}
        </b>
        <ProgressBar
          percent={Math.floor((100 * (sent + failed)) / Math.max(1, all))}
          label={words}
          size="lg"
        />
        {failed > 0 && <p className={styles["bad"]}>{`${plural(failed, "ligne")} en échec`}</p>}
        <div>
          <Button
            variant="dangerGhost"
            size="sm"
            loading={stop.isPending}
            onClick={() => stop.mutate()}
          >
            Arrêter l’envoi
          </Button>
        </div>
      </section>
    </MailingFrame>
  );
}

type ReportProps = ShownProps & { readonly template: Template | undefined };

function ReportStep({ mailing, template, show }: ReportProps) {
  const { id, sent, failed, left, refused, doubles, ready, started_at } = mailing;
  const aside = left + refused + doubles;
  const download = async () => {
    try {
      saveBlob(await mailingCalls.report(id), "rapport.csv");
    } catch (error) {
      showToast("err", callMessage(error, "Le rapport n’a pas pu être téléchargé."));
    }
  };
  const result = `${plural(sent, "enveloppe envoyée", "enveloppes envoyées")}${failed > 0 ? `, ${formatCount(failed)} en échec` : ""}`;
  return (
    <MailingFrame name={mailing.template_name} note={mailingNote(mailing)} step={3}>
      <PageHeading title="Envoi terminé">{result}</PageHeading>
      {started_at !== null && <p className="lede">{`Envoi du ${formatInstant(started_at)}.`}</p>}
      <div className={styles["figures"]}>
        <div>
          <b>{formatCount(sent)}</b>
          <span>{sent > 1 ? "envoyées" : "envoyée"}</span>
        </div>
        <div>
          <b className={failed > 0 ? styles["bad"] : undefined}>{formatCount(failed)}</b>
          <span>en échec</span>
        </div>
        <div>
          <b>{formatCount(aside)}</b>
          <span>{aside > 1 ? "laissées de côté" : "laissée de côté"}</span>
        </div>
      </div>
      {failed + aside + ready > 0 && <Again {...{ mailing, template, show }} />}
      <div className="row">
        <LinkButton variant="primary" to="/signature/envelopes/sent">
          {sent > 1 ? `Voir les ${formatCount(sent)} enveloppes` : "Voir les enveloppes"}
        </LinkButton>
        <Button onClick={() => void download()}>
          <Icon name="download" size="sm" />
          Télécharger le rapport (CSV)
        </Button>
      </div>
    </MailingFrame>
  );
}

const PAGE = 20;

function useAgain({ mailing, show }: ShownProps) {
  const { id } = mailing;
  const start = useStart({ mailing, show });
  const refresh = useRefresh(id);
  const [opened, open] = useState<MailingRow>();
  const onChanged = ({ state }: MailingRow) => {
    open(undefined);
    if (state === "ready") start.mutate(false);
    else void refresh();
  };
  const sending = useMutation({
    mutationFn: ({ line, state }: MailingRow) =>
      mailingCalls.change(id, line, { choice: state === "double" ? "send" : null }),
    onSuccess: onChanged,
    onError: (error) => showToast("err", callMessage(error, "La ligne n’a pas pu être changée.")),
  });
  const isBusy = start.isPending || sending.isPending;
  const act = { onSend: sending.mutate, onOpen: open, isBusy };
  return { act, opened, open, onChanged, onAll: () => start.mutate(true), isBusy };
}

function Again({ mailing, template, show }: ReportProps) {
  const { id, failed, stopped, ready, total, sent } = mailing;
  const { act, opened, open, onChanged, onAll, isBusy } = useAgain({ mailing, show });
  const [page, setPage] = useState(1);
  const { data } = useQuery({
    queryKey: ["mailing-rows", id, "unsent", page],
    queryFn: ({ signal }) =>
      mailingCalls.rows(id, { order: "faults", page, page_size: PAGE }, signal),
    placeholderData: (before) => before,
  });
  const all =
    failed > 0 ? "Réessayer tout" : `Envoyer les lignes ${stopped > 0 ? "arrêtées" : "prêtes"}`;
  return (
    <section className="card" aria-labelledby="a-reprendre">
      <div className="card__head">
        <h2 className="h2 grow" id="a-reprendre">
          {failed > 0 ? "À reprendre" : "Lignes laissées de côté"}
        </h2>
        {failed + stopped + ready > 0 && template !== undefined && (
          <Button size="sm" loading={isBusy} onClick={onAll}>
            <Icon name="refresh" size="sm" />
            {all}
          </Button>
        )}
      </div>
      <div className="card__body">
        <ul className={styles["rows"]}>
          {data?.results
            .filter(({ state }) => state !== "sent")
            .map((row) => (
              <li key={row.line} className="row row--between">
                <div className="stack stack--sm">
                  <span className="muted small num">{`Ligne ${row.line}`}</span>
                  {template !== undefined && <LineWords {...{ mailing, template, row }} />}
                  <LineState row={row} />
                </div>
                {template !== undefined && <AgainAction {...{ row, ...act }} />}
              </li>
            ))}
        </ul>
      </div>
      {total - sent > PAGE && (
        <Pager page={page} pageSize={PAGE} count={total - sent} onPage={setPage} />
      )}
      {opened !== undefined && template !== undefined ? (
        <RowDialog
          {...{ mailing, template }}
          row={opened}
          save="Enregistrer et envoyer"
          onSaved={onChanged}
          onClose={() => open(undefined)}
        />
      ) : null}
    </section>
  );
}

type AgainActionProps = {
  readonly row: MailingRow;
  readonly isBusy: boolean;
  readonly onSend: (row: MailingRow) => void;
  readonly onOpen: (row: MailingRow) => void;
};

function AgainAction({ row, isBusy, onSend, onOpen }: AgainActionProps) {
  const { state, line } = row;
  const button = (words: string, onClick: (row: MailingRow) => void, variant?: "ghost") => (
    <Button
      size="sm"
      {...{ variant }}
      disabled={isBusy}
      aria-label={`${words} la ligne ${line}`}
      onClick={() => onClick(row)}
    >
      {words}
    </Button>
  );
  if (state === "double") return button("Envoyer quand même", onSend, "ghost");
  if (state === "failed") return button("Corriger et renvoyer", onOpen);
  if (state === "refused") return button("Corriger", onOpen);
  return (
    <span className={styles["acts"]}>
      {button("Modifier", onOpen, "ghost")}
      {button("Envoyer", onSend)}
    </span>
  );
}
