import {
  emailFault,
  type Mailing,
  mailingPlanFaults,
  type MailingRow,
  mailingTargetName,
  nameFault,
  type Template,
} from "@paraphe/contracts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Fragment, useId, useState } from "react";
import { flushSync } from "react-dom";
import { callMessage } from "../../../lib/api/api-error.ts";
import { saveBlob } from "../../../lib/browser/save-blob.ts";
import { classNames } from "../../../lib/class-names.ts";
import { formatCount, plural } from "../../../lib/format/format-numbers.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { actionsColumn, type Column, DataTable } from "../../../ui/data-table/data-table.tsx";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import { lazyDialog } from "../../../ui/dialog/lazy-dialog.tsx";
import { SelectField, TextField } from "../../../ui/field/field.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { LinkAction } from "../../../ui/link/link-action.tsx";
import { PageHeading } from "../../../ui/page-heading/page-heading.tsx";
import { Pager } from "../../../ui/pager/pager.tsx";
import { Segmented } from "../../../ui/segmented/segmented.tsx";
import { SkeletonRows } from "../../../ui/skeleton/skeleton.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { fullName, useSession } from "../../accounts/use-session.ts";
import { mailingCalls, MailingFrame, mailingNote, useStart } from "./mailing-frame.tsx";
import { roleNames } from "./use-templates.ts";
import styles from "./mailing.module.css";

const LinePreview = lazyDialog(async () => (await import("./mailing-preview.tsx")).LinePreview);

type StepProps = {
  readonly mailing: Mailing;
  readonly template: Template;
  readonly show: (changed: Mailing) => void;
};

const PARTS = ["name", "first", "email", "phone"] as const;

function targetsOf({ roles, texts }: Template): readonly string[] {
  return [
    "title",
    ...roles.flatMap((_, index) => PARTS.map((part) => `${part}:${index}`)),
    ...texts.map((_, index) => `text:${index}`),
  ];
}

type Holder = { readonly full_name: string; readonly email: string };
const NOBODY: Holder = { full_name: "", email: "" };

function usePlan({ mailing, template, show }: StepProps, onChecked: () => void) {
  const [columns, setColumns] = useState(() => mailing.columns.map(({ target }) => target));
  const [days, setDays] = useState(mailing.deadline_days);
  const [holders, setHolders] = useState<readonly Holder[]>(() =>
    template.roles.map(
      (_, index) => mailing.people.find(({ role_index }) => role_index === index) ?? NOBODY,
    ),
  );
  const isFixed = (index: number) => !PARTS.some((part) => columns.includes(`${part}:${index}`));
  const people = holders.flatMap(({ full_name, email }, role_index) =>
    isFixed(role_index) && nameFault(full_name) === null && emailFault(email) === null
      ? [{ role_index, full_name, email, phone_number: null }]
      : [],
  );
  const saving = useMutation({
    mutationFn: () => mailingCalls.plan(mailing.id, { columns, people, deadline_days: days }),
    onSuccess: (changed) => {
      show(changed);
      onChecked();
    },
    onError: (error) =>
      showToast("err", callMessage(error, "Les lignes n’ont pas pu être contrôlées.")),
  });
  return {
    columns,
    choose: (index: number, target: string | null) =>
      setColumns((all) => all.map((one, at) => (at === index ? target : one))),
    days,
    setDays,
    holders,
    fill: (index: number, part: Partial<Holder>) =>
      setHolders((all) => all.map((one, at) => (at === index ? { ...one, ...part } : one))),
    isFixed,
    faults: mailingPlanFaults(template, { columns, people }),
    saving,
  };
}

