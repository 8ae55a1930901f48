import {
  TEST_TYPE,
  type Webhook,
  type WebhookReplay,
  type WebhookSecret,
  type WebhookTries,
  type WebhookTry,
} from "@paraphe/contracts/webhooks";
import { infiniteQueryOptions, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { type KeyboardEvent, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";
import { Link, useNavigate } from "react-router";
import { api } from "../../../lib/api/api.ts";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { announce } from "../../../lib/browser/announce.ts";
import { formatDay, formatInstant, formatShortInstant } from "../../../lib/format/format-dates.ts";
import { plural } from "../../../lib/format/format-numbers.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button, buttonLook } from "../../../ui/button/button.tsx";
import { ConfirmDialog } from "../../../ui/dialog/confirm-dialog.tsx";
import { lazyDialog } from "../../../ui/dialog/lazy-dialog.tsx";
import { SelectField } from "../../../ui/field/field.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { Menu, type MenuEntry } from "../../../ui/menu/menu.tsx";
import { SkeletonRows } from "../../../ui/skeleton/skeleton.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { LoadFailure } from "../settings/settings-layout.tsx";
import { attempt, holderName, State, WEBHOOKS, WEBHOOKS_PAGE } from "./programs-layout.tsx";
import styles from "./webhooks.module.css";

const WebhookDialog = lazyDialog(async () => (await import("./webhook-dialogs.tsx")).WebhookDialog);

const SOON_MS = [300, 700, 1_500, 2_500, 3_500];

const triesQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ["webhooks", id, "tries"],
    queryFn: ({ pageParam, signal }) =>
      api.get<WebhookTries>(
        `${WEBHOOKS}${id}/tries/${pageParam === null ? "" : `?before=${pageParam}`}`,
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }: WebhookTries) => next,
  });

const useTries = (id: string) => useInfiniteQuery(triesQuery(id));

type Props = {
  readonly webhook: Webhook;
  readonly onChanged: () => Promise<void>;
  readonly onSecret: (made: WebhookSecret) => void;
  readonly onOldSignIn: () => void;
};

/** Refetches until there is a try (of `type`) newer than `last`. */
function useNewTry(id: string) {
  const client = useQueryClient();
  const { queryKey } = triesQuery(id);
  return async (type: string | undefined, last: string | undefined) => {
    for (const pause of SOON_MS) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      await client.refetchQueries({ queryKey });
      const tries = client.getQueryData(queryKey)?.pages[0]?.tries ?? [];
      const newest = tries.find(
        (one) => one.type === (type ?? one.type) && Number(one.id) > Number(last ?? 0),
      );
      if (newest !== undefined) {
        announce(`${newest.type}\u00a0: ${statusWords(newest)}`);
        return newest;
      }
    }
    return undefined;
  };
}

type Sending = {
  readonly type?: string;
  readonly failure: string;
  readonly done?: string;
  readonly call: () => Promise<Partial<WebhookReplay>>;
};
const WAITS = "Un événement antérieur de cette enveloppe part d’abord\u00a0: celui-ci attend.";

