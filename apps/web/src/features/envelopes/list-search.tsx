import type { Ref } from "react";
import { plural } from "../../lib/format-numbers.ts";
import { SearchField } from "../../ui/field/search-field.tsx";
import { LinkAction } from "../../ui/link/link-action.tsx";
import styles from "./lists.module.css";
import type { useEnvelopeList } from "./use-envelope-list.ts";

type Props = {
  readonly ref: Ref<HTMLInputElement>;
  readonly source: Pick<ReturnType<typeof useEnvelopeList>, "list" | "typed" | "search" | "setTyped">;
  readonly onClear: () => void;
};

/** The search of a list, with its number of results. */
export function ListSearch({ ref, source: { list, typed, search, setTyped }, onClear }: Props) {
  const found = search !== "" && !list.isPlaceholderData ? list.data?.count : undefined;
  return (
    <search className={styles["search"]}>
      <SearchField
        ref={ref}
        label="Rechercher par titre ou par créateur"
        placeholder="Titre ou créateur"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <span className="muted num" role="status">
        {found !== undefined && plural(found, "résultat")}
      </span>
      {typed !== "" && <LinkAction onClick={onClear}>Effacer la recherche</LinkAction>}
    </search>
  );
}
