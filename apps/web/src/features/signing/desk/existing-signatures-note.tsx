import { Icon } from "../../../ui/icon/icon.tsx";
import styles from "./existing-signatures-note.module.css";
import type { OpenedRequest } from "./use-desk.ts";

/** Controls that concern later signers: the file is signed or time-stamped already. */
const TOLD_TO_SIGNERS = new Set([
  "existing_signatures",
  "existing_timestamps",
  "unverified_signatures",
  "unverified_timestamps",
  "certified",
]);
const SIGNED = new Set(["existing_signatures", "unverified_signatures"]);

/** Only documents that came already signed have a note. */
export function ExistingSignaturesNote({
  documents,
}: {
  readonly documents: OpenedRequest["documents"];
}) {
  const notes = documents.flatMap(({ id, name, control }) => {
    const said = control.findings
      .filter(({ code }) => TOLD_TO_SIGNERS.has(code))
      .map(({ detail }) => detail);
    return said.length === 0 ? [] : [{ id, name, text: said.join(" ") }];
  });
  if (notes.length === 0) return null;
  const areSigned = documents.some(({ control }) =>
    control.findings.some(({ code }) => SIGNED.has(code)),
  );
  return (
    <div
      className={styles.note}
      role="note"
      aria-label={areSigned ? "Documents déjà signés" : "Documents déjà horodatés"}
    >
      <Icon name="info" size="sm" />
      <div>
        {notes.map(({ id, name, text }) => (
          <p key={id}>{documents.length > 1 ? `${name} : ${text}` : text}</p>
        ))}
      </div>
    </div>
  );
}
