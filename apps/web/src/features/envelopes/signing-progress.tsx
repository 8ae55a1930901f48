import type { Envelope } from "@paraphe/contracts";
import { Progress } from "../../ui/progress/progress.tsx";

/** How many signed; an envelope without signers says so rather than 0 %. */
export function SigningProgress({ envelope }: { readonly envelope: Envelope }) {
  const { signed, total, percent } = envelope.progress;
  if (total === 0) return <span className="muted">Aucun signataire</span>;
  return <Progress signed={signed} total={total} percent={percent} />;
}
