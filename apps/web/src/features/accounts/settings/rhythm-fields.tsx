import type { NotificationChoice, NotificationsAnswer } from "@paraphe/contracts";
import { type ReactNode, useId } from "react";
import { formatTime } from "../../../lib/format-dates.ts";
import { plural } from "../../../lib/format-numbers.ts";
import { useServiceRules } from "../../../lib/service-rules.ts";
import { Switch } from "../../../ui/switch/switch.tsx";
import { SettingRow } from "./setting-row.tsx";
import styles from "./settings.module.css";

type Props = {
  readonly values: NotificationChoice;
  /** What waits for its moment now. */
  readonly waiting: NotificationsAnswer["waiting"];
  readonly onChange: (values: NotificationChoice) => void;
};

/** When one is told: not at night, or once a day. */
export function RhythmFields({ values, waiting, onChange }: Props) {
  const id = useId();
  const { mail } = useServiceRules();
  const row = (name: "quiet_hours" | "daily_summary", title: string, words: ReactNode) => (
    <SettingRow
      title={title}
      titleId={`${id}-${name}`}
      control={
        <Switch
          aria-labelledby={`${id}-${name}`}
          aria-describedby={`${id}-${name}-texte`}
          checked={values[name]}
          onChange={(event) => onChange({ ...values, [name]: event.target.checked })}
        />
      }
    >
      <p id={`${id}-${name}-texte`}>{words}</p>
    </SettingRow>
  );
  return (
    <fieldset className={styles["rhythm"]}>
      <legend className="sr">Moment des notifications</legend>
      {row(
        "quiet_hours",
        "Heures calmes 20\u00a0h–8\u00a0h",
        `Ce qui n’est pas urgent attend 8\u00a0h, heure de Paris. Les documents à signer${mail ? " et les codes" : ""} arrivent toujours aussitôt.`,
      )}
      {mail &&
        row(
          "daily_summary",
          "Résumé quotidien",
          "Un seul email par jour, à 8\u00a0h, au lieu d’un par événement. Aucun s’il ne s’est rien passé.",
        )}
      {waiting !== null && (
        <SettingRow title={plural(waiting.count, "message en attente", "messages en attente")} control={null}>
          <p>{`${waiting.count > 1 ? "Seront envoyés" : "Sera envoyé"} à ${formatTime(waiting.until)}`}</p>
        </SettingRow>
      )}
    </fieldset>
  );
}
