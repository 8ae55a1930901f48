import {
  type Layout,
  type LayoutField,
  type Layouts,
  MAX_LAYOUT_NAME_LENGTH,
  type SaveLayoutRequest,
  teamLabel,
} from "@paraphe/contracts";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { foldText } from "@paraphe/kernel/french-words";
import { useRef, useState } from "react";
import { announce } from "../../../../lib/browser/announce.ts";
import { api } from "../../../../lib/api/api.ts";
import { callMessage } from "../../../../lib/api/api-error.ts";
import { plural } from "../../../../lib/format/format-numbers.ts";
import { Alert } from "../../../../ui/alert/alert.tsx";
import { Button } from "../../../../ui/button/button.tsx";
import { Dialog } from "../../../../ui/dialog/dialog.tsx";
import { NameDialog } from "../../../../ui/dialog/form-dialog.tsx";
import { FilterBar, NothingFound } from "../../../../ui/filter-bar/filter-bar.tsx";
import {
  type FilterValues,
  type ListAddress,
  type Order,
  useListAddress,
  useOwnQuery,
} from "../../../../ui/filter-bar/filters.ts";
import { Icon } from "../../../../ui/icon/icon.tsx";
import { showToast } from "../../../../ui/toast/toast-store.ts";
import {
  SHARING,
  TeamField,
  teamQuery,
  useTeamFilter,
  withTeam,
} from "../../../accounts/team-field.tsx";
import styles from "../field-list-dialog.module.css";

type ApplyLayoutDialogProps = {
  readonly onApply: (layout: Layout) => void;
  readonly onClose: () => void;
};

export function ApplyLayoutDialog({ onApply, onClose }: ApplyLayoutDialogProps) {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(layoutsQuery);
  const remove = useMutation({
    mutationFn: (layout: Layout) => layoutCalls.remove(layout.id),
    onSuccess: async (_, layout) => {
      await client.invalidateQueries({ queryKey: layoutsQuery.queryKey });
      announce(`${layout.name}\u00a0: disposition supprimée`);
    },
    onError: (failure) =>
      showToast(
        "err",
        callMessage(
          failure,
          "La disposition n’a pas pu être supprimée. Réessayez dans un instant.",
        ),
      ),
  });
  return (
    <Dialog
      title="Appliquer une disposition"
      sheet
      onClose={onClose}
      actions={<Button onClick={onClose}>Fermer</Button>}
    >
      {error ? (
        <Alert tone="danger">
          Impossible de charger les dispositions.{" "}
          <Button onClick={() => void refetch()}>Réessayer</Button>
        </Alert>
      ) : null}
      {data?.count === 0 ? (
        <p>
          Aucune disposition. Placez des champs, puis choisissez « Enregistrer cette disposition ».
        </p>
      ) : null}
      {data?.count === 0 ? null : (
        <LayoutList
          layouts={data?.results}
          isBusy={!data && !error}
          {...{ onApply }}
          removing={remove.isPending}
          onRemove={remove.mutate}
        />
      )}
    </Dialog>
  );
}

type LayoutListProps = {
  readonly layouts: readonly Layout[] | undefined;
  readonly isBusy: boolean;
  readonly removing: boolean;
  readonly onApply: (layout: Layout) => void;
  readonly onRemove: (layout: Layout) => void;
};

