import { Badge } from "../../ui/badge/badge.tsx";
import { statusLook } from "./status-look.ts";

type Props = {
  readonly status: string /** In the list of deleted envelopes, a cancelled one reads 'Supprimé'. */;
  readonly deleted?: boolean;
};

/** An envelope's status. */
export function StatusBadge({ status, deleted = false }: Props) {
  const { tone, label } = statusLook(status);
  return <Badge tone={tone}>{deleted && tone === "cancelled" ? "Supprimé" : label}</Badge>;
}
