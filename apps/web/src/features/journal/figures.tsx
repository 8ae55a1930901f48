import type { Checkpoint } from "@paraphe/contracts";
import { useQuery } from "@tanstack/react-query";
import { formatDayMonth, formatTime } from "../../lib/format-dates.ts";
import { formatCount } from "../../lib/format-numbers.ts";
import { checkContinuity, type Continuity, isRewrite } from "./check-continuity.ts";
import { loadFirstCheckpoint } from "./log-calls.ts";
import styles from "./log-page.module.css";

type Props = {
  readonly latest: Checkpoint;
  readonly count: number;
  /** Something that somebody kept shows that the past was rewritten, whatever the list holds. */
  readonly isRewritten: boolean;
};

/** How much the log holds, since when, and whether it still begins as the list of checkpoints does: this browser finds that out by itself. */
export function Figures({ latest, count, isRewritten }: Props) {
  const origin = useQuery({
    queryKey: ["origin", latest.size, latest.root],
    queryFn: async ({ signal }) => checkContinuity(await loadFirstCheckpoint(count, signal), latest),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [word, said] = isRewritten
    ? ["Rupture", "ce que vous avez gardé le montre"]
    : origin.data === undefined
      ? ["…", pendingSaid(origin.isError)]
      : originSaid(origin.data);
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

function originSaid(continuity: Continuity): readonly [string, string] {
  if (continuity.outcome === "holds") return ["Aucune", "rupture depuis le premier point, vérifié dans votre navigateur"];
  return isRewrite(continuity) ? ["Rupture", "le journal ne commence plus par son premier point"] : ["–", "continuité non vérifiée"];
}
