import { PAGER_WINDOW } from "@paraphe/contracts";
import { type ComponentProps, useEffect, useRef } from "react";
import { formatCount } from "../../lib/format/format-numbers.ts";
import { useFocusableDisabled } from "../focus/use-focusable-disabled.ts";
import { Icon } from "../icon/icon.tsx";
import styles from "./pager.module.css";

/** Pages 1–5, 6–10…, and whether there are windows before and after. */
export function pageWindow(page: number, pageCount: number) {
  const first = Math.floor((page - 1) / PAGER_WINDOW) * PAGER_WINDOW + 1;
  const last = Math.min(first + PAGER_WINDOW - 1, pageCount);
  const pages = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  return {
    pages,
    previous: first > 1 ? first - 1 : undefined,
    next: last < pageCount ? last + 1 : undefined,
  };
}

type Props = {
  readonly page: number;
  readonly pageSize: number;
  readonly count: number;
  /** There are more than `count`. */
  readonly capped?: boolean | undefined;
  readonly onPage: (page: number) => void;
};

export function Pager({ page, pageSize, count, capped = false, onPage }: Props) {
  const pageCount = Math.max(1, Math.ceil(count / pageSize));
  const { pages, previous, next } = pageWindow(page, pageCount);
  const { pages: buttons, jump } = useJump(page, onPage);
  const first = count === 0 ? 0 : (page - 1) * pageSize + 1;
  const status = `${formatCount(first)}–${formatCount(Math.min(page * pageSize, count))} sur ${capped ? "plus de " : ""}${formatCount(count)}`;
  // For screen readers: the single page shows its count.
  if (pageCount === 1)
    return (
      <span className="sr" role="status">
        {status}
      </span>
    );
  return (
    <nav className={styles["pager"]} aria-label="Pagination">
      <span className="num" role="status">
        {status}
      </span>
      <span className={styles["pages"]} ref={buttons}>
        <Arrow aria-label="Page précédente" disabled={page <= 1} onClick={() => onPage(page - 1)}>
          <Icon name="chevron-left" />
        </Arrow>
        {previous !== undefined && (
          <Jump label={`Pages précédentes, ${previous} et moins`} onClick={() => jump(previous)} />
        )}
        {pages.map((number) => (
          <button
            key={number}
            type="button"
            aria-label={`Page ${number}`}
            aria-current={number === page ? "page" : undefined}
            onClick={() => onPage(number)}
          >
            {number}
          </button>
        ))}
        {next !== undefined && (
          <Jump label={`Pages suivantes, ${next} et plus`} onClick={() => jump(next)} />
        )}
        <Arrow
          aria-label="Page suivante"
          disabled={page >= pageCount}
          onClick={() => onPage(page + 1)}
        >
          <Icon name="chevron-right" />
        </Arrow>
      </span>
    </nav>
  );
}

type JumpProps = { readonly label: string; readonly onClick: () => void };

function Jump({ label, onClick }: JumpProps) {
  return (
    <button type="button" aria-label={label} onClick={onClick}>
      …
    </button>
  );
}

function Arrow(props: ComponentProps<"button">) {
  const held = useFocusableDisabled(props);
  return <button type="button" {...props} {...held} />;
}

/** « … » may disappear from the next window, so the page it opened takes the focus. */
function useJump(page: number, onPage: (page: number) => void) {
  const pages = useRef<HTMLSpanElement>(null);
  const target = useRef<number>(null);
  useEffect(() => {
    if (target.current !== page) return;
    target.current = null;
    pages.current?.querySelector<HTMLElement>("[aria-current]")?.focus();
  }, [page]);
  const jump = (to: number) => {
    target.current = to;
    onPage(to);
  };
  return { pages, jump };
}
