import { type Document, FIELD_KINDS } from "@paraphe/contracts";
import { capitalised, ofName } from "@paraphe/kernel/french-words";
import { isCalendarDay } from "@paraphe/kernel/paris-days";
import { useId, useMemo, useRef, useState } from "react";
import { formatDueDate } from "../../../../lib/format/format-dates.ts";
import { plural } from "../../../../lib/format/format-numbers.ts";
import { useServiceRules } from "../../../../lib/api/service-rules.ts";
import { useMediaQuery } from "../../../../lib/browser/use-media-query.ts";
import { fieldColor, inReadingOrder } from "../../../../pdf/fields/layer-field.ts";
import { PdfViewer, type PdfViewerHandle } from "../../../../pdf/pdf-viewer.tsx";
import { SignFieldLayer } from "../../../../pdf/fields/sign-field-layer.tsx";
import { Brand } from "../../../../ui/brand/brand.tsx";
import { Button } from "../../../../ui/button/button.tsx";
import { useModal } from "../../../../ui/dialog/use-modal.ts";
import { SelectField } from "../../../../ui/field/field.tsx";
import { Icon } from "../../../../ui/icon/icon.tsx";
import { LinkAction } from "../../../../ui/link/link-action.tsx";
import { Segmented } from "../../../../ui/segmented/segmented.tsx";
import { endOfParisDay } from "../documents/deadline.ts";
import {
  type Draft,
  type DraftField,
  type DraftRecipient,
  isBlankRecipient,
} from "../draft/draft.ts";
import { thanName } from "../recipients/use-recipient-list.ts";
import styles from "./preview-dialog.module.css";

export type PreviewedDocument = Pick<Document, "id" | "name" | "page_count"> &
  Partial<Pick<Document, "pages">>;
type Previewed = {
  readonly senderName: string;
  readonly draft: Pick<Draft, "title" | "message" | "deadline" | "recipients" | "fields">;
  readonly documents: readonly PreviewedDocument[];
  readonly load: (documentId: string, signal: AbortSignal) => Promise<ArrayBuffer>;
};
type PreviewDialogProps = Previewed & {
  readonly start: string;
  readonly onClose: () => void;
};
type Screen = "desk" | "phone";
const SCREENS = [
  { value: "desk", label: "Ordinateur" },
  { value: "phone", label: "Téléphone" },
] as const;

/** No field of the preview can be filled or signed. */
export function PreviewDialog({ start, onClose, ...previewed }: PreviewDialogProps) {
  const { draft } = previewed;
  const id = useId();
  const modal = useModal({ onClose });
  const isSmall = useMediaQuery("(max-width: 767.98px)");
  const isTablet = useMediaQuery("(max-width: 1023.98px)");
  const people = draft.recipients.filter((row) => !isBlankRecipient(row));
  const [key, setKey] = useState(start);
  const [screen, setScreen] = useState<Screen>("desk");
  const index = Math.max(
    0,
    people.findIndex((row) => row.key === key),
  );
  const person = people[index];
  if (!person) return null;
  return (
    <dialog {...modal} className={styles.preview} aria-modal="true" aria-labelledby={id}>
      <header className={styles.banner}>
        <h2 id={id} className={styles.title}>
          <Icon name="eye" />
          Aperçu{"\u00a0"}: rien ne sera signé
        </h2>
        {isSmall ? (
          <Button square variant="ghost" aria-label="Fermer l’aperçu" onClick={onClose}>
            <Icon name="close" />
          </Button>
        ) : null}
        <SelectField
          label="Vu par"
          size="sm"
          value={person.key}
          onChange={(event) => setKey(event.target.value)}
        >
          {people.map((row) => (
            <option key={row.key} value={row.key}>
              {row.fullName || row.email}
            </option>
          ))}
        </SelectField>
        {isSmall ? null : (
          <>
            <Segmented label="Écran" value={screen} options={SCREENS} onChange={setScreen} />
            <Button square={isTablet} aria-label="Fermer l’aperçu" onClick={onClose}>
              <Icon name="close" size="sm" />
              {isTablet ? null : "Fermer l’aperçu"}
            </Button>
          </>
        )}
      </header>
      <div className={styles.screen} data-screen={isSmall ? "phone" : screen}>
        <RecipientPage key={person.key} {...previewed} {...{ person, index }} />
      </div>
    </dialog>
  );
}

type RecipientPageProps = Previewed & {
  readonly person: DraftRecipient;
  readonly index: number;
};

