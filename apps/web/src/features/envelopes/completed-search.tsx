import type { Ref } from "react";
import { plural } from "../../lib/format-numbers.ts";
import { SearchField } from "../../ui/field/search-field.tsx";
import { LinkAction } from "../../ui/link/link-action.tsx";
import styles from "./lists.module.css";

type Props = {
  readonly ref: Ref<HTMLInputElement>;
  readonly typed: string;
  readonly onType: (text: string) => void;
  readonly onClear: () => void;
  /** Results of the search; none without a search. */
  readonly count: number | undefined;
};

/** The search of the completed list, with its number of results. */
export function CompletedSearch({ ref, typed, onType, onClear, count }: Props) {
  return (
    <search className={styles["search"]}>
      <SearchField
        ref={ref}
        label="Rechercher par titre ou par créateur"
        placeholder="Titre ou créateur"
        value={typed}
        onChange={(event) => onType(event.target.value)}
      />
      <span className="muted num" role="status">
        {count !== undefined && plural(count, "résultat")}
      </span>
      {typed !== "" && <LinkAction onClick={onClear}>Effacer la recherche</LinkAction>}
    </search>
  );
}
