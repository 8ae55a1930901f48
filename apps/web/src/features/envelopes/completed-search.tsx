import { useRef } from "react";
import { plural } from "../../lib/format-numbers.ts";
import { SearchField } from "../../ui/field/search-field.tsx";
import { LinkAction } from "../../ui/link/link-action.tsx";
import styles from "./lists.module.css";

type Props = {
  readonly typed: string;
  readonly onType: (text: string) => void;
  /** Results of the search; none without a search. */
  readonly count: number | undefined;
};

/** The search of the completed list, with its number of results. */
export function CompletedSearch({ typed, onType, count }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const clear = () => {
    onType("");
    input.current?.focus();
  };
  return (
    <search className={styles["search"]}>
      <SearchField
        ref={input}
        label="Rechercher par titre ou par créateur"
        placeholder="Titre ou créateur"
        value={typed}
        onChange={(event) => onType(event.target.value)}
      />
      <span className="muted num" role="status">
        {count !== undefined && plural(count, "résultat")}
      </span>
      {typed !== "" && <LinkAction onClick={clear}>Effacer la recherche</LinkAction>}
    </search>
  );
}