export function WebhookCard(props: Props) {
  const { webhook, onChanged } = props;
  const [chosen, setChosen] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const found = useTries(webhook.id);
  const awaitTry = useNewTry(webhook.id);
  const at = `${WEBHOOKS}${webhook.id}/`;
  const send = async ({ type, failure, done, call: ask }: Sending) => {
    const last = found.data?.pages[0]?.tries[0]?.id;
    let waits = false;
    setIsBusy(true);
    if (await attempt(async () => (waits = (await ask()).waits ?? false), failure)) {
      const newest = waits ? undefined : await awaitTry(type, last);
      if (newest !== undefined) setChosen(newest.id);
      if (waits) showToast("info", WAITS);
      else if (newest === undefined) showToast("info", "Pas encore de réponse.");
      else if (done !== undefined && isTaken(newest)) showToast("ok", done);
      else if (done !== undefined) showToast("err", `Nouvel échec\u00a0: ${statusWords(newest)}`);
      await onChanged();
    }
    setIsBusy(false);
  };
  const test = () =>
    send({
      call: () => api.post(`${at}test/`),
      type: TEST_TYPE,
      failure: "L’essai n’a pas pu partir.",
    });
  const retry = () =>
    send({
      call: () => api.patch(at, { body: { paused: false } }),
      failure: "Les événements n’ont pas pu être réessayés.",
      done: "Événements réessayés",
    });
  return (
    <>
      <Head {...props} isBusy={isBusy} onTest={() => void test()} />
      {webhook.paused === null ? (
        <FailingAlert {...{ webhook, isBusy }} onRetry={() => void retry()} />
      ) : (
        <PauseAlert {...{ webhook, onChanged, isBusy }} onTest={() => void test()} />
      )}
      <LogCard
        found={found}
        {...{ webhook, chosen, isBusy }}
        onChoose={setChosen}
        onReplay={(one) =>
          void send({
            call: () => api.post<WebhookReplay>(`${at}tries/${one.id}/replay/`),
            type: one.type,
            failure: "L’événement n’a pas pu être rejoué.",
            done: one.next_try_at === null ? "Événement rejoué" : "Événement reçu",
          })
        }
      />
    </>
  );
}

type LogCardProps = Pick<LogProps, "chosen" | "isBusy" | "onChoose" | "onReplay"> & {
  readonly webhook: Webhook;
  readonly found: ReturnType<typeof useTries>;
};

