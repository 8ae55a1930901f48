import { type Hand, isTickBox, isToCopy, takesMark } from "@paraphe/contracts";
import { type CSSProperties, type ReactNode, useEffect } from "react";
import { fieldColor, inReadingOrder } from "../../../pdf/fields/layer-field.ts";
import type { SignFieldState, SignLayerField } from "../../../pdf/fields/sign-field-layer.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { type SigningField, fieldTitle, isFilled, mustBeFilled } from "./field-walk.ts";
import { HANDS, loadHands } from "../marks/hands.ts";
import { MarkPicture } from "../marks/mark-picture.tsx";
import styles from "../signing-desk.module.css";
import type { Desk, OpenedRequest } from "./use-desk.ts";

/** « Signer ici : Signature, page 2, à remplir », for screen readers. */
export function describeField(field: SigningField, desk: Desk): string {
  if (!field.own)
    return field.filled_by === undefined
      ? `${fieldTitle(field)}, réservé à un autre signataire`
      : filledInWords(field, field.filled_by);
  // The label begins with the visible text (WCAG 2.5.3).
  const name =
    takesMark(field) && !isFilled(field, desk.answers) ? emptyMarkName(field) : fieldTitle(field);
  return `${name}, page ${field.page}, ${desk.errors[field.id] ?? stateWords(field, desk)}`;
}

/** « Signer ici : Signature »; « Parapher » is its own title. */
function emptyMarkName(field: SigningField): string {
  const [asked, title] = [markFieldLabel(field), fieldTitle(field)];
  return asked.startsWith(title) ? asked : `${asked}\u00a0: ${title}`;
}

/** « Fait à : Lyon (rempli par Paul Morel) ». */
function filledInWords(field: SigningField, name: string): string {
  const title = fieldTitle(field);
  if (field.type === "signature") return `${title} (signé par ${name})`;
  if (field.type === "initials")
    return `${title} (${field.value === "Non" ? "laissé vide" : "paraphé"} par ${name})`;
  if (isTickBox(field))
    return `${title}\u00a0: ${field.value === "Oui" ? "coché" : "non coché"} (par ${name})`;
  return field.value
    ? `${title}\u00a0: ${field.value} (rempli par ${name})`
    : `${title} (laissé vide par ${name})`;
}

function markFieldLabel(field: Pick<SigningField, "type">): string {
  return field.type === "signature" ? "Signer ici" : "Parapher";
}

function stateWords(field: SigningField, desk: Desk): string {
  // A typed name is legible on the page: the label has it too.
  const look = takesMark(field) ? desk.markOf(field)?.look : undefined;
  const typedMark = look?.kind === "text" ? look.text : "";
  const value = takesMark(field) ? typedMark : (desk.values[field.id] ?? "").trim();
  if (isFilled(field, desk.answers)) return value === "" ? "rempli" : value;
  if (isBegun(field, desk)) return `${value}, à terminer`;
  return mustBeFilled(field) ? "à remplir" : "facultatif";
}

/** A sentence begun and not exact yet. */
function isBegun(field: SigningField, desk: Pick<Desk, "values" | "answers">): boolean {
  return (
    isToCopy(field) && (desk.values[field.id] ?? "").trim() !== "" && !isFilled(field, desk.answers)
  );
}

type Place = {
  readonly request: OpenedRequest;
  readonly desk: Desk;
  readonly documentId: string;
  readonly pageNumber: number;
  readonly currentId: string | null;
};

export function layerFields({
  request,
  desk,
  documentId,
  pageNumber,
  currentId,
}: Place): readonly SignLayerField[] {
  const others = [
    ...new Set(request.fields.filter((field) => !field.own).map((field) => field.recipient_id)),
  ];
  return inReadingOrder(
    request.fields.filter((field) => field.document_id === documentId && field.page === pageNumber),
  ).map((field) => {
    const state = stateOf(field, desk, currentId);
    return {
      id: field.id,
      pageNumber,
      box: field,
      color: field.own ? 1 : fieldColor(others.indexOf(field.recipient_id) + 1),
      name: describeField(field, desk),
      state,
      tag: tagOf(field, desk, state),
      look: field.own && isTickBox(field) ? "bare" : undefined,
      content: field.own ? <OwnContent field={field} desk={desk} /> : <Words text={OTHER} isHint />,
    };
  });
}

const OTHER = "Autre signataire";

function stateOf(field: SigningField, desk: Desk, currentId: string | null): SignFieldState {
  if (!field.own) return field.filled_by === undefined ? "other" : "filled";
  if (desk.errors[field.id]) return "invalid";
  if (isFilled(field, desk.answers)) return "done";
  if (field.id === currentId) return "current";
  return mustBeFilled(field) ? "todo" : "optional";
}

/** The tag, or the words of a checkbox, which has no room for them. */
function tagOf(field: SigningField, desk: Desk, state: SignFieldState): SignLayerField["tag"] {
  if (!field.own) return undefined;
  const error = desk.errors[field.id];
  if (error) return { text: error, tone: "danger" };
  if (isBegun(field, desk)) return { text: "À terminer", tone: "danger" };
  // Only at the field led to, because the tag covers what stands above.
  return isTickBox(field) && field.label && state === "current"
    ? { text: fieldTitle(field), tone: "quiet" }
    : undefined;
}

function OwnContent({ field, desk }: { field: SigningField; desk: Desk }) {
  const isDone = isFilled(field, desk.answers);
  if (takesMark(field)) {
    const mark = desk.markOf(field);
    if (isDone && mark)
      return (
        <span className={styles.mark}>
          <MarkPicture look={mark.look} />
        </span>
      );
    const isWide = field.width > 0.2;
    return (
      <>
        {isWide ? <Icon name="pen" /> : null}
        <Words text={markFieldLabel(field)} isHint instead={isWide ? null : <Icon name="pen" />} />
      </>
    );
  }
  if (isTickBox(field))
    return <span className={styles.box}>{isDone ? <Icon name="check" /> : null}</span>;
  const value = desk.values[field.id] ?? "";
  if (isToCopy(field) && isDone) {
    const look = desk.markOf({ type: "signature" })?.look;
    return <HandWords text={value} hand={look?.kind === "text" ? look.font : "caveat"} />;
  }
  return <Words text={value || fieldTitle(field)} isHint={value === ""} />;
}

type WordsProps = {
  readonly text: string;
  readonly hand?: Hand;
  /** A hint is not printed, and is left out where not one word fits. */
  readonly isHint?: boolean;
  readonly instead?: ReactNode;
};

/** Wraps in a high field; in one line, shrinks to fit. */
function Words({ text, hand, isHint, instead }: WordsProps) {
  const longest = Math.max(...text.split(/\s+/u).map((word) => word.length));
  const size = { "--letters": text.length, "--longest": longest } as CSSProperties;
  const family = HANDS.find((entry) => entry.hand === hand)?.family;
  return (
    <span
      className={styles.words}
      data-hand={hand}
      data-hint={isHint || undefined}
      style={{ ...size, fontFamily: family }}
    >
      <span>{text}</span>
      {instead}
    </span>
  );
}

function HandWords({ text, hand }: { readonly text: string; readonly hand: Hand }) {
  useEffect(() => void loadHands(), []);
  return <Words text={text} hand={hand} />;
}
