import type { RefObject } from "react";
import { Button } from "../button/button.tsx";
import { EmptyState } from "../empty-state/empty-state.tsx";
import { LinkAction } from "../link/link-action.tsx";
import { clearWords } from "./clear-words.ts";
import type { ListAddress } from "./use-list-address.ts";

type Props = {
  readonly address: ListAddress;
  /** « Aucune enveloppe trouvée ». */
  readonly title: string;
  /** What was searched in: « Aucun titre ni créateur ». */
  readonly what: string;
  /** What was probably meant, of what the list holds. */
  readonly near?: string | undefined;
  readonly box: RefObject<HTMLInputElement | null>;
};

/** In the place of a list that what narrows it leaves empty; the search box takes the focus once all is shown again. */
export function NothingFound({ address, title, what, near, box }: Props) {
  const { search, values, clear, searchFor } = address;
  const isFiltered = Object.keys(values).length > 0;
  const sought = `«\u00a0${search}\u00a0»`;
  const rest = search === "" ? "à ces filtres" : `à ${sought} avec ces filtres`;
  const showAll = () => {
    clear();
    box.current?.focus();
  };
  const searchNear = (text: string) => {
    searchFor(text);
    box.current?.focus();
  };
  return (
    <EmptyState title={title} action={<Button onClick={showAll}>{clearWords(address)}</Button>}>
      {isFiltered ? `Rien ne correspond ${rest}.` : `${what} ne correspond à ${sought}.`}
      {near !== undefined && (
        <>
          {" "}
          <span className="nowrap">
            Vouliez-vous dire <LinkAction onClick={() => searchNear(near)}>{`«\u00a0${near}\u00a0»`}</LinkAction>
            {"\u202f?"}
          </span>
        </>
      )}
    </EmptyState>
  );
}