function LogCard({ webhook, found, ...log }: LogCardProps) {
  return (
    <section className="card" aria-labelledby="titre-envois">
      {found.isPending && <SkeletonRows rows={4} label="Chargement du journal" />}
      {found.isError && (
        <LoadFailure
          error={found.error}
          fallback="Impossible de charger le journal des envois"
          onRetry={() => void found.refetch()}
        />
      )}
      {found.data && (
        <Log
          {...log}
          tries={found.data.pages.flatMap((page) => page.tries)}
          canReplay={webhook.paused === null}
        />
      )}
      {found.hasNextPage && (
        <p className={styles["more"]}>
          <Button loading={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
            Envois plus anciens
          </Button>
        </p>
      )}
    </section>
  );
}

type HeadProps = Props & { readonly isBusy: boolean; readonly onTest: () => void };
type Asked = "edit" | "delete" | "rotate";

function Head({ isBusy, onTest, ...props }: HeadProps) {
  const { webhook, onChanged } = props;
  const [open, setOpen] = useState<Asked>();
  const pause = async () => {
    const change = () => api.patch(`${WEBHOOKS}${webhook.id}/`, { body: { paused: true } });
    if (await attempt(change, "Le webhook n’a pas pu être mis en pause.")) await onChanged();
  };
  return (
    <div className={styles["head"]}>
      <div className="grow">
        <Link className={styles["back"]} to={WEBHOOKS_PAGE}>
          <Icon name="chevron-left" size="sm" />
          Webhooks
        </Link>
        <h2 className={styles["url"]}>{webhook.url}</h2>
        <p className={styles["facts"]}>
          <State webhook={webhook} />
          <span className="muted small">{madeWords(webhook)}</span>
        </p>
      </div>
      <div className={styles["actions"]}>
        <Button loading={isBusy} onClick={onTest}>
          <Icon name="send" size="sm" />
          Essayer
        </Button>
        <Button onClick={() => setOpen("edit")}>
          <Icon name="edit" size="sm" />
          Modifier
        </Button>
        <Menu
          label="Autres actions"
          triggerLabel="Autres actions"
          triggerClassName={buttonLook({ square: true })}
          trigger={<Icon name="dots" />}
          entries={entriesOf({ isPaused: webhook.paused !== null, ask: setOpen, pause })}
        />
      </div>
      {open && <Asking {...props} open={open} onClose={() => setOpen(undefined)} />}
    </div>
  );
}

function madeWords({ created_at, holder, by }: Webhook): string {
  const day = `Créé le ${formatDay(created_at)}`;
  return holder.kind === "person"
    ? day
    : `${day}, au nom de\u00a0: ${holderName(holder)}, par ${by}`;
}

type Entries = {
  readonly isPaused: boolean;
  readonly ask: (what: Asked) => void;
  readonly pause: () => Promise<void>;
};

function entriesOf({ isPaused, ask, pause }: Entries): readonly MenuEntry[] {
  return [
    ...(isPaused ? [] : [{ id: "pause", label: "Mettre en pause", onAction: () => void pause() }]),
    { id: "secret", label: "Remplacer le secret", onAction: () => ask("rotate") },
    {
      id: "delete",
      label: "Supprimer",
      danger: true,
      separated: true,
      onAction: () => ask("delete"),
    },
  ];
}

type AskingProps = Props & { readonly open: Asked; readonly onClose: () => void };

function Asking(props: AskingProps) {
  if (props.open === "edit") return <Edit {...props} />;
  return props.open === "rotate" ? <Rotate {...props} /> : <Delete {...props} />;
}

function Edit({ webhook, onChanged, onOldSignIn, onClose }: AskingProps) {
  return (
    <WebhookDialog
      webhook={webhook}
      save={async ({ url, types }) => {
        await api.patch<Webhook>(`${WEBHOOKS}${webhook.id}/`, { body: { url, types } });
        onClose();
        showToast("ok", "Webhook modifié");
        await onChanged();
      }}
      onClose={onClose}
      onOldSignIn={onOldSignIn}
    />
  );
}

function Rotate({ webhook, onSecret, onOldSignIn, onClose }: AskingProps) {
  const rotate = async () => {
    onClose();
    try {
      onSecret(await api.post<WebhookSecret>(`${WEBHOOKS}${webhook.id}/secret/`));
    } catch (error) {
      if (error instanceof ApiError && error.code === "fresh_sign_in_required") onOldSignIn();
      else showToast("err", callMessage(error, "Le secret n’a pas pu être remplacé."));
    }
  };
  return (
    <ConfirmDialog
      title={"Remplacer le secret\u202f?"}
      message="Le nouveau secret est affiché une seule fois. L’ancien signe encore pendant 24 heures, le temps de le changer dans votre programme."
      confirmLabel="Remplacer"
      cancelLabel="Garder le secret"
      onConfirm={() => void rotate()}
      onCancel={onClose}
    />
  );
}

function Delete({ webhook, onChanged, onClose }: AskingProps) {
  const navigate = useNavigate();
  const remove = async () => {
    onClose();
    const call = () => api.delete(`${WEBHOOKS}${webhook.id}/`);
    if (!(await attempt(call, "Le webhook n’a pas pu être supprimé."))) return;
    showToast("ok", "Webhook supprimé");
    await navigate(WEBHOOKS_PAGE);
    await onChanged();
  };
  return (
    <ConfirmDialog
      title={"Supprimer ce webhook\u202f?"}
      message="Votre programme ne sera plus prévenu, dès maintenant. Son journal et les événements en attente sont effacés."
      secondary="Cette action est irréversible."
      confirmLabel="Supprimer le webhook"
      cancelLabel="Garder le webhook"
      tone="danger"
      onConfirm={() => void remove()}
      onCancel={onClose}
    />
  );
}

const REASONS = {
  failing: "Ce programme n’a pas répondu pendant trois jours. ",
  gone: "Ce programme a répondu que cette adresse n’existe plus (410). ",
} as const;

function reasonOf({ paused, holder: { kind } }: Webhook): string {
  if (paused === null || paused === "asked")
    return kind === "person" ? "Vous l’avez mis en pause." : "Un administrateur l’a mis en pause.";
  return `${REASONS[paused]}${kind === "person" ? "Un email vous a été envoyé." : "Un email a été envoyé aux administrateurs."}`;
}

type PauseProps = Pick<HeadProps, "webhook" | "onChanged" | "isBusy" | "onTest">;

function PauseAlert({ webhook, onChanged, isBusy, onTest }: PauseProps) {
  const { paused_at: at, waiting } = webhook;
  const resume = async () => {
    const change = () => api.patch(`${WEBHOOKS}${webhook.id}/`, { body: { paused: false } });
    if (!(await attempt(change, "Le webhook n’a pas pu être repris."))) return;
    showToast("ok", "Webhook repris");
    await onChanged();
  };
  const waits =
    waiting === 0
      ? ""
      : waiting === 1
        ? "\u00a01 événement attend\u00a0: il partira dès la reprise."
        : `\u00a0${plural(waiting, "événement")} attendent\u00a0: ils partiront dans l’ordre dès la reprise.`;
  return (
    <Alert
      tone="warning"
      title={at === null ? "En pause" : `En pause depuis le ${formatInstant(at)}`}
      isAnnounced={false}
    >
      <p>{`${reasonOf(webhook)}${waits}`}</p>
      <div className={styles["resume"]}>
        <Button variant="primary" onClick={() => void resume()}>
          Reprendre
        </Button>
        <Button loading={isBusy} onClick={onTest}>
          Essayer d’abord
        </Button>
      </div>
    </Alert>
  );
}

function FailingAlert({
  webhook: { failing, waiting },
  isBusy,
  onRetry,
}: Pick<HeadProps, "webhook" | "isBusy"> & { readonly onRetry: () => void }) {
  if (!failing || waiting === 0) return null;
  const waits =
    waiting === 1
      ? "1 événement attend\u00a0: Paraphe le réessaie"
      : `${plural(waiting, "événement")} attendent\u00a0: Paraphe les réessaie dans l’ordre,`;
  return (
    <Alert tone="warning" title="Ce programme ne prend pas les événements" isAnnounced={false}>
      <p>{`${waits} pendant trois jours.`}</p>
      <div className={styles["resume"]}>
        <Button loading={isBusy} onClick={onRetry}>
          {waiting === 1 ? "Réessayer maintenant" : "Tout réessayer maintenant"}
        </Button>
      </div>
    </Alert>
  );
}

const isTaken = ({ status }: WebhookTry) => status !== null && status >= 200 && status < 300;
const statusWords = ({ status }: WebhookTry) => (status === null ? "Sans réponse" : String(status));

function duration(ms: number): string {
  return ms < 1_000
    ? `${ms}\u00a0ms`
    : `${(ms / 1_000).toLocaleString("fr-FR", { maximumFractionDigits: 1 })}\u00a0s`;
}

const WIDE = "(min-width: 900px)";
const isWide = () => globalThis.matchMedia(WIDE).matches;
function onWidth(changed: () => void): () => void {
  const media = globalThis.matchMedia(WIDE);
  media.addEventListener("change", changed);
  return () => media.removeEventListener("change", changed);
}

type LogProps = {
  readonly tries: readonly WebhookTry[];
  readonly chosen: string | undefined;
  readonly isBusy: boolean;
  readonly canReplay: boolean;
  readonly onChoose: (id: string) => void;
  readonly onReplay: (one: WebhookTry) => void;
};

function Log({ tries, ...rest }: LogProps) {
  const [filter, setFilter] = useState<"all" | "failed">("all");
  const rows = filter === "all" ? tries : tries.filter((one) => !isTaken(one));
  return (
    <>
      <div className="card__head">
        <h3 className="h2 grow" id="titre-envois">
          Journal des envois
        </h3>
        {tries.length > 0 && (
          <SelectField
            label="Envois montrés"
            hideLabel
            value={filter}
            onChange={({ target }) => setFilter(target.value === "failed" ? "failed" : "all")}
          >
            <option value="all">Tous les envois</option>
            <option value="failed">En échec</option>
          </SelectField>
        )}
      </div>
      {rows.length > 0 ? (
        <Rows tries={rows} {...rest} />
      ) : (
        <p className={styles["none"]}>
          {tries.length === 0
            ? "Rien n’a encore été envoyé. «\u00a0Essayer\u00a0» envoie un événement d’essai."
            : "Aucun envoi en échec."}
        </p>
      )}
    </>
  );
}

function Rows({ tries, chosen, onChoose, ...panel }: LogProps) {
  const wide = useSyncExternalStore(onWidth, isWide);
  const list = useRef<HTMLUListElement>(null);
  const shown = tries.find(({ id }) => id === chosen) ?? (wide ? tries[0] : undefined);
  const focusRow = (id: string) =>
    list.current?.querySelector<HTMLElement>(`[data-try="${id}"]`)?.focus();
  const last = useRef(shown?.id);
  useLayoutEffect(() => {
    const next = shown?.id ?? last.current;
    // The focus leaves with the panel of the row before.
    if (!wide && last.current !== shown?.id && document.activeElement === document.body && next)
      focusRow(next);
    last.current = shown?.id;
  });
  const walk = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const next = tries[tries.findIndex(({ id }) => id === shown?.id) + (step ?? 0)];
    if (step === undefined || next === undefined) return;
    event.preventDefault();
    onChoose(next.id);
    focusRow(next.id);
  };
  return (
    <div className={styles["log"]}>
      <div>
        <ul ref={list} className={styles["rows"]}>
          {tries.map((one) => (
            <li key={one.id}>
              <Row {...{ one, onChoose }} isShown={one.id === shown?.id} onKeyDown={walk} />
              {!wide && one.id === shown?.id && <Panel one={one} {...panel} />}
            </li>
          ))}
        </ul>
        <p className={styles["kept"]}>Gardé 30 jours. Heure de Paris.</p>
      </div>
      {wide && shown && <Panel one={shown} {...panel} />}
    </div>
  );
}

