import type { Envelope } from "@paraphe/contracts";
import { useServiceRules } from "../../lib/service-rules.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { CopyField } from "../../ui/copy-field/copy-field.tsx";
import { OPEN_STATUSES } from "./open-statuses.ts";

/** Where the service sends no mail: the address that the sender passes on to those whom nobody has told. It opens for them alone, from their accounts. */
export function HandOver({ envelope }: { readonly envelope: Envelope }) {
  const { mail } = useServiceRules();
  const isUntold = envelope.recipients.some(({ status }) => status === "unreached");
  if (mail || !envelope.is_owner || !isUntold || !OPEN_STATUSES.has(envelope.status)) return null;
  return (
    <Alert tone="info" title="Ce service n’envoie pas d’email">
      <div className="stack stack--sm">
        <p>
          Prévenez vous-même les personnes marquées « Pas encore prévenu » et transmettez-leur cette adresse. Elle s’ouvre depuis leur
          compte Paraphe, si leur email y est confirmé.
        </p>
        <CopyField label="Adresse à transmettre" value={`${window.location.origin}/signature/sign/${envelope.id}`} />
      </div>
    </Alert>
  );
}
