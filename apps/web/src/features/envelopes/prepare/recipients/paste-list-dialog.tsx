import { unprintedSentence } from "@paraphe/contracts";
import { uncapitalised } from "@paraphe/kernel/french-words";
import { useDeferredValue, useId, useMemo, useState } from "react";
import { plural } from "../../../../lib/format/format-numbers.ts";
import { Button } from "../../../../ui/button/button.tsx";
import { Dialog } from "../../../../ui/dialog/dialog.tsx";
import { TextArea } from "../../../../ui/field/field.tsx";
import { Icon } from "../../../../ui/icon/icon.tsx";
import { type DraftRecipient, unprintedIn } from "../draft/draft.ts";
import { ROLE_LABELS, type PastedFault, type PastedPerson, parsePeople } from "./parse-people.ts";
import styles from "./paste-list-dialog.module.css";

type PasteListDialogProps = {
  /** Empty when the dialog was opened by its button. */
  readonly start: string;
  readonly known: readonly DraftRecipient[];
  readonly onAdd: (people: readonly PastedPerson[]) => void;
  readonly onClose: () => void;
};
const MOST_NAMES = 4;

/** Shows the people found before they are added. */
export function PasteListDialog({ start, known, onAdd, onClose }: PasteListDialogProps) {
  const [text, setText] = useState(start);
  const [isAsked, setIsAsked] = useState(false);
  // The preview may lag behind; the text in the box is what is added.
  const read = useDeferredValue(text);
  const { people, faults, unread } = useMemo(() => parsePeople(read, known), [read, known]);
  const add = () => {
    setIsAsked(true);
    const found = read === text ? people : parsePeople(text, known).people;
    if (found.length > 0) onAdd(found);
  };
  return (
    <Dialog
      title="Coller une liste"
      size="lg"
      sheet
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Annuler</Button>
          <Button variant="primary" onClick={add} blocked={people.length === 0}>
            {people.length === 0 ? "Ajouter" : `Ajouter ${plural(people.length, "destinataire")}`}
          </Button>
        </>
      }
    >
      <div className="stack">
        <TextArea
          required
          label="Noms et adresses"
          rows={6}
          value={text}
          onChange={(event) => setText(event.target.value)}
          help="Une personne par ligne : « Nom <adresse> », « Nom ; adresse », l’adresse seule, ou les colonnes d’un tableur."
          error={
            isAsked && people.length === 0 ? "Aucune adresse email dans cette liste." : undefined
          }
          spellCheck={false}
        />
        <p className="sr" role="status">
          {text.trim() === ""
            ? ""
            : `${plural(people.length, "personne")}, ${plural(faults.length + unread, "ligne écartée", "lignes écartées")}`}
        </p>
        <UnprintedNames people={people} />
        {people.length > 0 ? <Understood people={people} /> : null}
        {faults.length > 0 ? <Faults faults={faults} unread={unread} /> : null}
      </div>
    </Dialog>
  );
}

function Understood({ people }: { people: readonly PastedPerson[] }) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h3 className={styles.heading} id={id}>{`Ce qui a été compris (${people.length})`}</h3>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a list that scrolls is reached by the keyboard (WCAG 2.1.1) */}
      <ol className={styles.list} tabIndex={0} aria-labelledby={id}>
        {people.map((person) => (
          <li key={`${person.line}-${person.email}-${person.fullName}`} className={styles.person}>
            <span>
              <b>{person.fullName}</b>
              {person.isNameGuessed ? <small> nom lu dans l’adresse</small> : null}
              {person.isAddressShared ? <small> adresse déjà dans la liste</small> : null}
              <Unprinted person={person} />
            </span>
            <span className={styles.address}>{person.email}</span>
            <small>
              {[ROLE_LABELS[person.role], person.phoneNumber].filter(Boolean).join(", ")}
            </small>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Such names are added all the same, and corrected in their rows. */
function UnprintedNames({ people }: { people: readonly PastedPerson[] }) {
  const names = people
    .filter((person) => unprintedIn(person) !== null)
    .map((person) => person.fullName);
  const said = [...names.slice(0, MOST_NAMES), ...(names.length > MOST_NAMES ? ["…"] : [])].join(
    ", ",
  );
  const sentence = plural(
    names.length,
    "nom ne peut pas être imprimé",
    "noms ne peuvent pas être imprimés",
  );
  return (
    <p className={names.length === 0 ? "sr" : styles.unprinted} role="status">
      {names.length === 0 ? null : (
        <>
          <Icon name="warning" size="sm" />
          {`${sentence} dans le document\u00a0: ${said}`}
        </>
      )}
    </p>
  );
}

function Unprinted({ person }: { person: PastedPerson }) {
  const character = unprintedIn(person);
  if (character === null) return null;
  return <small>{` ${unprintedSentence(character)}`}</small>;
}

function Faults({ faults, unread }: { faults: readonly PastedFault[]; unread: number }) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h3 className={styles.heading} id={id}>{`Lignes écartées (${faults.length + unread})`}</h3>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a list that scrolls is reached by the keyboard (WCAG 2.1.1) */}
      <ul className={styles.list} tabIndex={0} aria-labelledby={id}>
        {faults.map((fault, index) => (
          <li key={index} className={styles.fault}>
            <Icon name="warning" size="sm" />
            <span>
              {`Ligne ${fault.line}\u00a0: ${uncapitalised(fault.reason)}. `}
              <span className="muted">
                {fault.text.length > 80 ? `${fault.text.slice(0, 80)}…` : fault.text}
              </span>
            </span>
          </li>
        ))}
      </ul>
      {unread > 0 ? (
        <p className="muted">{`Trop de lignes sans destinataire\u00a0: ${plural(unread, "autre ligne n’a pas été lue", "autres lignes n’ont pas été lues")}.`}</p>
      ) : null}
    </section>
  );
}
