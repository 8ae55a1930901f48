import type { OwnSession } from "@paraphe/contracts";
import { formatDay, formatShortInstant } from "../../../lib/format-dates.ts";
import { Badge } from "../../../ui/badge/badge.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { SettingRow } from "./setting-row.tsx";

type Props = { readonly session: OwnSession; readonly ending: boolean; readonly onEnd: () => void };

/** One session: the device, since when, when it was last used, from where. */
export function SessionRow({ session, ending, onEnd }: Props) {
  const { device, current, created_at, last_used_at, remember_me, ip } = session;
  return (
    <SettingRow
      title={device}
      control={
        current ? (
          <Badge tone="info">Cette session</Badge>
        ) : (
          <Button
            size="sm"
            loading={ending}
            aria-label={`Fermer la session ${device}, ${formatShortInstant(last_used_at)}`}
            onClick={onEnd}
          >
            Fermer
          </Button>
        )
      }
    >
      <p className="num">
        {current ? "Active maintenant" : <time dateTime={last_used_at}>{`Dernière activité le ${formatShortInstant(last_used_at)}`}</time>}
        {ip !== null && ` · ${ip}`}
      </p>
      <p>
        <time dateTime={created_at}>{`Ouverte le ${formatDay(created_at)}`}</time>
        {remember_me && " · Rester connecté"}
      </p>
    </SettingRow>
  );
}
