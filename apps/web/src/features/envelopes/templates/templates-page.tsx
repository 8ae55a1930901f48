import { MAX_TEMPLATE_NAME_LENGTH, type Template } from "@paraphe/contracts";
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useParams, useSearchParams } from "react-router";
import { formatDay } from "../../../lib/format/format-dates.ts";
import { plural } from "../../../lib/format/format-numbers.ts";
import { useDelayed } from "../../../lib/use-delayed.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { LinkButton } from "../../../ui/button/link-button.tsx";
import { Button } from "../../../ui/button/button.tsx";
import {
  type Column,
  DataTable,
  RowActions,
  actionsColumn,
} from "../../../ui/data-table/data-table.tsx";
import { DeleteDialog } from "../../../ui/dialog/confirm-dialog.tsx";
import { NameDialog } from "../../../ui/dialog/form-dialog.tsx";
import { DocCell } from "../../../ui/doc-cell/doc-cell.tsx";
import { EmptyState } from "../../../ui/empty-state/empty-state.tsx";
import { FilterBar, NothingFound } from "../../../ui/filter-bar/filter-bar.tsx";
import { type ListAddress, useListAddress } from "../../../ui/filter-bar/filters.ts";
import { Icon } from "../../../ui/icon/icon.tsx";
import { lazyStep } from "../../../ui/lazy-step/lazy-step.tsx";
import { PageHeading } from "../../../ui/page-heading/page-heading.tsx";
import { WorkLink } from "../../accounts/work.tsx";
import { useMayWork } from "../../accounts/use-session.ts";
import { SkeletonRows } from "../../../ui/skeleton/skeleton.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { UseTemplateDialog } from "./use-template-dialog.tsx";
import {
  TEMPLATE_ORDERS,
  narrowTemplates,
  roleNames,
  templateCalls,
  templateSummary,
  templatesQuery,
  useTemplateFilters,
  useTemplates,
} from "./use-templates.ts";

type Asked = { readonly kind: "use" | "rename" | "delete"; readonly template: Template };
type Ask = (kind: Asked["kind"], template: Template) => void;

const MailingPage = lazyStep(
  async () => (await import("./mailing-page.tsx")).MailingPage,
  "Ouverture de l’envoi",
);

/** `…/csv`: a template sent to the people of a file. */
export function TemplatesPage() {
  const sent = /^([^/]+)\/csv\/?$/.exec(useParams()["*"] ?? "")?.[1];
  return sent === undefined ? <TemplateLists /> : <MailingPage templateId={sent} />;
}

function TemplateLists() {
  const list = useTemplates();
  const [asked, setAsked] = useState<Asked | null>(null);
  const slow = useDelayed(list.isPending, 200);
  const address = useListAddress(useSearchParams(), {
    orders: TEMPLATE_ORDERS,
    filters: useTemplateFilters(),
  });
  const ask: Ask = (kind, template) => setAsked({ kind, template });
  const close = () => setAsked(null);
  return (
    <main className="main" id="contenu">
      <div className="page-head">
        <div>
          <PageHeading title="Modèles">Modèles</PageHeading>
          <p className="lede">
            {list.data && !address.isNarrowed ? plural(list.data.count, "modèle") : "\u00a0"}
          </p>
        </div>
        <WorkLink to="/signature/upload">Partir d’un fichier</WorkLink>
      </div>
      {list.isError ? (
        <Alert tone="danger">
          <div>Vos modèles n’ont pas pu être chargés.</div>
          <Button size="sm" onClick={() => void list.refetch()}>
            <Icon name="refresh" size="sm" />
            Réessayer
          </Button>
        </Alert>
      ) : (
        <div className="card">
          {list.isPending && slow ? <SkeletonRows rows={4} label="Chargement des modèles" /> : null}
          {list.data?.count === 0 ? <NoTemplate /> : null}
          {list.data && list.data.count > 0 ? (
            <TemplateList templates={list.data.results} {...{ address, ask }} />
          ) : null}
        </div>
      )}
      {asked?.kind === "use" ? (
        <UseTemplateDialog template={asked.template} onClose={close} />
      ) : null}
      {asked?.kind === "rename" ? (
        <RenameTemplateDialog template={asked.template} onClose={close} />
      ) : null}
      {asked?.kind === "delete" ? (
        <DeleteTemplateDialog template={asked.template} onClose={close} />
      ) : null}
    </main>
  );
}

type TemplateListProps = {
  readonly templates: readonly Template[];
  readonly address: ListAddress;
  readonly ask: Ask;
};