export function ColumnsStep({
  onChecked,
  ...step
}: StepProps & { readonly onChecked: () => void }) {
  const { mailing, template } = step;
  const plan = usePlan(step, onChecked);
  const { columns, faults, saving } = plan;
  const known = columns.filter((target) => target !== null).length;
  const next = (
    <Button
      variant="primary"
      blocked={faults.length > 0}
      loading={saving.isPending}
      onClick={() => saving.mutate()}
    >
      {`Contrôler ${plural(mailing.total, "ligne")}`}
    </Button>
  );
  return (
    <MailingFrame name={mailing.template_name} note={mailingNote(mailing)} step={1} next={next}>
      <PageHeading title="Colonnes du fichier">Que contient chaque colonne&nbsp;?</PageHeading>
      <p className="lede">
        {`Nous avons reconnu ${plural(known, "colonne")} sur ${columns.length}. Vérifiez avant de continuer.`}
      </p>
      {faults.length > 0 && (
        <Alert tone="warning" title="Avant de contrôler les lignes">
          {faults.map((fault) => (
            <p key={fault}>{fault}</p>
          ))}
        </Alert>
      )}
      <section className="card" aria-labelledby="colonnes">
        <div className="card__head">
          <h2 className="h2 grow" id="colonnes">
            Colonnes de votre fichier
          </h2>
          <span className="ink2 small">deviennent</span>
        </div>
        <div className={`card__body ${styles["map"]}`}>
          {mailing.columns.map(({ heading, samples }, index) => (
            <Fragment key={index}>
              <div>
                <b>{heading}</b>
                <small>{samples.join(", ") || "(vide)"}</small>
              </div>
              <Icon name="chevron-right" size="sm" />
              <TargetSelect
                {...{ heading, template }}
                value={columns[index] ?? null}
                onChange={(target) => plan.choose(index, target)}
              />
            </Fragment>
          ))}
        </div>
      </section>
      <EveryLine {...{ template, plan }} />
    </MailingFrame>
  );
}

type TargetSelectProps = {
  readonly heading: string;
  readonly template: Template;
  readonly value: string | null;
  readonly onChange: (target: string | null) => void;
};

function TargetSelect({ heading, template, value, onChange }: TargetSelectProps) {
  return (
    <SelectField
      label={`Colonne ${heading}\u00a0: devient`}
      hideLabel
      size="sm"
      value={value ?? ""}
      onChange={(event) => onChange(event.target.value || null)}
    >
      <option value="">Ne pas reprendre</option>
      {targetsOf(template).map((target) => (
        <option key={target} value={target}>
          {mailingTargetName(target, template)}
        </option>
      ))}
    </SelectField>
  );
}

const DEADLINES = [14, 30] as const;

type EveryLineProps = {
  readonly template: Template;
  readonly plan: ReturnType<typeof usePlan>;
};

function EveryLine({ template, plan }: EveryLineProps) {
  const session = useSession();
  const me = session.state === "member" ? session.user : null;
  return (
    <section className="card" aria-labelledby="toutes-les-lignes">
      <div className="card__head">
        <h2 className="h2 grow" id="toutes-les-lignes">
          Pour toutes les lignes
        </h2>
      </div>
      <div className="card__body stack">
        {template.roles.map(({ label }, index) =>
          plan.isFixed(index) ? (
            <div key={label} className="stack stack--sm">
              <div className="cols2">
                <TextField
                  label={`${label}\u00a0: nom`}
                  value={plan.holders[index]?.full_name ?? ""}
                  onChange={(event) => plan.fill(index, { full_name: event.target.value })}
                />
                <TextField
                  label={`${label}\u00a0: email`}
                  type="email"
                  value={plan.holders[index]?.email ?? ""}
                  onChange={(event) => plan.fill(index, { email: event.target.value })}
                />
              </div>
              {me && (
                <div>
                  <LinkAction
                    onClick={() => plan.fill(index, { full_name: fullName(me), email: me.email })}
                  >
                    C’est moi
                    <span className="sr">{`\u00a0: ${label}`}</span>
                  </LinkAction>
                </div>
              )}
            </div>
          ) : null,
        )}
        <SelectField
          label="Échéance"
          value={plan.days ?? ""}
          onChange={(event) => plan.setDays(Number(event.target.value) || null)}
        >
          <option value="">Aucune</option>
          {DEADLINES.map((days) => (
            <option key={days} value={days}>{`${days}\u00a0jours`}</option>
          ))}
        </SelectField>
      </div>
    </section>
  );
}

