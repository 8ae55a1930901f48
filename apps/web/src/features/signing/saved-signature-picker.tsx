import styles from "./hand-picker.module.css";
import { MarkPicture } from "./mark-picture.tsx";
import { savedLook, type SavedMark } from "./saved-mark.ts";

type SavedSignaturePickerProps = {
  readonly marks: readonly SavedMark[];
  readonly value: string | null;
  readonly onChange: (id: string) => void;
};

/** The account's own signatures, to choose one; without any, where they are made. The page behind stays: managing them opens beside. */
export function SavedSignaturePicker({ marks, value, onChange }: SavedSignaturePickerProps) {
  return (
    <div className="stack">
      {marks.length === 0 ? (
        <p className={styles.none}>Aucune signature enregistrée</p>
      ) : (
        <fieldset className={`${styles.hands} ${styles.pictures}`}>
          <legend className="sr">Mes signatures</legend>
          {marks.map((mark) => (
            <label key={mark.id} className={styles.hand}>
              <span className={styles.picture}>
                <MarkPicture look={savedLook(mark)} />
              </span>
              <small>{mark.is_default ? `${mark.name} · par défaut` : mark.name}</small>
              <input
                type="radio"
                name="saved-signature"
                checked={value === mark.id}
                aria-label={mark.name}
                onChange={() => onChange(mark.id)}
              />
            </label>
          ))}
        </fieldset>
      )}
      <a className="link" href="/signature/saved-signatures" target="_blank" rel="noopener">
        Gérer mes signatures
        <span className="sr"> (nouvel onglet)</span>
      </a>
    </div>
  );
}