function TemplateList({ templates, address, ask }: TemplateListProps) {
  const box = useRef<HTMLInputElement>(null);
  const mayWork = useMayWork();
  const rows = narrowTemplates(templates, address, new Date());
  return (
    <>
      <FilterBar
        {...{ address, box }}
        label="Rechercher un modèle par nom"
        placeholder="Nom du modèle"
        found={plural(rows.length, "modèle")}
        isEmpty={rows.length === 0}
        preview={async (values) =>
          plural(narrowTemplates(templates, { ...address, values }, new Date()).length, "modèle")
        }
      />
      {rows.length === 0 ? (
        <NothingFound {...{ address, box }} title="Aucun modèle trouvé" what="Aucun modèle" />
      ) : (
        <DataTable
          caption="Modèles"
          rows={rows}
          rowKey={(template) => template.id}
          columns={mayWork ? columns(ask) : columns(ask).slice(0, -1)}
          renderCard={(template) => <TemplateCard template={template} ask={ask} />}
        />
      )}
    </>
  );
}

function NoTemplate() {
  return (
    <EmptyState
      title="Aucun modèle"
      action={
        <WorkLink variant="primary" to="/signature/upload">
          Créer une enveloppe
        </WorkLink>
      }
    >
      Préparez une enveloppe, puis enregistrez-la comme modèle à la dernière étape.
    </EmptyState>
  );
}

function TemplateCard({ template, ask }: { template: Template; ask: Ask }) {
  const mayWork = useMayWork();
  return (
    <>
      <DocCell title={template.name} subtitle={templateSummary(template)} />
      <span className="muted small break">{roleNames(template)}</span>
      {mayWork && (
        <div className="row">
          <Button
            variant="primary"
            className="grow"
            aria-label={`Utiliser ${template.name}`}
            onClick={() => ask("use", template)}
          >
            Utiliser
          </Button>
          <ToList template={template} />
          <Button
            square
            variant="ghost"
            aria-label={`Renommer ${template.name}`}
            onClick={() => ask("rename", template)}
          >
            <Icon name="edit" />
          </Button>
          <Button
            square
            variant="ghost"
            aria-label={`Supprimer ${template.name}`}
            onClick={() => ask("delete", template)}
          >
            <Icon name="trash" />
          </Button>
        </div>
      )}
    </>
  );
}

function ToList({ template, size }: { readonly template: Template; readonly size?: "sm" }) {
  return (
    <LinkButton
      square
      variant="ghost"
      size={size}
      to={`/signature/templates/${template.id}/csv`}
      aria-label={`Envoyer ${template.name} à une liste`}
    >
      <Icon name="M21 3 10 14M21 3l-7 18-4-7-7-4z" />
    </LinkButton>
  );
}

function columns(ask: Ask): readonly Column<Template>[] {
  return [
    {
      key: "name",
      header: "Modèle",
      wide: true,
      cell: (template) => <DocCell title={template.name} subtitle={templateSummary(template)} />,
    },
    { key: "roles", header: "Rôles", cell: roleNames },
    {
      key: "date",
      header: "Modifié le",
      className: "num nowrap",
      cell: (template) => formatDay(template.updated_at),
    },
    actionsColumn((template) => (
      <RowActions>
        <Button
          size="sm"
          aria-label={`Utiliser ${template.name}`}
          onClick={() => ask("use", template)}
        >
          Utiliser
        </Button>
        <ToList template={template} size="sm" />
        <Button
          size="sm"
          variant="ghost"
          square
          aria-label={`Renommer ${template.name}`}
          title="Renommer"
          onClick={() => ask("rename", template)}
        >
          <Icon name="edit" />
        </Button>
        <Button
          size="sm"
          variant="ghost"
          square
          aria-label={`Supprimer ${template.name}`}
          title="Supprimer"
          onClick={() => ask("delete", template)}
        >
          <Icon name="trash" />
        </Button>
      </RowActions>
    )),
  ];
}

export function DeleteTemplateDialog({
  template,
  onClose,
}: {
  template: Template;
  onClose: () => void;
}) {
  const client = useQueryClient();
  return (
    <DeleteDialog
      title={"Supprimer ce modèle\u202f?"}
      message={`«\u00a0${template.name}\u00a0» sera supprimé définitivement.`}
      secondary="Les enveloppes qui en viennent ne changent pas."
      remove={() => templateCalls.remove(template.id)}
      onDone={() => {
        showToast("ok", "Modèle supprimé.");
        return client.invalidateQueries({ queryKey: templatesQuery.queryKey });
      }}
      onClose={onClose}
    />
  );
}

export function RenameTemplateDialog({
  template,
  onClose,
}: {
  template: Template;
  onClose: () => void;
}) {
  const client = useQueryClient();
  return (
    <NameDialog
      title="Renommer le modèle"
      label="Nom du modèle"
      name={template.name}
      maxLength={MAX_TEMPLATE_NAME_LENGTH}
      words={{
        action: "Renommer",
        required: "Nom requis",
        failure: "Le modèle n’a pas pu être renommé. Réessayez dans un instant.",
      }}
      save={(name) => templateCalls.rename(template.id, name)}
      onDone={() => {
        showToast("ok", "Modèle renommé.");
        void client.invalidateQueries({ queryKey: templatesQuery.queryKey });
      }}
      onClose={onClose}
    />
  );
}
