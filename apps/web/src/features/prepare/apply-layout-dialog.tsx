import type { Layout } from "@paraphe/contracts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { announce } from "../../lib/announce.ts";
import { callMessage } from "../../lib/call-message.ts";
import { plural } from "../../lib/format-numbers.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Button } from "../../ui/button/button.tsx";
import { Dialog } from "../../ui/dialog/dialog.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { showToast } from "../../ui/toast/toast-store.ts";
import styles from "./field-list-dialog.module.css";
import { layoutCalls, layoutsQuery } from "./layout-calls.ts";

type ApplyLayoutDialogProps = {
  readonly onApply: (layout: Layout) => void;
  readonly onClose: () => void;
};

/** One's layouts: puts one on the documents, beside the fields there are, or forgets it. */
export function ApplyLayoutDialog({ onApply, onClose }: ApplyLayoutDialogProps) {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(layoutsQuery);
  const remove = useMutation({
    mutationFn: (layout: Layout) => layoutCalls.remove(layout.id),
    onSuccess: async (_, layout) => {
      await client.invalidateQueries({ queryKey: layoutsQuery.queryKey });
      announce(`${layout.name}\u00a0: disposition supprimée`);
    },
    onError: (failure) => showToast("err", callMessage(failure, "La disposition n’a pas pu être supprimée. Réessayez dans un instant.")),
  });
  return (
    <Dialog title="Appliquer une disposition" sheet onClose={onClose} actions={<Button onClick={onClose}>Fermer</Button>}>
      {error ? (
        <Alert tone="danger">
          Impossible de charger les dispositions. <Button onClick={() => void refetch()}>Réessayer</Button>
        </Alert>
      ) : null}
      {data?.count === 0 ? <p>Aucune disposition. Placez des champs, puis choisissez « Enregistrer cette disposition ».</p> : null}
      <ul className="stack stack--sm" aria-label="Dispositions" aria-busy={!data && !error}>
        {data?.results.map((layout) => (
          <li key={layout.id} className={styles.layout}>
            <span className="grow break">
              <b>{layout.name}</b> <span className="muted nowrap">{plural(layout.fields.length, "champ")}</span>
            </span>
            <Button size="sm" aria-label={`Appliquer ${layout.name}`} onClick={() => onApply(layout)}>
              Appliquer
            </Button>
            <Button
              variant="ghost"
              size="sm"
              square
              aria-label={`Supprimer ${layout.name}`}
              blocked={remove.isPending}
              onClick={() => remove.mutate(layout)}
            >
              <Icon name="trash" />
            </Button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