function RecipientPage({ person, index, ...previewed }: RecipientPageProps) {
  const { draft, documents, load } = previewed;
  const [chosen, setChosen] = useState(documents[0]?.id);
  const viewer = useRef<PdfViewerHandle>(null);
  const shown = documents.find((document) => document.id === chosen) ?? documents[0];
  const own = documents.flatMap((document) =>
    inReadingOrder(
      draft.fields.filter(
        (field) => field.recipientKey === person.key && field.documentId === document.id,
      ),
    ),
  );
  const source = useMemo(() => {
    const key = shown?.id ?? "";
    return { key, load: (signal: AbortSignal) => load(key, signal) };
  }, [load, shown?.id]);
  const goTo = (field: DraftField) => {
    setChosen(field.documentId);
    // Two frames: the document is laid out before the field has its place.
    requestAnimationFrame(() =>
      requestAnimationFrame(() =>
        viewer.current?.goTo({ pageNumber: field.page, y: field.y + field.height / 2 }),
      ),
    );
  };
  if (!shown) return null;
  return (
    <div className={styles.page}>
      <PageHead {...previewed} person={person} />
      <div className={styles.reading}>
        <PdfViewer
          ref={viewer}
          label="Document de l’aperçu"
          source={source}
          {...(shown.pages === undefined ? {} : { pages: shown.pages })}
          heading={<DocumentChoice documents={documents} current={shown.id} onChoose={setChosen} />}
          failedText="Le document n’a pas pu être chargé. Vérifiez votre connexion, puis réessayez."
          renderLayer={(pageNumber) => (
            // The list beside describes the fields, which are inert here.
            <div inert>
              <SignFieldLayer
                fields={layerFields(draft, { documentId: shown.id, pageNumber, person, index })}
                onActivate={() => undefined}
              />
            </div>
          )}
        />
      </div>
      <aside
        className={styles.side}
        aria-label={`Ce ${thanName(person.fullName || person.email)} aura à faire`}
      >
        <Duties person={person} fields={own} documents={documents} onGo={goTo} />
      </aside>
    </div>
  );
}

function PageHead({
  senderName,
  draft,
  person,
}: Pick<RecipientPageProps, "senderName" | "draft" | "person">) {
  const deadline = isCalendarDay(draft.deadline) ? endOfParisDay(draft.deadline) : null;
  const facts = [capitalised(ofName(senderName)), formatDueDate(person.role, deadline)];
  return (
    <div className={styles.head}>
      <div inert>
        <Brand />
      </div>
      <div className={styles.what}>
        <b className="break">{draft.title}</b>
        <small>{facts.filter((fact) => fact !== null).join(" · ")}</small>
      </div>
      {draft.message.trim() === "" ? null : (
        <blockquote className={styles.message}>{draft.message}</blockquote>
      )}
    </div>
  );
}

type DutiesProps = {
  readonly person: DraftRecipient;
  readonly fields: readonly DraftField[];
  readonly documents: readonly PreviewedDocument[];
  readonly onGo: (field: DraftField) => void;
};

function Duties({ person, fields, documents, onGo }: DutiesProps) {
  const { mail } = useServiceRules();
  if (person.role === "viewer")
    return (
      <p>
        En copie{"\u00a0"}:{" "}
        {mail ? "reçoit le document signé à la fin, sans rien avoir" : "n’a rien"} à signer.
      </p>
    );
  if (fields.length === 0)
    return <p>Aucun champ à remplir : lit le document, puis donne son accord.</p>;
  return (
    <>
      <h3 className="h2">À remplir</h3>
      <ol className={styles.duties}>
        {fields.map((field) => (
          <li key={field.key}>
            <Icon name={FIELD_KINDS[field.type].icon} size="sm" />
            <LinkAction className="break" onClick={() => onGo(field)}>
              {`${titleOf(field)}, page ${field.page}`}
              {documents.length > 1
                ? ` de ${documents.find((document) => document.id === field.documentId)?.name ?? ""}`
                : ""}
              {field.required || field.type === "signature" ? "" : " (facultatif)"}
            </LinkAction>
          </li>
        ))}
      </ol>
    </>
  );
}

function DocumentChoice({
  documents,
  current,
  onChoose,
}: {
  documents: readonly PreviewedDocument[];
  current: string;
  onChoose: (id: string) => void;
}) {
  const only = documents.length === 1 ? documents[0] : undefined;
  if (only) return <span title={only.name}>{only.name}</span>;
  return (
    <SelectField
      label="Document affiché"
      hideLabel
      size="sm"
      value={current}
      onChange={(event) => onChoose(event.target.value)}
    >
      {documents.map((document) => (
        <option
          key={document.id}
          value={document.id}
        >{`${document.name} (${plural(document.page_count, "page")})`}</option>
      ))}
    </SelectField>
  );
}

type Place = {
  readonly documentId: string;
  readonly pageNumber: number;
  readonly person: DraftRecipient;
  readonly index: number;
};

function layerFields(draft: Previewed["draft"], { documentId, pageNumber, person, index }: Place) {
  return inReadingOrder(
    draft.fields.filter((field) => field.documentId === documentId && field.page === pageNumber),
  ).map((field) => {
    const isOwn = field.recipientKey === person.key;
    const rank = draft.recipients.findIndex((row) => row.key === field.recipientKey);
    return {
      id: field.key,
      pageNumber,
      box: field,
      color: fieldColor(isOwn ? index : rank),
      name: isOwn ? titleOf(field) : `${titleOf(field)}, réservé à un autre signataire`,
      state: isOwn ? ("todo" as const) : ("other" as const),
      content: isOwn ? (
        <OwnFace field={field} />
      ) : (
        <span className="truncate">Autre signataire</span>
      ),
    };
  });
}

function OwnFace({ field }: { field: DraftField }) {
  return (
    <>
      <Icon name={FIELD_KINDS[field.type].icon} />
      {field.width > 0.12 ? (
        <span className="truncate">
          {field.value ?? (field.type === "signature" ? "Signer ici" : titleOf(field))}
        </span>
      ) : null}
    </>
  );
}

function titleOf(field: DraftField): string {
  return field.label?.trim() || FIELD_KINDS[field.type].short;
}
