import type { OrganisationSettings } from "@paraphe/contracts";
import { useQueryClient } from "@tanstack/react-query";
import { ApiError, callMessage } from "../../lib/api/api-error.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Button } from "../../ui/button/button.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { showToast } from "../../ui/toast/toast-store.ts";
import { settingsQuery } from "./organisation-calls.ts";

type SaveFailureProps = {
  readonly error: unknown;
  readonly onReread: (settings: OrganisationSettings) => void;
};

/** What was typed stays until the person asks for the other version. */
export function SaveFailure({ error, onReread }: SaveFailureProps) {
  const client = useQueryClient();
  if (error === undefined) return null;
  return (
    <Alert tone="danger">
      <p>{messageOf(error)}</p>
      {isStale(error) && (
        <p>
          <Button
            size="sm"
            onClick={() =>
              void client
                .fetchQuery({ ...settingsQuery, staleTime: 0 })
                .then(onReread, (cause) => showToast("err", messageOf(cause)))
            }
          >
            <Icon name="refresh" size="sm" />
            Voir la dernière version
          </Button>
        </p>
      )}
    </Alert>
  );
}

/** Somebody else saved meanwhile. */
function isStale(error: unknown): boolean {
  return error instanceof ApiError && error.code === "organisation_changed";
}

function messageOf(error: unknown): string {
  return callMessage(error, "Impossible d’enregistrer l’organisation");
}