const PAGE = 20;
type Order = "faults" | "line";

export function ControlStep({ onBack, ...step }: StepProps & { readonly onBack: () => void }) {
  const { mailing, template } = step;
  const start = useStart(step);
  const [order, setOrder] = useState<Order>("faults");
  const [page, setPage] = useState(1);
  const { ready } = mailing;
  const toSee = mailing.refused + mailing.doubles;
  const next = (
    <Button
      variant="primary"
      blocked={ready === 0}
      loading={start.isPending}
      onClick={() => start.mutate(false)}
    >
      {ready === 0 ? "Rien à envoyer" : `Envoyer ${plural(ready, "enveloppe")}`}
    </Button>
  );
  return (
    <MailingFrame
      name={mailing.template_name}
      note={mailingNote(mailing)}
      step={2}
      back={onBack}
      next={next}
    >
      <PageHeading title="Contrôle des lignes">
        {`${plural(ready, "ligne prête", "lignes prêtes")}${toSee > 0 ? `, ${formatCount(toSee)} à revoir` : ""}`}
      </PageHeading>
      <p className="lede">Rien n’est encore envoyé. Corrigez ici, ou laissez ces lignes de côté.</p>
      <section className="card" aria-label="Lignes du fichier">
        <div className="card__head row row--between">
          <Segmented
            label="Lignes affichées"
            value={order}
            options={[
              { value: "faults", label: "À revoir d’abord" },
              { value: "line", label: "Dans l’ordre" },
            ]}
            onChange={(chosen) => {
              setOrder(chosen);
              setPage(1);
            }}
          />
          {toSee > 0 && (
            <Button size="sm" onClick={() => void downloadFaults(mailing.id)}>
              <Icon name="download" size="sm" />
              Télécharger les fautes
            </Button>
          )}
        </div>
        <Lines {...{ mailing, template, order, page, onPage: setPage }} />
      </section>
    </MailingFrame>
  );
}

async function downloadFaults(id: string): Promise<void> {
  try {
    saveBlob(await mailingCalls.report(id, "faults"), "lignes-a-revoir.csv");
  } catch (error) {
    showToast("err", callMessage(error, "Les fautes n’ont pas pu être téléchargées."));
  }
}

type LinesProps = Shown & {
  readonly order: Order;
  readonly page: number;
  readonly onPage: (page: number) => void;
};

/** After a change the counts follow. */
export function useRefresh(id: string) {
  const client = useQueryClient();
  return () =>
    Promise.all(
      ["mailing", "mailing-rows"].map((key) => client.invalidateQueries({ queryKey: [key, id] })),
    );
}

function usePreview({ mailing, template }: Shown) {
  const [line, open] = useState<number>();
  const shown = { mailingId: mailing.id, template, onClose: () => open(undefined) };
  return { open, dialog: line === undefined ? null : <LinePreview {...shown} line={line} /> };
}