function LayoutList({ layouts, isBusy, removing, onApply, onRemove }: LayoutListProps) {
  const filters = useTeamFilter(SHARING);
  const address = useListAddress(useOwnQuery(), { orders: LAYOUT_ORDERS, filters });
  const box = useRef<HTMLInputElement>(null);
  const shown = layouts && narrowLayouts(layouts, address);
  return (
    <>
      {shown && (
        <FilterBar
          {...{ address, box }}
          label="Rechercher une disposition par nom"
          placeholder="Nom de la disposition"
          found={plural(shown.length, "disposition")}
          {...(filters.length === 0
            ? {}
            : {
                preview: async (values: FilterValues) =>
                  plural(narrowLayouts(layouts, { ...address, values }).length, "disposition"),
              })}
          isEmpty={shown.length === 0}
        />
      )}
      {shown?.length === 0 && (
        <NothingFound
          {...{ address, box }}
          title="Aucune disposition trouvée"
          what="Aucune disposition"
        />
      )}
      <ul className="stack stack--sm" aria-label="Dispositions" aria-busy={isBusy}>
        {shown?.map((layout) => (
          <li key={layout.id} className={styles.layout}>
            <span className="grow break">
              <b>{layout.name}</b>{" "}
              {layout.team && <span className="muted">{teamLabel(layout.team.name)} </span>}
              <span className="muted nowrap">{plural(layout.fields.length, "champ")}</span>
            </span>
            <Button
              size="sm"
              aria-label={`Appliquer ${layout.name}`}
              onClick={() => onApply(layout)}
            >
              Appliquer
            </Button>
            <Button
              variant="ghost"
              size="sm"
              square
              aria-label={`Supprimer ${layout.name}`}
              blocked={removing}
              onClick={() => onRemove(layout)}
            >
              <Icon name="trash" />
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}

export function SaveLayoutDialog({
  fields,
  onClose,
}: {
  readonly fields: readonly LayoutField[];
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const kept = useRef<Layout>(null);
  const [team, setTeam] = useState<string | null>(null);
  return (
    <NameDialog
      title="Enregistrer cette disposition"
      label="Nom de la disposition"
      maxLength={MAX_LAYOUT_NAME_LENGTH}
      words={{
        action: "Enregistrer",
        required: "Nom requis",
        failure: "La disposition n’a pas pu être enregistrée. Réessayez dans un instant.",
      }}
      isBlocked={fields.length === 0}
      save={async (name) => {
        kept.current = await layoutCalls.save({ name, fields: [...fields], team });
      }}
      onDone={() => {
        showToast("ok", `Disposition «\u00a0${kept.current?.name ?? ""}\u00a0» enregistrée.`);
        void client.invalidateQueries({ queryKey: layoutsQuery.queryKey });
      }}
      onClose={onClose}
    >
      <p>
        {fields.length === 0
          ? "Placez au moins un champ : il n’y a rien à garder."
          : `La place de ${plural(fields.length, "champ")} est gardée, avec les phrases des mentions, sans les fichiers, les personnes ni les autres textes écrits d’avance.`}
      </p>
      <TeamField
        value={team}
        help="L’équipe voit cette disposition, et l’applique."
        onChange={setTeam}
      />
    </NameDialog>
  );
}

const LAYOUTS = "/api/signature/layouts/";

export const layoutCalls = {
  list: () => api.get<Layouts>(LAYOUTS),
  save: (body: SaveLayoutRequest) => api.post<Layout>(LAYOUTS, { body }),
  remove: (id: string) => api.delete<void>(`${LAYOUTS}${id}/`),
};

export const layoutsQuery = queryOptions({ queryKey: ["layouts"], queryFn: layoutCalls.list });

export const LAYOUT_ORDERS: readonly [Order, ...Order[]] = [
  { slug: "nom", label: "Nom, de A à Z" },
  { slug: "recentes", label: "Plus récentes" },
];

/** Filters and sorts here: an account has a hundred layouts at most. */
export function narrowLayouts(
  layouts: readonly Layout[],
  { search, order, filters, values }: Pick<ListAddress, "search" | "order" | "filters" | "values">,
): readonly Layout[] {
  const { team: chosen } = teamQuery(filters, values);
  const found = layouts.filter(
    ({ name, team }) =>
      foldText(withTeam(team, name)).includes(foldText(search.trim())) &&
      (chosen === undefined || chosen === (team?.id ?? "mine")),
  );
  return order.slug === "recentes"
    ? found.toSorted((a, b) => b.created_at.localeCompare(a.created_at))
    : found;
}
