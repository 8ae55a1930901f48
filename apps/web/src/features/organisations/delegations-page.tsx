import type { Delegation, DelegationList, DelegationRequest } from "@paraphe/contracts";
import { periodInWords, scopeInWords } from "@paraphe/contracts";
import { ofName } from "@paraphe/kernel/french-words";
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { api } from "../../lib/api/api.ts";
import { callMessage } from "../../lib/api/api-error.ts";
import { useServiceRules } from "../../lib/api/service-rules.ts";
import { formatLongDay } from "../../lib/format/format-dates.ts";
import { plural } from "../../lib/format/format-numbers.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Avatar } from "../../ui/avatar/avatar.tsx";
import { Badge } from "../../ui/badge/badge.tsx";
import { Button } from "../../ui/button/button.tsx";
import { LinkButton } from "../../ui/button/link-button.tsx";
import { Card } from "../../ui/card/card.tsx";
import { ConfirmDialog } from "../../ui/dialog/confirm-dialog.tsx";
import { lazyDialog } from "../../ui/dialog/lazy-dialog.tsx";
import { EmptyState } from "../../ui/empty-state/empty-state.tsx";
import { focusOnceDrawn } from "../../ui/focus/preserve-focus.ts";
import { showToast } from "../../ui/toast/toast-store.ts";
import { SettingRow } from "../accounts/settings/setting-row.tsx";
import {
  DELEGATIONS,
  FormSkeleton,
  LoadFailure,
  SettingsLayout,
} from "../accounts/settings/settings-layout.tsx";
import { useIsUnconfirmed } from "../accounts/use-session.ts";
import styles from "./organisation.module.css";

const BASE = "/api/organisation/delegations/";
const delegationsQuery = queryOptions({
  queryKey: ["organisation", "delegations"],
  queryFn: ({ signal }) => api.get<DelegationList>(BASE, { signal }),
  staleTime: 0,
});
const DelegationDialog = lazyDialog(
  async () => (await import("./delegation-dialog.tsx")).DelegationDialog,
);

type Asked =
  | { readonly kind: "write"; readonly delegation?: Delegation }
  | { readonly kind: "stop" | "refuse"; readonly delegation: Delegation };

export function DelegationsPage() {
  const { data, error, refetch } = useQuery(delegationsQuery);
  const isUnconfirmed = useIsUnconfirmed();
  const { mail } = useServiceRules();
  const [asked, setAsked] = useState<Asked | null>(null);
  const client = useQueryClient();
  const keep = (list: DelegationList) => client.setQueryData(delegationsQuery.queryKey, list);
  const save = async (request: DelegationRequest, id?: string) => {
    const body = { body: request };
    keep(
      id === undefined
        ? await api.post<DelegationList>(BASE, body)
        : await api.put<DelegationList>(`${BASE}${id}/`, body),
    );
    showToast("ok", id === undefined ? "Délégation créée" : "Délégation modifiée");
  };
  return (
    <SettingsLayout title={DELEGATIONS.label} lede="Qui signe pour vous quand vous n’êtes pas là.">
      {data === undefined && error === null && (
        <FormSkeleton lines={2} label="Chargement des délégations…" />
      )}
      {data === undefined && error !== null && (
        <LoadFailure
          error={error}
          fallback="Impossible de charger les délégations"
          onRetry={() => void refetch()}
        />
      )}
      {isUnconfirmed && (
        <Alert tone="warning" title="Votre adresse email n’est pas confirmée">
          <p>
            Personne ne peut signer pour vous ce qui vous y est envoyé.{" "}
            {mail ? (
              <>
                Demandez le lien de confirmation dans <Link to="/profile">Mon compte</Link>, puis
                revenez ici.
              </>
            ) : (
              "Ce service n’envoie pas d’email\u00a0: adressez-vous à la personne qui l’administre."
            )}
          </p>
        </Alert>
      )}
      {data !== undefined && <Given given={data.given} onAsk={setAsked} {...{ isUnconfirmed }} />}
      {data !== undefined && data.received.length > 0 && (
        <Received received={data.received} onAsk={setAsked} />
      )}
      {asked?.kind === "write" && (
        <DelegationDialog
          delegation={asked.delegation}
          onSave={save}
          onClose={() => setAsked(null)}
        />
      )}
      {asked !== null && asked.kind !== "write" && (
        <EndDialog {...asked} onDone={keep} onClose={() => setAsked(null)} />
      )}
    </SettingsLayout>
  );
}

type Ask = { readonly onAsk: (asked: Asked) => void };

type GivenProps = Ask & {
  readonly given: readonly Delegation[];
  readonly isUnconfirmed: boolean;
};

function Given({ given, isUnconfirmed, onAsk }: GivenProps) {
  const open = () => onAsk({ kind: "write" });
  const past = given.filter(({ state }) => state === "over");
  if (given.length === 0)
    return (
      <div className="card">
        <EmptyState
          title="Aucune délégation"
          action={
            isUnconfirmed ? undefined : (
              <Button variant="primary" onClick={open}>
                Nouvelle délégation
              </Button>
            )
          }
        >
          Pendant une absence, un autre membre de l’organisation peut signer pour vous. La preuve le
          dit toujours.
        </EmptyState>
      </div>
    );
  return (
    <Card
      id="donnees"
      title="Signer à ma place"
      aside={
        !isUnconfirmed && (
          <Button size="sm" onClick={open}>
            Nouvelle délégation
          </Button>
        )
      }
    >
      <ul className={styles["delegations"]}>
        {given
          .filter(({ state }) => state !== "over")
          .toReversed()
          .map((delegation) => (
            <li key={delegation.id}>
              <GivenRow {...{ delegation, onAsk }} />
            </li>
          ))}
      </ul>
      {past.length > 0 && (
        <details className={styles["past"]}>
          <summary>{plural(past.length, "délégation passée", "délégations passées")}</summary>
          <ul className="stack stack--sm">
            {past.map((delegation) => (
              <li key={delegation.id}>{pastWords(delegation)}</li>
            ))}
          </ul>
        </details>
      )}
    </Card>
  );
}

