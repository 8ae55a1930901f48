import type { Document } from "@paraphe/contracts";
import { focusOnceDrawn } from "../../../../ui/focus/preserve-focus.ts";
import { showToast } from "../../../../ui/toast/toast-store.ts";
import type { DraftKeeper } from "../draft/draft-keeper.ts";
import { envelopeCalls } from "../draft/envelope-calls.ts";

type Replacement = { readonly replaced: Document; readonly added: Document };

/** The fields move to the same pages of the added document; those without a page go. */
export async function replaceDocument(keeper: DraftKeeper, { replaced, added }: Replacement) {
  const { fields } = keeper.state().draft;
  const kept = fields.filter(
    ({ documentId, page }) => documentId !== replaced.id || page <= added.page_count,
  );
  const moved = kept.map((field) =>
    field.documentId === replaced.id ? { ...field, documentId: added.id } : field,
  );
  if (fields.some(({ documentId }) => documentId === replaced.id)) {
    keeper.update("fields", { fields: moved });
    await keeper.flush();
  }
  await keeper.exclusively((envelope) => {
    if (!envelope) throw new Error("no envelope to change");
    return envelopeCalls.patch(envelope, { remove_documents: [replaced.id] });
  });
  focusOnceDrawn(() => (isElsewhere() ? null : controlOf(added)));
  showToast("ok", replacedWords({ replaced, added }, fields.length - kept.length));
}

function isElsewhere(): boolean {
  const { activeElement } = document;
  return activeElement !== null && !activeElement.matches("body,main,h1,h2,ul *");
}

function controlOf({ name }: Document): HTMLElement | undefined {
  const labels = [`Remplacer ${name}`, `Retirer ${name}`];
  return [...document.querySelectorAll("button")].find((button) =>
    labels.includes(button.getAttribute("aria-label") ?? ""),
  );
}

function replacedWords({ replaced, added }: Replacement, lost: number): string {
  const words = `${added.name} remplace ${replaced.name}`;
  if (lost === 0) return words;
  const gone =
    lost > 1
      ? `${lost} champs n’ont plus leur page et sont retirés`
      : "un champ n’a plus sa page et est retiré";
  return `${words}\u00a0: ${gone}`;
}