function Lines({ mailing, template, order, page, onPage }: LinesProps) {
  const { id } = mailing;
  const client = useQueryClient();
  const refresh = useRefresh(id);
  const [opened, setOpened] = useState<MailingRow>();
  const preview = usePreview({ mailing, template });
  const { data } = useQuery({
    queryKey: ["mailing-rows", id, order, page],
    queryFn: ({ signal }) => mailingCalls.rows(id, { order, page, page_size: PAGE }, signal),
    placeholderData: (before) => before,
  });
  const choose = useMutation({
    mutationFn: ({ line }: MailingRow) => mailingCalls.change(id, line, { choice: "send" }),
    onSuccess: refresh,
    onError: (error) => showToast("err", callMessage(error, "La ligne n’a pas pu être changée.")),
  });
  const next = async () => {
    await refresh();
    const left = await client.fetchQuery({
      queryKey: ["mailing-rows", id, "next"],
      queryFn: ({ signal }) => mailingCalls.rows(id, { state: "refused", page_size: 1 }, signal),
    });
    setOpened(left.results[0]);
  };
  const act = (row: MailingRow) => (
    <LineAction {...{ row, onOpen: setOpened, onSend: choose.mutate, onPreview: preview.open }} />
  );
  if (data === undefined) return <SkeletonRows rows={4} label="Chargement des lignes" />;
  return (
    <>
      <DataTable
        caption="Lignes du fichier"
        rows={data.results}
        rowKey={({ line }) => String(line)}
        rowTone={({ state }) => (state === "refused" ? "danger" : undefined)}
        columns={[...lineColumns({ mailing, template }), actionsColumn(act)]}
        renderCard={(row) => (
          <>
            <span className="muted small">{`Ligne ${row.line}`}</span>
            <LineWords {...{ mailing, template, row }} />
            <LineState row={row} />
            {act(row)}
          </>
        )}
      />
      <Pager page={page} pageSize={PAGE} count={data.count} onPage={onPage} />
      {opened !== undefined ? (
        <RowDialog
          key={opened.line}
          {...{ mailing, template }}
          row={opened}
          onSaved={() => void next()}
          onClose={() => setOpened(undefined)}
        />
      ) : null}
      {preview.dialog}
    </>
  );
}

type LineActionProps = {
  readonly row: MailingRow;
  readonly onOpen: (row: MailingRow) => void;
  readonly onSend: (row: MailingRow) => void;
  readonly onPreview: (line: number) => void;
};

function LineAction({ row, onOpen, onSend, onPreview }: LineActionProps) {
  if (row.state === "double")
    return (
      <Button
        size="sm"
        variant="ghost"
        aria-label={`Envoyer quand même la ligne ${row.line}`}
        onClick={() => onSend(row)}
      >
        Envoyer quand même
      </Button>
    );
  const words = row.state === "refused" ? "Corriger" : "Modifier";
  const change = (
    <Button
      size="sm"
      variant={row.state === "refused" ? undefined : "ghost"}
      aria-label={`${words} la ligne ${row.line}`}
      onClick={() => onOpen(row)}
    >
      {words}
    </Button>
  );
  if (row.state !== "ready") return change;
  return (
    <span className={styles["acts"]}>
      <Button
        size="sm"
        variant="ghost"
        aria-label={`Aperçu de la ligne ${row.line}`}
        onClick={() => onPreview(row.line)}
      >
        Aperçu
      </Button>
      {change}
    </span>
  );
}

type Shown = Pick<StepProps, "mailing" | "template">;

function lineColumns(shown: Shown): readonly Column<MailingRow>[] {
  return [
    { key: "line", header: "Ligne", className: "num muted", cell: ({ line }) => line },
    {
      key: "words",
      header: "Enveloppe",
      wide: true,
      cell: (row) => <LineWords {...shown} row={row} />,
    },
    { key: "state", header: "État", cell: (row) => <LineState row={row} /> },
  ];
}

export function LineWords({ mailing, template, row }: Shown & { readonly row: MailingRow }) {
  const cell = (target: string) => {
    const index = mailing.columns.findIndex((column) => column.target === target);
    return index === -1 ? "" : (row.cells[index] ?? "");
  };
  const people = template.roles.flatMap((_, index) => {
    const name = `${cell(`first:${index}`)} ${cell(`name:${index}`)}`.trim();
    const words = [name, cell(`email:${index}`)].filter((text) => text !== "");
    return words.length === 0 ? [] : [words.join(" ")];
  });
  const texts = template.texts.map((_, index) => cell(`text:${index}`)).filter(Boolean);
  return (
    <div className={styles["line"]}>
      <b>{cell("title") || template.title}</b>
      <span>
        {people.join(", ") || (template.roles.length === 0 ? roleNames(template) : "(vide)")}
      </span>
      {texts.length > 0 && <span className="muted small">{` · ${texts.join(" · ")}`}</span>}
    </div>
  );
}