function pastWords(delegation: Delegation): string {
  const [act, none] = delegation.scope === "visas" ? ["visa", "aucun"] : ["signature", "aucune"];
  const done = delegation.signatures === 0 ? `${none} ${act}` : plural(delegation.signatures, act);
  return `${delegation.person.name}, ${periodInWords(delegation)}\u00a0: ${done}`;
}

function GivenRow({ delegation, onAsk }: Ask & { readonly delegation: Delegation }) {
  const { person, state } = delegation;
  const isUpcoming = state === "upcoming";
  return (
    <SettingRow
      stacked
      title={<Person name={person.name} />}
      control={
        <div className="row">
          <Badge tone={isUpcoming ? "sent" : "completed"}>
            {isUpcoming ? "À venir" : "En cours"}
          </Badge>
          {isUpcoming && (
            <Button
              size="sm"
              aria-label={`Modifier la délégation à ${person.name}`}
              onClick={() => onAsk({ kind: "write", delegation })}
            >
              Modifier
            </Button>
          )}
          <Button
            size="sm"
            variant="dangerGhost"
            aria-label={`Arrêter la délégation à ${person.name}`}
            onClick={() => onAsk({ kind: "stop", delegation })}
          >
            Arrêter
          </Button>
        </div>
      }
    >
      <p>{`${periodInWords(delegation)} · ${scopeOf(delegation, "mes")}`}</p>
    </SettingRow>
  );
}

const scopeOf = ({ scope, circuit }: Delegation, of: "mes" | "ses") =>
  `${scopeInWords({ scope, circuit: circuit?.name ?? null }, of)}${circuit?.deleted ? ", supprimé" : ""}`;

function Person({ name }: { readonly name: string }) {
  return (
    <span className={styles["who"]}>
      <Avatar name={name} size="sm" />
      {name}
    </span>
  );
}

function Received({ received, onAsk }: Ask & { readonly received: readonly Delegation[] }) {
  return (
    <Card id="recues" title="Je signe pour">
      <ul className={styles["delegations"]}>
        {received.map((delegation) => (
          <li key={delegation.id}>
            <ReceivedRow {...{ delegation, onAsk }} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function ReceivedRow({ delegation, onAsk }: Ask & { readonly delegation: Delegation }) {
  const { person, state, ends_on, waiting } = delegation;
  const when =
    state === "current" ? `jusqu’au ${formatLongDay(ends_on)}` : periodInWords(delegation);
  return (
    <SettingRow
      stacked
      title={<Person name={person.name} />}
      control={
        <div className="row">
          {waiting > 0 && (
            <LinkButton size="sm" to="/signature/envelopes/action-required">
              {waiting === 1 ? "Voir le document" : `Voir les ${waiting} documents`}
            </LinkButton>
          )}
          <Button
            size="sm"
            variant="ghost"
            aria-label={`Refuser la délégation ${ofName(person.name)}`}
            onClick={() => onAsk({ kind: "refuse", delegation })}
          >
            Refuser
          </Button>
        </div>
      }
    >
      <p>{`${when} · ${scopeOf(delegation, "ses")}`}</p>
    </SettingRow>
  );
}

type EndProps = {
  readonly kind: "stop" | "refuse";
  readonly delegation: Delegation;
  readonly onDone: (list: DelegationList) => void;
  readonly onClose: () => void;
};

function EndDialog({ kind, delegation, onDone, onClose }: EndProps) {
  const [isBusy, setIsBusy] = useState(false);
  const isStop = kind === "stop";
  const end = async () => {
    setIsBusy(true);
    try {
      onDone(await api.delete<DelegationList>(`${BASE}${delegation.id}/`));
      onClose();
      showToast("ok", isStop ? "Délégation arrêtée" : "Délégation refusée");
      focusOnceDrawn(() => document.querySelector<HTMLElement>("main h1"));
    } catch (error) {
      onClose();
      showToast("err", callMessage(error, "Impossible de mettre fin à la délégation"));
    }
  };
  return (
    <ConfirmDialog
      title={isStop ? "Arrêter la délégation\u202f?" : "Refuser la délégation\u202f?"}
      message={isStop ? stopWords(delegation) : refuseWords(delegation)}
      tone="danger"
      busy={isBusy}
      cancelLabel={isStop ? "Laisser en cours" : "Annuler"}
      confirmLabel={isStop ? "Arrêter la délégation" : "Refuser la délégation"}
      onConfirm={() => void end()}
      onCancel={onClose}
    />
  );
}

function stopWords({ person, scope, signatures, waiting, state }: Delegation): string {
  if (state === "upcoming") return `${person.name} ne signera pas pour vous.`;
  const [one, many] =
    scope === "visas"
      ? ["Son visa déjà donné reste valable.", "visas déjà donnés restent valables."]
      : ["Sa signature déjà donnée reste valable.", "signatures déjà données restent valables."];
  const given = signatures === 0 ? "" : signatures === 1 ? ` ${one}` : ` Ses ${signatures} ${many}`;
  const back =
    waiting === 0
      ? ""
      : waiting === 1
        ? " 1 document qui attend vous revient."
        : ` ${waiting} documents qui attendent vous reviennent.`;
  return `${person.name} ne pourra plus signer pour vous, dès maintenant.${given}${back}`;
}

const refuseWords = ({ person }: Delegation) =>
  `Vous ne pourrez plus signer pour ${person.name}, qui recevra un email. Les signatures déjà données restent valables.`;
