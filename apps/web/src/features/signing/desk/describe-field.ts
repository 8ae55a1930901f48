import { isTickBox, isToCopy, takesMark } from "@paraphe/contracts";
import { type SigningField, fieldTitle, isFilled, mustBeFilled } from "./field-walk.ts";
import type { Desk } from "./use-desk.ts";

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

export function markFieldLabel(field: Pick<SigningField, "type">): string {
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
export function isBegun(field: SigningField, desk: Pick<Desk, "values" | "answers">): boolean {
  return (
    isToCopy(field) && (desk.values[field.id] ?? "").trim() !== "" && !isFilled(field, desk.answers)
  );
}
