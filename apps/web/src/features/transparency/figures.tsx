import type { Checkpoint } from "@paraphe/contracts";
import { useQuery } from "@tanstack/react-query";
import { formatDayMonth, formatTime } from "../../lib/format-dates.ts";
import { formatCount } from "../../lib/format-numbers.ts";
import { checkContinuity, type Continuity } from "./check-continuity.ts";
import { loadFirstCheckpoint } from "./log-calls.ts";
import styles from "./log-page.module.css";

type Props = { readonly latest: Checkpoint; readonly count: number };

/** How much the log holds, since when, and whether it still begins as it began: this browser finds that out by itself. */
export function Figures({ latest, count }: Props) {
  const origin = useQuery({
    queryKey: ["origin", latest.size, latest.root],
    queryFn: async ({ signal }) => checkContinuity(await loadFirstCheckpoint(count, signal), latest),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [word, said] = origin.data === undefined ? ["…", pendingSaid(origin.isError)] : originSaid(origin.data);
  return (
    <ul className={styles["figures"]} aria-label="Le journal en trois chiffres">
      <li>
        <b className="num">{formatCount(latest.size)}</b>
        <span>{latest.size > 1 ? "empreintes enregistrées" : "empreinte enregistrée"}</span>
      </li>
      <li>
        <b>
          {formatDayMonth(latest.at)} {formatTime(latest.at)}
        </b>
        <span>dernier point de contrôle, heure de Paris</span>
      </li>
      <li data-bad={word === "Rupture" ? "" : undefined}>
        <b>{word}</b>
        <span>{said}</span>
      </li>
    </ul>
  );
}

const pendingSaid = (isAway: boolean): string => (isAway ? "continuité non vérifiée" : "continuité en cours de contrôle");

function originSaid({ outcome }: Continuity): readonly [string, string] {
  if (outcome === "holds") return ["Aucune", "rupture depuis l’origine, vérifié dans votre navigateur"];
  return outcome === "rewritten" || outcome === "shorter"
    ? ["Rupture", "le journal ne commence plus comme à l’origine"]
    : ["–", "continuité non vérifiée"];
}
