import { isToCopy, takesMark } from "@paraphe/contracts";
import { type RefObject, useCallback } from "react";
import { plural } from "../../../lib/format/format-numbers.ts";
import type { OpenedPdf } from "../../../pdf/open-pdf.ts";
import { PdfViewer, type PdfViewerHandle } from "../../../pdf/pdf-viewer.tsx";
import { SignFieldLayer } from "../../../pdf/fields/sign-field-layer.tsx";
import { SelectField } from "../../../ui/field/field.tsx";
import type { GuestParts } from "../guest/guest-parts.tsx";
import { LaterReading, fetchLaterParts } from "./later-parts.tsx";
import { layerFields } from "./layer-fields.tsx";
import type { SigningCalls } from "../signing-calls.ts";
import styles from "../signing-desk.module.css";
import type { FieldWalk } from "./use-field-walk.ts";
import type { Desk, OpenedRequest } from "./use-desk.ts";
import { Icon } from "../../../ui/icon/icon.tsx";
import noteStyles from "./existing-signatures-note.module.css";

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
      className={noteStyles.note}
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

type DeskPagesProps = {
  readonly request: OpenedRequest;
  readonly desk: Desk;
  readonly walk: FieldWalk;
  readonly viewer: RefObject<PdfViewerHandle | null>;
  readonly isWide: boolean;
  readonly guest: GuestParts | null;
  readonly isReading: boolean;
  readonly calls: Pick<SigningCalls, "file" | "firstPage">;
};

export function DeskPages({
  request,
  desk,
  walk,
  viewer,
  isWide,
  guest,
  isReading,
  calls,
}: DeskPagesProps) {
  const hasMention = request.fields.some(isToCopy);
  const onPdf = useCallback(
    (pdf: OpenedPdf | null) => {
      if (pdf) fetchLaterParts(hasMention);
    },
    [hasMention],
  );
  const shown =
    request.documents.find((document) => document.id === walk.documentId) ?? request.documents[0];
  if (!shown) return null;
  const source = {
    key: `${shown.id}:${shown.sha256}`,
    load: (signal: AbortSignal) => calls.file(shown.id, signal),
  };
  const heading = (
    <DocumentChoice request={request} current={shown.id} onChoose={walk.openDocument} />
  );
  return (
    <div className={styles.reading}>
      <ExistingSignaturesNote documents={request.documents} />
      {isReading ? (
        <LaterReading
          key={shown.id}
          source={source}
          pageCount={shown.page_count}
          heading={heading}
          fields={request.fields.filter((field) => field.document_id === shown.id)}
          desk={desk}
          currentId={walk.currentId}
          onActivate={walk.activate}
        />
      ) : (
        <PdfViewer
          ref={viewer}
          onPdf={onPdf}
          label="Document à signer"
          {...(guest && { Bar: guest.Bar })}
          source={{ ...source, firstPage: (signal) => calls.firstPage(shown.id, signal) }}
          pages={shown.pages}
          heading={guest && request.documents.length === 1 ? null : heading}
          failedText="Le document n’a pas pu être chargé. Vérifiez votre connexion, puis réessayez."
          renderLayer={(pageNumber) => (
            <PageFields {...{ request, desk, walk, isWide, pageNumber }} documentId={shown.id} />
          )}
        />
      )}
    </div>
  );
}

type PageFieldsProps = Pick<DeskPagesProps, "request" | "desk" | "walk" | "isWide"> & {
  readonly documentId: string;
  readonly pageNumber: number;
};

function PageFields({ walk, isWide, ...page }: PageFieldsProps) {
  const { currentId } = walk;
  const current = page.desk.own.find(({ id }) => id === currentId);
  const guide = current && !takesMark(current) ? "Remplir" : "Signer";
  return (
    <SignFieldLayer
      guide={isWide ? guide : ""}
      fields={layerFields({ ...page, currentId })}
      onActivate={walk.activate}
    />
  );
}

function DocumentChoice({
  request,
  current,
  onChoose,
}: {
  request: OpenedRequest;
  current: string;
  onChoose: (id: string) => void;
}) {
  const only = request.documents.length === 1 ? request.documents[0] : undefined;
  if (only) return <span title={only.name}>{only.name}</span>;
  return (
    <SelectField
      label="Document affiché"
      hideLabel
      size="sm"
      value={current}
      onChange={(event) => onChoose(event.target.value)}
    >
      {request.documents.map(({ id, name, page_count }, index) => (
        <option
          key={id}
          value={id}
        >{`${index + 1} sur ${request.documents.length} · ${name} (${plural(page_count, "page")})`}</option>
      ))}
    </SelectField>
  );
}
