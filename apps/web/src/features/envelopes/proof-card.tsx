import type { Envelope } from "@paraphe/contracts";
import { Button } from "../../ui/button/button.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { OPEN_STATUSES } from "./open-statuses.ts";
import { useEvidence } from "./use-evidence.ts";

/** What the sender shows to whoever has to judge: the evidence file, of any envelope that was sent. */
export function ProofCard({ envelope }: { readonly envelope: Envelope }) {
  const evidence = useEvidence();
  return (
    <section className="card card__body stack" aria-labelledby="preuve">
      <h2 className="h2" id="preuve">
        Preuve
      </h2>
      <p className="ink2">
        Qui a signé, quand, comment, et ce que cela établit : un PDF en français, scellé par le service, avec l’historique et les
        certificats.
      </p>
      {OPEN_STATUSES.has(envelope.status) && (
        <p className="muted small">Des signatures sont encore attendues : le dossier établi maintenant est provisoire.</p>
      )}
      <div>
        <Button loading={evidence.isPending} loadingLabel="Établissement..." onClick={() => evidence.mutate(envelope)}>
          <Icon name="shield" size="sm" />
          Dossier de preuve
        </Button>
      </div>
    </section>
  );
}
