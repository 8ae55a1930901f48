import { plural } from "../../../lib/format-numbers.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Checkbox } from "../../../ui/checkbox/checkbox.tsx";
import { tellingWords } from "../../envelopes/reached-words.ts";
import type { OpenEnvelopeFacts } from "./read-open-envelopes.ts";
import styles from "./settings.module.css";

type Props = OpenEnvelopeFacts & { readonly cancel: boolean; readonly onCancel: (cancel: boolean) => void };

const NAMED = 5;

/** What stands in the way of an erasure, and the way to cancel it at the same time. */
export function OpenEnvelopes({ sentence, count, titles, cancel, onCancel }: Props) {
  const others = count - Math.min(NAMED, titles.length);
  return (
    <>
      <Alert tone="warning">
        <p>{sentence}</p>
        <ul className={styles["kept"]}>
          {titles.slice(0, NAMED).map((title, index) => (
            <li key={`${index}-${title}`}>{title}</li>
          ))}
          {others > 0 && <li>{`et ${plural(others, "autre")}`}</li>}
        </ul>
      </Alert>
      <Checkbox
        label={
          count > 1
            ? `Annuler aussi ces ${count} enveloppes. ${tellingWords("Leurs destinataires seront prévenus.", "leurs destinataires")}`
            : `Annuler aussi cette enveloppe. ${tellingWords("Ses destinataires seront prévenus.", "ses destinataires")}`
        }
        checked={cancel}
        onChange={(event) => onCancel(event.target.checked)}
      />
    </>
  );
}