type RowProps = {
  readonly one: WebhookTry;
  readonly isShown: boolean;
  readonly onChoose: (id: string) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
};

function Row({ one, isShown, onChoose, onKeyDown }: RowProps) {
  return (
    <button
      type="button"
      className={styles["row"]}
      data-try={one.id}
      data-taken={isTaken(one)}
      aria-expanded={isShown}
      onKeyDown={onKeyDown}
      onClick={() => onChoose(one.id)}
    >
      <Icon name={isTaken(one) ? "check-circle" : "alert"} size="sm" />
      <span className={styles["what"]}>
        <code>{one.type}</code>
        <small>{[titleIn(one), formatShortInstant(one.at)].filter(Boolean).join(" · ")}</small>
      </span>
      <b>{statusWords(one)}</b>
      <span className={styles["took"]}>{duration(one.duration_ms)}</span>
    </button>
  );
}

/** Of the envelope; none in a test, or once it is purged. */
function titleIn({ request }: WebhookTry): string | undefined {
  try {
    return JSON.parse(request ?? "").data.title;
  } catch {
    return undefined;
  }
}

type PanelProps = { readonly one: WebhookTry } & Pick<
  LogProps,
  "isBusy" | "canReplay" | "onReplay"
>;

function Panel({ one, isBusy, canReplay, onReplay }: PanelProps) {
  return (
    <section className={styles["panel"]} aria-label={`Envoi ${one.type}`}>
      <div className={styles["panelHead"]}>
        <h4 className={styles["type"]}>{one.type}</h4>
        {canReplay && (
          <Button size="sm" loading={isBusy} onClick={() => onReplay(one)}>
            <Icon name="refresh" size="sm" />
            {one.next_try_at === null ? "Rejouer" : "Réessayer maintenant"}
          </Button>
        )}
      </div>
      {one.next_try_at !== null && (
        <p
          className={styles["next"]}
        >{`Prochain essai\u00a0: ${formatShortInstant(one.next_try_at)}`}</p>
      )}
      <h5 className={styles["label"]}>Demande</h5>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
      <pre className={styles["code"]} tabIndex={0} aria-label="Demande envoyée">
        {`POST ${one.path}\n${Object.entries(one.headers)
          .map(([name, value]) => `${name}: ${value}`)
          .join("\n")}\n\n${indented(one.request)}`}
      </pre>
      <h5 className={styles["label"]} data-taken={isTaken(one)}>
        Réponse <b>{`${statusWords(one)} · ${duration(one.duration_ms)}`}</b>
      </h5>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
      <pre className={styles["code"]} tabIndex={0} aria-label="Réponse reçue">
        {one.answer === "" ? "(vide)" : one.answer}
      </pre>
    </section>
  );
}

function indented(body: string | null): string {
  if (body === null) return "(effacée avec son enveloppe)";
  return JSON.stringify(JSON.parse(body), null, 2);
}