const STATES = {
  ready: { words: "Prête", tone: "good", icon: "check" },
  sent: { words: "Envoyée", tone: "good", icon: "check" },
  refused: { words: "À revoir", tone: "bad", icon: "alert" },
  failed: { words: "En échec", tone: "bad", icon: "alert" },
  double: { words: "Double", tone: "warned", icon: "warning" },
  left: { words: "Laissée de côté", tone: "warned", icon: "warning" },
} as const;

export function LineState({ row: { state, note } }: { readonly row: MailingRow }) {
  const { words, tone, icon } = STATES[state];
  return (
    <span className={classNames(styles["state"], styles[tone])}>
      <Icon name={icon} size="sm" />
      {note ?? words}
    </span>
  );
}

type RowDialogProps = Shown & {
  readonly row: MailingRow;
  readonly save?: string;
  readonly onSaved: (changed: MailingRow) => void;
  readonly onClose: () => void;
};

function useRow({ mailing, row, onSaved }: Omit<RowDialogProps, "template" | "save" | "onClose">) {
  const [cells, setCells] = useState(row.cells);
  const [fault, setFault] = useState<Pick<MailingRow, "column" | "note">>(row);
  const saving = useMutation({
    mutationFn: (choice: "leave" | null) =>
      mailingCalls.change(mailing.id, row.line, {
        ...(choice === "leave"
          ? {}
          : { cells: cells.slice(0, cells.findLastIndex((cell) => cell !== "") + 1) }),
        choice,
      }),
    onSuccess: (changed) => (changed.state === "refused" ? setFault(changed) : onSaved(changed)),
    onError: (error) =>
      setFault({
        column: null,
        note: callMessage(error, "La ligne n’a pas pu être enregistrée."),
      }),
  });
  const type = (index: number, text: string) => {
    setCells((all) => all.map((cell, at) => (at === index ? text : cell)));
    setFault((before) => (before.column === index ? { column: null, note: null } : before));
  };
  const columns = mailing.columns.length;
  const trim = (form: string) => {
    flushSync(() => {
      setCells(cells.slice(0, columns));
      setFault({ column: null, note: null });
    });
    document.getElementById(form)?.querySelector("input")?.focus();
  };
  return { cells, extra: cells.length - columns, fault, saving, type, trim };
}

/** The cells that become something, under the names of what they become; all, if too many. */
export function RowDialog({ template, save = "Enregistrer", onClose, ...rest }: RowDialogProps) {
  const { mailing, row } = rest;
  const form = useId();
  const { cells, extra, fault, saving, type, trim } = useRow(rest);
  const isWrong = fault.note !== null && fault.column === null;
  return (
    <Dialog
      title={`Corriger la ligne ${row.line}`}
      size="lg"
      sheet
      locked={saving.isPending}
      onClose={onClose}
      actions={
        <>
          <Button variant="ghost" onClick={() => saving.mutate("leave")}>
            Laisser de côté
          </Button>
          <Button variant="primary" type="submit" form={form} loading={saving.isPending}>
            {save}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate(null);
        }}
      >
        {isWrong && <Alert tone="danger">{fault.note}</Alert>}
        {extra > 0 && (
          <div>
            <Button size="sm" onClick={() => trim(form)}>
              {`Vider ${plural(extra, "cellule")} en trop`}
            </Button>
          </div>
        )}
        {cells.map((text, index) => {
          const { target = null, heading = `Cellule ${index + 1}, en trop` } =
            mailing.columns[index] ?? {};
          return target === null && extra <= 0 ? null : (
            <TextField
              key={index}
              label={target === null ? heading : mailingTargetName(target, template)}
              value={text}
              error={fault.column === index ? (fault.note ?? undefined) : undefined}
              onChange={(event) => type(index, event.target.value)}
            />
          );
        })}
      </form>
    </Dialog>
  );
}
