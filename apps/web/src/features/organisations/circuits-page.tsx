import { type Circuit, circuitSentence, STEP_KINDS } from "@paraphe/contracts/circuit";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useNavigate, useParams } from "react-router";
import { plural } from "../../lib/format/format-numbers.ts";
import { Button } from "../../ui/button/button.tsx";
import { LinkButton } from "../../ui/button/link-button.tsx";
import { DeleteDialog } from "../../ui/dialog/confirm-dialog.tsx";
import { EmptyState } from "../../ui/empty-state/empty-state.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import {
  CIRCUITS,
  FormSkeleton,
  LoadFailure,
  SettingsLayout,
} from "../accounts/settings/settings-layout.tsx";
import { useSession } from "../accounts/use-session.ts";
import { circuitsQuery, deleteCircuit } from "./circuit-calls.ts";
import { CircuitEditor } from "./circuit-editor.tsx";
import styles from "./circuits.module.css";

const NEW = "nouveau";

/** `/settings/circuits`, and `…/nouveau` or `…/{id}` for the editor. */
export function CircuitsPage() {
  const { circuit: edited } = useParams();
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(circuitsQuery);
  const circuits = data?.circuits;
  const manages = useManages();
  const circuit = circuits?.find(({ id }) => id === edited);
  const leave = () => void navigate(CIRCUITS.to);
  const isEditing = manages && circuits !== undefined && (edited === NEW || circuit !== undefined);
  return (
    <SettingsLayout
      isWide
      title={CIRCUITS.label}
      lede="Qui vise, qui signe, qui reçoit copie, et dans quel ordre."
      actions={
        manages &&
        edited === undefined &&
        circuits?.length !== 0 && (
          <LinkButton variant="primary" to={`${CIRCUITS.to}/${NEW}`}>
            <Icon name="plus" size="sm" />
            Nouveau circuit
          </LinkButton>
        )
      }
    >
      {circuits === undefined && error === null && (
        <FormSkeleton lines={3} label="Chargement des circuits…" />
      )}
      {circuits === undefined && error !== null && (
        <LoadFailure
          error={error}
          fallback="Impossible de charger les circuits"
          onRetry={() => void refetch()}
        />
      )}
      {isEditing && <CircuitEditor key={edited} circuit={circuit} onLeave={leave} />}
      {circuits !== undefined && !isEditing && <CircuitList {...{ circuits, manages }} />}
    </SettingsLayout>
  );
}

function useManages(): boolean {
  const session = useSession();
  const role = session.state === "member" ? session.user.organisation_role : undefined;
  return role === "owner" || role === "administrator";
}

type ListProps = { readonly circuits: readonly Circuit[]; readonly manages: boolean };

function CircuitList({ circuits, manages }: ListProps) {
  const [deleting, setDeleting] = useState<Circuit | null>(null);
  if (circuits.length === 0)
    return (
      <div className="card">
        <EmptyState
          title="Aucun circuit"
          action={
            manages && (
              <LinkButton variant="primary" to={`${CIRCUITS.to}/${NEW}`}>
                Créer un circuit
              </LinkButton>
            )
          }
        >
          Un circuit dit qui vise, qui signe et qui reçoit copie, dans quel ordre. On le choisit en
          préparant une enveloppe.
        </EmptyState>
      </div>
    );
  return (
    <section className="card" aria-label="Circuits">
      <ul className="card__body">
        {circuits.map((circuit) => (
          <CircuitRow
            key={circuit.id}
            {...{ circuit, manages }}
            onDelete={() => setDeleting(circuit)}
          />
        ))}
      </ul>
      {deleting && <DeleteCircuit circuit={deleting} onClose={() => setDeleting(null)} />}
    </section>
  );
}

type RowProps = {
  readonly circuit: Circuit;
  readonly manages: boolean;
  readonly onDelete: () => void;
};

function CircuitRow({ circuit, manages, onDelete }: RowProps) {
  const { id, name, steps, running } = circuit;
  const used = running === 0 ? "Aucune enveloppe en cours" : `${running} en cours`;
  return (
    <li className={styles["row"]}>
      <div className="row row--between">
        <div>
          {manages ? (
            <Link to={`${CIRCUITS.to}/${id}`}>
              <b>{name}</b>
            </Link>
          ) : (
            <b>{name}</b>
          )}
          <p className="muted small num">{`${useWords(circuit)} · ${used}`}</p>
        </div>
        {manages && (
          <div className="row">
            <LinkButton size="sm" to={`${CIRCUITS.to}/${id}`}>
              Modifier<span className="sr"> {name}</span>
            </LinkButton>
            <Button size="sm" variant="ghost" onClick={onDelete}>
              Supprimer<span className="sr"> {name}</span>
            </Button>
          </div>
        )}
      </div>
      <p className="small">{circuitSentence(steps)}</p>
      <ol className={styles["kinds"]} aria-label="Étapes">
        {steps.map(({ kind }, index) => (
          // A circuit may have the same step twice.
          <li key={`${index}${kind}`} className={styles["kind"]} data-kind={kind}>
            {STEP_KINDS[kind]}
          </li>
        ))}
      </ol>
    </li>
  );
}

function useWords({ use, kinds }: Circuit): string {
  if (use === "free") return "Au choix de qui prépare";
  return `${use === "imposed" ? "Fixé" : "Proposé"} pour ${quoted(kinds)}`;
}

const quoted = (kinds: readonly string[]) =>
  kinds.map((kind) => `«\u00a0${kind}\u00a0»`).join(", ");

function freedWords({ use, kinds }: Circuit): string {
  return use === "imposed"
    ? ` Aucun circuit ne sera plus fixé pour ${quoted(kinds)}\u00a0: un brouillon pourra être envoyé sans ses étapes.`
    : "";
}

type DeleteProps = { readonly circuit: Circuit; readonly onClose: () => void };

function DeleteCircuit({ circuit, onClose }: DeleteProps) {
  const client = useQueryClient();
  const running =
    circuit.running === 0
      ? "Aucune enveloppe en cours ne s’en sert."
      : `${plural(circuit.running, "enveloppe en cours garde", "enveloppes en cours gardent")} ses étapes.`;
  return (
    <DeleteDialog
      title={`Supprimer «\u00a0${circuit.name}\u00a0»\u202f?`}
      message={`On ne pourra plus choisir ce circuit. ${running}${freedWords(circuit)}`}
      remove={() => deleteCircuit(circuit.id)}
      onDone={() => client.invalidateQueries({ queryKey: circuitsQuery.queryKey })}
      onClose={onClose}
    />
  );
}
