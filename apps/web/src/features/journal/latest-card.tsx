import type { Checkpoint } from "@paraphe/contracts";
import { useQuery } from "@tanstack/react-query";
import { formatExactInstant } from "../../lib/format-dates.ts";
import { formatCount } from "../../lib/format-numbers.ts";
import { verifyPublishedCheckpoint } from "../../lib/verify-published-checkpoint.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Button } from "../../ui/button/button.tsx";
import { Card } from "../../ui/card/card.tsx";
import { CopyField } from "../../ui/copy-field/copy-field.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { KeyValue } from "../../ui/key-value/key-value.tsx";
import { saveCheckpoint } from "./log-calls.ts";

/** What this browser finds of the log's latest checkpoint. */
export function useLatestCheck(checkpoint: Checkpoint) {
  return useQuery({
    queryKey: ["checkpoint", checkpoint.signature, checkpoint.timestamp],
    queryFn: () => verifyPublishedCheckpoint(checkpoint),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** That the latest checkpoint does not hold: said before anything else. */
export function LatestFault({ checkpoint }: { readonly checkpoint: Checkpoint }) {
  return useLatestCheck(checkpoint).data?.ok === false ? (
    <Alert tone="danger" title="Ce point de contrôle ne tient pas">
      La signature ou l’horodatage du dernier point ne correspond pas à ce qu’il dit, ou n’est pas d’une autorité de ce service. Ne vous y
      fiez pas.
    </Alert>
  ) : null;
}

/** The state of the log now, its signature and time-stamp checked in this browser. */
export function LatestCard({ checkpoint }: { readonly checkpoint: Checkpoint }) {
  const checked = useLatestCheck(checkpoint);
  const revocation = checked.data?.ok && checked.data.revocation === "unknown" ? " (révocation non vérifiée)" : "";
  const facts = checked.data?.ok ? checked.data.facts : null;
  const pending = checked.data ? "Ne tient pas" : checked.isError ? "Le contrôle n’a pas pu être chargé." : "Contrôle en cours…";
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
          ["Signature", facts ? `Valide, par ${facts.seal.subject.commonName}${revocation}` : pending],
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
