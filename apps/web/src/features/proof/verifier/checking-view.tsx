import { formatFileSize } from "../../../lib/format-numbers.ts";
import { MeaningList } from "../../../ui/meaning-list/meaning-list.tsx";
import type { TakenFile } from "./sort-files.ts";
import styles from "./verifier-page.module.css";

type Props = { readonly files: readonly TakenFile[]; readonly isReading: boolean };

/** What has been read, and that it is being checked. */
export function CheckingView({ files, isReading }: Props) {
  const read = files.map(
    ({ name, bytes }) => ({ tone: "good", text: `Fichier lu\u00a0: ${name}, ${formatFileSize(bytes.length)}` }) as const,
  );
  const next = isReading ? "Lecture de ce que vous avez déposé" : "Contrôle des signatures et de l’horodatage";
  return (
    <div className={`card card__body stack ${styles["checking"]}`} aria-busy="true">
      <h1 className="h1" tabIndex={-1}>
        Vérification en cours…
      </h1>
      <span className={styles["bar"]} aria-hidden="true" />
      <MeaningList lines={[...read, { tone: "note", text: next }]} />
    </div>
  );
}
